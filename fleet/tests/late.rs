//! Results that arrive late or out of order: the first one counts, and a game is identified by its number.

use preconditions::needs;
use std::path::Path;

use fleet::signature::Signer;
use matches::record::GameRecord;
use rustix::process::Signal;

use crate::common::fleet::engines;
use crate::common::{Fleet, MATCH, assert_whole, lines_of, played_on_one_machine, with_jetstream};
use crate::messages::outcome;

/// A match of one block.
const SHORT: &str = "--games 2 --nodes 10000 --seed 3 --random-plies 4";

/// Sends games as a worker of the match in a store; returns the server's answer to each.
fn send(fleet: &Fleet, store: &Path, lines: &[String]) -> Vec<Result<(), String>> {
    let (names, signer) = (fleet.await_names(store), Signer::default());
    let message = |line: &String| {
        let game: GameRecord = serde_json::from_str(line).unwrap();
        outcome(&names, "sender", &signer, game)
    };
    let subject = names.result(signer.key());
    let messages = lines.iter().map(message);
    with_jetstream(&fleet.server.url(), async |context| {
        let mut answers = Vec::new();
        for message in messages {
            let sent = context.publish(subject.clone(), message.into()).await;
            let answer = async {
                sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
            };
            answers.push(answer.await.map(drop));
        }
        answers
    })
}

/// Takes some time: a unit is late after ten seconds.
#[needs(nats_server)]
#[test]
fn a_block_that_is_late_is_given_to_another_and_the_first_answer_counts() {
    let mut fleet = Fleet::new();
    // Excludes a delivery to another worker because of the timeout.
    fleet.ack_wait = 3600;
    let mut coordinator = fleet.begin(MATCH);
    let holder = fleet.worker("holder");
    fleet.await_games(1);
    holder.signal(Signal::STOP);
    let mut other = fleet.worker("other");
    assert_whole(&fleet, &mut coordinator, MATCH);
    // The late worker drops its unit, and plays the next one.
    other.kill();
    holder.signal(Signal::CONT);
    let next = fleet.path("next.db");
    let mut coordinator = fleet.begin_in(&next, &format!("{} {SHORT}", engines()));
    coordinator.ends(0, &[]);
    assert_eq!(lines_of(&next), played_on_one_machine(SHORT));
}

#[needs(nats_server)]
#[test]
fn games_come_in_any_order_and_from_an_earlier_session() {
    let mut fleet = Fleet::new();
    let mut sent = played_on_one_machine(MATCH);
    sent.reverse();
    let rest = sent.split_off(7);
    let store = fleet.store();
    let mut coordinator = fleet.begin(MATCH);
    // The stream for results exists before the first unit is published.
    fleet.await_work(&store);
    coordinator.kill();
    assert!(send(&fleet, &store, &sent).iter().all(Result::is_ok));
    let mut coordinator = fleet.resume();
    fleet.await_games(7);
    assert!(send(&fleet, &store, &rest).iter().all(Result::is_ok));
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_game_of_a_match_that_is_over_is_refused() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(SHORT);
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, SHORT);
    let store = fleet.store();
    let answers = send(&fleet, &store, &lines_of(&store));
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    fleet.resume().ends(0, &["2 games, all stored"]);
}
