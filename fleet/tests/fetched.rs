//! Engines that workers fetch: only verified engines of the match are run.
#![cfg(target_os = "linux")]

use preconditions::needs;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use fleet::queue::ENGINES;
use matches::plan::binary;
use rustix::process::Signal;
use tokio::time::sleep;

use crate::common::engines::Small;
use crate::common::one_machine::played_by;
use crate::common::{FLEET, Fleet, lines_of, with_jetstream};

const WORDS: &str = "--games 4 --nodes 1 --seed 3 --max-plies 60";
const SHARED: &str = "--share-engine a --share-engine b";

/// Timeout of every wait, generous for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(240);

#[needs(nats_server, bubblewrap)]
#[test]
fn fetched_engines_play_the_games_of_one_machine_and_are_fetched_once() {
    let mut fleet = Fleet::new();
    let small = Small::new(&fleet, "");
    // A damaged file in the cache is fetched again.
    let cached = fleet.path("cache").join(binary::hash(&small.program).unwrap());
    fs::create_dir(fleet.path("cache")).unwrap();
    fs::set_permissions(fleet.path("cache"), Permissions::from_mode(0o700)).unwrap();
    fs::write(&cached, "damaged").unwrap();
    let (store, words) = (fleet.store(), format!("{WORDS} {SHARED}"));
    let mut first = small.begin(&mut fleet, &store, &words);
    first.await_words("run `fleet work` to play it");
    first.kill();
    // A resumed coordinator shares the same engines.
    let mut coordinator = fleet.resume();
    let one = Small::worker(&mut fleet, "one");
    coordinator.ends(0, &[]);
    let expected = played_by(&small.engines(), WORDS);
    assert_eq!(lines_of(&store), expected);
    // The common program, and one file for each engine.
    let fetched = one.output().matches(": fetched ").count();
    assert_eq!(fetched, 3, "{}", one.output());
    assert_eq!(fs::read(cached).unwrap(), fs::read(&small.program).unwrap());
    drop(one);
    let second = fleet.path("second.db");
    let mut coordinator = small.begin(&mut fleet, &second, &words);
    let other = Small::worker(&mut fleet, "other");
    coordinator.ends(0, &[]);
    assert_eq!(lines_of(&second), expected);
    assert!(!other.output().contains(": fetched "), "{}", other.output());
}

#[needs(nats_server, bubblewrap)]
#[test]
fn only_shared_engines_are_fetched_and_only_with_the_flag() {
    let mut fleet = Fleet::new();
    let small = Small::new(&fleet, "");
    let store = fleet.store();
    let _coordinator = small.begin(&mut fleet, &store, &format!("{WORDS} --share-engine a"));
    let without = fleet.start("work --name without");
    let with = Small::worker(&mut fleet, "with");
    without.await_words("the match shares it: `fleet work --accept-engines` fetches it");
    with.await_words("engine b: not on this machine");
}

#[needs(nats_server)]
#[test]
fn unknown_engines_and_long_files_are_not_shared() {
    let mut fleet = Fleet::new();
    let small = Small::new(&fleet, "");
    let file = fs::File::options().append(true).open(&small.files[0]);
    file.unwrap().set_len((1 << 28) + 1).unwrap();
    let store = fleet.store();
    for (engine, words) in [
        ("c", "expected an engine of the match: a, b"),
        ("a", "has 268435457 bytes, expected at most 268435456"),
    ] {
        let mut coordinator = small.begin(&mut fleet, &store, &format!("--share-engine {engine}"));
        coordinator.ends(2, &[words]);
        assert!(!store.exists());
    }
}

/// Replaces a file of an engine on the server by other bytes with a claimed length.
fn replace(fleet: &Fleet, name: &str, bytes: &[u8], length: u64) {
    with_jetstream(&fleet.server.url(), async |context| {
        let there = async || context.get_object_store(ENGINES).await.ok()?.info(name).await.ok();
        let end = Instant::now() + TIMEOUT;
        while there().await.is_none() {
            assert!(Instant::now() < end, "{name} is not shared");
            sleep(Duration::from_millis(50)).await;
        }
        let store = context.get_object_store(ENGINES).await.unwrap();
        store.put(name, &mut &*bytes).await.unwrap();
        let stream = context.get_stream(format!("OBJ_{ENGINES}")).await.unwrap();
        let last = stream.get_info().await.unwrap().state.last_sequence;
        let message = stream.get_raw_message(last).await.unwrap();
        let mut info: serde_json::Value = serde_json::from_slice(&message.payload).unwrap();
        assert_eq!(info["name"], name);
        info["size"] = length.into();
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Rollup", "sub");
        let sent = context.publish_with_headers(message.subject, headers, info.to_string().into());
        sent.await.unwrap().await.unwrap();
    });
}

#[needs(nats_server, bubblewrap)]
#[test]
fn a_file_that_differs_or_is_too_long_is_refused_and_named() {
    let mut fleet = Fleet::new();
    let small = Small::new(&fleet, "");
    let store = fleet.store();
    let coordinator = small.begin(&mut fleet, &store, &format!("{WORDS} {SHARED}"));
    // Engines are shared before the first unit is published; a running coordinator would share them again.
    let names = fleet.await_work(&store);
    coordinator.signal(Signal::STOP);
    let name = names.file(&binary::hash(&small.program).unwrap());
    for (length, words) in [
        (7, ": it has SHA-256 "),
        (5, ": it has more than 5 bytes"),
        (1 << 40, "a file of 1099511627776 bytes, expected at most "),
    ] {
        replace(&fleet, &name, b"another", length);
        let worker = Small::worker(&mut fleet, "worker");
        worker.await_words(words);
        let output = worker.output();
        assert!(output.contains("engine a: "), "{output}");
        let kept = fs::read_dir(fleet.path("cache")).unwrap().count();
        assert_eq!(kept, 0, "{output}");
    }
}

#[needs(nats_server, bubblewrap)]
#[test]
fn a_fetched_engine_reaches_neither_files_nor_the_network() {
    let mut fleet = Fleet::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mark = fleet.path("mark");
    // The coordinator runs its own engines without a sandbox, so their attempts succeed.
    let tries = format!(
        "echo here >> {mark}
(exec 3<>/dev/tcp/127.0.0.1/{port})
if [ \"$PWD\" = /work ]; then
    [ -z \"$(ls -A)\" ] && echo mine > mine && [ -z \"$FLEET\" ] && ! echo x > /x || exit 1
fi",
        mark = mark.display()
    );
    let small = Small::new(&fleet, &format!("{{ {tries}\n}} 2> /dev/null"));
    let store = fleet.store();
    let words = format!("{WORDS} {SHARED} --each restart=on --isolate off");
    let mut coordinator = small.begin(&mut fleet, &store, &words);
    let worker = Small::worker(&mut fleet, "worker");
    coordinator.ends(0, &[]);
    let marks = fs::read_to_string(&mark).unwrap();
    assert_eq!(marks, "here\n".repeat(2), "{}", worker.output());
    let heard = std::iter::from_fn(|| listener.accept().ok()).count();
    assert_eq!(heard, 2, "{}", worker.output());
}

#[test]
fn without_a_sandbox_no_engines_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let worker = Command::new(FLEET)
        .args(["work", "--accept-engines", "--cache", cache.to_str().unwrap()])
        .env("PATH", folder.path())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&worker.stderr).into_owned();
    assert_eq!(worker.status.code(), Some(2), "{words}");
    assert!(words.contains("bwrap not found") && words.contains("expected bwrap"), "{words}");
}
