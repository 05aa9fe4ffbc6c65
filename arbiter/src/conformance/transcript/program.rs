//! A program that is spoken to line by line.
//!
//! Here a thread of its own reads what the program says: nothing may be lost while a line is sent, and no
//! clock is kept that a thread would disturb.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use matches::record::printable::printable_bytes;

/// The longest line that is read; beyond it what a line says does not matter.
const LONGEST_LINE: u64 = 1 << 20;

/// Lines that wait to be read before the program has to.
const WAITING_LINES: usize = 1024;

/// How long a program that has ended has for the rest of its complaints: a child of its own may keep the pipe open.
const TIME_TO_COMPLAIN: Duration = Duration::from_millis(500);

/// How long to wait for lines.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a line that is expected.
    pub line: Duration,
    /// For another line where none is expected.
    pub quiet: Duration,
}

impl Default for Patience {
    /// Ten seconds for a line that is expected, a fifth of one where none is.
    fn default() -> Patience {
        Patience {
            line: Duration::from_secs(10),
            quiet: Duration::from_millis(200),
        }
    }
}

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct Program {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Closed when all that it wrote to its standard error has been passed on.
    complaints: Receiver<()>,
}

/// Why a program cannot be spoken to.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// It cannot be run.
    #[error("cannot start {}: {source}", program.display())]
    NotStarted {
        /// The program.
        program: OsString,
        /// What keeps it from being run.
        source: io::Error,
    },
    /// It takes no more lines.
    #[error("cannot send {line:?}: the program has closed its input: {source}")]
    Deaf {
        /// The line.
        line: String,
        /// What was said of it.
        source: io::Error,
    },
    /// It says more than anybody reads.
    #[error(
        "endless output: {lines} lines, {bytes} bytes; the last is {last:?}"
    )]
    Endless {
        /// Lines since one was sent or found.
        lines: usize,
        /// Their bytes.
        bytes: usize,
        /// How the last one begins.
        last: String,
    },
}

/// What came instead of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// Nothing in the time that was given.
    Silence,
    /// The end of the output.
    End,
}

impl Program {
    /// Starts a program with its arguments. What it writes to its standard error goes where ours does,
    /// characters that are not seen as escapes.
    ///
    /// # Errors
    /// [`ProgramError::NotStarted`].
    pub fn start(program: &OsStr, arguments: &[OsString]) -> Result<Program, ProgramError> {
        let start = || {
            let mut child = Command::new(program)
                .args(arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            let pipes = child.stdin.take().zip(child.stdout.take());
            let pipes = pipes.zip(child.stderr.take());
            let no_pipes = || io::Error::other("it has no pipes");
            let ((input, output), errors) = pipes.ok_or_else(no_pipes)?;
            let (sender, lines) = sync_channel(WAITING_LINES);
            thread::Builder::new()
                .name("program".into())
                .spawn(move || read(BufReader::new(output), &sender))?;
            let (at_work, complaints) = channel();
            thread::Builder::new()
                .name("complaints".into())
                .spawn(move || {
                    pass_on(BufReader::new(errors));
                    drop(at_work);
                })?;
            Ok(Program {
                child,
                input,
                lines,
                complaints,
            })
        };
        start().map_err(|source| ProgramError::NotStarted {
            program: program.to_owned(),
            source,
        })
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    ///
    /// # Errors
    /// [`ProgramError::Deaf`].
    pub fn send(&mut self, line: &str) -> Result<(), ProgramError> {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// [`ProgramError::Deaf`], with what of them is text.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), ProgramError> {
        self.input
            .write_all(bytes)
            .map_err(|source| ProgramError::Deaf {
                line: String::from_utf8_lossy(bytes).into_owned(),
                source,
            })
    }

    /// The next line, if it comes in time.
    ///
    /// # Errors
    /// [`NoLine`]: what came instead.
    pub fn line(&mut self, patience: Duration) -> Result<String, NoLine> {
        self.lines
            .recv_timeout(patience)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => NoLine::Silence,
                RecvTimeoutError::Disconnected => NoLine::End,
            })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.complaints.recv_timeout(TIME_TO_COMPLAIN);
    }
}

/// Writes each line to our standard error, until there are no more.
fn pass_on(mut errors: impl BufRead) {
    let mut line = Vec::new();
    while let Ok(1..) = errors
        .by_ref()
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)
    {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        // What nobody hears is lost.
        let _ = writeln!(io::stderr(), "{}", printable_bytes(text));
        line.clear();
    }
}

/// Sends each line, without its end, until the output ends or nobody listens.
fn read(mut output: impl BufRead, sender: &SyncSender<String>) {
    loop {
        let mut line = Vec::new();
        match output
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if sender.send(text.to_string()).is_err() {
            return;
        }
    }
}
