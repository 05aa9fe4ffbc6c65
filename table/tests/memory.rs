//! No memory leaks: the server needs no more memory after many requests than after some.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;

use crate::common::program::Program;

/// Number of requests before the first and the last measurement. By the first, the allocator's reserve has filled up.
const SOME: usize = 10_000;
const MANY: usize = 49_000;
/// Number of connections that share these requests.
const CONNECTIONS: usize = 4;
/// Maximum growth of memory in percent.
const TOLERANCE: u64 = 10;

/// Requests of all kinds, valid and invalid.
const REQUESTS: [(&str, &str); 7] = [
    ("new", r#"{"variant":"hase-und-igel","players":6}"#),
    (
        "show",
        r#"{"game":{"variant":"fox-and-hounds","players":2,"moves":["e1d2","b8a7","d2e3","d8c7"]}}"#,
    ),
    ("play", r#"{"game":{"variant":"hase-und-igel","players":2,"moves":[]},"move":"1"}"#),
    ("play", r#"{"game":{"variant":"hase-und-igel","players":2,"moves":[]},"move":"99"}"#),
    ("solved", r#"{"game":{"variant":"fox-and-hounds","players":2}}"#),
    ("nothing", "{}"),
    ("ai", r#"{"game":{"variant":"fox-and-hounds","players":2},"limit":"nodes 1"}"#),
];

/// Sends requests one after the other on one connection, and reads the answers.
fn talk(address: &str, requests: usize) {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let mut sending = stream;
    let mut body = Vec::new();
    for number in 0..requests {
        // One request in 100 is for an engine.
        let (path, json) = REQUESTS[if number % 100 == 0 { 6 } else { number % 6 }];
        let request = format!(
            "POST /api/{path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{json}",
            json.len()
        );
        sending.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(answers.read_line(&mut line).unwrap() > 0, "the server closed the connection");
            match line.trim_end().split_once(": ") {
                Some(("content-length", number)) => length = number.parse().unwrap(),
                None if line == "\r\n" => break,
                _ => {}
            }
        }
        body.resize(length, 0);
        answers.read_exact(&mut body).unwrap();
        assert!(body.starts_with(b"{"), "{path}");
    }
}

fn talk_on_all(address: &str, requests: usize) {
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| talk(address, requests / CONNECTIONS));
        }
    });
}

/// Resident memory of a process in KiB.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn memory_does_not_grow_with_requests() {
    let program = Program::start(&["--processes", "1"]);
    talk_on_all(&program.address, SOME);
    let before = resident(program.child.id());
    talk_on_all(&program.address, MANY - SOME);
    let after = resident(program.child.id());
    assert!(
        after * 100 <= before * (100 + TOLERANCE),
        "{before} KiB after {SOME} requests, {after} KiB after {MANY}"
    );
    println!("{before} KiB after {SOME} requests, {after} KiB after {MANY}");
}
