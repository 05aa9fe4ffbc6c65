//! The coordinator is killed at fifty points: while it begins, announces the match, gives out, takes, looks after it,
//! and ends it.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use matches::archive::store::Store;

use crate::common::fleet::stored;
use crate::common::{Fleet, Process, assert_whole};

/// Games at once, so that each moment has something in it.
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
/// Some games whose end is what matters.
const SHORT: &[&str] = &["--games", "4", "--nodes", "1", "--seed", "12"];

/// The coordinator of the match: a new one, or what is left of the last.
fn coordinator(fleet: &mut Fleet, words: &[&str]) -> Process {
    match fleet.store().exists() {
        true => fleet.resume(),
        false => fleet.begin(words),
    }
}

/// What is begun and was killed before there was a match in its file is begun anew: nothing of it was played.
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
            // While it begins, tells workers of the match, and finds out what the last one has left.
            sleep(Duration::from_millis(moment * 25));
        } else {
            // While it gives out and takes, some games later; the last one when it has looked around, too.
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
            // The last game is stored: now tables are printed, and what is on the server is removed.
            let store = fleet.store();
            fleet.await_that("the end", || stored(&store) == 4);
            sleep(Duration::from_millis(2 * (5 * round + moment)));
            victim.kill();
            victim = fleet.resume();
        }
        assert_whole(&fleet, &mut victim, SHORT);
    }
}
