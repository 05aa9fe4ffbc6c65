//! Kills of any process: no game is lost, none counts twice, and all are the same as on one machine.

use rustix::process::Signal;

use crate::common;
use crate::common::{Fleet, Process, lines_of};

/// Games for some seconds.
const WORDS: &[&str] = &[
    "--games",
    "24",
    "--nodes",
    "1500",
    "--seed",
    "3",
    "--random-plies",
    "4",
];

fn assert_whole(fleet: &Fleet, coordinator: &mut Process) {
    common::assert_whole(fleet, coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_worker_is_killed_in_mid_block() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let mut victim = fleet.worker("victim");
    fleet.await_games(3);
    victim.kill();
    let _worker = fleet.worker("other");
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_worker_stands_still_and_goes_on_later() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let sleeper = fleet.worker("sleeper");
    fleet.await_games(2);
    sleeper.signal(Signal::STOP);
    let _worker = fleet.worker("other");
    fleet.await_games(20);
    sleeper.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn all_workers_are_killed() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let mut workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(4);
    workers.iter_mut().for_each(Process::kill);
    let _worker = fleet.worker("three");
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_coordinator_is_killed_again_and_again() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    for games in [1, 6, 12] {
        fleet.await_games(games);
        coordinator.kill();
        coordinator = fleet.resume();
    }
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_match_is_paused_and_goes_on() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _worker = fleet.worker("one");
    fleet.await_games(3);
    coordinator.signal(Signal::INT);
    assert_eq!(coordinator.end(), 130, "{}", coordinator.output());
    assert!(
        coordinator.output().contains("fleet resume"),
        "{}",
        coordinator.output()
    );
    let mut coordinator = fleet.resume();
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_match_ends_after_its_running_games() {
    let mut fleet = Fleet::new();
    let words: Vec<&str> = WORDS
        .iter()
        .chain(&["--on-interrupt", "finish"])
        .copied()
        .collect();
    let mut coordinator = fleet.begin(&words);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(3);
    coordinator.signal(Signal::INT);
    assert_eq!(coordinator.end(), 130, "{}", coordinator.output());
    let output = coordinator.output();
    assert!(output.contains("after the running games"), "{output}");
    // All blocks are complete.
    let games = lines_of(&fleet.store()).len();
    assert!(games < 24 && games.is_multiple_of(2), "{games}: {output}");
    let mut coordinator = fleet.resume();
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_server_is_killed_and_keeps_its_storage() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(4);
    fleet.server.kill();
    fleet.server.restart();
    assert_whole(&fleet, &mut coordinator);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_server_is_killed_and_loses_its_storage() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(4);
    fleet.server.kill();
    fleet.server.restart_empty();
    assert_whole(&fleet, &mut coordinator);
    let output = coordinator.output();
    assert!(output.contains("the server has lost the match"), "{output}");
}
