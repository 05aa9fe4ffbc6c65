//! Outputs of a match other than its store.

use std::fs;

use serde_json::Value;

use crate::common::Fleet;
use crate::common::fleet::program;
use crate::common::one_machine::told_by_one_machine;

/// Fields that depend on the clock or on the worker.
const OF_MACHINES: [&str; 4] = ["micros", "waited", "worker", "record"];

/// Events of a game in order, without the fields that depend on machines.
fn told_of(events: &str, game: u64) -> Vec<Value> {
    let all = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut told: Vec<Value> = all.filter(|event| event["game"] == game).collect();
    for event in &mut told {
        let fields = event.as_object_mut().unwrap();
        fields.retain(|key, _| !OF_MACHINES.contains(&key.as_str()));
    }
    told
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn each_game_is_told_as_by_one_machine() {
    let mut fleet = Fleet::new();
    let path = fleet.folder.path().join("events");
    let words = [
        "--games",
        "8",
        "--nodes",
        "300",
        "--seed",
        "7",
        "--random-plies",
        "4",
    ];
    let mut all = words.to_vec();
    all.extend(["--events", path.to_str().unwrap()]);
    let mut coordinator = fleet.begin(&all);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
    let events = fs::read_to_string(path).unwrap();
    let expected = told_by_one_machine(&words);
    for game in 1..=8 {
        let told = told_of(&events, game);
        let is_card = |event: &Value| event["event"] == "card";
        assert!(told.len() > 20 && told.iter().any(is_card), "{told:?}");
        assert_eq!(told, told_of(&expected, game));
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn what_engines_say_is_logged_where_they_are() {
    let mut fleet = Fleet::new();
    let [here, there] = ["here", "there"].map(|name| fleet.folder.path().join(name));
    let words = [
        "--games",
        "2",
        "--nodes",
        "100",
        "--log",
        here.to_str().unwrap(),
    ];
    let mut coordinator = fleet.begin(&words);
    let log = ["--log", there.to_str().unwrap()];
    let _worker = fleet.worker_by(&mut program(), "one", &log);
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
    // The coordinator starts each engine once, but plays no games.
    let here = fs::read_to_string(here).unwrap();
    assert!(
        here.contains("uciok") && !here.contains("bestmove"),
        "{here}"
    );
    assert!(fs::read_to_string(there).unwrap().contains("bestmove"));
}
