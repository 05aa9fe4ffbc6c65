//! Users with minimal permissions: those in docs/fleet.md, which these tests read.

use std::time::Duration;

use fleet::names::Names;

use crate::common::fleet::{program, stored};
use crate::common::{Fleet, Server, assert_whole, with_jetstream};

const WORDS: &[&str] = &[
    "--games",
    "12",
    "--nodes",
    "20000",
    "--seed",
    "15",
    "--random-plies",
    "4",
];
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
fn everybody_needs_only_the_rights_in_the_document() {
    let server = Server::configured(config(), &[]);
    let mut fleet = Fleet::at(server);
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(WORDS);
    // Heartbeats need a bucket, which the coordinator creates before its first unit.
    fleet.await_work();
    fleet.address = address(&fleet, "worker");
    let worker = fleet.worker("one");
    fleet.address = address(&fleet, "watcher");
    let names = Names::of(&fleet.await_id()).unwrap();
    let line = format!("match {}: open", names.id());
    let status = fleet.await_status(&[], &[&line, "  one  arbiter"]);
    assert!(!status.contains("server: refused"), "{status}");
    assert_whole(&fleet, &mut coordinator, WORDS);
    for process in [&coordinator, &worker] {
        assert!(
            !process.output().contains("server: refused"),
            "{}",
            process.output()
        );
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_worker_can_neither_change_the_match_nor_empty_a_stream() {
    let server = Server::configured(config(), &[]);
    let mut fleet = Fleet::at(server);
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(WORDS);
    let names = Names::of(&fleet.await_id()).unwrap();
    fleet.address = address(&fleet, "worker");
    let _worker = fleet.worker("one");
    fleet.await_games(2);
    with_jetstream(&fleet.address, async |mut context| {
        context.set_timeout(Duration::from_secs(2));
        let subjects = [
            format!("$KV.fleet_matches.{}", names.state()),
            "$KV.fleet_matches.open".to_string(),
            names.work(),
            format!("$JS.API.STREAM.PURGE.{}", names.work_stream()),
            format!("$JS.API.STREAM.DELETE.{}", names.result_stream()),
            format!("$JS.API.CONSUMER.DELETE.{}.workers", names.work_stream()),
            format!(
                "$JS.API.CONSUMER.MSG.NEXT.{}.coordinator",
                names.result_stream()
            ),
            format!("$JS.ACK.{}.coordinator.1.1.1.1.0", names.result_stream()),
            "$O.fleet_plans.M.x".to_string(),
        ];
        for subject in subjects {
            let client = context.client();
            let sent = client.publish_with_reply(subject, "nowhere", "{}".into());
            sent.await.unwrap();
        }
        context.client().flush().await.unwrap();
    });
    assert_whole(&fleet, &mut coordinator, WORDS);
    let output = fleet.server.output();
    let refused = output.matches("Publish Violation").count();
    assert_eq!(refused, 9, "{output}");
    assert!(
        !coordinator.output().contains("lost"),
        "{}",
        coordinator.output()
    );
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn who_lacks_a_right_is_told_which() {
    let server = Server::configured(config(), &[]);
    let mut fleet = Fleet::at(server);
    fleet.address = address(&fleet, "worker");
    let elsewhere = fleet.folder.path().join("elsewhere.db");
    let coordinator = fleet.begin_by(&mut program(), &elsewhere, WORDS);
    coordinator
        .await_words("server: refused: Permissions Violation for Publish to \"$JS.API.STREAM");
    drop(coordinator);
    fleet.address = address(&fleet, "coordinator");
    let mut coordinator = fleet.begin(WORDS);
    fleet.await_work();
    // A user who may only watch cannot play.
    fleet.address = address(&fleet, "watcher");
    let watcher = fleet.worker("watcher");
    watcher.await_words("server: refused: Permissions Violation for Publish to");
    assert_eq!(stored(&fleet.store()), 0);
    fleet.address = address(&fleet, "worker");
    let _worker = fleet.worker("one");
    assert_whole(&fleet, &mut coordinator, WORDS);
}
