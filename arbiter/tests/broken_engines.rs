//! Engines that do not work at the start: each ends the match before the first game, with its last words.
#![cfg(target_os = "linux")]

use crate::bad_engines::{Bad, GRACE, MAX_MEMORY, directory_of, records, run};

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
