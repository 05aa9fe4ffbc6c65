//! The log: every line exchanged with an engine in both directions, with time stamps.
//!
//! An entry has the form `SECONDS ENGINE[PID] > TEXT`, with `>` for a line to the engine, `<` for a line from it, `!`
//! for a line of its standard error, and `-` for a note of the arbiter, such as the start of a game and the engine's
//! seat in it. Seconds count from the start of the log. Hidden characters and bytes that are not UTF-8 are written as
//! escapes.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use crate::own_files;
use crate::record::printable::{printable, printable_bytes};

/// A log, or none; clones write to the same file.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<Arc<Open>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Arbiter,
    Engine,
    Stderr,
    /// A note of the arbiter.
    Note,
}

#[derive(Debug)]
struct Open {
    start: Instant,
    file: Mutex<LogFile>,
}

#[derive(Debug)]
struct LogFile {
    file: File,
    /// Buffer for an entry, so that it is written at once.
    line: Vec<u8>,
    /// First error; the log ends with it.
    error: Option<io::Error>,
}

impl Log {
    /// Returns a log that discards everything.
    pub fn none() -> Log {
        Log(None)
    }

    /// Starts a log in a new or truncated file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path) -> io::Result<Log> {
        Log::start(File::create(path)?, path)
    }

    /// Starts a log after the earlier ones in a file, which is created if it does not exist.
    ///
    /// # Errors
    /// As [`Log::create`].
    pub fn append_to(path: &Path) -> io::Result<Log> {
        Log::start(own_files::append_to(path)?, path)
    }

    fn start(mut file: File, path: &Path) -> io::Result<Log> {
        own_files::add(path);
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since_epoch.unwrap_or_default().as_secs_f64();
        writeln!(file, "0.000000 log started at {seconds:.6} seconds of Unix time")?;
        let file = Mutex::new(LogFile { file, line: Vec::new(), error: None });
        let start = Instant::now();
        Ok(Log(Some(Arc::new(Open { start, file }))))
    }

    /// Writes an entry with a line, without its newline, that was sent or received at the time `at`.
    pub fn write(&self, at: Instant, engine: &str, origin: Origin, text: &[u8]) {
        let Some(open) = &self.0 else {
            return;
        };
        let seconds = at.saturating_duration_since(open.start).as_secs_f64();
        let arrow = match origin {
            Origin::Arbiter => '>',
            Origin::Engine => '<',
            Origin::Stderr => '!',
            Origin::Note => '-',
        };
        let mut log = open.file.lock().unwrap_or_else(PoisonError::into_inner);
        let LogFile { file, line, error } = &mut *log;
        if error.is_some() {
            return;
        }
        line.clear();
        let engine = printable(engine);
        let written = write!(line, "{seconds:.6} {engine} {arrow} ").and_then(|()| {
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            line.extend_from_slice(printable_bytes(text).as_bytes());
            line.push(b'\n');
            file.write_all(line)
        });
        *error = written.err();
    }

    /// Returns the first write error, once; the log ends with it.
    pub fn take_error(&self) -> Option<io::Error> {
        let file = self.0.as_ref()?.file.lock();
        file.unwrap_or_else(PoisonError::into_inner).error.take()
    }
}
