//! Output files: they must not overwrite each other, and they may disappear or have no reader.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::program;
use program::{arbiter, directory, run, scattered};

/// Timeout of every step, far longer than any takes.
const LONG: Duration = Duration::from_secs(20);
/// Time where a match makes progress unless it is blocked.
const A_WHILE: Duration = Duration::from_secs(1);

/// Arguments of a match with short games, and `more`.
fn playing<'a>(engines: &'a [String; 2], more: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["match", "--nodes", "1", "--max-plies", "10"];
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(more);
    all
}

fn engines(directory: &Path) -> [String; 2] {
    [("alpha", 1), ("beta", 2)].map(|(name, seed)| scattered(directory, name, seed))
}

#[test]
fn a_store_is_not_overwritten_by_another_output() {
    let directory = directory("store_as_output");
    let engines = engines(&directory);
    let path = directory.join("match.db");
    let store = path.to_str().unwrap();
    let other = directory.join("../store_as_output/match.db");
    let other = other.to_str().unwrap();
    let (code, _, stderr) = run(&playing(&engines, &["--store", store, "--events", other]));
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(stderr, "error: --events: expected a different file from --store\n");

    let (code, stdout, stderr) = run(&playing(&engines, &["--store", store]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let before = run(&["export", store]);
    assert_eq!(before.1.lines().count(), 2, "{before:?}");
    for flag in ["--events", "--log", "--record"] {
        let (code, _, stderr) = run(&["resume", store, flag, other]);
        assert_eq!(code, 2, "{flag}: {stderr}");
        assert!(
            stderr.contains(&format!("{flag}: expected a different file from the store")),
            "{stderr}"
        );
        assert_eq!(run(&["export", store]), before, "{flag}");
    }
    let (code, _, stderr) = run(&["report", store, "--output", other]);
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(run(&["export", store]), before);
}

#[test]
fn no_output_is_another_file_of_the_command() {
    let directory = directory("shared_files");
    let engines = engines(&directory);
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    for name in ["old", "openings", "seed", "match.toml", "net"] {
        fs::write(path(name), "1\n").unwrap();
    }
    fs::write(path("match.toml"), "").unwrap();
    fs::write(path("openings"), "startpos\n").unwrap();
    fs::hard_link(path("old"), path("hard")).unwrap();
    std::os::unix::fs::symlink("old", path("soft")).unwrap();
    std::os::unix::fs::symlink("new", path("dangling")).unwrap();
    let files = || {
        let files = fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path());
        files.map(|file| (fs::read(&file).ok(), file)).collect::<std::collections::BTreeSet<_>>()
    };
    let before = files();
    let netted = format!("{} option.EvalFile='{}'", engines[0], path("net"));
    for [one, same_as_one, other, same_as_other, message] in [
        [
            "--log",
            "old",
            "--record",
            "../shared_files/old",
            "--record: expected a different file from --log",
        ],
        ["--log", "hard", "--record", "soft", "--record: expected a different file from --log"],
        [
            "--events",
            "new",
            "--record",
            "dangling",
            "--events: expected a different file from --record",
        ],
        ["--store", "new", "--log", "new-wal", "--store: expected a different file from --log"],
        [
            "--openings",
            "openings",
            "--log",
            "openings",
            "--log: expected a different file from --openings",
        ],
        [
            "--seed-file",
            "seed",
            "--events",
            "seed",
            "--events: expected a different file from --seed-file",
        ],
        [
            "--config",
            "match.toml",
            "--log",
            "match.toml",
            "--log: expected a different file from --config",
        ],
        [
            "--record",
            "alpha.sh",
            "--log",
            "new",
            "--record: expected a different file from a file of engine alpha",
        ],
        [
            "--log",
            "net",
            "--events",
            "new",
            "--log: expected a different file from a file of engine alpha",
        ],
    ] {
        let (same_as_one, same_as_other) = (path(same_as_one), path(same_as_other));
        let flags = [one, &same_as_one, other, &same_as_other, "--engine", &netted];
        let (code, _, stderr) = run(&[&["match", "--engine", &engines[1]][..], &flags].concat());
        assert_eq!((code, stderr), (2, format!("error: {message}\n")), "{flags:?}");
        assert_eq!(files(), before, "{flags:?}");
    }
}

#[test]
fn an_output_is_neither_the_store_of_another_match_nor_standard_output() {
    let directory = directory("foreign_store");
    let engines = engines(&directory);
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    let store = path("match.db");
    assert_eq!(run(&playing(&engines, &["--store", &store])).0, 0);
    let before = fs::read(&store).unwrap();
    for flag in ["--log", "--record", "--events"] {
        let (code, _, stderr) = run(&playing(&engines, &[flag, &store]));
        let message = format!("error: {flag}: expected a file that is not a store of games\n");
        assert_eq!((code, stderr), (2, message));
    }
    let games = path("games.jsonl");
    fs::write(&games, run(&["export", &store]).1).unwrap();
    let (code, _, _) = run(&["report", &games, "--output", &store]);
    assert_eq!((code, fs::read(&store).unwrap()), (2, before));
    // As by `arbiter export games.jsonl >> games.jsonl`.
    let appended = fs::OpenOptions::new().append(true).open(&games).unwrap();
    let output = arbiter(&["export", &games]).stdout(appended).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let message = format!("error: standard output: expected a different file from {games}\n");
    assert_eq!((output.status.code(), stderr), (Some(2), message));
    assert_eq!(fs::read_to_string(&games).unwrap().lines().count(), 2);
}

#[test]
fn an_output_that_cannot_be_opened_leaves_no_store() {
    let directory = directory("no_events");
    let engines = engines(&directory);
    let path = directory.join("match.db");
    let events = directory.join("none/events.jsonl");
    let files = ["--store", path.to_str().unwrap(), "--events", events.to_str().unwrap()];
    let (code, _, stderr) = run(&playing(&engines, &files));
    assert_eq!(code, 2, "{stderr}");
    assert!(!path.exists(), "{stderr}");
}

#[test]
fn a_store_that_is_removed_stops_the_match() {
    let directory = directory("removed");
    let engines = engines(&directory);
    let path = directory.join("match.db");
    let record = directory.join("games.jsonl");
    let files = [
        "--games",
        "100000",
        "--record",
        record.to_str().unwrap(),
        "--store",
        path.to_str().unwrap(),
    ];
    let child = arbiter(&playing(&engines, &files))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_growth(&record);
    fs::remove_file(&path).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("and later games cannot be stored")
            && stderr.contains("removed or replaced"),
        "{stderr}"
    );
}

#[test]
fn a_match_waits_for_readers_of_its_outputs() {
    let directory = directory("unread_events");
    let engines = engines(&directory);
    let pipe = directory.join("events");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success(), "{made}");
    let log = directory.join("talk.log");
    let files =
        ["--games", "100000", "--log", log.to_str().unwrap(), "--events", pipe.to_str().unwrap()];
    let mut child = arbiter(&playing(&engines, &files))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Opened, but never read.
    let _reader = fs::File::open(&pipe).unwrap();
    await_growth(&log);
    let deadline = Instant::now() + LONG;
    let (mut size, mut since) = (0, Instant::now());
    let stops = loop {
        let now = fs::metadata(&log).unwrap().len();
        if now != size {
            (size, since) = (now, Instant::now());
        }
        if since.elapsed() > A_WHILE || Instant::now() > deadline {
            break since.elapsed() > A_WHILE;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(stops, "it still plays, with {size} bytes of unread output");
}

#[test]
fn an_unread_record_does_not_block_the_end_of_a_match() {
    let directory = directory("unread_record");
    let engines = engines(&directory);
    let [pipe, shown] = ["games", "shown"].map(|name| directory.join(name));
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success(), "{made}");
    let files = ["--games", "100000", "--record", pipe.to_str().unwrap()];
    let child = arbiter(&playing(&engines, &files))
        .stdout(fs::File::create(&shown).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_growth(&shown);
    let deadline = Instant::now() + LONG;
    let (mut size, mut since) = (0, Instant::now());
    while since.elapsed() < A_WHILE {
        assert!(Instant::now() < deadline, "no pipe is so large");
        let now = fs::metadata(&shown).unwrap().len();
        if now != size {
            (size, since) = (now, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("cannot be recorded") && stderr.contains("its reader has stopped reading"),
        "{stderr}"
    );
}

#[test]
fn several_outputs_may_share_a_pipe() {
    let directory = directory("one_pipe");
    let engines = engines(&directory);
    let program = env!("CARGO_BIN_EXE_arbiter");
    let mut all = vec!["-c", "\"$@\" 2>&1 | cat", "sh", program];
    all.extend(playing(&engines, &["--events", "/dev/stdout", "--log", "/dev/stderr"]));
    let output = Command::new("sh").args(all).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("2 games in ") && shown.contains("{\"event\":"), "{shown}");
}

#[test]
fn a_pipe_receives_only_the_games_of_a_resumed_match_that_are_still_to_play() {
    let directory = directory("record_to_pipe");
    let engines = engines(&directory);
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    let (store, pipe) = (path("match.db"), path("games"));
    let (code, stdout, stderr) = run(&playing(&engines, &["--store", &store]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let longer = "UPDATE settings SET value = json_set(value, '$.games', 4) WHERE name = 'plan'";
    rusqlite::Connection::open(&store).unwrap().execute(longer, []).unwrap();
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success(), "{made}");
    // With both ends open, the pipe keeps what the match writes.
    let kept = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let (code, stdout, stderr) = run(&["resume", &store, "--record", &pipe, "--trust-commands"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    rustix::io::ioctl_fionbio(&kept, true).unwrap();
    let mut games = Vec::new();
    // Ends with an error once the pipe is empty.
    let _ = std::io::Read::read_to_end(&mut &kept, &mut games);
    let games = String::from_utf8(games).unwrap();
    let numbers: Vec<&str> = games.lines().filter_map(|game| game.split(',').next()).collect();
    assert_eq!(numbers, ["{\"game\":3", "{\"game\":4"], "{games}");
}

#[test]
fn a_long_schedule_is_printed_until_its_reader_leaves() {
    let mut child = arbiter(&["match", "--dry-run", "--games", "1000000000000"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 6];
    let mut stdout = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut stdout, &mut first).unwrap();
    assert_eq!(&first, b"game 1");
    drop(stdout);
    let deadline = Instant::now() + LONG;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("it continues without a reader");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a file has 1,000 bytes.
fn await_growth(path: &Path) {
    let deadline = Instant::now() + LONG;
    while fs::metadata(path).map_or(0, |metadata| metadata.len()) < 1000 {
        assert!(Instant::now() < deadline, "{}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_engine_is_not_blamed_for_a_want_of_descriptors() {
    let directory = directory("few_descriptors");
    let store = directory.join("match.db");
    let store = store.to_str().unwrap();
    let engines: Vec<String> =
        (0..10).map(|number| scattered(&directory, &format!("e{number}"), number)).collect();
    let program = env!("CARGO_BIN_EXE_arbiter");
    let mut all =
        vec!["-c", "ulimit -n 96; exec \"$@\"", "sh", program, "tournament", "round-robin"];
    all.extend([
        "--nodes", "1", "--max-plies", "4", "--concurrency", "4", "--each", "restart=off",
        "--store", store,
    ]);
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    let output = Command::new("sh").args(all).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("Too many open files"), "{stderr}");
    let (code, stdout, stderr) = run(&["resume", store, "--concurrency", "1"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("90 games in"), "{stdout}");
}
