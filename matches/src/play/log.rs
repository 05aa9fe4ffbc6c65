//! The log: every line exchanged with an engine, both ways, with time stamps.
//!
//! A line of the log is `SECONDS ENGINE[PID] > TEXT` for what was sent, with `<` for what came back `!` for
//! what the engine wrote to its standard error, and `-` for what the arbiter notes: the game that begins and
//! the engine's seat in it. Seconds are counted from the start of the log. Characters that are not seen, and bytes
//! that are no text, stand as escapes.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use crate::record::printable::{printable, printable_bytes};

/// Where lines are logged, or nowhere; clones write to the same file.
#[derive(Clone, Debug, Default)]
pub struct Log(Option<Arc<Open>>);

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The arbiter sent it.
    Arbiter,
    /// The engine answered it.
    Engine,
    /// The engine wrote it to its standard error.
    Stderr,
    /// The arbiter's own remark.
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
    /// The line being put together, so that it is written at once.
    line: Vec<u8>,
    /// The first error; nothing more is written after it.
    error: Option<io::Error>,
}

impl Log {
    /// A log that is not kept.
    pub fn none() -> Log {
        Log(None)
    }

    /// Starts a log in a new file, or in an emptied one.
    ///
    /// # Errors
    /// Whatever keeps the file from being written.
    pub fn create(path: &Path) -> io::Result<Log> {
        let mut file = File::create(path)?;
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since_epoch.unwrap_or_default().as_secs_f64();
        writeln!(
            file,
            "0.000000 log started at {seconds:.6} seconds of Unix time"
        )?;
        let file = Mutex::new(LogFile {
            file,
            line: Vec::new(),
            error: None,
        });
        let start = Instant::now();
        Ok(Log(Some(Arc::new(Open { start, file }))))
    }

    /// Whether lines are written anywhere.
    pub fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// Writes one line of `text`, without its newline, as of the time `at`.
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

    /// The first error that kept a line from being written, once; after it the log ends.
    pub fn take_error(&self) -> Option<io::Error> {
        let mut log = self
            .0
            .as_ref()?
            .file
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        log.error.take()
    }
}
