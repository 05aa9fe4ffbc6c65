//! Refusals and their messages.

use std::fs;

use crate::common::{Fleet, Server};

const WORDS: &[&str] = &["--games", "2", "--nodes", "50", "--seed", "5"];

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_worker_with_another_engine_plays_nothing_and_says_so() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let wrong = fleet.start(&["work", "--name", "wrong", "--engine", "name=a,cmd=/bin/sh"]);
    wrong.await_words("engine a: /bin/sh has SHA-256");
    let store = fleet.store();
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let mut status = fleet.start(&["status", store.to_str().unwrap()]);
        assert_eq!(status.end(), 0, "{}", status.output());
        statuses.push(status.output());
        if statuses
            .iter()
            .any(|status| status.contains("refuses match"))
        {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    let status = statuses.last().unwrap();
    assert!(status.contains("0 of 2 games stored"), "{status}");
    assert!(
        status.contains("wrong") && status.contains("refuses match"),
        "{status}"
    );
    // A worker with the right engines plays it.
    let _worker = fleet.worker("right");
    assert_eq!(coordinator.end(), 0, "{}", coordinator.output());
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn two_coordinators_cannot_have_one_store() {
    let mut fleet = Fleet::new();
    let mut first = fleet.begin(WORDS);
    first.await_words("run `fleet work` to play it");
    let mut second = fleet.resume();
    assert_eq!(second.end(), 2, "{}", second.output());
    assert!(
        second
            .output()
            .contains("another arbiter is playing this match"),
        "{}",
        second.output()
    );
    let mut third = fleet.begin(WORDS);
    assert_eq!(third.end(), 2);
    assert!(
        third.output().contains("exists already"),
        "{}",
        third.output()
    );
    let _worker = fleet.worker("one");
    assert_eq!(first.end(), 0, "{}", first.output());
    fleet.await_games(2);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn what_is_missing_is_named() {
    let mut fleet = Fleet::new();
    let mut without = fleet.start(&["match", "--games", "2", "--nodes", "1"]);
    assert_eq!(without.end(), 2);
    assert!(
        without.output().contains("--store: expected"),
        "{}",
        without.output()
    );
    fleet.server.kill();
    let mut unreached = fleet.begin(WORDS);
    assert_eq!(unreached.end(), 2);
    assert!(
        unreached.output().contains("--nats nats://127.0.0.1"),
        "{}",
        unreached.output()
    );
    assert!(!fleet.store().exists());
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn of_two_coordinators_with_copies_of_a_store_the_first_gives_way() {
    let mut fleet = Fleet::new();
    let mut first = fleet.begin(WORDS);
    first.await_words("run `fleet work` to play it");
    let store = fleet.store();
    let copy = fleet.folder.path().join("copy.db");
    for suffix in ["", "-wal"] {
        let named = |path: &std::path::Path| format!("{}{suffix}", path.display());
        fs::copy(named(&store), named(&copy)).unwrap();
    }
    let mut second = fleet.start(&["resume", copy.to_str().unwrap()]);
    second.await_words("run `fleet work` to play it");
    assert_eq!(first.end(), 2, "{}", first.output());
    assert!(
        first
            .output()
            .contains("another coordinator has taken over"),
        "{}",
        first.output()
    );
    let _worker = fleet.worker("one");
    assert_eq!(second.end(), 0, "{}", second.output());
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn who_is_not_let_in_is_told_so() {
    let server = Server::start_with(&["--user", "u", "--pass", "secret"]);
    let mut fleet = Fleet::at(server);
    let mut unknown = fleet.begin(WORDS);
    assert_eq!(unknown.end(), 2);
    assert!(
        unknown.output().contains("authorization violation"),
        "{}",
        unknown.output()
    );
    assert!(!fleet.store().exists());
    let port = fleet.server.port;
    let wrong = format!("nats://u:wrong@127.0.0.1:{port}");
    let mut wrong = fleet.start(&["status", "--nats", &wrong]);
    assert_eq!(wrong.end(), 2);
    assert!(!wrong.output().contains("u:wrong"), "{}", wrong.output());
    let right = format!("nats://u:secret@127.0.0.1:{port}");
    let mut right = fleet.start(&["status", "--nats", &right]);
    assert_eq!(right.end(), 0, "{}", right.output());
}
