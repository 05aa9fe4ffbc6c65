//! Reuse of a worker's engines, and their processor cores.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;

use rustix::process::Signal;

use crate::common::Fleet;
use crate::common::noted::Noted;

/// Six blocks.
const WORDS: &[&str] = &["--games", "12", "--nodes", "400", "--random-plies", "2"];
/// Test starts of each engine before the match: one by the coordinator, one by a worker.
const TRIALS: usize = 2;

fn starts_of_a_match(more: &[&str]) -> [usize; 2] {
    let mut fleet = Fleet::new();
    let noted = Noted::new(fleet.folder.path());
    let mut coordinator = noted.begin(&mut fleet, &[WORDS, more].concat());
    let worker = noted.worker(&mut fleet, &[]);
    let (code, words) = (coordinator.end(), coordinator.output());
    assert_eq!(code, 0, "{words}\n{}", worker.output());
    ["a", "b"].map(|engine| noted.starts(engine).len())
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn engines_are_kept_between_blocks() {
    let starts = starts_of_a_match(&[]);
    assert_eq!(starts, [TRIALS + 1; 2]);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn engines_that_are_to_be_started_anew_are() {
    let starts = starts_of_a_match(&["--each", "restart=on"]);
    assert_eq!(starts, [TRIALS + 12; 2]);
}

#[test]
#[cfg_attr(
    not(all(nats_server, two_cores)),
    ignore = "needs nats-server and two cores"
)]
fn each_slot_has_a_core_of_its_own_where_the_match_says_so() {
    let mut fleet = Fleet::new();
    let noted = Noted::new(fleet.folder.path());
    let words = [WORDS, &["--pin", "--concurrency", "2"]].concat();
    let mut coordinator = noted.begin(&mut fleet, &words);
    let worker = noted.worker(&mut fleet, &["--concurrency", "2"]);
    let (code, words) = (coordinator.end(), coordinator.output());
    assert_eq!(code, 0, "{words}\n{}", worker.output());
    for engine in ["a", "b"] {
        let starts = noted.starts(engine);
        let cores: BTreeSet<&str> = starts[TRIALS..].iter().map(|start| &*start.cores).collect();
        assert_eq!(cores.len(), 2, "{starts:?}");
        let is_number = |core: &&str| core.parse::<usize>().is_ok();
        assert!(cores.iter().all(is_number), "{starts:?}");
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_engines_of_a_match_that_is_paused_end_and_those_of_a_worker_that_is_killed() {
    let mut fleet = Fleet::new();
    let noted = Noted::new(fleet.folder.path());
    let long = ["--games", "200", "--nodes", "3000"];
    let mut coordinator = noted.begin(&mut fleet, &long);
    let mut worker = noted.worker(&mut fleet, &[]);
    fleet.await_games(3);
    assert!(!noted.are_gone(), "{}", worker.output());
    coordinator.signal(Signal::INT);
    assert_eq!(coordinator.end(), 130, "{}", coordinator.output());
    fleet.await_that("the end of the engines", || noted.are_gone());
    let games = crate::common::fleet::stored(&fleet.store());
    let _coordinator = fleet.resume();
    fleet.await_games(games + 2);
    // Results that the server still had are collected before the engines are started again.
    fleet.await_that("engines", || !noted.are_gone());
    worker.kill();
    fleet.await_that("the end of the engines", || noted.are_gone());
}
