//! A child process that communicates line by line.
//!
//! A separate thread reads its output, so that no line is lost while another is being sent. The thread would disturb
//! the clock of a match, but no clock runs here.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::path::Path;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::thread;
use std::time::Duration;

use buxtehude::protocol::text::without_mark;
use thiserror::Error;

use matches::plan::{EngineSpec, Limit};
use matches::play::engine::Process;
use matches::play::sandbox::Isolation;
use matches::record::printable::{printable_bytes, shortened};
use matches::run::exit::ExitError;

/// Maximum length of a line in bytes; the rest of a longer line is ignored.
const MAX_LINE_LENGTH: u64 = 1 << 20;

/// Capacity of the queue of unread lines; the program blocks while it is full.
const WAITING_LINES: usize = 1024;

/// Time to read the rest of standard error after the program has exited; a child of the program may keep the pipe open.
const TIME_TO_COMPLAIN: Duration = Duration::from_millis(500);

/// Maximum number of characters shown of a line that cannot be sent.
const SHOWN: usize = 300;

/// Timeouts for lines.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Timeout for an expected line.
    pub line: Duration,
    /// Time without a line after which the output counts as silent.
    pub quiet: Duration,
}

impl Default for Patience {
    /// 10 s for an expected line, 200 ms for silence.
    fn default() -> Patience {
        Patience { line: Duration::from_secs(10), quiet: Duration::from_millis(200) }
    }
}

/// Dropping it kills the program.
#[derive(Debug)]
pub struct Program {
    process: Process,
    /// `None` after it was closed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Closed when all of the program's standard error has been passed on.
    complaints: Receiver<()>,
}

/// A program that cannot be started, does not read its input, or prints without end.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ProgramError(pub(super) String);

impl From<ProgramError> for ExitError {
    fn from(error: ProgramError) -> ExitError {
        ExitError::usage(error)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// The timeout has passed.
    Silence,
    End,
}

impl Program {
    /// Starts a program with its arguments. Its standard error is passed on to ours, with invisible characters escaped.
    ///
    /// # Errors
    /// [`ProgramError`] if the program cannot be started, or an argument is not UTF-8.
    pub fn start(
        program: &OsStr,
        arguments: &[OsString],
        isolation: Option<Isolation>,
    ) -> Result<Program, ProgramError> {
        // A closed standard error is not an error.
        let pass_on = |line: &str| drop(writeln!(io::stderr(), "{line}"));
        Program::start_with(&spec(program, arguments)?, isolation, pass_on)
    }

    /// Starts a program like [`Program::start`], but passes each line of its standard error to `complain`.
    ///
    /// # Errors
    /// [`ProgramError`] if the program cannot be started.
    pub fn start_with(
        spec: &EngineSpec,
        isolation: Option<Isolation>,
        mut complain: impl FnMut(&str) + Send + 'static,
    ) -> Result<Program, ProgramError> {
        let start = || {
            let mut process = Process::start(spec, None, isolation)?;
            process.set_non_blocking(false)?;
            let pipes = process.stdin.take().zip(process.stdout.take());
            let pipes = pipes.zip(process.stderr.take());
            let no_pipes = || io::Error::other("it has no pipes");
            let ((input, output), errors) = pipes.ok_or_else(no_pipes)?;
            let (sender, lines) = sync_channel(WAITING_LINES);
            thread::Builder::new().name("program".into()).spawn(move || {
                for_each_line(output, |line| {
                    let line = String::from_utf8_lossy(line).into_owned();
                    // Fails once the receiver is gone.
                    sender.send(line).is_ok()
                });
            })?;
            let (at_work, complaints) = channel();
            let hidden = process.hidden.clone();
            thread::Builder::new().name("complaints".into()).spawn(move || {
                for_each_line(errors, |line| {
                    let line = printable_bytes(line);
                    complain(&line);
                    if let Some(hint) = hidden.named_in(&line) {
                        complain(&format!("({hint})"));
                    }
                    true
                });
                drop(at_work);
            })?;
            Ok(Program { process, input: Some(input), lines, complaints })
        };
        start().map_err(|error: io::Error| not_started(&spec.command, &error))
    }

    /// Process id.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Names a file that isolation hides from the program, if its settings name it, as the end of a sentence.
    pub fn hint(&self) -> String {
        self.process.hidden.hint(&[])
    }

    /// Sends a line.
    ///
    /// # Errors
    /// As [`Program::send_bytes`].
    pub fn send(&mut self, line: &str) -> Result<(), ProgramError> {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// Sends raw bytes.
    ///
    /// # Errors
    /// [`ProgramError`] if the program has closed its input.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), ProgramError> {
        let deaf = |error: io::Error| {
            let line = String::from_utf8_lossy(bytes);
            let line = shortened(&line, SHOWN);
            ProgramError(format!("cannot send {line:?}: the program has closed its input: {error}"))
        };
        match &mut self.input {
            Some(input) => input.write_all(bytes).map_err(deaf),
            None => Err(deaf(io::ErrorKind::BrokenPipe.into())),
        }
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Returns the next line if it comes in time.
    ///
    /// # Errors
    /// [`NoLine`] after a timeout or the end of the output.
    pub fn line(&mut self, patience: Duration) -> Result<String, NoLine> {
        self.lines.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Silence,
            RecvTimeoutError::Disconnected => NoLine::End,
        })
    }
}

/// Describes a program with its arguments.
///
/// # Errors
/// [`ProgramError`] if an argument is not UTF-8, or the program is a word of `--engine`.
pub fn spec(program: &OsStr, arguments: &[OsString]) -> Result<EngineSpec, ProgramError> {
    if let Some(words) = program.to_str().filter(|text| text.starts_with("cmd=")) {
        return Err(ProgramError(format!(
            "{words:?}: expected a program and its arguments as on a command line, such as ./mine -q; \
             cmd= is a key of `arbiter match --engine`"
        )));
    }
    let words = arguments.iter().cloned().map(OsString::into_string);
    let no_text = |_| not_started(program.as_ref(), &"expected arguments in UTF-8");
    Ok(EngineSpec {
        args: words.collect::<Result<_, _>>().map_err(no_text)?,
        ..EngineSpec::new("program", program, Limit::default())
    })
}

fn not_started(program: &Path, reason: &dyn fmt::Display) -> ProgramError {
    ProgramError(format!("cannot start {}: {reason}", program.display()))
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill();
        let _ = self.complaints.recv_timeout(TIME_TO_COMPLAIN);
    }
}

/// Calls `take` with each line, without its line end, until the output ends or `take` returns `false`.
fn for_each_line(output: impl Read, mut take: impl FnMut(&[u8]) -> bool) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let mut is_first = true;
    while let Ok(1..) = output.by_ref().take(MAX_LINE_LENGTH).read_until(b'\n', &mut line) {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = if mem::take(&mut is_first) { without_mark(text) } else { text };
        if !take(text.strip_suffix(b"\r").unwrap_or(text)) {
            return;
        }
        line.clear();
    }
}
