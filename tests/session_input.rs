//! Untrusted input: endless lines, binary data, and clients that do not read.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::client;
use client::Engine;

/// Limit on a session's memory for any input, in kilobytes; a test build needs more than a release.
const MAX_MEMORY: u64 = 64 * 1024;

const MEBIBYTE: usize = 1 << 20;

/// Peak memory of a process so far, in kilobytes.
fn peak_memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a process");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect(&status);
    line.split_whitespace().nth(1).expect(line).parse().expect(line)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn a_line_of_a_hundred_megabytes_costs_one_error() {
    let mut engine = Engine::start();
    let piece = vec![b'x'; MEBIBYTE];
    for _ in 0..100 {
        engine.send_bytes(&piece);
    }
    engine.send_bytes(b"\n");
    let lines = engine.fence();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let expected = "is too long: expected at most 1048576 bytes";
    assert!(lines[0].starts_with("info string error: line \"xxx"), "{lines:?}");
    assert!(lines[0].ends_with(expected), "{lines:?}");
    let memory = peak_memory(&engine.child);
    assert!(memory < MAX_MEMORY, "{memory} kB");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn an_endless_line_is_reported_before_its_end() {
    let mut engine = Engine::start();
    engine.send_bytes(b"go searchmoves ");
    let piece = b"5 ".repeat(MEBIBYTE / 2);
    for _ in 0..20 {
        engine.send_bytes(&piece);
    }
    assert!(engine.line_of("info string error").contains("too long"));
    assert_eq!(engine.line().as_deref(), Some("bestmove (none)"));
    let memory = peak_memory(&engine.child);
    assert!(memory < MAX_MEMORY, "{memory} kB");
    let (lines, status) = engine.finish();
    assert_eq!(lines, [""; 0]);
    assert!(status.success(), "{status}");
}

#[test]
fn the_longest_line_is_taken_and_complaints_about_it_are_short() {
    let mut engine = Engine::start();
    let fill = |start: &str, word: &str| {
        let words = (MEBIBYTE - start.len()) / word.len();
        start.to_owned() + &word.repeat(words)
    };
    for (line, wrong) in [
        (fill("position startpos moves 5", " 1001"), "move 2 of the list"),
        (fill("position fen ", "0,68,3/"), "position \"0,68,3"),
        (fill("position startpos moves ", "🐇"), "move 1 of the list"),
        (fill("position startpos moves ", "\u{1}"), "move 1 of the list"),
        (fill("setoption name ", "x"), "unknown option"),
        (fill("setoption name Hash value ", "9"), "option Hash"),
        (fill("x", "y"), "unknown command"),
    ] {
        let answer = engine.ask(&line);
        assert_eq!(answer.len(), 1, "{wrong}: {answer:?}");
        let wrong = format!("info string error: {wrong}");
        assert!(answer[0].starts_with(&wrong), "{answer:?}");
        assert!(answer[0].contains("expected"), "{answer:?}");
        assert!(answer[0].chars().count() < 1100, "{}", answer[0].len());
    }
    let shown = engine.ask("d");
    assert!(shown.contains(&"Fen: 0,68,3/0,68,3 1 - -".into()), "{shown:?}");
}

#[test]
fn bytes_that_are_no_text_cost_one_error() {
    let mut engine = Engine::start();
    for bytes in [&b"\xff\xfe\n"[..], b"isready\xc3\n", b"position startpos moves \x80\n", b"\0\n"]
    {
        engine.send_bytes(bytes);
        let lines = engine.fence();
        assert_eq!(lines.len(), 1, "{bytes:?}: {lines:?}");
        assert!(lines[0].starts_with("info string error: "), "{bytes:?}: {lines:?}");
        assert!(lines[0].contains("expected"), "{bytes:?}: {lines:?}");
    }
    engine.send_bytes(b"go depth \xb9\n");
    let lines = engine.fence();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[1], "bestmove (none)");
}

#[test]
fn blanks_and_line_ends_of_any_kind_are_fine() {
    let mut engine = Engine::start();
    let commands = b"\r\n\n \t \r\n\tposition \t startpos   players 3  moves\t5  \r\n  d\r\n\
        position fen  0,68,3/0,68,3  1 -\t-\r\nd\n\
        setoption  name  move   OVERHEAD \t value  7 \r\n";
    engine.send_bytes(commands);
    let lines = engine.fence();
    let facts = |line: &&String| line.starts_with("Fen") || line.starts_with("info");
    let facts: Vec<&String> = lines.iter().filter(facts).collect();
    assert_eq!(facts, ["Fen: 5,53,3/0,68,3/0,68,3 2 - -", "Fen: 0,68,3/0,68,3 1 - -"]);
    engine.send_bytes(b"\tgo \t depth  1 \r\n");
    engine.line_of("bestmove ");
    engine.send_bytes(b"position startpos moves 5\nd");
    let (lines, status) = engine.finish();
    assert!(
        lines.contains(&"Fen: 5,53,3/0,68,3 2 - -".into()),
        "the last line needs no end: {lines:?}"
    );
    assert!(status.success(), "{status}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn a_client_that_does_not_read_is_waited_for() {
    const COMMANDS: usize = 400;
    let mut child = Command::new(env!("CARGO_BIN_EXE_buxtehude"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let line = format!("position startpos moves{}\nd\n", " 5".repeat(20_000));
    let writer = thread::spawn(move || {
        for _ in 0..COMMANDS {
            if input.write_all(line.as_bytes()).is_err() {
                return;
            }
        }
    });
    // Once the pipes are full, nothing moves, and the memory stays the same.
    let mut memory = 0;
    loop {
        thread::sleep(Duration::from_millis(50));
        let now = peak_memory(&child);
        if now == memory {
            break;
        }
        memory = now;
    }
    assert!(memory < MAX_MEMORY, "{memory} kB");
    let output = BufReader::new(child.stdout.take().unwrap());
    let lines = output.lines().map_while(Result::ok);
    let drawings = lines.filter(|line| line.starts_with("Fen: ")).count();
    // The input ends only after the engine has read all commands.
    assert_eq!(drawings, COMMANDS);
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
}
