//! Interrupted or stalled connections, and stopped processes: no game is lost.

use preconditions::needs;
use std::thread::{self, sleep};
use std::time::Duration;

use rustix::process::Signal;

use crate::common::{Fleet, MATCH, Process, Proxy, assert_whole};

/// Longer than the timeout of a call, 5 s, and `--ack-wait`, 2 s.
const LONG: Duration = Duration::from_secs(6);

/// All at the same time, since they mostly wait for timeouts.
#[needs(nats_server)]
#[test]
fn connections_are_interrupted_and_processes_stop() {
    let cases: [(&str, fn()); 7] = [
        ("worker disconnected", worker_disconnected),
        ("worker stalled", worker_stalled),
        ("coordinator disconnected", coordinator_disconnected),
        ("coordinator stalled", coordinator_stalled),
        ("coordinator stopped", coordinator_stopped),
        ("server stopped", server_stopped),
        ("server stopped at the start", server_stopped_at_the_start),
    ];
    thread::scope(|scope| {
        for (name, case) in cases {
            let thread = thread::Builder::new().name(name.to_string());
            thread.spawn_scoped(scope, case).unwrap();
        }
    });
}

/// Starts a match whose worker is connected through a proxy.
fn with_far_worker() -> (Fleet, Proxy, Process, Process) {
    let mut fleet = Fleet::new();
    let proxy = Proxy::to(fleet.server.port);
    let coordinator = fleet.begin(MATCH);
    let near = std::mem::replace(&mut fleet.address, proxy.url());
    let worker = fleet.worker("far");
    fleet.address = near;
    fleet.await_games(2);
    (fleet, proxy, coordinator, worker)
}

/// Starts a match whose coordinator is connected through a proxy.
fn with_far_coordinator() -> (Fleet, Proxy, Process, Process) {
    let mut fleet = Fleet::new();
    let proxy = Proxy::to(fleet.server.port);
    let near = std::mem::replace(&mut fleet.address, proxy.url());
    let coordinator = fleet.begin(MATCH);
    fleet.address = near;
    let worker = fleet.worker("near");
    fleet.await_games(2);
    (fleet, proxy, coordinator, worker)
}

fn worker_disconnected() {
    let (fleet, proxy, mut coordinator, worker) = with_far_worker();
    proxy.cut();
    worker.await_words("connection lost");
    worker.await_words(" not sent: ");
    proxy.mend();
    worker.await_words("connection restored");
    assert_whole(&fleet, &mut coordinator, MATCH);
}

fn worker_stalled() {
    let (mut fleet, proxy, mut coordinator, worker) = with_far_worker();
    proxy.hold();
    worker.await_words("retrying");
    // Its unit is given to another worker, so its games arrive twice.
    let _near = fleet.worker("near");
    fleet.await_games(9);
    proxy.mend();
    assert_whole(&fleet, &mut coordinator, MATCH);
}

fn coordinator_disconnected() {
    let (fleet, proxy, mut coordinator, _worker) = with_far_coordinator();
    proxy.cut();
    coordinator.await_words("connection lost");
    // One message is about the connection, the next one about a call.
    fleet.await_that("a failed call", || coordinator.output().matches("; retrying").count() > 1);
    proxy.mend();
    assert_whole(&fleet, &mut coordinator, MATCH);
}

fn coordinator_stalled() {
    let (fleet, proxy, mut coordinator, _worker) = with_far_coordinator();
    proxy.hold();
    coordinator.await_words("retrying");
    // Messages in transit are lost with the connection.
    proxy.cut();
    coordinator.await_words("connection lost");
    proxy.mend();
    assert_whole(&fleet, &mut coordinator, MATCH);
}

fn coordinator_stopped() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let _worker = fleet.worker("one");
    fleet.await_games(2);
    coordinator.signal(Signal::STOP);
    sleep(LONG);
    coordinator.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, MATCH);
}

fn server_stopped() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    let worker = fleet.worker("one");
    fleet.await_games(2);
    fleet.server.signal(Signal::STOP);
    coordinator.await_words("retrying");
    worker.await_words("retrying");
    fleet.server.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, MATCH);
}

fn server_stopped_at_the_start() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(MATCH);
    fleet.await_names(&fleet.store());
    fleet.server.signal(Signal::STOP);
    let _worker = fleet.worker("one");
    coordinator.await_words("retrying");
    fleet.server.signal(Signal::CONT);
    assert_whole(&fleet, &mut coordinator, MATCH);
}
