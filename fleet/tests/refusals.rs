//! Refusals and their messages.

use crate::common::fleet::engine;
use preconditions::needs;
use std::fs;
use std::path::Path;

use matches::spelling::quote;

use crate::common::{FLEET, Fleet, Server};

const WORDS: &str = "--games 2 --nodes 50 --seed 5";

#[needs(nats_server)]
#[test]
fn a_worker_with_another_engine_plays_nothing_and_says_so() {
    let mut fleet = Fleet::new();
    let mut coordinator = fleet.begin(WORDS);
    let wrong = fleet.start("work --name wrong --engine 'cmd=/bin/sh name=a'");
    wrong.await_words("engine a: /bin/sh has SHA-256");
    let store = fleet.store().display().to_string();
    let expected = ["0 of 2 games stored", "wrong", "refuses match"];
    fleet.await_status(&store, &expected);
    // A worker with the right engines plays it.
    let _worker = fleet.worker("right");
    coordinator.ends(0, &[]);
}

#[needs(nats_server)]
#[test]
fn a_match_does_not_choose_what_a_workers_program_is_started_with() {
    let mut fleet = Fleet::new();
    let touched = fleet.path("touched");
    let script = fleet.path("engine.sh");
    let text = format!("echo $$ >> {}\nexec {} engine\n", touched.display(), quote(FLEET));
    fs::write(&script, text).unwrap();
    let engine = |name| engine("/bin/sh", &[script.to_str().unwrap()], &format!("name={name}"));
    let store = fleet.store();
    let words = format!("{} {} --isolate off {WORDS}", engine("a"), engine("b"));
    let mut coordinator = fleet.begin_in(&store, &words);
    coordinator.await_words("run `fleet work` to play it");
    let before = fs::read(&touched).unwrap();
    let plain = "--engine 'cmd=/bin/sh name=a' --engine 'cmd=/bin/sh name=b'";
    let worker = fleet.start(&format!("work --name plain {plain}"));
    worker.await_words("engine a: the match starts it with the arguments");
    assert_eq!(fs::read(&touched).unwrap(), before);
    // A worker whose owner named the same arguments plays it.
    let _worker = fleet.start(&format!("work --name same {} {}", engine("a"), engine("b")));
    coordinator.ends(0, &[]);
}

#[needs(nats_server)]
#[test]
fn a_match_has_one_coordinator() {
    let mut fleet = Fleet::new();
    let mut first = fleet.begin(WORDS);
    first.await_words("run `fleet work` to play it");
    fleet.resume().ends(2, &["another arbiter is playing this match"]);
    fleet.begin(WORDS).ends(2, &["exists already"]);
    // With a copy of the store, the second one takes over.
    let copy = fleet.path("copy.db");
    for suffix in ["", "-wal"] {
        let named = |path: &Path| format!("{}{suffix}", path.display());
        fs::copy(named(&fleet.store()), named(&copy)).unwrap();
    }
    let mut second = fleet.start(&format!("resume {}", copy.display()));
    first.ends(2, &["another coordinator has taken over"]);
    let _worker = fleet.worker("one");
    second.ends(0, &[]);
}

#[needs(nats_server)]
#[test]
fn what_is_missing_is_named() {
    let mut fleet = Fleet::new();
    let mut without = fleet.start("match --games 2 --nodes 1");
    without.ends(2, &["--store: expected"]);
    let mut untimed = fleet.begin("--games 2 --nodes 9 --scale-time");
    untimed.ends(2, &["--scale-time: no engine is limited by time"]);
    let mut local = fleet.start("work --engine 'cmd=/bin/sh nodes=9'");
    local.ends(2, &["nodes=9", "expected cmd=PROGRAM"]);
    fleet.server.kill();
    fleet.begin(WORDS).ends(2, &["--nats nats://127.0.0.1"]);
    assert!(!fleet.store().exists());
}

#[needs(nats_server)]
#[test]
fn only_a_user_with_the_password_is_admitted() {
    let config = "authorization { user: u, password: secret }\n";
    let mut fleet = Fleet::at(Server::configured(config));
    fleet.begin(WORDS).ends(2, &["authorization violation"]);
    assert!(!fleet.store().exists());
    let port = fleet.server.port;
    let mut wrong = fleet.start(&format!("status --nats nats://u:wrong@127.0.0.1:{port}"));
    let output = wrong.ends(2, &[]);
    assert!(!output.contains("u:wrong"), "{output}");
    let mut right = fleet.start(&format!("status --nats nats://u:secret@127.0.0.1:{port}"));
    right.ends(0, &[]);
}
