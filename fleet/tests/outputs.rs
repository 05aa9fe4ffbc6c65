//! Two workers play the games of one machine, byte for byte; and a match has outputs other than its store.

use preconditions::needs;
use std::fs;

use serde_json::Value;

use crate::common::one_machine::events_of_one_machine;
use crate::common::{Fleet, assert_whole, program};
use crate::machines::{games_of, machine};

const WORDS: &str = "--games 8 --nodes 300 --seed 7 --random-plies 4";
/// Fields that depend on the clock or on the worker.
const OF_MACHINES: [&str; 4] = ["micros", "waited", "worker", "record"];

/// Events of a game in order, without the fields that depend on machines.
fn events_of(events: &str, game: u64) -> Vec<Value> {
    let all = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut events: Vec<Value> = all.filter(|event| event["game"] == game).collect();
    for event in &mut events {
        let fields = event.as_object_mut().unwrap();
        fields.retain(|key, _| !OF_MACHINES.contains(&key.as_str()));
    }
    events
}

#[needs(nats_server)]
#[test]
fn two_workers_play_the_games_of_one_machine_with_its_events_and_logs() {
    let mut fleet = Fleet::new();
    let [events, here, there] = ["events", "here", "there"].map(|name| fleet.path(name));
    let outputs = format!("--events {} --log {}", events.display(), here.display());
    let mut coordinator = fleet.begin(&format!("{WORDS} {outputs}"));
    let words = format!("--name one --log {}", there.display());
    let one = fleet.worker_by(&mut program(), &words);
    one.await_words("playing match");
    let _two = fleet.worker("two");
    let output = assert_whole(&fleet, &mut coordinator, WORDS);

    let (events, expected) = (fs::read_to_string(events).unwrap(), events_of_one_machine(WORDS));
    for game in 1..=8 {
        let found = events_of(&events, game);
        let is_card = |event: &Value| event["event"] == "card";
        assert!(found.len() > 20 && found.iter().any(is_card), "{found:?}");
        assert_eq!(found, events_of(&expected, game));
    }
    let ends: Vec<&str> =
        events.lines().filter(|line| line.contains(r#"{"event":"end","#)).collect();
    assert_eq!(ends.len(), 8);
    for end in ends {
        let is_of = |name: &str| end.contains(&format!(r#","worker":"{name}-U"#));
        assert!(is_of("one") || is_of("two"), "{end}");
    }

    for record in games_of(&fleet) {
        let machine = machine(&record);
        let is_of = |name: &str| machine.worker.starts_with(&format!("{name}-U"));
        assert!(is_of("one") || is_of("two"), "{machine:?}");
        assert!(machine.speed.is_some_and(|speed| speed > 0), "{machine:?}");
        assert!(machine.micros > 0 && machine.lag_p99 >= machine.lag_median);
        assert_eq!((machine.slots, machine.time_scale), (1, None));
    }
    assert!(output.contains("games/s"), "{output}");

    // The coordinator starts each engine once, but plays no games.
    let here = fs::read_to_string(here).unwrap();
    assert!(here.contains("uciok") && !here.contains("bestmove"), "{here}");
    assert!(fs::read_to_string(there).unwrap().contains("bestmove"));
}

#[needs(nats_server)]
#[test]
fn so_they_do_with_three_seats() {
    let mut fleet = Fleet::new();
    let words = "--players 3 --games 12 --depth 2 --seed 8 --random-plies 5";
    let mut coordinator = fleet.begin(words);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    assert_whole(&fleet, &mut coordinator, words);
}
