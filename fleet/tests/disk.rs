//! Full disks: the server's, the coordinator's and a worker's.

use std::process::Command;

use rustix::process::{Resource, Rlimit, prlimit};

use async_nats::jetstream::stream::Config;

use crate::common::fleet::FLEET;
use crate::common::{Fleet, Server, assert_whole, with_jetstream};

const WORDS: &[&str] = &[
    "--games",
    "16",
    "--nodes",
    "20000",
    "--seed",
    "13",
    "--random-plies",
    "4",
];
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

fn make_room(fleet: &Fleet) {
    with_jetstream(&fleet.server.url(), async |context| {
        context.delete_stream(BALLAST).await.unwrap();
    });
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_server_has_no_room_for_a_while() {
    let config = "jetstream { max_file_store: 4MB }\n";
    let server = Server::configured(config, &[]);
    let mut fleet = Fleet::at(server);
    let mut coordinator = fleet.begin(WORDS);
    let worker = fleet.worker("one");
    fleet.await_games(3);
    fill(&fleet);
    worker.await_words("insufficient");
    make_room(&fleet);
    assert_whole(&fleet, &mut coordinator, WORDS);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_server_without_room_for_the_plan_says_so() {
    let config = "jetstream { max_file_store: 16KB }\n";
    let server = Server::configured(config, &[]);
    let mut fleet = Fleet::at(server);
    let coordinator = fleet.begin(WORDS);
    coordinator.await_words("insufficient");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn the_coordinator_cannot_store_a_game() {
    let mut fleet = Fleet::new();
    let store = fleet.store();
    let mut coordinator = fleet.begin_by(&mut limited("400"), &store, WORDS);
    let _worker = fleet.worker("one");
    // The exit status for a store that cannot be used.
    let code = coordinator.end();
    let output = coordinator.output();
    assert_eq!(code, i32::from(matches::run::exit::STORAGE), "{output}");
    assert!(output.contains(store.to_str().unwrap()), "{output}");
    assert!(output.contains("fleet resume"), "{output}");
    let mut coordinator = fleet.resume();
    assert_whole(&fleet, &mut coordinator, WORDS);
}

/// Takes half a minute: a worker retries a refused match every 30 seconds.
#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_worker_cannot_keep_the_plan_for_a_while() {
    let mut fleet = Fleet::new();
    let mut words = WORDS.to_vec();
    words[1] = "4";
    let mut coordinator = fleet.begin(&words);
    let temporary = fleet.folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut program = limited("20");
    program.env("TMPDIR", &temporary);
    let worker = fleet.worker_by(&mut program, "one", &[]);
    worker.await_words(&format!(
        "a temporary file for the plan in {}: File too large",
        temporary.display()
    ));
    let unlimited = Rlimit {
        current: None,
        maximum: None,
    };
    prlimit(Some(worker.pid()), Resource::Fsize, unlimited).unwrap();
    assert_whole(&fleet, &mut coordinator, &words);
}
