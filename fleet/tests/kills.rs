//! Kills of the coordinator at fifty points: while it starts, announces the match, publishes units, collects results,
//! checks the server, and ends the match.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use matches::archive::store::Store;

use crate::common::fleet::stored;
use crate::common::{Fleet, Process, assert_whole};

/// Short games, so that something happens at every moment.
const WORDS: &[&str] = &[
    "--games",
    "600",
    "--nodes",
    "1",
    "--seed",
    "11",
    "--random-plies",
    "4",
];
const GAMES: usize = 600;
/// A short match, to test its end.
const SHORT: &[&str] = &["--games", "4", "--nodes", "1", "--seed", "12"];

/// Starts a coordinator for a new match, or for the rest of the last one.
fn coordinator(fleet: &mut Fleet, words: &[&str]) -> Process {
    match fleet.store().exists() {
        true => fleet.resume(),
        false => fleet.begin(words),
    }
}

/// Removes a store without a match in it, left by a coordinator that was killed early; no games are lost.
fn discard_unfinished(fleet: &Fleet) {
    let path = fleet.store();
    if path.exists() && Store::open(&path).is_err() {
        fs::remove_file(path).unwrap();
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_coordinator_is_killed_at_forty_moments_of_a_match() {
    let mut fleet = Fleet::new();
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    let store = fleet.store();
    let mut seen = Vec::new();
    for moment in 0..40 {
        let before = stored(&store);
        let mut victim = coordinator(&mut fleet, WORDS);
        if moment % 2 == 0 {
            // While it starts, announces the match, and recovers the units of the last coordinator.
            sleep(Duration::from_millis(moment * 25));
        } else {
            // While it publishes units and collects results, some games later; the last coordinator also after a check
            // of the server.
            let some = before + usize::try_from(moment % 8).unwrap();
            fleet.await_that("more games", || stored(&store) >= some.min(GAMES));
            sleep(Duration::from_millis(moment * 2));
            if moment == 39 {
                sleep(Duration::from_secs(2));
            }
        }
        victim.kill();
        seen.push(stored(&store));
        discard_unfinished(&fleet);
    }
    assert!(seen[30] < GAMES, "killed too late: {seen:?}");
    let mut last = coordinator(&mut fleet, WORDS);
    assert_whole(&fleet, &mut last, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_coordinator_is_killed_at_ten_moments_of_the_end() {
    let mut fleet = Fleet::new();
    let _workers = [fleet.worker("one"), fleet.worker("two")];
    for round in 0..2 {
        let _ = fs::remove_file(fleet.store());
        let mut victim = fleet.begin(SHORT);
        for moment in 0..5 {
            // After the last game is stored, it prints tables and removes the match from the server.
            let store = fleet.store();
            fleet.await_that("the end", || stored(&store) == 4);
            sleep(Duration::from_millis(2 * (5 * round + moment)));
            victim.kill();
            victim = fleet.resume();
        }
        assert_whole(&fleet, &mut victim, SHORT);
    }
}
