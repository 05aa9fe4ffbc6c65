//! Bad messages: duplicate, truncated, of another version, or invented.

use preconditions::needs;
use std::path::Path;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use fleet::message::{GameResult, Message, Outcome, VERSION};
use fleet::queue::{Names, WORKERS};
use fleet::signature::Signer;
use futures_util::StreamExt;
use matches::archive::store::Store;
use matches::record::{GameRecord, Seed};

use crate::common::{Fleet, MATCH, assert_whole, played_on_one_machine, with_jetstream};

/// Time that a coordinator may take to create its streams, generous for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(240);

pub fn first_game(store: &Path) -> GameRecord {
    Store::open(store).unwrap().game(1).unwrap().unwrap().record
}

/// Publishes messages as results of a match, once its stream exists.
pub fn send(fleet: &Fleet, messages: Vec<Vec<u8>>) {
    let subject = fleet.await_names(&fleet.store()).result("sender");
    with_jetstream(&fleet.server.url(), async |context| {
        let end = Instant::now() + TIMEOUT;
        for message in messages {
            loop {
                let sent = context.publish(subject.clone(), message.clone().into());
                match sent.await.unwrap().await {
                    Ok(_) => break,
                    Err(error) => assert!(Instant::now() < end, "{error}"),
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    });
}

/// A game of a match as a worker sends it.
pub fn outcome(names: &Names, label: &str, signer: &Signer, game: GameRecord) -> Vec<u8> {
    let (label, result) = (label.to_string(), GameResult::Played(Box::new(game)));
    Outcome { label, result }.encode(signer, &names.result(signer.key())).unwrap()
}

#[needs(nats_server)]
#[test]
fn bad_messages_are_refused_and_inventors_set_aside() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let mut worker = fleet.worker("honest");
    fleet.await_games(2);
    worker.kill();
    let game = first_game(&fleet.store());
    // A game that no worker has sent yet.
    let next: GameRecord = serde_json::from_str(&played_on_one_machine(MATCH)[11]).unwrap();
    let (names, signer) = (fleet.await_names(&fleet.store()), Signer::default());
    let good = outcome(&names, "honest", &signer, game.clone());
    let json = signer.key().open(&good, &names.result(signer.key())).unwrap();
    let text = String::from_utf8(json.to_vec()).unwrap();
    let future = text.replacen(&format!("\"version\":{VERSION}"), "\"version\":9", 1);
    let sign = |json: &[u8]| {
        let signer = Signer::default();
        signer.sign(&names.result(signer.key()), json)
    };
    let by = |label: &str, game| outcome(&names, label, &Signer::default(), game);
    // A stored game under another number, with the seats of that number.
    let mut invented = game.clone();
    invented.game = 12;
    invented.block = 6;
    invented.seats.reverse();
    let mut unsown = next.clone();
    unsown.seed = Seed::Number(1);
    let mut large = next.clone();
    for turn in &mut large.turns {
        turn.micros = Some(u64::MAX);
    }
    let mut unmeasured = next.clone();
    unmeasured.luck = None;
    let mut lucky = next.clone();
    let luck = lucky.luck.as_mut().unwrap();
    luck.shares = vec![100.0, 100.0];
    send(
        &fleet,
        vec![
            good.clone(),
            good.clone(),
            good[..good.len() / 2].to_vec(),
            sign(&text.as_bytes()[..text.len() / 2]),
            sign(future.as_bytes()),
            b"".to_vec(),
            b"\xff\xfe".to_vec(),
            by("liar", invented),
            by("boaster", large),
            by("guesser", unsown),
            by("careless", unmeasured),
            by("lucky", lucky),
        ],
    );
    for words in [
        "result refused: message refused: the signature by",
        "is set aside: malformed message",
        "is set aside: message of version 9, expected 2",
        "is set aside: game 12 is refused: ",
        "is refused: numbers: found 18446744073709551615",
        "is refused: seed: found 1, which is not the match's",
        "is refused: luck: none, expected luck by",
        "is refused: luck: expected one number for each seat",
        "worker liar-U",
    ] {
        coordinator.await_words(words);
    }
    let _worker = fleet.worker("other");
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_unit_that_was_delivered_too_often_is_published_again() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let names = fleet.await_work(&fleet.store());
    // Returns all units unplayed until the server no longer delivers them.
    fleet.await_that("the last delivery", || {
        with_jetstream(&fleet.server.url(), async |context| {
            let mut consumer: PullConsumer =
                context.get_consumer_from_stream(WORKERS, names.work_stream()).await.unwrap();
            let mut all = consumer.fetch().max_messages(100).messages().await.unwrap();
            while let Some(message) = all.next().await {
                message.unwrap().ack_with(AckKind::Nak(None)).await.unwrap();
            }
            let info = consumer.info().await.unwrap();
            info.num_pending == 0 && info.num_ack_pending == 0
        })
    });
    // While a worker waits, the coordinator may first give it the units as late ones, without these words.
    coordinator.await_words("given out again: no worker finished it");
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, MATCH);
}
