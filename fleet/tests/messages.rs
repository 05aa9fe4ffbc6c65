//! Bad messages: duplicate, truncated, of another version, or invented.

use std::path::Path;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;
use fleet::message::{Message, Outcome};
use fleet::names::Names;
use fleet::queue::workers_consumer;
use futures_util::StreamExt;
use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::record::digest::StoredGame;

use crate::common::{Fleet, assert_whole, played_on_one_machine, with_jetstream};

const WORDS: &[&str; 8] = &[
    "--games",
    "12",
    "--nodes",
    "1500",
    "--seed",
    "5",
    "--random-plies",
    "4",
];

/// The first stored game.
fn first_game(store: &Path) -> StoredGame {
    let mut first = None;
    let read = Store::open(store)
        .unwrap()
        .for_each_game(Extent::Whole, Some(1), |kept| {
            first = Some(StoredGame {
                totals: None,
                ..kept
            });
            Ok::<(), ArchiveError>(())
        });
    read.unwrap();
    first.unwrap()
}

/// Time that a coordinator may take to create its streams, generous for a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Publishes messages as results of a match, once its stream exists.
fn send(fleet: &Fleet, messages: Vec<Vec<u8>>) {
    let subject = Names::of(&fleet.await_id()).unwrap().result();
    with_jetstream(&fleet.server.url(), async |context| {
        let end = Instant::now() + PATIENCE;
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

fn outcome(worker: &str, game: StoredGame) -> Vec<u8> {
    let worker = worker.to_string();
    Outcome { worker, game }.encode().unwrap()
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn what_is_doubled_cut_short_or_of_the_future_changes_nothing() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _worker = fleet.worker("one");
    fleet.await_games(2);
    let good = outcome("one", first_game(&fleet.store()));
    let future =
        String::from_utf8(good.clone())
            .unwrap()
            .replacen("\"version\":1", "\"version\":9", 1);
    let cut = good[..good.len() / 2].to_vec();
    send(
        &fleet,
        vec![
            good.clone(),
            good,
            cut,
            future.into_bytes(),
            b"".to_vec(),
            b"\xff\xfe".to_vec(),
        ],
    );
    assert_whole(&fleet, &mut coordinator, WORDS);
    let output = coordinator.output();
    for words in ["malformed message", "message of version 9, expected 1"] {
        assert!(output.contains(words), "{words}: {output}");
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn who_invents_a_game_is_named_and_set_aside() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let mut worker = fleet.worker("honest");
    fleet.await_games(2);
    worker.kill();
    // A stored game under another number, with the seats of that number.
    let mut game = first_game(&fleet.store());
    game.record.game = 12;
    game.record.block = 6;
    game.record.seats.reverse();
    game.digest = Some(game.record.digest());
    send(&fleet, vec![outcome("liar", game)]);
    coordinator.await_words("game 12 by worker liar is refused");
    coordinator.await_words("the worker is set aside");
    let _worker = fleet.worker("other");
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_sample_played_by_two_finds_who_invents_possible_games() {
    let mut fleet = Fleet::new();
    let mut words = WORDS.to_vec();
    words.extend(["--check-sample", "1"]);
    let mut coordinator = fleet.begin(&words);
    coordinator.await_words("run `fleet work` to play it");
    // The cards are right and the moves legal, but by weaker engines.
    let weaker = WORDS.map(|word| if word == "1500" { "1" } else { word });
    let game: StoredGame = serde_json::from_str(&played_on_one_machine(&weaker)[0]).unwrap();
    send(&fleet, vec![outcome("liar", game)]);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    assert_whole(&fleet, &mut coordinator, WORDS);
    let output = coordinator.output();
    let words = "game 1 by worker liar is refused: two other workers agree on another game";
    assert!(output.contains(words), "{output}");
}

/// Pulls all units and returns them unplayed until the server no longer delivers them.
fn wear_out(fleet: &Fleet) {
    let names = Names::of(&fleet.await_id()).unwrap();
    with_jetstream(&fleet.server.url(), async |context| {
        let consumer = workers_consumer(&context, &names).unwrap();
        for _ in 0..30 {
            let mut all = consumer.fetch().max_messages(100).messages().await.unwrap();
            while let Some(message) = all.next().await {
                message.unwrap().ack_with(AckKind::Nak(None)).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn what_was_given_out_too_often_is_given_out_anew() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    coordinator.await_words("run `fleet work` to play it");
    fleet.await_work();
    wear_out(&fleet);
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, WORDS);
    let output = coordinator.output();
    assert!(output.contains("no worker finished it"), "{output}");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_game_with_numbers_that_nothing_can_hold_is_refused() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let mut worker = fleet.worker("one");
    fleet.await_games(2);
    worker.kill();
    let mut game = first_game(&fleet.store());
    for turn in &mut game.record.turns {
        turn.micros = Some(u64::MAX);
    }
    send(&fleet, vec![outcome("liar", game)]);
    coordinator.await_words("by worker liar is refused: numbers: found 18446744073709551615");
    let _worker = fleet.worker("other");
    assert_whole(&fleet, &mut coordinator, WORDS);
}
