//! Full disks: the server's and the coordinator's.

use preconditions::needs;
use std::process::Command;

use async_nats::jetstream::stream::Config;

use crate::common::fleet::engines;
use crate::common::{FLEET, Fleet, MATCH, Server, assert_whole, with_jetstream};

const BALLAST: &str = "BALLAST";

/// The program with a limit on the size of its files, in blocks of 512 bytes.
fn limited(blocks: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    let words = format!("ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &words, FLEET]);
    shell
}

/// Uses up the server's storage.
fn fill(fleet: &Fleet) {
    with_jetstream(&fleet.server.url(), async |context| {
        let config = Config {
            name: BALLAST.to_string(),
            subjects: vec!["ballast".to_string()],
            ..Config::default()
        };
        context.create_stream(config).await.unwrap();
        let mut bytes = 1 << 18;
        while bytes > 64 {
            let sent = context.publish("ballast", vec![b' '; bytes].into()).await;
            if sent.unwrap().await.is_err() {
                bytes /= 2;
            }
        }
    });
}

#[needs(nats_server)]
#[test]
fn the_server_has_no_room_for_a_while() {
    let mut fleet = Fleet::at(Server::configured("jetstream { max_file_store: 4MB }\n"));
    let mut coordinator = fleet.begin(MATCH);
    let worker = fleet.worker("one");
    fleet.await_games(2);
    fill(&fleet);
    worker.await_words("insufficient");
    with_jetstream(&fleet.server.url(), async |context| {
        context.delete_stream(BALLAST).await.unwrap();
    });
    assert_whole(&fleet, &mut coordinator, MATCH);
}

#[needs(nats_server)]
#[test]
fn a_server_without_room_for_the_plan_says_so() {
    let mut fleet = Fleet::at(Server::configured("jetstream { max_file_store: 16KB }\n"));
    // A plan with many openings is longer than that.
    let openings = fleet.path("openings.txt");
    std::fs::write(&openings, "0,68,3/0,68,3 1 - -\n".repeat(1000)).unwrap();
    let words = format!("{MATCH} --openings {}", openings.display());
    fleet.begin(&words).await_words("insufficient");
}

#[needs(nats_server)]
#[test]
fn the_coordinator_cannot_store_a_game() {
    let mut fleet = Fleet::new();
    let store = fleet.store().display().to_string();
    let words = format!("match --store {store} {} {MATCH}", engines());
    let mut coordinator = fleet.start_by(&mut limited("300"), &words);
    let _worker = fleet.worker("one");
    coordinator.ends(matches::run::exit::STORAGE.into(), &[&fleet.proposal()]);
    let mut coordinator = fleet.resume();
    assert_whole(&fleet, &mut coordinator, MATCH);
}
