//! The engine as a child process, for tests of the real binary.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout for an answer, far longer than any takes even on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The engine, with a log of the conversation. It is killed on drop.
pub struct Engine {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Engine {
    /// Starts the binary without arguments.
    pub fn start() -> Engine {
        Engine::start_with(&[])
    }

    /// Starts the binary with arguments.
    pub fn start_with(arguments: &[&str]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_buxtehude"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("replies are UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Engine { input: child.stdin.take(), child, lines, said: Vec::new() }
    }

    pub fn send(&mut self, line: &str) {
        self.said.push(format!("> {line}"));
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends raw bytes; ignores an engine that has exited.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Returns the next line, or `None` at the end of the output.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => {
                self.said.push(format!("< {line}"));
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("no line within {DEADLINE:?} after\n{}", self.said())
            }
        }
    }

    /// Reads up to and including a line that starts with `beginning`.
    pub fn lines_to(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.line() else {
                panic!("the output ended before {beginning:?}:\n{}", self.said());
            };
            let found = line.starts_with(beginning);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Returns the next line that starts with `beginning`; skips the lines before it.
    pub fn line_of(&mut self, beginning: &str) -> String {
        self.lines_to(beginning).pop().expect("at least one line")
    }

    /// Sends a line and an `isready`; returns the lines before `readyok`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.fence()
    }

    /// Sends `isready`; returns the lines before `readyok`.
    pub fn fence(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.lines_to("readyok");
        lines.pop();
        lines
    }

    /// Closes the input; returns the rest of the output and the exit status.
    pub fn finish(&mut self) -> (Vec<String>, ExitStatus) {
        self.close_input();
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
        }
        (lines, self.wait())
    }

    pub fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child to wait for") {
                return status;
            }
            assert!(start.elapsed() < DEADLINE, "the process does not end after\n{}", self.said());
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The last lines of the conversation, for error messages.
    pub fn said(&self) -> String {
        let first = self.said.len().saturating_sub(40);
        self.said[first..].join("\n")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
