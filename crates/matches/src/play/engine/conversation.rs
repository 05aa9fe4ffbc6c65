//! Communication with one child process, line by line, with a deadline for every wait.
//!
//! There are no reader threads: the caller's own thread polls the child's pipes. Every iteration checks the deadline,
//! so that neither a flood of output nor an endless line delays the caller.

use std::io;
use std::mem;
use std::ops::Range;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use buxtehude::protocol::text::{TextError, check_beginning, without_mark};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use thiserror::Error;

use super::process::Process;
use super::recent::{Recent, StderrTail};
use super::{Placement, is_best_move};
use crate::plan::EngineSpec;
use crate::play::clock::WAIT_FOR_LATE_ANSWERS;
use crate::play::interrupt::Interrupt;
use crate::play::log::{Log, Origin};
use crate::play::processor::ProcessorMeter;
use crate::record::printable::{printable_bytes, shortened};

/// Interval between checks for an interrupt and for the end of the process.
const TICK: Duration = Duration::from_millis(100);
/// Longest wait of [`Conversation::next_line_soon`].
const MOMENT: Duration = Duration::from_millis(10);
/// Time that a process has to end after it closed a pipe.
const TIME_TO_EXIT: Duration = Duration::from_secs(1);
const END_CHECK_INTERVAL: Duration = Duration::from_millis(1);
/// Longest extension of a deadline for an engine that waits for a processor, so that an overloaded machine does not
/// hold up the match for ever.
const MAX_EXTENSION: Duration = Duration::from_secs(60);
/// Shortest wait of a poll.
const MIN_WAIT: Duration = Duration::from_millis(1);
/// Maximum number of characters quoted from a line.
const MAX_QUOTED_LINE_LENGTH: usize = 60;
/// Maximum number of reads to empty a pipe that the engine keeps filling.
const READS_TO_EMPTY: usize = 32;

/// Reasons for a missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    #[error("it did not answer in time")]
    Stalled,
    #[error("its process ended{}", .0.map_or(String::new(), |status| format!(" with {status}")))]
    Ended(Option<ExitStatus>),
    /// The engine closed its output or input while its process kept running.
    #[error("it closed its output or input")]
    Disconnected,
    #[error("interrupted")]
    Interrupted,
}

/// The treatment of the engine's output while lines are sent to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// All of it is dropped, because it does not answer these lines.
    Drop,
    /// It is kept, because it may contain the answer to these lines or to earlier ones.
    Keep,
    /// The output before the lines is kept, which may contain the beginning of the answer to a running search. While
    /// the pipe is full, the engine has not read the `go` of that search, so that its output is dropped.
    DropWhileFull,
}

/// A line from the engine, without its newline.
pub struct Line<'a> {
    pub text: &'a [u8],
    /// Time when its newline was read.
    pub arrived: Instant,
}

/// A child process with its buffers.
pub struct Conversation {
    /// Engine name and process ID, for the log.
    pub name: String,
    log: Log,
    /// Stops every wait.
    interrupt: Interrupt,
    pub process: Process,
    lines: Lines,
    /// Time when the newest bytes in `lines` were read.
    arrived: Instant,
    pub stderr: StderrTail,
    pub recent: Recent,
    /// Meter of the time that the engine waits for a processor. While it measures, this time extends the deadlines.
    pub processor: ProcessorMeter,
    /// Bytes to send that did not fit into the pipe.
    unsent: Vec<u8>,
    /// Last `bestmove` line since [`Conversation::take_unclaimed_best_move`]; set by every line that is read, also by
    /// those that [`Conversation::send`] drops.
    unclaimed_best_move: Option<String>,
}

impl Conversation {
    /// Starts the program of an engine. `longest_line` is the maximum length of its lines, including the newline.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn start(
        spec: &EngineSpec,
        placement: Placement,
        longest_line: usize,
        log: &Log,
        interrupt: &Interrupt,
    ) -> io::Result<Conversation> {
        let process = Process::start(spec, placement.core, placement.isolation)?;
        let copy =
            if placement.copy > 0 { format!("#{}", placement.copy + 1) } else { String::new() };
        let processors = match placement.core {
            Some(_) => 1,
            None => thread::available_parallelism().map_or(1, usize::from),
        };
        let rests = spec.limit.time.is_some() && !spec.ponder;
        Ok(Conversation {
            processor: ProcessorMeter::new(process.id(), process.computing(), processors, rests),
            unsent: Vec::new(),
            unclaimed_best_move: None,
            name: format!("{}{copy}[{}]", spec.name, process.id()),
            log: log.clone(),
            interrupt: interrupt.clone(),
            process,
            lines: Lines::new(longest_line),
            arrived: Instant::now(),
            stderr: StderrTail::default(),
            recent: Recent::new(),
        })
    }

    /// Kills the process and its process group.
    pub fn kill(&mut self) {
        self.process.kill();
        self.read_stderr();
    }

    /// Sends whole lines.
    ///
    /// # Errors
    /// The lines could not be sent. The process has been killed, except after an interrupt.
    pub fn send(
        &mut self,
        lines: &str,
        output: Output,
        deadline: Instant,
    ) -> Result<(), AnswerError> {
        if output == Output::Drop {
            self.drop_output();
        }
        let begun = Instant::now();
        self.unsent.extend_from_slice(lines.as_bytes());
        while !self.write_some()? {
            self.wait(PollFlags::OUT, deadline)?;
            if output != Output::Keep {
                self.drop_output();
            }
        }
        self.log_sent(begun, lines);
        Ok(())
    }

    /// Sends whole lines and drops the output before them, but never waits: what does not fit into the pipe is sent
    /// before the next lines.
    ///
    /// # Errors
    /// As [`Conversation::send`].
    pub fn send_at_once(&mut self, lines: &str) -> Result<(), AnswerError> {
        self.drop_output();
        let begun = Instant::now();
        self.unsent.extend_from_slice(lines.as_bytes());
        self.write_some()?;
        self.log_sent(begun, lines);
        Ok(())
    }

    /// Prepares lines that the next wait for a line sends.
    pub fn queue(&mut self, lines: &str) {
        self.unsent.extend_from_slice(lines.as_bytes());
        self.log_sent(Instant::now(), lines);
    }

    /// Writes until the pipe is full; returns `true` if nothing is left.
    fn write_some(&mut self) -> Result<bool, AnswerError> {
        while !self.unsent.is_empty() {
            let Some(stdin) = &self.process.stdin else {
                return Err(self.ended_or_disconnected());
            };
            match rustix::io::write(stdin, &self.unsent) {
                Ok(number) => drop(self.unsent.drain(..number)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(_) => return Err(self.ended_or_disconnected()),
            }
        }
        Ok(true)
    }

    fn log_sent(&mut self, at: Instant, lines: &str) {
        for line in lines.lines() {
            let text = line.as_bytes().trim_ascii_end();
            self.recent.keep(at, Origin::Arbiter, text);
            self.log.write(at, &self.name, Origin::Arbiter, text);
        }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// There is no line before the deadline. The process has been killed, except after an interrupt.
    pub fn next_line(&mut self, deadline: Instant) -> Result<Line<'_>, AnswerError> {
        let line = loop {
            if let Some(line) = self.lines.next() {
                break line;
            }
            self.await_output(deadline)?;
        };
        Ok(self.record(line))
    }

    /// Sends the queued lines and waits for output. Reads while it writes, so that a full pipe in each direction blocks
    /// neither side.
    fn await_output(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        let for_input = if self.write_some()? { PollFlags::empty() } else { PollFlags::OUT };
        self.wait(for_input, deadline)?;
        self.read_output();
        Ok(())
    }

    /// Waits until the engine's output is readable (or its input writable, with [`PollFlags::OUT`]), and reads its
    /// standard error meanwhile.
    fn wait(&mut self, for_input: PollFlags, deadline: Instant) -> Result<(), AnswerError> {
        let mut has_ended = false;
        let mut later = deadline;
        loop {
            if self.interrupt.is_set() {
                return Err(AnswerError::Interrupted);
            }
            if self.process.stdout.is_none() {
                return Err(self.ended_or_disconnected());
            }
            let now = Instant::now();
            if now >= later {
                // Time without a processor extends the deadline, except for the second where late answers are
                // accepted.
                let waited = self.processor.may_have_waited().saturating_sub(WAIT_FOR_LATE_ANSWERS);
                later = deadline + waited.min(MAX_EXTENSION);
            }
            // The arbiter itself may have been stopped past the deadline; then the output is read once more.
            let is_over = now >= later;
            if is_over && (self.arrived >= later || !for_input.is_empty()) {
                return Err(self.give_up(AnswerError::Stalled));
            }
            // Output that a process wrote before its end is still read.
            let longest = if has_ended { Duration::ZERO } else { TICK };
            let left = later.saturating_duration_since(now).max(MIN_WAIT);
            let ready = self.poll(for_input, longest.min(left));
            if ready.stderr {
                self.read_stderr();
            }
            if ready.output || ready.input {
                return Ok(());
            }
            if is_over {
                return Err(self.give_up(AnswerError::Stalled));
            }
            if has_ended {
                return Err(self.ended_or_disconnected());
            }
            // A grandchild may keep the pipes open after the process has ended.
            if !ready.stderr {
                has_ended = self.process.has_ended();
            }
        }
    }

    fn poll(&self, for_input: PollFlags, timeout: Duration) -> Ready {
        // Fails for a timeout of many years, which then has no end.
        let timeout = Timespec::try_from(timeout).ok();
        // A closed input would end every poll at once; it is polled only for writing.
        let stdin = self.process.stdin.as_ref().filter(|_| !for_input.is_empty());
        let polled = [
            self.process.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            self.process.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            stdin.map(|pipe| PollFd::new(pipe, for_input)),
        ];
        let is_polled = polled.each_ref().map(Option::is_some);
        let mut pipes: Vec<PollFd<'_>> = polled.into_iter().flatten().collect();
        if poll(&mut pipes, timeout.as_ref()).is_err() {
            return Ready::default();
        }
        let mut ready = pipes.iter().map(|pipe| !pipe.revents().is_empty());
        let [output, stderr, input] = is_polled.map(|polled| polled && ready.next() == Some(true));
        Ready { output, stderr, input }
    }

    /// Reads once from the engine's output; returns `true` if it read any bytes.
    fn read_output(&mut self) -> bool {
        let Some(stdout) = &self.process.stdout else {
            return false;
        };
        match rustix::io::read(stdout, self.lines.room()) {
            Ok(0) => {
                self.process.stdout = None;
                false
            }
            Ok(number) => {
                self.arrived = Instant::now();
                self.lines.received(number);
                true
            }
            Err(_) => false,
        }
    }

    /// Records and logs a line, and returns it.
    fn record(&mut self, line: Range<usize>) -> Line<'_> {
        let arrived = self.arrived;
        let text = self.lines.text(line);
        if is_best_move(text) {
            let text = printable_bytes(text.trim_ascii());
            self.unclaimed_best_move = Some(shortened(&text, MAX_QUOTED_LINE_LENGTH).into_owned());
        }
        self.recent.keep(arrived, Origin::Engine, text);
        self.log.write(arrived, &self.name, Origin::Engine, text);
        Line { text, arrived }
    }

    /// Returns the last `bestmove` line that the engine has sent since the last call, shortened; `None` if it has sent
    /// none.
    pub fn take_unclaimed_best_move(&mut self) -> Option<String> {
        self.unclaimed_best_move.take()
    }

    /// Waits for the next line; `None` if a line was too long.
    ///
    /// # Errors
    /// As [`Conversation::next_line`].
    pub fn next_answer(&mut self, deadline: Instant) -> Result<Option<Line<'_>>, AnswerError> {
        let line = loop {
            if self.lines.has_dropped() {
                return Ok(None);
            }
            if let Some(line) = self.lines.next() {
                break line;
            }
            self.await_output(deadline)?;
        };
        Ok(Some(self.record(line)))
    }

    /// Returns the next line if it has arrived already.
    pub fn next_line_there(&mut self) -> Option<Line<'_>> {
        let line = match self.lines.next() {
            Some(line) => line,
            None if self.read_output() => self.lines.next()?,
            None => return None,
        };
        Some(self.record(line))
    }

    /// Waits a moment for the next line; `None` if there is none yet and the deadline has not passed.
    ///
    /// # Errors
    /// As [`Conversation::next_line`].
    pub fn next_line_soon(&mut self, deadline: Instant) -> Result<Option<Line<'_>>, AnswerError> {
        let mut line = self.lines.next();
        if line.is_none() && self.process.stdout.is_some() {
            let ready = self.poll(PollFlags::empty(), MOMENT);
            if ready.stderr {
                self.read_stderr();
            }
            if ready.output && self.read_output() {
                line = self.lines.next();
            }
        }
        match line {
            Some(line) => Ok(Some(self.record(line))),
            None if self.is_in_time(deadline) && !self.interrupt.is_set() => Ok(None),
            None => self.next_line(deadline).map(Some),
        }
    }

    /// `true` if the process can still write before `deadline`.
    fn is_in_time(&mut self, deadline: Instant) -> bool {
        Instant::now() < deadline && self.process.stdout.is_some() && !self.process.has_ended()
    }

    /// Drops all output so far, because it does not answer anything that is sent from now on.
    fn drop_output(&mut self) {
        let mut reads = 0;
        loop {
            while let Some(line) = self.lines.next() {
                self.record(line);
            }
            self.lines.drop_incomplete();
            if reads == READS_TO_EMPTY || !self.read_output() {
                return;
            }
            reads += 1;
        }
    }

    /// Reads the available standard error.
    fn read_stderr(&mut self) {
        let mut bytes = [0; 4096];
        for _ in 0..READS_TO_EMPTY {
            let Some(stderr) = &self.process.stderr else {
                return;
            };
            match rustix::io::read(stderr, &mut bytes) {
                Ok(0) => self.process.stderr = None,
                Ok(number) => {
                    let now = Instant::now();
                    self.stderr.receive(&bytes[..number], now, |line| {
                        self.log.write(now, &self.name, Origin::Stderr, line);
                    });
                }
                Err(_) => return,
            }
        }
    }

    /// Distinguishes the end of the process from a closed output or input.
    fn ended_or_disconnected(&mut self) -> AnswerError {
        let deadline = Instant::now() + TIME_TO_EXIT;
        while !self.process.has_ended() && Instant::now() < deadline {
            self.read_stderr();
            thread::sleep(END_CHECK_INTERVAL);
        }
        self.give_up(AnswerError::Disconnected)
    }

    /// Kills the process; returns `error` unless the process had already ended by itself.
    fn give_up(&mut self, error: AnswerError) -> AnswerError {
        let had_ended = self.process.has_ended();
        let status = self.process.kill();
        self.read_stderr();
        if had_ended { AnswerError::Ended(status) } else { error }
    }

    /// Describes the output since the last command when an answer is missing: an incomplete line, or nothing at all.
    /// Names a file that isolation hides, if the engine names it.
    pub fn unfinished_answer(&self, error: AnswerError) -> String {
        self.unfinished_output(error) + &self.process.hidden.hint(&self.stderr.lines())
    }

    fn unfinished_output(&self, error: AnswerError) -> String {
        if let Some(reason) = self.lines.not_text() {
            return format!("; about its output: {reason}");
        }
        let incomplete = self.lines.incomplete();
        if !incomplete.is_empty() {
            let text = printable_bytes(incomplete);
            let text = shortened(&text, MAX_QUOTED_LINE_LENGTH);
            return format!("; received \"{text}\" without a newline");
        }
        match self.recent.unanswered() {
            Some(command) if error == AnswerError::Stalled => {
                let command = printable_bytes(command);
                format!("; no output after `{command}`: does it flush its output after each line?")
            }
            _ => String::new(),
        }
    }

    /// Writes a note to the log.
    pub fn note(&self, text: &str) {
        let now = Instant::now();
        self.log.write(now, &self.name, Origin::Note, text.as_bytes());
    }

    /// Sends a last line and closes the engine's input.
    pub fn take_leave(&mut self, farewell: &str) {
        let now = Instant::now();
        // Errors are ignored: the engine may have closed its input.
        let stdin = self.process.stdin.take();
        if stdin.is_some_and(|stdin| {
            rustix::io::write(&stdin, farewell.as_bytes()) == Ok(farewell.len())
        }) {
            self.log_sent(now, farewell);
        }
    }

    /// Waits until the process has ended, and kills the rest of its process group.
    pub fn await_end(mut self, deadline: Instant) {
        while !self.process.has_ended() && Instant::now() < deadline {
            self.drop_output();
            self.read_stderr();
            thread::sleep(END_CHECK_INTERVAL);
        }
        self.process.kill();
    }
}

/// Pipes that are ready, including those with an end of file or an error.
#[derive(Default)]
struct Ready {
    output: bool,
    input: bool,
    stderr: bool,
}

/// Maximum length of an engine's line, including its newline.
pub const MAX_ENGINE_LINE_LENGTH: usize = 64 * 1024;

/// Received bytes that are not yet processed, split into lines.
///
/// A line must end with a newline. A line that is too long is dropped completely.
pub struct Lines {
    bytes: Box<[u8]>,
    /// Start of the next line.
    begin: usize,
    /// End of the part without a newline.
    scanned: usize,
    /// End of the received bytes.
    end: usize,
    /// Whether the start of the next line was dropped, so that its rest must be dropped, too.
    dropping: bool,
    /// Whether any line was too long.
    has_dropped: bool,
    /// Whether no line was complete so far; the first may begin with a byte order mark.
    is_first: bool,
    /// The reason if the first line is not text.
    not_text: Option<TextError>,
}

impl Lines {
    /// Creates an empty buffer for lines of at most `longest` bytes, including their newline.
    pub fn new(longest: usize) -> Lines {
        Lines {
            bytes: vec![0; longest].into_boxed_slice(),
            begin: 0,
            scanned: 0,
            end: 0,
            dropping: false,
            has_dropped: false,
            is_first: true,
            not_text: None,
        }
    }

    /// Returns the space for the next bytes, which is never empty. [`Lines::next`] must have returned `None`.
    pub fn room(&mut self) -> &mut [u8] {
        if self.end - self.begin == self.bytes.len() {
            self.drop_beginning();
            self.has_dropped = true;
        }
        if self.begin > 0 {
            self.bytes.copy_within(self.begin..self.end, 0);
            self.scanned -= self.begin;
            self.end -= self.begin;
            self.begin = 0;
        }
        &mut self.bytes[self.end..]
    }

    /// Confirms that `number` bytes were written to [`Lines::room`].
    pub fn received(&mut self, number: usize) {
        self.end += number;
    }

    /// `true` if any line was too long, and was dropped.
    pub fn has_dropped(&self) -> bool {
        self.has_dropped
    }

    /// The reason if the first line was not text.
    pub fn not_text(&self) -> Option<&TextError> {
        self.not_text.as_ref()
    }

    /// Returns the next line without its newline, as a range for [`Lines::text`]; `None` if none is complete.
    pub fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let unscanned = &self.bytes[self.scanned..self.end];
            let Some(offset) = unscanned.iter().position(|&byte| byte == b'\n') else {
                self.scanned = self.end;
                if self.dropping {
                    self.drop_beginning();
                }
                return None;
            };
            let newline = self.scanned + offset;
            let mut line = self.begin..newline;
            if mem::take(&mut self.is_first) {
                let text = &self.bytes[line.clone()];
                self.not_text = check_beginning(text).err();
                line.start += text.len() - without_mark(text).len();
            }
            self.begin = newline + 1;
            self.scanned = self.begin;
            if !mem::take(&mut self.dropping) {
                return Some(line);
            }
        }
    }

    /// Returns the bytes of a line that [`Lines::next`] has just returned.
    pub fn text(&self, line: Range<usize>) -> &[u8] {
        &self.bytes[line]
    }

    /// Returns the received bytes of an incomplete line, without a part that was too long.
    pub fn incomplete(&self) -> &[u8] {
        &self.bytes[self.begin..self.end]
    }

    /// Drops the start of an incomplete line, and its rest when it arrives.
    pub fn drop_incomplete(&mut self) {
        if self.begin < self.end {
            self.drop_beginning();
        }
    }

    fn drop_beginning(&mut self) {
        self.dropping = true;
        self.begin = 0;
        self.scanned = 0;
        self.end = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(lines: &mut Lines, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = lines.room();
            let number = room.len().min(rest.len());
            room[..number].copy_from_slice(&rest[..number]);
            lines.received(number);
            rest = &rest[number..];
            while let Some(line) = lines.next() {
                found.push(String::from_utf8_lossy(lines.text(line)).into_owned());
            }
        }
        found
    }

    #[test]
    fn lines_come_out_however_they_come_in() {
        let text = b"id name x\n\nuciok\nbestm";
        for size in 1..=text.len() {
            let mut lines = Lines::new(MAX_ENGINE_LINE_LENGTH);
            let found: Vec<String> =
                text.chunks(size).flat_map(|chunk| receive(&mut lines, chunk)).collect();
            assert_eq!(found, ["id name x", "", "uciok"], "in pieces of {size}");
            assert_eq!(receive(&mut lines, b"ove 5\n"), ["bestmove 5"], "in pieces of {size}");
        }
    }

    #[test]
    fn a_byte_order_mark_before_the_first_line_is_skipped() {
        let text = "\u{feff}uciok\n\u{feff}x\n".as_bytes();
        for size in 1..=text.len() {
            let mut lines = Lines::new(MAX_ENGINE_LINE_LENGTH);
            let found: Vec<String> =
                text.chunks(size).flat_map(|chunk| receive(&mut lines, chunk)).collect();
            assert_eq!(found, ["uciok", "\u{feff}x"], "in pieces of {size}");
        }
    }

    #[test]
    fn a_line_too_long_is_dropped_up_to_its_newline() {
        for (length, counts) in
            [(MAX_ENGINE_LINE_LENGTH - 1, true), (MAX_ENGINE_LINE_LENGTH, false), (300_000, false)]
        {
            let mut lines = Lines::new(MAX_ENGINE_LINE_LENGTH);
            let mut bytes = b"first\n".to_vec();
            bytes.extend(vec![b'x'; length]);
            bytes.extend(b"\nlast\n");
            let found = receive(&mut lines, &bytes);
            let lengths: Vec<usize> = found.iter().map(String::len).collect();
            let expected = if counts { vec![5, length, 4] } else { vec![5, 4] };
            assert_eq!(lengths, expected, "a line of {length}");
            assert_eq!(lines.has_dropped(), !counts, "a line of {length}");
        }
    }

    #[test]
    fn the_rest_of_a_dropped_beginning_counts_as_nothing() {
        let mut lines = Lines::new(MAX_ENGINE_LINE_LENGTH);
        assert!(receive(&mut lines, b"info string ").is_empty());
        lines.drop_incomplete();
        assert_eq!(receive(&mut lines, b"bestmove 1\nbestmove 2\n"), ["bestmove 2"]);
        lines.drop_incomplete();
        assert_eq!(receive(&mut lines, b"bestmove 3\n"), ["bestmove 3"]);
    }
}
