//! No matter how the arbiter ends, no process that it started survives it.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{processes, program};
use matches::spelling::{engine_text, quote_path};
use processes::{await_death, children, living_members};
use program::{arbiter, crashing, deaf, directory, run, scattered};

/// Timeout of every step, far longer than any takes.
const LONG: Duration = Duration::from_secs(20);

/// Starts a match too long to end by itself, with piped output, that no signal is ignored in.
fn endless(engines: &[String], arguments: &[&str]) -> Child {
    // A shell has its background jobs, such as these tests, ignore some.
    endless_by(&["env", "--default-signal=HUP,INT"], engines, arguments)
}

/// Starts a match as [`endless`] does, by another program.
fn endless_by(starter: &[&str], engines: &[String], arguments: &[&str]) -> Child {
    let mut command = Command::new(starter[0]);
    command.args(&starter[1..]).arg(env!("CARGO_BIN_EXE_arbiter"));
    command.args(["match", "--games", "100000", "--nodes", "1"]);
    command.args(engines.iter().flat_map(|engine| ["--engine", engine]));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for `engines` process groups with `processes` processes each; returns the groups.
fn await_groups(child: &Child, engines: usize, processes: usize) -> Vec<u32> {
    let deadline = Instant::now() + LONG;
    loop {
        let groups: Vec<u32> = children(child.id()).into_keys().collect();
        let are_complete = groups.iter().all(|&group| living_members(group).len() >= processes);
        if groups.len() == engines && are_complete {
            return groups;
        }
        assert!(Instant::now() < deadline, "{:?}", children(child.id()));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(status.success(), "{status}");
}

/// Waits for the end; returns the exit status and the rest of standard output and standard error.
fn await_end(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn engines(directory: &Path) -> [String; 2] {
    [("alpha", 1), ("beta", 2)].map(|(name, seed)| scattered(directory, name, seed))
}

#[test]
fn killed_at_once() {
    let directory = directory("killed");
    let mut child = endless(&engines(&directory), &["--concurrency", "2"]);
    let groups = await_groups(&child, 4, 1);
    child.kill().unwrap();
    child.wait().unwrap();
    groups.into_iter().for_each(await_death);
}

#[test]
fn interrupted_or_terminated() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let directory = directory(&format!("ended_by{name}"));
        // The fifth game never ends, so the signal comes in the middle of a move.
        let mut child = endless(&[deaf(&directory, "deaf")], &["--max-plies", "20"]);
        let groups = await_groups(&child, 2, 2);
        let mut header = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut header).unwrap();
        signal(&child, name);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        let (code, _, stderr) = await_end(child);
        assert_eq!(code, Some(130), "{name}: {header}{rest}{stderr}");
        assert!(rest.contains("(interrupted)"), "{name}: {rest}");
        groups.into_iter().for_each(await_death);
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let ignoring_int = ["sh", "-c", "trap '' INT; exec \"$0\" \"$@\""];
    for (starter, name) in [(&["nohup"][..], "-HUP"), (&ignoring_int, "-INT")] {
        let directory = directory(&format!("ignored{name}"));
        let games = directory.join("games.jsonl");
        let record = ["--record", games.to_str().unwrap()];
        let child = endless_by(starter, &engines(&directory), &record);
        let await_more_games = || {
            let size = || std::fs::metadata(&games).map_or(0, |file| file.len());
            let (begun, deadline) = (size(), Instant::now() + LONG);
            while size() < begun + 20_000 {
                assert!(Instant::now() < deadline, "{name}: it plays no more");
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        await_more_games();
        signal(&child, name);
        await_more_games();
        signal(&child, "-TERM");
        let (code, stdout, stderr) = await_end(child);
        assert_eq!(code, Some(130), "{name}: {stdout}{stderr}");
    }
}

#[test]
fn interrupted_after_an_engine_was_retired() {
    let directory = directory("interrupted_after_retirement");
    let engines = [
        scattered(&directory, "alpha", 1),
        scattered(&directory, "beta", 2),
        crashing(&directory, "weak"),
    ];
    let mut all = vec!["tournament", "round-robin", "--rounds", "100000"];
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(["--nodes", "1", "--retire", "1"]);
    let mut child = arbiter(&all).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let retired = lines.any(|line| line.unwrap().starts_with("weak is retired"));
    assert!(retired);
    signal(&child, "-TERM");
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let (code, _, stderr) = await_end(child);
    assert_eq!(code, Some(130), "{rest:?}{stderr}");
    assert!(rest.iter().any(|line| line.contains("(interrupted)")), "{rest:?}");
}

#[test]
fn an_answer_counts_that_came_while_the_arbiter_was_stopped() {
    let directory = directory("stopped");
    let begun = directory.join("begun");
    let script = crate::common::ENGINE;
    let go = format!("echo >> {}; sleep 0.5; echo \"bestmove $1\"", quote_path(&begun));
    let slow = format!("{} name=slow legal=on", engine_text("/bin/sh", &[script, &go]));
    let all = [
        "match",
        "--engine",
        &slow,
        "--engine",
        &scattered(&directory, "good", 1),
        "--nodes",
        "1",
        "--games",
        "2",
        "--max-plies",
        "2",
        "--stall",
        "1",
    ];
    let child = arbiter(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + LONG;
    while !begun.exists() {
        assert!(Instant::now() < deadline, "no engine was asked for a move");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "-STOP");
    // Longer than the engine's limit.
    std::thread::sleep(Duration::from_millis(1500));
    signal(&child, "-CONT");
    let (code, stdout, stderr) = await_end(child);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
}

#[test]
fn interrupted_twice() {
    let directory = directory("twice");
    let engine = deaf(&directory, "deaf");
    let child = endless(&[engine], &["--players", "3"]);
    let groups = await_groups(&child, 3, 2);
    let begun = Instant::now();
    signal(&child, "-TERM");
    signal(&child, "-TERM");
    let (code, stdout, stderr) = await_end(child);
    assert_eq!(code, Some(130), "{stdout}{stderr}");
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    groups.into_iter().for_each(await_death);
}

#[test]
fn without_a_reader_of_its_output() {
    let directory = directory("closed_output");
    let mut child = endless(&engines(&directory), &["--max-plies", "20"]);
    let groups = await_groups(&child, 2, 1);
    // The reader closes the pipe after three lines.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let read: Vec<String> = lines.by_ref().take(3).map(Result::unwrap).collect();
    drop(lines);
    let begun = Instant::now();
    let (code, _, stderr) = await_end(child);
    assert_eq!((code, stderr.as_str()), (Some(130), ""), "after {read:?}");
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    groups.into_iter().for_each(await_death);
}

#[test]
fn in_order() {
    let directory = directory("in_order");
    let engine = deaf(&directory, "deaf");
    let ids = directory.join("ids");
    let (code, stdout, stderr) = run(&[
        "match",
        "--engine",
        &engine,
        "--nodes",
        "1",
        "--max-plies",
        "4",
        "--log",
        ids.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let log = std::fs::read_to_string(ids).unwrap();
    let mut groups: Vec<u32> = log
        .lines()
        .filter_map(|line| line.split_once('[')?.1.split_once(']')?.0.parse().ok())
        .collect();
    groups.sort_unstable();
    groups.dedup();
    assert_eq!(groups.len(), 3, "one for the check and two seats: {log}");
    groups.into_iter().for_each(await_death);
}
