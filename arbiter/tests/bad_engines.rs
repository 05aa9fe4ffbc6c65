//! All kinds of bad engines, in matches of two and of three seats. Each costs at most its own games. The time is
//! bounded, and the arbiter's memory stays small.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::program;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::spelling::engine_text;
use program::{arbiter, check_all, directory};

/// Memory limit of the arbiter, in KiB.
const MAX_MEMORY: u64 = 32 << 10;
/// Time allowed for a match in addition to its games, for starting and ending processes on a busy machine.
const GRACE: Duration = Duration::from_secs(60);
/// Matches played concurrently.
const AT_A_TIME: usize = 3;

/// A bad engine and the expected result.
#[derive(Clone, Copy)]
struct Bad {
    name: &'static str,
    /// Shell code for `go`, `isready`, `quit` and the start; empty for the normal behaviour.
    does: [&'static str; 4],
    limit: &'static str,
    /// Expected ending of its games; `None` if the behaviour is tolerated.
    ending: Option<Ending>,
    /// Part of the fault's message.
    words: &'static str,
    /// Matches that it plays: one for each number of seats.
    seats: &'static [usize],
}

const TWO_AND_THREE: &[usize] = &[2, 3];

const GOOD: &str = "echo \"bestmove $1\"";

const fn on_go(name: &'static str, go: &'static str, ending: Ending, words: &'static str) -> Bad {
    Bad {
        name,
        does: [go, "", "", ""],
        limit: "movetime=100 margin=50",
        ending: Some(ending),
        words,
        seats: TWO_AND_THREE,
    }
}

/// An engine with which a game can be played nevertheless.
const fn harmless(name: &'static str, does: [&'static str; 4]) -> Bad {
    Bad { name, does, limit: "movetime=10000", ending: None, words: "", seats: TWO_AND_THREE }
}

/// An engine that keeps two processors busy until it is given up; it plays one match.
const fn flooding(bad: Bad) -> Bad {
    let seats = &[2];
    Bad { seats, ..bad }
}

const fn limited(limit: &'static str, bad: Bad) -> Bad {
    Bad { limit, ..bad }
}

const BAD: [Bad; 29] = [
    on_go("crashes on go", "exit 3", Ending::Crash, "exit status: 3"),
    on_go("dies by a signal on go", "kill -SEGV $$", Ending::Crash, "signal: 11"),
    on_go(
        "cuts its bestmove before the newline",
        "printf 'bestmove 5\\033'; exec sleep 1000",
        Ending::Stall,
        "; received \"bestmove 5\\u{1b}\" without a newline",
    ),
    on_go(
        "cuts its bestmove and ends",
        "printf 'bestmove 5'; exit 0",
        Ending::Crash,
        "exit status: 0; received \"bestmove 5\" without a newline",
    ),
    limited(
        "tc=0.2+0.01",
        on_go(
            "hangs under a clock",
            "exec sleep 1000",
            Ending::Stall,
            "; no output after `go`: does it flush its output after each line?",
        ),
    ),
    on_go("hangs under movetime", "exec sleep 1000", Ending::Stall, "1150.0 ms"),
    on_go(
        "hangs in the process group of the arbiter",
        "exec python3 -c 'import os, time; os.setpgid(0, os.getpgid(os.getppid())); time.sleep(1000)'",
        Ending::Stall,
        "1150.0 ms",
    ),
    limited("nodes=1", on_go("hangs under nodes", "exec sleep 1000", Ending::Stall, "3000.0 ms")),
    limited("depth=1", on_go("hangs under depth", "exec sleep 1000", Ending::Stall, "3000.0 ms")),
    on_go(
        "prints info for ever, slowly",
        "while :; do echo info depth 1; sleep 0.05; done",
        Ending::Stall,
        "did not answer within",
    ),
    flooding(on_go(
        "prints info for ever, at full speed",
        "exec yes 'info depth 1 score cp 1 nodes 5'",
        Ending::Stall,
        "did not answer within",
    )),
    flooding(on_go(
        "prints an endless line",
        "exec tr '\\0' x < /dev/zero",
        Ending::Stall,
        "did not answer within",
    )),
    flooding(on_go(
        "prints random bytes",
        "exec cat /dev/urandom",
        Ending::Stall,
        "did not answer within",
    )),
    on_go("illegal move", "echo bestmove 63", Ending::IllegalMove, "63 is illegal"),
    on_go("no move at all", "echo 'bestmove (none)'", Ending::IllegalMove, "it gave no move"),
    on_go(
        "answers late",
        "sleep 0.6; echo \"bestmove $1\"",
        Ending::TimeForfeit,
        "over its limit of 100.0 ms",
    ),
    on_go("closes its output", "exec >&-; sleep 1000", Ending::Disconnect, "closed its output"),
    on_go(
        "closes its input and hangs",
        "exec <&-; sleep 1000",
        Ending::Stall,
        "did not answer within",
    ),
    on_go(
        "closes its input and answers",
        "exec <&-; echo \"bestmove $1\"; sleep 1000",
        Ending::Disconnect,
        "closed its output or input",
    ),
    on_go(
        "leaves a child with the pipe and ends",
        "sleep 1000 & exit 4",
        Ending::Crash,
        "exit status: 4",
    ),
    limited(
        "nodes=1 memory=50",
        on_go(
            "takes memory without end",
            "exec tail /dev/zero",
            Ending::Crash,
            "its process ended",
        ),
    ),
    harmless(
        "prints a line of 40 MB",
        ["head -c 40000000 /dev/zero | tr '\\0' x; echo; echo \"bestmove $1\"", "", "", ""],
    ),
    harmless("answers twice", ["printf 'bestmove %s\\nbestmove %s\\n' \"$1\" \"$1\"", "", "", ""]),
    harmless(
        "says bestmove without go",
        [GOOD, "echo bestmove 1; echo readyok", "", "echo bestmove 1"],
    ),
    harmless(
        "floods its standard error",
        ["yes oh | head -c 3000000 >&2; echo \"bestmove $1\"", "", "", ""],
    ),
    harmless("ignores quit", ["", "", ":", "trap '' HUP INT TERM"]),
    harmless("ignores quit and the end of its input", ["", "", "exec sleep 1000", ""]),
    harmless("has a child that keeps the pipes", ["", "", "exit 0", "sleep 1000 &"]),
    harmless(
        "moves in a finished game",
        [
            "echo \"bestmove $1\"",
            // After `readyok`, it could arrive after the next `go` and answer that.
            "echo bestmove 5; echo readyok", "echo bestmove 5", "",
        ],
    ),
];

#[test]
fn a_bad_engine_costs_its_games_alone() {
    let matches: Vec<(&Bad, usize)> =
        BAD.iter().flat_map(|bad| bad.seats.iter().map(move |&seats| (bad, seats))).collect();
    check_all(AT_A_TIME, &matches, |&(bad, seats)| play(bad, seats));
}

fn directory_of(bad: &Bad, seats: usize) -> PathBuf {
    let name = format!("bad_{}_{seats}", bad.name.replace(' ', "_"));
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Plays a block where the bad engine sits once in each seat; returns the output, the time and the arbiter's memory in
/// KiB.
fn run(bad: &Bad, seats: usize) -> (Output, Duration, u64) {
    let directory = directory(directory_of(bad, seats).to_str().unwrap());
    let record = directory.join("games.jsonl");
    let script = crate::common::ENGINE;
    let engine = engine_text("/bin/sh", &[&[script], &bad.does[..]].concat());
    let bad_engine = format!("{engine} name=bad legal=on {}", bad.limit);
    let engine = engine_text("/bin/sh", &[script]);
    let good = |number: usize| format!("{engine} name=good-{number} legal=on nodes=1");
    let games = seats.to_string();
    let mut all = vec![
        "match", "--players", &games, "--stall", "3", "--ready", "1500", "--max-plies", "9",
        // With other cards, a harmless engine may have to miss a turn, and be at fault by chance.
        "--seed", "1",
        // The evaluator's tables would hide what an engine makes the arbiter use.
        "--luck", "off",
    ];
    all.extend(["--record", record.to_str().unwrap(), "--engine", &bad_engine]);
    let others: Vec<String> = (1..seats).map(good).collect();
    others.iter().for_each(|other| all.extend(["--engine", other]));

    let begun = Instant::now();
    let mut child = arbiter(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let memory = most_memory(&mut child);
    let output = child.wait_with_output().unwrap();
    (output, begun.elapsed(), memory)
}

/// Plays a match and checks every promise.
fn play(bad: &Bad, seats: usize) {
    let (output, took, memory) = run(bad, seats);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let seen = format!("{}, {seats} seats: {took:?}\n{stdout}{stderr}", bad.name);
    let code = if bad.ending.is_some() { 4 } else { 0 };
    assert_eq!(output.status.code(), Some(code), "{seen}");
    assert!(took < GRACE, "{seen}");
    assert!(memory < MAX_MEMORY, "{memory} KiB: {seen}");
    let records = records(&directory_of(bad, seats).join("games.jsonl"));
    assert_eq!(records.len(), seats, "{seen}");
    for record in records {
        check(bad, &record, &seen);
    }
}

/// Peak memory of a process until its end, in KiB.
fn most_memory(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        most = most.max(kib.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(most > 0, "the memory is not known");
    most
}

fn records(path: &Path) -> Vec<GameRecord> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| matches::archive::replay::read(line).unwrap()).collect()
}

fn check(bad: &Bad, record: &GameRecord, seen: &str) {
    assert!(matches::archive::replay::check(record).is_empty(), "{record:?}: {seen}");
    let seat = record.seats.iter().position(|name| name == "bad").unwrap();
    let Some(ending) = bad.ending else {
        assert_eq!(record.fault, None, "{seen}");
        return;
    };
    assert_eq!(record.endings[seat], ending, "{seen}");
    let others = record.endings.iter().enumerate().filter(|(other, _)| *other != seat);
    assert!(others.into_iter().all(|(_, ending)| *ending == Ending::Ended), "{record:?}: {seen}");
    assert_eq!(record.places[seat] as usize, record.seats.len(), "{seen}");
    let fault = record.fault.as_ref().unwrap();
    assert!(fault.reason.contains(bad.words), "{}? {}: {seen}", bad.words, fault.reason);
}

/// Engines that do not work: name, shell code as of [`Bad`], and words of the error.
const BROKEN: [(&str, [&str; 4], &str); 10] = [
    (
        "exits before uciok",
        ["", "", "", "exit 7"],
        "no uciok: its process ended with exit status: 7",
    ),
    (
        "leaves a message",
        ["", "", "", "echo 'no module chess' >&2; exit 1"],
        "exit status: 1; its standard error ends with: no module chess",
    ),
    ("never says uciok", ["", "", "", "exec sleep 1000"], "no uciok: it did not answer"),
    ("echoes", ["", "", "", "exec cat"], "no uciok: it did not answer in time\n"),
    (
        "does not flush",
        [
            "",
            "",
            "",
            "exec env -u PYTHONUNBUFFERED python3 -c 'import time; print(\"uciok\"); time.sleep(1000)'",
        ],
        "no uciok: it did not answer in time; no output after `uci`: does it flush its output",
    ),
    (
        "offers options without end",
        ["", "", "", "read line; exec yes 'option name A type string default B'"],
        "no uciok: it did not answer",
    ),
    (
        "closes its output before uciok",
        ["", "", "", "exec >&-; sleep 1000"],
        "no uciok: it closed its output",
    ),
    ("never says readyok", ["", ":", "", ""], "no readyok: it did not answer"),
    (
        "crashes on isready",
        ["", "exit 5", "", ""],
        "no readyok: its process ended with exit status: 5",
    ),
    (
        "rejects its options",
        ["", "echo 'info string ERROR: Hash is full'; echo readyok", "", ""],
        "engine bad rejects its options: Hash is full",
    ),
];

#[test]
fn an_engine_that_does_not_work_ends_the_match_before_the_first_game() {
    for (name, does, words) in BROKEN {
        let bad = Bad { name, does, limit: "movetime=100", ending: None, words, seats: &[2] };
        let (output, took, memory) = run(&bad, 2);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let seen = format!("{name}: {took:?}\n{stdout}{stderr}");
        assert_eq!(output.status.code(), Some(2), "{seen}");
        assert!(stderr.contains("error: engine bad") && stderr.contains(words), "{seen}");
        assert!(took < GRACE && memory < MAX_MEMORY, "{memory} KiB: {seen}");
        let records = records(&directory_of(&bad, 2).join("games.jsonl"));
        assert!(records.is_empty(), "{seen}");
    }
}
