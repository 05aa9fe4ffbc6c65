//! Users with minimal permissions: those in docs/fleet.md, which these tests read.

use std::time::Duration;

use crate::common::fleet::engines;
use crate::common::{Fleet, MATCH, Server, assert_whole, stored, with_jetstream};

const DOCUMENT: &str = include_str!("../../docs/fleet.md");

/// The configuration in the document.
fn config() -> &'static str {
    let (_, rest) = DOCUMENT.split_once("```nats-server\n").unwrap();
    rest.split_once("```").unwrap().0
}

fn address(fleet: &Fleet, user: &str) -> String {
    let password = config()
        .lines()
        .find(|line| line.contains(&format!("user: {user},")))
        .and_then(|line| line.split_once("password: "))
        .and_then(|(_, rest)| rest.split([',', ' ']).next());
    let (password, port) = (password.unwrap(), fleet.server.port);
    format!("nats://{user}:{password}@127.0.0.1:{port}")
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn everybody_needs_only_the_documented_rights_and_a_worker_cannot_change_the_match() {
    let mut fleet = Fleet::at(Server::configured(config()));
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(MATCH);
    // Heartbeats need a bucket, which the coordinator creates before its first unit.
    let names = fleet.await_work(&fleet.store());
    fleet.address = address(&fleet, "worker");
    let worker = fleet.worker("one");
    fleet.address = address(&fleet, "watcher");
    let line = format!("match {}: open", names.id());
    let status = fleet.await_status("", &[&line, "  one  arbiter"]);
    assert!(!status.contains("server: refused"), "{status}");
    with_jetstream(&address(&fleet, "worker"), async |mut context| {
        context.set_timeout(Duration::from_secs(2));
        let (work, results) = (names.work_stream(), names.result_stream());
        for subject in [
            format!("$KV.fleet_matches.{}", names.state()),
            "$KV.fleet_matches.open".to_string(),
            names.work(),
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
        context.client().flush().await.unwrap();
    });
    let output = assert_whole(&fleet, &mut coordinator, MATCH);
    for output in [output, worker.output()] {
        let is_disturbed = output.contains("server: refused") || output.contains("lost");
        assert!(!is_disturbed, "{output}");
    }
    let output = fleet.server.output();
    let refused = output.matches("Publish Violation").count();
    assert_eq!(refused, 9, "{output}");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_missing_right_is_named() {
    let mut fleet = Fleet::at(Server::configured(config()));
    fleet.address = address(&fleet, "worker");
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
    watcher.await_words("server: refused: Permissions Violation for Publish to");
    assert_eq!(stored(&fleet.store()), 0);
    fleet.address = address(&fleet, "worker");
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, MATCH);
}
