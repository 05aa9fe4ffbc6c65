//! Results that arrive late or out of order: the first one counts, and a game is identified by its number.

use std::path::Path;

use fleet::message::{Message, Outcome};
use fleet::names::Names;
use matches::record::digest::StoredGame;
use rustix::process::Signal;

use crate::common::{Fleet, assert_whole, lines_of, played_on_one_machine, with_jetstream};

const WORDS: &[&str] = &[
    "--games",
    "12",
    "--nodes",
    "20000",
    "--seed",
    "6",
    "--random-plies",
    "4",
];

/// Messages with these games, as from a worker.
fn messages(lines: &[String]) -> Vec<Vec<u8>> {
    let message = |line: &String| {
        let game: StoredGame = serde_json::from_str(line).unwrap();
        let worker = "sender".to_string();
        Outcome { worker, game }.encode().unwrap()
    };
    lines.iter().map(message).collect()
}

/// Sends results for the match in a store; returns the server's answer to each.
fn send(fleet: &Fleet, store: &Path, messages: Vec<Vec<u8>>) -> Vec<Result<(), String>> {
    let subject = Names::of(&fleet.await_id_in(store)).unwrap().result();
    with_jetstream(&fleet.server.url(), async |context| {
        let mut answers = Vec::new();
        for message in messages {
            let sent = context.publish(subject.clone(), message.into()).await;
            let answer = async {
                sent.map_err(|error| error.to_string())?
                    .await
                    .map_err(|error| error.to_string())
            };
            answers.push(answer.await.map(drop));
        }
        answers
    })
}

/// Takes some time: a unit is late after ten seconds.
#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_block_that_is_late_is_given_to_another_and_the_first_answer_counts() {
    let mut fleet = Fleet::new();
    // Excludes a delivery to another worker because of the timeout.
    fleet.ack_wait = "3600";
    let mut coordinator = fleet.begin(WORDS);
    let holder = fleet.worker("holder");
    fleet.await_games(1);
    holder.signal(Signal::STOP);
    let mut other = fleet.worker("other");
    assert_whole(&fleet, &mut coordinator, WORDS);
    // The late worker drops its unit, and plays the next one.
    other.kill();
    holder.signal(Signal::CONT);
    let next = fleet.folder.path().join("next.db");
    let mut words = WORDS.to_vec();
    words[1] = "4";
    let mut coordinator = fleet.begin_by(&mut crate::common::fleet::program(), &next, &words);
    assert_eq!(
        coordinator.end(),
        0,
        "{}\n{}",
        coordinator.output(),
        holder.output()
    );
    assert_eq!(lines_of(&next), played_on_one_machine(&words));
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn games_come_in_any_order_and_from_an_earlier_session() {
    let mut fleet = Fleet::new();
    let lines = played_on_one_machine(WORDS);
    let mut sent = messages(&lines);
    sent.reverse();
    let rest = sent.split_off(7);
    let mut coordinator = fleet.begin(WORDS);
    coordinator.await_words("run `fleet work` to play it");
    // The stream for results exists before the first unit is published.
    fleet.await_work();
    coordinator.kill();
    let store = fleet.store();
    assert!(send(&fleet, &store, sent).iter().all(Result::is_ok));
    let mut coordinator = fleet.resume();
    fleet.await_games(7);
    assert!(send(&fleet, &store, rest).iter().all(Result::is_ok));
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_game_of_a_match_that_is_over_is_taken_by_nobody() {
    let mut fleet = Fleet::new();
    let mut words = WORDS.to_vec();
    words[1] = "2";
    let mut coordinator = fleet.begin(&words);
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, &words);
    let store = fleet.store();
    let answers = send(&fleet, &store, messages(&lines_of(&store)));
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    let mut again = fleet.resume();
    assert_whole(&fleet, &mut again, &words);
    assert!(
        again.output().contains("2 games, all stored"),
        "{}",
        again.output()
    );
}
