//! Kills of any process: no game is lost, none counts twice, and all are the same as on one machine.

use preconditions::needs;
use rustix::process::Signal;

use crate::common::{Fleet, MATCH, Process, assert_whole, lines_of};

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
