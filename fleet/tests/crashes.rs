//! Kills of any process: no game is lost, none counts twice, and all are the same as on one machine. The coordinator is
//! killed at many points: while it starts, announces the match, publishes units, collects results, checks the server,
//! and ends the match.

use preconditions::needs;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use matches::archive::store::Store;
use rustix::process::Signal;

use crate::common::{Fleet, MATCH, Process, assert_whole, lines_of, stored};

/// [`MATCH`], but long enough that it is not over before a second interruption.
fn long_match() -> String {
    MATCH.replace("--games 12", "--games 40")
}

#[needs(nats_server)]
#[test]
fn all_workers_are_killed_in_mid_block() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let mut workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(3);
    workers.iter_mut().for_each(Process::kill);
    let _worker = fleet.worker("three");
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_worker_stops_and_continues_later() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let sleeper = fleet.worker("sleeper");
    fleet.await_games(2);
    sleeper.signal(Signal::STOP);
    let _worker = fleet.worker("other");
    fleet.await_games(9);
    sleeper.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_match_ends_after_its_running_games_or_is_paused_and_continues() {
    let mut fleet = Fleet::new();
    let long = long_match();
    let mut coordinator = fleet.begin(&format!("{long} --on-interrupt finish"));
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(2);
    coordinator.signal(Signal::TERM);
    let output = coordinator.ends(130, &["after the running games"]);
    // All blocks are complete.
    let games = lines_of(&fleet.store()).len();
    assert!(games < 40 && games.is_multiple_of(2), "{games}: {output}");
    let mut coordinator = fleet.resume();
    fleet.await_games(games + 1);
    coordinator.signal(Signal::TERM);
    coordinator.ends(130, &[&fleet.proposal()]);
    let mut coordinator = fleet.resume();
    assert_whole(&fleet, &mut coordinator, &long);
}

#[needs(nats_server)]
#[test]
fn the_server_is_killed_and_keeps_its_storage_or_loses_it() {
    let mut fleet = Fleet::new();
    let long = long_match();
    let mut coordinator = fleet.begin(&long);
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    fleet.await_games(2);
    fleet.server.kill();
    fleet.server.restart();
    fleet.await_games(6);
    let words = "the server has lost the match";
    assert!(!coordinator.output().contains(words));
    fleet.server.kill();
    fleet.server.restart_empty();
    let output = assert_whole(&fleet, &mut coordinator, &long);
    assert!(output.contains(words), "{output}");
}

/// Short games, so that something happens at every moment.
const WORDS: &str = "--games 200 --nodes 1 --seed 11 --random-plies 4";
/// Moments after the start of a coordinator, in milliseconds, while it announces the match or recovers the units of the
/// last coordinator.
const STARTS: [u64; 7] = [0, 40, 80, 120, 180, 260, 400];
/// A short match, to test its end.
const SHORT: &str = "--games 4 --nodes 1 --seed 12";

/// Starts a coordinator for a new match, or for the rest of the last one.
fn coordinator(fleet: &mut Fleet) -> Process {
    // A coordinator that was killed early may have left a store without a match in it.
    let path = fleet.store();
    if path.exists() && Store::open(&path).is_err() {
        fs::remove_file(&path).unwrap();
    }
    if path.exists() { fleet.resume() } else { fleet.begin(WORDS) }
}

#[needs(nats_server)]
#[test]
fn the_coordinator_is_killed_at_many_moments_of_a_match() {
    let mut fleet = Fleet::new();
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    let store = fleet.store();
    for (number, start) in STARTS.into_iter().enumerate() {
        let mut victim = coordinator(&mut fleet);
        sleep(Duration::from_millis(start));
        victim.kill();
        // While it publishes units and collects results, some games later.
        let before = stored(&store);
        let mut victim = coordinator(&mut fleet);
        fleet.await_that("more games", || stored(&store) > before + number);
        sleep(Duration::from_millis(7 * number as u64));
        victim.kill();
    }
    assert!(stored(&store) < 200, "killed too late");
    let mut last = coordinator(&mut fleet);
    assert_whole(&fleet, &mut last, WORDS);
}

#[needs(nats_server)]
#[test]
fn the_coordinator_is_killed_at_some_moments_of_the_end() {
    let mut fleet = Fleet::new();
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    let mut victim = fleet.begin(SHORT);
    for moment in 0..5 {
        // After the last game is stored, it prints tables and removes the match from the server.
        let store = fleet.store();
        fleet.await_that("the end", || stored(&store) == 4);
        sleep(Duration::from_millis(4 * moment));
        victim.kill();
        victim = fleet.resume();
    }
    assert_whole(&fleet, &mut victim, SHORT);
}
