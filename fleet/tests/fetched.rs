//! Engines that workers fetch: only verified engines of the match are run.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use fleet::names::{ENGINES, Names};
use tokio::time::sleep;

use crate::common::fleet::FLEET;
use crate::common::one_machine::played_by;
use crate::common::small::{Small, worker};
use crate::common::{Fleet, Process, lines_of, with_jetstream};

const WORDS: &[&str] = &[
    "--games",
    "8",
    "--nodes",
    "1",
    "--seed",
    "3",
    "--max-plies",
    "60",
];
const SHARED: &[&str] = &["--share-engine", "a", "--share-engine", "b"];

/// Timeout of every wait, generous for a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

fn small(fleet: &Fleet, before: &str) -> Small {
    Small::new(&fleet.folder.path().join("engines"), before)
}

fn cache(fleet: &Fleet) -> PathBuf {
    fleet.folder.path().join("cache")
}

fn assert_done(coordinator: &mut Process, worker: &Process) {
    let code = coordinator.end();
    assert_eq!(code, 0, "{}\n{}", coordinator.output(), worker.output());
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn fetched_engines_play_the_games_of_one_machine_and_are_fetched_once() {
    let mut fleet = Fleet::new();
    let small = small(&fleet, "");
    let store = fleet.store();
    let mut first = small.begin(&mut fleet, &store, &[WORDS, SHARED].concat());
    first.await_words("run `fleet work` to play it");
    first.kill();
    // A resumed coordinator shares the same engines.
    let mut coordinator = fleet.resume();
    let cache = cache(&fleet);
    let one = worker(&mut fleet, "one", &cache);
    assert_done(&mut coordinator, &one);
    let expected = played_by(&small.engines(), WORDS);
    assert_eq!(lines_of(&store), expected);
    // The common program, and one file for each engine.
    let fetched = one.output().matches(": fetched ").count();
    assert_eq!(fetched, 3, "{}", one.output());
    drop(one);
    let second = fleet.folder.path().join("second.db");
    let mut coordinator = small.begin(&mut fleet, &second, &[WORDS, SHARED].concat());
    let other = worker(&mut fleet, "other", &cache);
    assert_done(&mut coordinator, &other);
    assert_eq!(lines_of(&second), expected);
    let output = other.output();
    assert!(!output.contains(": fetched "), "{output}");
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn nothing_is_fetched_without_the_flag_nor_what_is_not_shared() {
    let mut fleet = Fleet::new();
    let small = small(&fleet, "");
    let store = fleet.store();
    let words = [WORDS, &["--share-engine", "a"]].concat();
    let _coordinator = small.begin(&mut fleet, &store, &words);
    let without = fleet.start(&["work", "--name", "without"]);
    without.await_words("the match shares it: `fleet work --accept-engines` fetches it");
    let cache = cache(&fleet);
    let with = worker(&mut fleet, "with", &cache);
    with.await_words("engine b: not on this machine");
    let third = fleet.folder.path().join("third.db");
    let mut unknown = small.begin(&mut fleet, &third, &["--share-engine", "c"]);
    assert_eq!(unknown.end(), 2);
    let output = unknown.output();
    assert!(
        output.contains("expected an engine of the match: a, b"),
        "{output}"
    );
    assert!(!third.exists());
}

/// Replaces a file of an engine on the server by other bytes with a claimed length.
fn replace(fleet: &Fleet, name: &str, bytes: &[u8], length: u64) {
    with_jetstream(&fleet.server.url(), async |context| {
        let there = async || {
            context
                .get_object_store(ENGINES)
                .await
                .ok()?
                .info(name)
                .await
                .ok()
        };
        let end = Instant::now() + PATIENCE;
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

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_file_that_is_another_or_too_long_is_refused_and_named() {
    let mut fleet = Fleet::new();
    let small = small(&fleet, "");
    let (store, cache) = (fleet.store(), cache(&fleet));
    let coordinator = small.begin(&mut fleet, &store, &[WORDS, SHARED].concat());
    coordinator.await_words("run `fleet work` to play it");
    // Engines are shared before the first unit is published, and not again.
    fleet.await_work();
    let names = Names::of(&fleet.await_id()).unwrap();
    let sha256 = matches::plan::binary::hash(&small.program).unwrap();
    for (bytes, length, words) in [
        (b"another" as &[u8], 7, ": it has SHA-256 "),
        (b"another", 5, ": it has more than 5 bytes"),
        (
            b"another",
            1 << 40,
            "a file of 1099511627776 bytes, expected at most ",
        ),
    ] {
        replace(&fleet, &names.file(&sha256), bytes, length);
        let worker = worker(&mut fleet, "worker", &cache);
        worker.await_words(words);
        let output = worker.output();
        assert!(output.contains("engine a: "), "{output}");
        let kept = fs::read_dir(&cache).unwrap().count();
        assert_eq!(kept, 0, "{output}");
    }
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_file_in_the_cache_that_is_damaged_is_fetched_anew() {
    let mut fleet = Fleet::new();
    let small = small(&fleet, "");
    let (store, cache) = (fleet.store(), cache(&fleet));
    let sha256 = matches::plan::binary::hash(&small.program).unwrap();
    fs::create_dir_all(&cache).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(&cache, mode).unwrap();
    fs::write(cache.join(&sha256), "damaged").unwrap();
    let mut coordinator = small.begin(&mut fleet, &store, &[WORDS, SHARED].concat());
    let worker = worker(&mut fleet, "worker", &cache);
    assert_done(&mut coordinator, &worker);
    let found = matches::plan::binary::hash_file(&cache.join(&sha256)).unwrap();
    assert_eq!(found, sha256);
}

#[test]
#[cfg_attr(not(nats_server), ignore = "needs nats-server")]
fn a_file_that_is_too_long_is_not_shared() {
    let mut fleet = Fleet::new();
    let small = small(&fleet, "");
    let file = fs::File::options()
        .append(true)
        .open(&small.files[0])
        .unwrap();
    file.set_len((1 << 28) + 1).unwrap();
    let store = fleet.store();
    let mut coordinator = small.begin(&mut fleet, &store, &[WORDS, SHARED].concat());
    assert_eq!(coordinator.end(), 2);
    let output = coordinator.output();
    assert!(
        output.contains("has 268435457 bytes, expected at most 268435456"),
        "{output}"
    );
    assert!(!store.exists());
}

#[test]
#[cfg_attr(
    not(all(nats_server, bubblewrap)),
    ignore = "needs nats-server and bwrap"
)]
fn a_fetched_engine_reaches_neither_files_nor_the_network() {
    let mut fleet = Fleet::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mark = fleet.folder.path().join("mark");
    // The coordinator runs its own engines without a sandbox, so their attempts succeed.
    let tries = format!(
        "echo here >> {mark}
(exec 3<>/dev/tcp/127.0.0.1/{port})
if [ \"$PWD\" = /work ]; then
    [ -z \"$(ls -A)\" ] && echo mine > mine && [ -z \"$FLEET\" ] && ! echo x > /x || exit 1
fi",
        mark = mark.display()
    );
    let small = small(&fleet, &format!("{{ {tries}\n}} 2> /dev/null"));
    let (store, cache) = (fleet.store(), cache(&fleet));
    let words = [WORDS, SHARED, &["--each", "restart=on"]].concat();
    let mut coordinator = small.begin(&mut fleet, &store, &words);
    let worker = worker(&mut fleet, "worker", &cache);
    assert_done(&mut coordinator, &worker);
    let marks = fs::read_to_string(&mark).unwrap();
    assert_eq!(marks, "here\n".repeat(2), "{}", worker.output());
    let heard = std::iter::from_fn(|| listener.accept().ok()).count();
    assert_eq!(heard, 2, "{}", worker.output());
}

#[test]
fn without_walls_engines_are_accepted_only_if_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let worker = Command::new(FLEET)
        .args([
            "work",
            "--accept-engines",
            "--cache",
            cache.to_str().unwrap(),
        ])
        .env("PATH", folder.path())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&worker.stderr).into_owned();
    assert_eq!(worker.status.code(), Some(2), "{words}");
    assert!(
        words.contains("bwrap not found") && words.contains("unsandboxed"),
        "{words}"
    );
}
