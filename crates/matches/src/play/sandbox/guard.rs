//! The arbiter's end of the socket to a launcher.

use std::io::{self, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use wait4::ResUse;

use crate::record::micros;

/// Timeout for the start of a program by a launcher.
const TIME_TO_START: Duration = Duration::from_secs(10);
/// Timeout for the end of a program that a launcher kills.
const TIME_TO_END: Duration = Duration::from_secs(2);
/// Bytes to read at a time; more than a launcher ever sends.
const CHUNK: usize = 512;

/// Receives the reports of a launcher. When it is dropped, or the arbiter dies, the launcher kills the engine.
#[derive(Debug)]
pub struct Guard {
    line: UnixStream,
    /// Bytes that were read but not yet parsed.
    unread: Vec<u8>,
    end: Option<End>,
}

impl Guard {
    /// Creates the guard from the socket to the launcher.
    pub fn new(line: UnixStream) -> Guard {
        Guard { line, unread: Vec::new(), end: None }
    }

    /// Waits until the program runs and alone has its ends of the pipes; returns the directories whose files it does
    /// not see.
    ///
    /// # Errors
    /// The program cannot be run, or the kernel refuses a namespace.
    pub fn await_start(&mut self) -> io::Result<Vec<PathBuf>> {
        let mut hidden = Vec::new();
        // One report from each process of the launcher, in any order.
        for _ in 0..2 {
            match self.next(TIME_TO_START) {
                Some(Report::Started(directories)) => hidden = directories,
                Some(Report::Closed) => {}
                // The program ended before the other report came.
                Some(Report::Ended(end)) => self.end = Some(end),
                Some(Report::NotStarted(error)) => return Err(io::Error::from_raw_os_error(error)),
                Some(Report::Refused(reason)) => return Err(io::Error::other(reason)),
                None => return Err(io::Error::other("its launcher ended without a report")),
            }
        }
        Ok(hidden)
    }

    pub fn end(&mut self) -> Option<End> {
        self.await_end(Duration::ZERO)
    }

    /// Has the launcher kill the engine's process, if it runs; returns how the process ended, or `None` if the launcher
    /// does not answer in time.
    pub fn kill(&mut self) -> Option<End> {
        // Fails if the launcher has ended; its last report has arrived by then.
        let _ = self.line.shutdown(Shutdown::Write);
        self.await_end(TIME_TO_END)
    }

    fn await_end(&mut self, timeout: Duration) -> Option<End> {
        if self.end.is_none()
            && let Some(Report::Ended(end)) = self.next(timeout)
        {
            self.end = Some(end);
        }
        self.end
    }

    /// Returns the next report, if it arrives in time.
    fn next(&mut self, timeout: Duration) -> Option<Report> {
        let deadline = Instant::now() + timeout;
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return serde_json::from_slice(&line).ok();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).ok();
            let mut line = [PollFd::new(&self.line, PollFlags::IN)];
            match poll(&mut line, left.as_ref()) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            }
            let mut bytes = [0; CHUNK];
            match self.line.read(&mut bytes) {
                Ok(0) => return None,
                Ok(number) => self.unread.extend_from_slice(&bytes[..number]),
                Err(_) => return None,
            }
        }
    }
}

/// A report of the launcher to the arbiter, one JSON value per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The engine's program runs, and the inner process has closed its copies of the engine's pipes; contains the
    /// directories whose files the engine does not see.
    Started(Vec<PathBuf>),
    /// The outer process has closed its copies of the engine's pipes.
    Closed,
    /// The program cannot be run; contains the system's error number.
    NotStarted(i32),
    /// The kernel refuses the namespaces; contains the reason.
    Refused(String),
    Ended(End),
}

/// End of an engine's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Exit status, as the system returns it.
    pub status: i32,
    /// Peak memory, in KiB.
    pub memory_kib: u64,
    pub cpu_micros: u64,
    /// Whether the arbiter killed it.
    pub was_killed: bool,
    /// Whether it was stopped by a signal at that time.
    pub was_stopped: bool,
}

impl End {
    /// Creates the end of a process that was waited for.
    pub fn of(used: &ResUse, was_killed: bool, was_stopped: bool) -> End {
        End {
            status: used.status.into_raw(),
            memory_kib: used.rusage.maxrss / 1024,
            cpu_micros: micros(used.rusage.utime + used.rusage.stime),
            was_killed,
            was_stopped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn an_end_is_heard_once_it_is_told() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut guard = Guard::new(ours);
        theirs.write_all(b"{\"Started\":[\"/tmp\"]}\n\"Closed\"\n").unwrap();
        assert_eq!(guard.await_start().unwrap(), [PathBuf::from("/tmp")]);
        assert_eq!(guard.end(), None);
        let expected =
            End { status: 9, memory_kib: 1, cpu_micros: 5, was_killed: true, was_stopped: false };
        let line = serde_json::to_string(&Report::Ended(expected)).unwrap();
        let (begun, rest) = line.split_at(9);
        theirs.write_all(begun.as_bytes()).unwrap();
        assert_eq!(guard.end(), None);
        writeln!(theirs, "{rest}").unwrap();
        let end = guard.kill().unwrap();
        assert_eq!(end, expected);
        drop(theirs);
        assert_eq!(guard.end(), Some(end));
    }

    #[test]
    fn a_program_may_end_before_all_pipes_are_closed() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut guard = Guard::new(ours);
        let ended = serde_json::to_string(&Report::Ended(End::default())).unwrap();
        write!(theirs, "{{\"Started\":[]}}\n{ended}\n").unwrap();
        guard.await_start().unwrap();
        theirs.write_all(b"\"Closed\"\n").unwrap();
        assert_eq!(guard.end(), Some(End::default()));
    }

    #[test]
    fn a_program_that_cannot_be_run_is_named_by_the_system() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"{\"NotStarted\":2}\n").unwrap();
        let error = Guard::new(ours).await_start().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
