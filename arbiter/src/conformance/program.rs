//! A program under test and the conversation with it, line by line.
//!
//! A separate thread reads its output, so that no line is lost while another is being sent. The thread would disturb
//! the clock of a match, but no clock runs here.

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use buxtehude::protocol::text::without_mark;
use buxtehude::protocol::{Command, Reply};
use matches::plan::rules::{Position, PositionError};
use matches::plan::{EngineSpec, Limit};
use matches::play::engine::Process;
use matches::play::sandbox::Isolation;
use matches::record::printable::{printable, printable_bytes, shortened};
use matches::run::exit::ExitError;
use thiserror::Error;

use super::transcript::{ANY_LINES, is_like, mask};

/// Maximum length of a line in bytes; the rest of a longer line is ignored.
const MAX_HEARD_LINE_LENGTH: u64 = 1 << 20;

/// Capacity of the queue of unread lines; the program blocks while it is full.
const WAITING_LINES: usize = 1024;

/// Time to read the rest of standard error after the program has exited; a child of the program may keep the pipe open.
const TIME_FOR_STDERR: Duration = Duration::from_millis(500);

/// Maximum number of lines before an expected line or silence.
const MAX_LINES: usize = 100_000;

/// Maximum number of bytes of such lines.
const MAX_UNREAD_BYTES: usize = 16 << 20;

/// Maximum number of characters quoted of a line in a difference.
pub const MAX_QUOTED: usize = 80;

/// Number of times that an answer may take as long as the slowest one so far.
const TIMES_SLOWEST: u32 = 10;

/// Shortest timeout for an expected answer in a check, unless the user sets a shorter one.
const MIN_TIMEOUT: Duration = Duration::from_secs(2);

/// First words of the last line of an answer.
const LAST_WORDS: [&str; 4] = ["uciok", "ugiok", "readyok", "bestmove"];

/// Dropping it kills the program.
#[derive(Debug)]
pub struct Program {
    pub process: Process,
    lines: Receiver<String>,
    /// Closed when all of the program's standard error has been passed on.
    stderr_end: Receiver<()>,
    /// Timeout for an expected line; at first 10 s.
    pub line_timeout: Duration,
    /// Time without a line after which the output counts as silent; at first 200 ms.
    pub quiet: Duration,
    /// `true` in a check, whose timeouts follow the program's own speed, and whose failures need no script to be read.
    pub is_checked: bool,
    /// Longest time to an expected answer; `None` before the first one.
    pub slowest: Option<Duration>,
    /// Sends the legal moves with each `go`, as with `legal=on` in a match.
    pub sends_legal: bool,
    /// Positions by the commands that set them.
    pub known: HashMap<String, Position>,
    /// The last of them that was sent.
    pub position: Option<(String, Position)>,
    /// All lines in both directions, as in a transcript.
    pub log: Vec<String>,
    /// The first line sent since a line was read before.
    pub asked: String,
    /// Lines received since then.
    pub answer: Vec<String>,
    has_read: bool,
    /// Received lines that nothing has expected yet.
    queue: VecDeque<String>,
    /// Number of lines and of bytes since the last line sent or expected.
    taken: (usize, usize),
    sent: Instant,
    /// Time from the last line sent to the last one received.
    pub elapsed: Duration,
    /// Answers kept to be compared, by their law.
    pub remembered: HashMap<String, Vec<String>>,
}

/// Reasons for a check or a transcript not to pass.
#[derive(Debug, Error)]
pub enum Fault {
    /// The program did not meet the expectation; with the reason.
    #[error("{0}")]
    Wrong(String),
    /// The answer came late, which may be the machine's fault.
    #[error("{0}")]
    Late(String),
    /// The check does not apply to the program; with the reason.
    #[error("{0}")]
    Skipped(String),
    /// The program cannot be started, does not read its input, or prints without end.
    #[error("{0}")]
    Program(String),
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl From<Fault> for ExitError {
    fn from(fault: Fault) -> ExitError {
        match fault {
            Fault::Position(PositionError::Rules(fault)) => fault.into(),
            fault => ExitError::usage(fault),
        }
    }
}

/// `Err` with a reason; spells out an empty list in it.
pub fn wrong<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(reason.into().replace("[]", "nothing")))
}

/// Returns `Err` with a formatted reason unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($reason:tt)+) => {
        if !$holds {
            return $crate::conformance::program::wrong(format!($($reason)+));
        }
    };
}
pub(super) use ensure;

pub fn is_refusal(line: &str) -> bool {
    line.starts_with("info string error: ")
}

impl Program {
    /// Starts a program with its arguments. Its standard error is passed on to ours, with invisible characters escaped.
    ///
    /// # Errors
    /// [`Fault`] if the program cannot be started, or an argument is not UTF-8.
    pub fn start(
        program: &OsStr,
        arguments: &[OsString],
        isolation: Option<Isolation>,
    ) -> Result<Program, Fault> {
        // A closed standard error is not an error.
        let pass_on = |line: &str| drop(writeln!(io::stderr(), "{line}"));
        Program::start_with(&spec(program, arguments)?, isolation, pass_on)
    }

    /// Starts a program like [`Program::start`], but passes each line of its standard error to `on_stderr`.
    ///
    /// # Errors
    /// [`Fault`] if the program cannot be started.
    pub fn start_with(
        spec: &EngineSpec,
        isolation: Option<Isolation>,
        mut on_stderr: impl FnMut(&str) + Send + 'static,
    ) -> Result<Program, Fault> {
        let start = || {
            let mut process = Process::start(spec, None, isolation)?;
            process.set_non_blocking(false)?;
            let pipes = process.stdout.take().zip(process.stderr.take());
            let (output, errors) = pipes.ok_or_else(|| io::Error::other("it has no pipes"))?;
            let (sender, lines) = sync_channel(WAITING_LINES);
            thread::Builder::new().name("program".into()).spawn(move || {
                for_each_line(output, |line| {
                    let line = String::from_utf8_lossy(line).into_owned();
                    // Fails once the receiver is gone.
                    sender.send(line).is_ok()
                });
            })?;
            let (sender_of_end, stderr_end) = channel();
            let hidden = process.hidden.clone();
            thread::Builder::new().name("stderr".into()).spawn(move || {
                for_each_line(errors, |line| {
                    let line = printable_bytes(line);
                    on_stderr(&line);
                    if let Some(hint) = hidden.named_in(&line) {
                        on_stderr(&format!("({hint})"));
                    }
                    true
                });
                drop(sender_of_end);
            })?;
            Ok(Program {
                process,
                lines,
                stderr_end,
                line_timeout: Duration::from_secs(10),
                quiet: Duration::from_millis(200),
                is_checked: false,
                slowest: None,
                sends_legal: spec.legal,
                known: HashMap::new(),
                position: None,
                log: Vec::new(),
                asked: String::new(),
                answer: Vec::new(),
                has_read: true,
                queue: VecDeque::new(),
                taken: (0, 0),
                sent: Instant::now(),
                elapsed: Duration::ZERO,
                remembered: HashMap::new(),
            })
        };
        start().map_err(|error: io::Error| not_started(&spec.command, &error))
    }

    /// Sends a line; with [`Program::sends_legal`], adds the legal moves to a `go`.
    ///
    /// # Errors
    /// [`Fault`] if the program has closed its input.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        if line.starts_with("position ") {
            self.position = self.known.get(line).map(|position| (line.into(), position.clone()));
        }
        if self.sends_legal
            && let Some((_, position)) = &self.position
            && let Ok(Command::Go(mut go)) = line.parse()
            && go.searchmoves.is_empty()
        {
            go.searchmoves = position.legal_actions();
            return self.send_bytes(format!("{}\n", Command::Go(go)).as_bytes());
        }
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// Sends raw bytes.
    ///
    /// # Errors
    /// [`Fault`] if the program has closed its input.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let text = String::from_utf8_lossy(bytes);
        let line = text.trim_end_matches('\n');
        self.log.push(marked('>', &printable(line)));
        if mem::take(&mut self.has_read) {
            self.asked = line.into();
            self.answer.clear();
        }
        self.taken = (0, 0);
        self.sent = Instant::now();
        self.elapsed = Duration::ZERO;
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = self.process.stdin.as_mut().ok_or_else(closed);
        input.and_then(|input| input.write_all(bytes)).map_err(|error| {
            let line = shortened(line, MAX_QUOTED);
            Fault::Program(format!(
                "cannot send {line:?}: the program has closed its input: {error}"
            ))
        })
    }

    /// Timeout for an expected answer; in a check by the program's own speed.
    pub fn timeout(&self) -> Duration {
        match self.slowest {
            Some(slowest) if self.is_checked => {
                (slowest * TIMES_SLOWEST).max(MIN_TIMEOUT).min(self.line_timeout)
            }
            _ => self.line_timeout,
        }
    }

    /// Returns the next line, queued or from the program, if it comes in time.
    ///
    /// # Errors
    /// [`Fault`] if the output does not end.
    pub fn next(&mut self, timeout: Duration) -> Result<Result<String, RecvTimeoutError>, Fault> {
        self.has_read = true;
        if let Some(line) = self.queue.pop_front() {
            return Ok(Ok(line));
        }
        let found = self.lines.recv_timeout(timeout);
        if let Ok(line) = &found {
            self.elapsed = self.sent.elapsed();
            self.taken.0 += 1;
            self.taken.1 += line.len();
            if self.taken.0 > MAX_LINES || self.taken.1 > MAX_UNREAD_BYTES {
                return Err(self.endless(line));
            }
            self.log.push(marked('<', &shown(line)));
            self.answer.push(line.clone());
        }
        Ok(found)
    }

    /// The error of a program that prints without end.
    pub fn endless(&self, last: &str) -> Fault {
        let ((lines, bytes), last) = (self.taken, shortened(last, MAX_QUOTED));
        Fault::Program(format!(
            "endless output: {lines} lines, {bytes} bytes; the last is {last:?}"
        ))
    }

    /// Waits for some time, or else until silence, and queues the lines that come meanwhile.
    ///
    /// # Errors
    /// [`Fault`] if the output does not end.
    pub fn wait(&mut self, time: Option<Duration>) -> Result<(), Fault> {
        let Some(time) = time else {
            let lines = self.lines_until_quiet(&[])?;
            self.queue.extend(lines);
            return Ok(());
        };
        let end = Instant::now() + time;
        let mut lines = mem::take(&mut self.queue);
        while let Ok(line) = self.next(end.saturating_duration_since(Instant::now()))? {
            lines.push_back(line);
        }
        self.queue = lines;
        // If the program has exited, still wait for the full time.
        thread::sleep(end.saturating_duration_since(Instant::now()));
        Ok(())
    }

    /// Returns the lines until the `final_words` have come, in their order, and then until silence.
    ///
    /// # Errors
    /// [`Fault`] if the output does not end.
    pub fn lines_until_quiet(&mut self, final_words: &[&str]) -> Result<Vec<String>, Fault> {
        let mut words = final_words.iter().peekable();
        let mut lines: Vec<String> = Vec::new();
        let mut said = None;
        loop {
            let timeout = match words.peek() {
                Some(_) => self.line_timeout,
                None => self.quiet,
            };
            let Ok(line) = self.next(timeout)? else {
                return Ok(lines);
            };
            words.next_if(|word| line.starts_with(**word));
            if words.peek().is_none()
                && said.get_or_insert_with(Instant::now).elapsed() > self.line_timeout
            {
                return Err(self.endless(&line));
            }
            lines.push(line);
        }
    }

    /// Compares the next lines with patterns, the first of which is on line `first_line` of a script.
    ///
    /// # Errors
    /// [`Fault::Wrong`] with the first difference; [`Fault::Program`] if the output does not end.
    pub fn expect(&mut self, first_line: usize, patterns: &[String]) -> Result<(), Fault> {
        let timeout = self.timeout();
        let deadline = Instant::now() + timeout;
        let mut is_skipping = false;
        for (line, pattern) in (first_line..).zip(patterns) {
            if pattern == ANY_LINES {
                is_skipping = true;
                continue;
            }
            loop {
                let found = self.next(timeout)?;
                if let Ok(found) = &found {
                    if is_like(pattern, found) || is_like(pattern, &shown(found)) {
                        break;
                    }
                    let is_over = self.is_checked
                        && (Instant::now() > deadline
                            || is_last_line(found, patterns)
                            || is_rejection(found, patterns));
                    if is_skipping && !is_over {
                        continue;
                    }
                }
                return wrong(self.difference(line, pattern, &found));
            }
            self.taken = (0, 0);
            is_skipping = false;
        }
        self.slowest = self.slowest.max(Some(self.elapsed));
        if self.is_checked
            && let Some(last) = self.answer.last().filter(|last| is_best_move(last))
        {
            let is_well_formed = matches!(last.parse(), Ok(Reply::BestMove(_)));
            ensure!(is_well_formed, "malformed: {last:?}");
        }
        Ok(())
    }

    /// Describes the difference between a pattern and what came instead.
    fn difference(
        &self,
        line: usize,
        pattern: &str,
        found: &Result<String, RecvTimeoutError>,
    ) -> String {
        if !self.is_checked {
            let found = match found {
                Ok(found) => format!("{:?}", shortened(found, MAX_QUOTED)),
                Err(RecvTimeoutError::Disconnected) => "the end of the output".into(),
                Err(RecvTimeoutError::Timeout) => {
                    format!("nothing within {} ms", self.line_timeout.as_millis())
                }
            };
            return format!("line {line}: expected {pattern:?}, got {found}");
        }
        let word = first_word(pattern);
        let is_last_word = LAST_WORDS.contains(&word);
        let missing = format!("no `{word}` within {} ms", self.timeout().as_millis());
        let asked = shortened(&self.asked, MAX_QUOTED);
        match found {
            Ok(found) if is_rejection(found, &[pattern.into()]) => {
                format!("`{asked}` is rejected: {found:?}")
            }
            Ok(found) if first_word(found) == "readyok" && self.answer.len() == 1 => {
                format!("no answer to `{}`", first_word(&self.asked))
            }
            // It had come before the last line was sent.
            Ok(found) if is_best_move(found) && !self.answer.contains(found) => {
                format!("a second bestmove for one go: {found:?}")
            }
            Ok(found) if word == "readyok" => format!("{found:?} came"),
            Ok(found) if is_last_word && first_word(found) != word => missing,
            Ok(found) => format!("{asked}: expected {pattern:?}, got {found:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                let hint = self.process.hidden.hint(&[]);
                format!("the program has ended, or closed its output{hint}")
            }
            Err(RecvTimeoutError::Timeout) if !is_last_word => {
                let last = self.answer.last().map(|line| format!("{line:?}"));
                format!("{missing} after `{asked}`: {} came", last.unwrap_or("nothing".into()))
            }
            // A program that has answered before flushes its output.
            Err(RecvTimeoutError::Timeout) if self.slowest.is_some() => missing,
            Err(RecvTimeoutError::Timeout) => {
                format!("{missing}; does it flush its output after each line?")
            }
        }
    }
}

pub fn is_best_move(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// `true` if a line begins like the last of the patterns, and ends an answer.
fn is_last_line(line: &str, patterns: &[String]) -> bool {
    let word = first_word(line);
    let last = patterns.last().map(|pattern| first_word(pattern));
    LAST_WORDS.contains(&word) && last == Some(word)
}

/// `true` if a line rejects a command whose answer has a last line of its own.
fn is_rejection(line: &str, patterns: &[String]) -> bool {
    let last = patterns.last().map_or("", |pattern| first_word(pattern));
    let is_rejection = is_refusal(line) || line.to_lowercase().contains("unknown command");
    is_rejection && !LAST_WORDS.contains(&last) && last != ANY_LINES && !last.starts_with("info")
}

/// The first word of a line or a pattern.
pub fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default().trim_end_matches('*')
}

/// A line of the program as written in a transcript.
pub fn shown(line: &str) -> String {
    mask(&printable(line))
}

/// A line of a transcript.
pub fn marked(mark: char, line: &str) -> String {
    if line.is_empty() { mark.to_string() } else { format!("{mark} {line}") }
}

/// Describes a program with its arguments.
///
/// # Errors
/// [`Fault`] if an argument is not UTF-8, or the program is a word of `--engine`.
pub fn spec(program: &OsStr, arguments: &[OsString]) -> Result<EngineSpec, Fault> {
    if let Some(words) = program.to_str().filter(|text| text.starts_with("cmd=")) {
        return Err(Fault::Program(format!(
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

fn not_started(program: &Path, reason: &dyn fmt::Display) -> Fault {
    Fault::Program(format!("cannot start {}: {reason}", program.display()))
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill();
        let _ = self.stderr_end.recv_timeout(TIME_FOR_STDERR);
    }
}

/// Calls `take` with each line, without its line end, until the output ends or `take` returns `false`.
fn for_each_line(output: impl Read, mut take: impl FnMut(&[u8]) -> bool) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let mut is_first = true;
    while let Ok(1..) = output.by_ref().take(MAX_HEARD_LINE_LENGTH).read_until(b'\n', &mut line) {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = if mem::take(&mut is_first) { without_mark(text) } else { text };
        if !take(text.strip_suffix(b"\r").unwrap_or(text)) {
            return;
        }
        line.clear();
    }
}
