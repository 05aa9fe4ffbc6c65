//! Reuse of a worker's engines, and their processor cores.
#![cfg(target_os = "linux")]

use preconditions::needs;
use std::collections::BTreeSet;

use rustix::process::Signal;

use crate::common::engines::Recorded;
use crate::common::{Fleet, stored};

/// Six blocks.
const WORDS: &str = "--games 12 --nodes 400 --random-plies 2";
/// Test starts of each engine before the match: one by the coordinator, one by a worker.
const TEST_STARTS: usize = 2;

/// Plays a match to its end; returns its engines, and the fleet with their files.
fn play(words: &str, worker: &str) -> (Recorded, Fleet) {
    let mut fleet = Fleet::new();
    // Games that are played twice would start engines, too.
    fleet.ack_wait = 60;
    let engines = Recorded::new(fleet.folder.path());
    let mut coordinator = engines.begin(&mut fleet, &format!("{WORDS} {words}"));
    let _worker = engines.worker(&mut fleet, worker);
    coordinator.ends(0, &[]);
    (engines, fleet)
}

#[needs(nats_server)]
#[test]
fn engines_are_kept_between_blocks_unless_they_are_restarted() {
    for (words, starts) in [("", 1), ("--each restart=on", 12)] {
        let (engines, _fleet) = play(words, "");
        let found = ["a", "b"].map(|engine| engines.starts(engine).len());
        assert_eq!(found, [TEST_STARTS + starts; 2], "{words}");
    }
}

#[needs(nats_server, two_cores)]
#[test]
fn each_slot_has_its_own_core_with_pin() {
    let (engines, _fleet) = play("--pin --concurrency 2", "--concurrency 2");
    for engine in ["a", "b"] {
        let starts = &engines.starts(engine)[TEST_STARTS..];
        let cores: BTreeSet<&str> = starts.iter().map(|start| &*start.cores).collect();
        assert_eq!(cores.len(), 2, "{starts:?}");
        let is_number = |core: &&str| core.parse::<usize>().is_ok();
        assert!(cores.iter().all(is_number), "{starts:?}");
    }
}

#[needs(nats_server)]
#[test]
fn engines_quit_when_their_match_is_paused_or_their_worker_is_killed() {
    let mut fleet = Fleet::new();
    let engines = Recorded::new(fleet.folder.path());
    let mut coordinator = engines.begin(&mut fleet, "--games 200 --nodes 3000");
    let mut worker = engines.worker(&mut fleet, "");
    fleet.await_games(2);
    assert!(!engines.are_gone(), "{}", worker.output());
    coordinator.signal(Signal::TERM);
    coordinator.ends(130, &[]);
    fleet.await_that("the end of the engines", || engines.are_gone());
    let games = stored(&fleet.store());
    let _coordinator = fleet.resume();
    fleet.await_games(games + 2);
    // Results that the server still had are collected before the engines are started again.
    fleet.await_that("engines", || !engines.are_gone());
    worker.kill();
    fleet.await_that("the end of the engines", || engines.are_gone());
}
