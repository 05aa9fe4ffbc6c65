//! Interrupted or stalled connections, and stopped processes: no game is lost.

use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::common::{Fleet, Proxy, assert_whole};

/// Games for some seconds.
const WORDS: &[&str] = &[
    "--games",
    "16",
    "--nodes",
    "20000",
    "--seed",
    "4",
    "--random-plies",
    "4",
];
/// Longer than the timeout of a call, 5 s, and `--ack-wait`, 3 s.
const LONG: Duration = Duration::from_secs(7);

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_line_of_a_worker_is_cut_and_mended() {
    let mut fleet = Fleet::new();
    let proxy = Proxy::to(fleet.server.port);
    let mut coordinator = fleet.begin(WORDS);
    fleet.address = proxy.url();
    let worker = fleet.worker("far");
    fleet.await_games(3);
    proxy.cut();
    worker.await_words("connection lost");
    sleep(LONG);
    proxy.mend();
    worker.await_words("connection restored");
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_line_of_a_worker_passes_nothing_on_for_a_while() {
    let mut fleet = Fleet::new();
    let proxy = Proxy::to(fleet.server.port);
    let mut coordinator = fleet.begin(WORDS);
    let near = fleet.address.clone();
    fleet.address = proxy.url();
    let worker = fleet.worker("far");
    fleet.await_games(3);
    proxy.hold();
    worker.await_words("retrying");
    // Its unit is given to another worker, so its games arrive twice.
    fleet.address = near;
    let _near = fleet.worker("near");
    fleet.await_games(12);
    proxy.mend();
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_line_of_the_coordinator_is_cut_and_mended() {
    let mut fleet = Fleet::new();
    let proxy = Proxy::to(fleet.server.port);
    let near = fleet.address.clone();
    fleet.address = proxy.url();
    let mut coordinator = fleet.begin(WORDS);
    fleet.address = near;
    let _worker = fleet.worker("near");
    fleet.await_games(3);
    proxy.cut();
    coordinator.await_words("connection lost");
    sleep(LONG);
    proxy.mend();
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_line_of_the_coordinator_passes_nothing_on_and_is_another_one_then() {
    let mut fleet = Fleet::new();
    let proxy = Proxy::to(fleet.server.port);
    let near = fleet.address.clone();
    fleet.address = proxy.url();
    let mut coordinator = fleet.begin(WORDS);
    fleet.address = near;
    let _worker = fleet.worker("near");
    fleet.await_games(3);
    proxy.hold();
    coordinator.await_words("retrying");
    // Messages in transit are lost with the connection.
    proxy.cut();
    coordinator.await_words("connection lost");
    proxy.mend();
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_coordinator_stands_still() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _worker = fleet.worker("one");
    fleet.await_games(3);
    coordinator.signal(Signal::STOP);
    sleep(LONG);
    coordinator.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_server_stands_still() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let _worker = fleet.worker("one");
    fleet.await_games(3);
    fleet.server.signal(Signal::STOP);
    coordinator.await_words("retrying");
    sleep(LONG);
    fleet.server.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_server_stands_still_while_a_match_begins() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    fleet.await_id();
    fleet.server.signal(Signal::STOP);
    let _worker = fleet.worker("one");
    coordinator.await_words("retrying");
    fleet.server.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, WORDS);
}
