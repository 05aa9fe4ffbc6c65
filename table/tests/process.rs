//! The program itself: its address, its socket, and its shutdown.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use matches::spelling::quote_path;
use rustix::process::{Pid, Signal, kill_process};

use crate::common::program::{Program, await_that, engine, folder, processes_with};

const GAME: &str = r#""game":{"variant":"hase-und-igel","players":3}"#;

fn pid(program: &Program) -> Pid {
    Pid::from_child(&program.child)
}

#[test]
fn it_answers_over_a_socket() {
    let program = Program::start(&[]);
    let answer = program.answer("/api/new", r#"{"variant":"hase-und-igel","players":3}"#);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\r\ncontent-type: application/json\r\n"), "{answer}");
    assert!(
        answer.contains(r#"{"ok":true,"game":{"variant":"hase-und-igel","players":3,"moves":[]}"#),
        "{answer}"
    );
    let answer = program.answer("/api/ai", &format!(r#"{{{GAME},"limit":"nodes 50"}}"#));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let mut stream = TcpStream::connect(&program.address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n").unwrap();
    let mut refused = String::new();
    stream.read_to_string(&mut refused).unwrap();
    assert!(refused.starts_with("HTTP/1.1 421 "), "{refused}");
}

/// Invalid arguments are reported, and the server does not start.
#[test]
fn wrong_arguments_are_reported() {
    for (arguments, words) in [
        (&["--engine", "name=x"][..], "cmd= is missing"),
        (&["--listen", "203.0.113.1:1"], "--listen 203.0.113.1:1"),
        (&["--etudes", "/nonexistent"], "--etudes: /nonexistent"),
        (&["--etudes", "/dev/null", "--etudes-variant", "fox-and-hounds"], "has no etudes"),
        (&["--games", "/nonexistent"], "--games: "),
        (&["--seed-file", "/nonexistent"], "--seed-file"),
    ] {
        let table = std::process::Command::new(env!("CARGO_BIN_EXE_table"))
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8(table.stderr).unwrap();
        assert_eq!(
            (table.status.code(), table.stdout.len()),
            (Some(2), 0),
            "{arguments:?}: {said}"
        );
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

/// A client that closes its socket stops its search.
#[test]
fn a_connection_that_is_closed_ends_its_search() {
    let folder = folder("process_closed");
    let notes = folder.join("notes");
    let note = |word| format!("echo {word} >> {}", quote_path(&notes));
    let stop = format!("{}; echo \"bestmove $1\"", note("stop"));
    let patient = engine(&folder, "patient", &note("go"), &stop);
    let program = Program::start(&["--engine", &patient, "--processes", "1"]);
    let notes = || std::fs::read_to_string(&notes).unwrap_or_default();
    for (times, path) in [(1, "/api/analyse"), (2, "/api/ai")] {
        let stream = program.request(path, &format!(r#"{{{GAME},"limit":"movetime 50000"}}"#));
        await_that(path, || notes().matches("go").count() == times);
        drop(stream);
        await_that(path, || notes().matches("stop").count() == times);
    }
}

#[test]
fn no_engine_outlives_the_server() {
    for signal in [Signal::TERM, Signal::INT, Signal::KILL] {
        let folder = folder(&format!("process_end_{}", signal.as_raw()));
        let script = folder.join("lasting.sh").display().to_string();
        let lasting = engine(&folder, "lasting", "sleep 1000", ":");
        let mut program = Program::start(&["--engine", &lasting, "--processes", "2"]);
        let streams = [(); 3].map(|()| {
            program.request("/api/ai", &format!(r#"{{{GAME},"limit":"movetime 50000"}}"#))
        });
        await_that("both search", || processes_with(&script).len() >= 2);
        let begun = Instant::now();
        kill_process(pid(&program), signal).unwrap();
        let status = program.child.wait().unwrap();
        await_that("all engines end", || processes_with(&script).is_empty());
        assert!(begun.elapsed() < Duration::from_secs(10), "{signal:?}");
        assert_eq!(status.success(), signal != Signal::KILL, "{signal:?} {status}");
        drop(streams);
    }
}

#[test]
fn a_hangup_that_nohup_ignores_does_not_end_the_server() {
    let program = Program::start_by(&["nohup"], &[]);
    kill_process(pid(&program), Signal::HUP).unwrap();
    let answer = program.answer("/api/ai", &format!(r#"{{{GAME},"limit":"movetime 500"}}"#));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

/// Waiting requests get an answer at shutdown.
#[test]
fn waiting_requests_are_answered_at_shutdown() {
    let program = Program::start(&["--processes", "1"]);
    let mut streams = [(); 2]
        .map(|()| program.request("/api/ai", &format!(r#"{{{GAME},"limit":"movetime 50000"}}"#)));
    std::thread::sleep(Duration::from_millis(500));
    kill_process(pid(&program), Signal::TERM).unwrap();
    for stream in &mut streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 503 ") && answer.contains("the server is shutting down"),
            "{answer}"
        );
    }
}
