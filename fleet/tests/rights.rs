//! Users with minimal permissions: those in docs/security.md, which these tests read.

use preconditions::needs;
use std::fs;
use std::time::{Duration, Instant};

use nkeys::KeyPair;

use crate::common::fleet::engines;
use crate::common::server::{TIMEOUT, with_user};
use crate::common::{Fleet, MATCH, Server, assert_whole, program, stored};

const DOCUMENT: &str = include_str!("../../docs/security.md");

/// The configuration in the document; `KEY` stands for a worker's key.
fn documented() -> &'static str {
    let (_, rest) = DOCUMENT.split_once("```nats-server\n").unwrap();
    rest.split_once("```").unwrap().0
}

/// The configuration in the document for these workers.
pub fn config(workers: &[&KeyPair]) -> String {
    let (before, rest) = documented().split_once("    { nkey: KEY").unwrap();
    let (worker, after) = rest.split_once("    { user:").unwrap();
    let worker =
        |key: &&KeyPair| format!("    {{ nkey: KEY{worker}").replace("KEY", &key.public_key());
    let workers: String = workers.iter().map(worker).collect();
    format!("{before}{workers}    {{ user:{after}")
}

/// Writes the seed of a worker to a file; returns the flag that names it.
pub fn nkey(fleet: &Fleet, name: &str, key: &KeyPair) -> String {
    let path = fleet.path(&format!("{name}.nk"));
    fs::write(&path, key.seed().unwrap()).unwrap();
    format!("--name {name} --nkey {}", path.display())
}

/// Address of the server for a user with a password.
pub fn address(fleet: &Fleet, user: &str) -> String {
    let password = documented()
        .lines()
        .find(|line| line.contains(&format!("user: {user},")))
        .and_then(|line| line.split_once("password: "))
        .and_then(|(_, rest)| rest.split([',', ' ']).next());
    let (password, port) = (password.unwrap(), fleet.server.port);
    format!("nats://{user}:{password}@127.0.0.1:{port}")
}

#[needs(nats_server)]
#[test]
fn everybody_needs_only_the_documented_rights_and_a_worker_cannot_change_the_match() {
    let key = KeyPair::new_user();
    let mut fleet = Fleet::at(Server::configured(&config(&[&key])));
    let flag = nkey(&fleet, "one", &key);
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(MATCH);
    // Heartbeats need a bucket, which the coordinator creates before its first unit.
    let names = fleet.await_work(&fleet.store());
    fleet.address = fleet.server.url();
    let worker = fleet.worker_by(&mut program(), &flag);
    fleet.address = address(&fleet, "watcher");
    let line = format!("match {}: open", names.id());
    let status = fleet.await_status("", &[&line, "  one  arbiter"]);
    assert!(!status.contains("server: refused"), "{status}");
    let subscriptions = ["_INBOX.>", "_INBOX_*.>", "fleet.*.assigned.*"];
    with_user(&fleet.server, key.seed().unwrap(), async |context| {
        let (work, results) = (names.work_stream(), names.result_stream());
        for subject in [
            format!("$KV.fleet_matches.{}", names.state()),
            "$KV.fleet_matches.open.x".to_string(),
            "$KV.fleet_beats.x".to_string(),
            names.work(),
            names.result("x"),
            names.assigned("x"),
            format!("$JS.API.STREAM.PURGE.{work}"),
            format!("$JS.API.STREAM.DELETE.{results}"),
            format!("$JS.API.CONSUMER.DELETE.{work}.workers"),
            format!("$JS.API.CONSUMER.MSG.NEXT.{results}.coordinator"),
            format!("$JS.ACK.{results}.coordinator.1.1.1.1.0"),
            "$O.fleet_plans.M.x".to_string(),
        ] {
            let client = context.client();
            let sent = client.publish_with_reply(subject, "nowhere", "{}".into());
            sent.await.unwrap();
        }
        for subject in subscriptions {
            context.client().subscribe(subject).await.unwrap();
        }
        // A server drops the unread rest of a closed connection.
        let end = Instant::now() + TIMEOUT;
        while violations(&fleet.server, "Subscription") < subscriptions.len() {
            assert!(Instant::now() < end, "{}", fleet.server.output());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let output = assert_whole(&fleet, &mut coordinator, MATCH);
    for output in [output, worker.output()] {
        let is_disturbed = output.contains("server: refused") || output.contains("lost");
        assert!(!is_disturbed, "{output}");
    }
    let output = fleet.server.output();
    assert_eq!(violations(&fleet.server, "Publish"), 12, "{output}");
    let refused = violations(&fleet.server, "Subscription");
    assert_eq!(refused, subscriptions.len(), "{output}");
}

/// Number of refusals of a kind that the server has logged.
fn violations(server: &Server, kind: &str) -> usize {
    server.output().matches(&format!("{kind} Violation")).count()
}

#[needs(nats_server)]
#[test]
fn a_missing_right_is_named() {
    let key = KeyPair::new_user();
    let mut fleet = Fleet::at(Server::configured(&config(&[&key])));
    let flag = nkey(&fleet, "one", &key);
    fleet.address = address(&fleet, "watcher");
    let elsewhere = fleet.path("elsewhere.db");
    let coordinator = fleet.begin_in(&elsewhere, &format!("{} {MATCH}", engines()));
    coordinator
        .await_words("server: refused: Permissions Violation for Publish to \"$JS.API.STREAM");
    drop(coordinator);
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(MATCH);
    fleet.await_work(&fleet.store());
    // A user who may only watch cannot play.
    fleet.address = address(&fleet, "watcher");
    let watcher = fleet.worker("watcher");
    watcher.await_words("server: refused: Permissions Violation for Subscription to");
    assert_eq!(stored(&fleet.store()), 0);
    fleet.address = fleet.server.url();
    let _worker = fleet.worker_by(&mut program(), &flag);
    assert_whole(&fleet, &mut coordinator, MATCH);
}
