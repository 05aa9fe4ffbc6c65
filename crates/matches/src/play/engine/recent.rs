//! The last lines exchanged with an engine, and of its standard error, in bounded memory.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::play::log::Origin;
use crate::record::printable::printable_bytes;
use crate::record::{SaidLine, Speaker, micros};

/// Number of lines kept.
const LINES: usize = 20;
/// Number of bytes kept from the start of a long line.
const HEAD_BYTES: usize = 160;
/// Number of bytes kept from the end of a long line, which for `position` contains the latest moves.
const TAIL_BYTES: usize = 160;

/// Number of lines kept of the standard error, however old they are.
const STDERR_LINES: usize = 10;
/// Time that further lines are kept for, because a crash may print its reason before a long stack trace.
const STDERR_TIME: Duration = Duration::from_secs(1);
/// Maximum number of lines kept from the start of that time, and from its end.
const STDERR_PART: usize = 20;
/// Number of bytes kept of each.
const STDERR_BYTES: usize = 500;

/// The last lines exchanged with an engine.
pub struct Recent {
    start: Instant,
    lines: VecDeque<Entry>,
}

struct Entry {
    at: Instant,
    origin: Origin,
    /// The line, or its start and end.
    text: Vec<u8>,
    /// Number of bytes omitted in between.
    omitted: usize,
}

impl Recent {
    /// Creates an empty list; times count from now.
    pub fn new() -> Recent {
        Recent { start: Instant::now(), lines: VecDeque::with_capacity(LINES) }
    }

    /// Adds a line, and drops the oldest one if the list is full.
    pub fn keep(&mut self, at: Instant, origin: Origin, line: &[u8]) {
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        let omitted = line.len().saturating_sub(HEAD_BYTES + TAIL_BYTES);
        let text = match omitted {
            0 => line.to_vec(),
            _ => [&line[..HEAD_BYTES], &line[line.len() - TAIL_BYTES..]].concat(),
        };
        self.lines.push_back(Entry { at, origin, text, omitted });
    }

    /// Returns the first word of the last command, unless the engine has sent a line since.
    pub fn unanswered(&self) -> Option<&[u8]> {
        let last = self.lines.back().filter(|entry| matches!(entry.origin, Origin::Arbiter))?;
        last.text.split(u8::is_ascii_whitespace).next()
    }

    /// Returns the lines, oldest first and escaped.
    pub fn lines(&self) -> Vec<SaidLine> {
        let line = |entry: &Entry| {
            let text = |bytes: &[u8]| printable_bytes(bytes.trim_ascii_end()).into_owned();
            let text = match entry.omitted {
                0 => text(&entry.text),
                omitted => {
                    let (head, tail) = entry.text.split_at(HEAD_BYTES);
                    format!("{} [{omitted} bytes] {}", text(head), text(tail))
                }
            };
            let since = entry.at.saturating_duration_since(self.start);
            SaidLine {
                micros: micros(since),
                from: match entry.origin {
                    Origin::Arbiter => Speaker::Arbiter,
                    _ => Speaker::Engine,
                },
                text,
            }
        };
        self.lines.iter().map(line).collect()
    }
}

/// The last lines of a standard error: all of the last second, or their first and last ones.
#[derive(Default)]
pub struct StderrTail {
    /// First lines with their times.
    head: VecDeque<(Instant, Vec<u8>)>,
    /// Number of lines omitted after those.
    omitted: usize,
    /// Lines after those.
    tail: VecDeque<(Instant, Vec<u8>)>,
    /// Line without a newline so far.
    unfinished: Vec<u8>,
}

impl StderrTail {
    /// Adds bytes that arrived at `now`, and calls `line` for each line that they complete.
    pub fn receive(&mut self, bytes: &[u8], now: Instant, mut line: impl FnMut(&[u8])) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (text, complete) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let room = STDERR_BYTES - self.unfinished.len();
            self.unfinished.extend_from_slice(&text[..text.len().min(room)]);
            if complete {
                line(&self.unfinished);
                let complete = std::mem::take(&mut self.unfinished);
                self.keep(now, complete);
            }
        }
    }

    fn keep(&mut self, now: Instant, line: Vec<u8>) {
        let is_old = |(at, _): &(Instant, _)| now.saturating_duration_since(*at) > STDERR_TIME;
        while self.head.len() + self.tail.len() >= STDERR_LINES
            && self.head.front().is_some_and(is_old)
        {
            self.head.pop_front();
            if self.head.is_empty() {
                std::mem::swap(&mut self.head, &mut self.tail);
                self.omitted = 0;
            }
        }
        if self.head.len() < STDERR_PART && self.tail.is_empty() {
            return self.head.push_back((now, line));
        }
        self.tail.push_back((now, line));
        if self.tail.len() > STDERR_PART {
            self.tail.pop_front();
            self.omitted += 1;
        }
    }

    /// Returns the lines, oldest first and escaped; the newest may be incomplete.
    pub fn lines(&self) -> Vec<String> {
        let shown = |line: &[u8]| printable_bytes(line.trim_ascii_end()).into_owned();
        let of = |lines: &VecDeque<(Instant, Vec<u8>)>| {
            lines.iter().map(|(_, line)| shown(line)).collect::<Vec<String>>()
        };
        let mut lines = of(&self.head);
        lines.extend((self.omitted > 0).then(|| format!("[{} lines]", self.omitted)));
        lines.extend(of(&self.tail));
        lines
            .extend(Some(&self.unfinished).filter(|line| !line.is_empty()).map(|line| shown(line)));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_with_their_ends() {
        let mut recent = Recent::new();
        let now = Instant::now();
        for number in 0..100 {
            recent.keep(now, Origin::Engine, format!("line {number}\r").as_bytes());
        }
        let long = format!("position {}63", "1 ".repeat(1000));
        recent.keep(now, Origin::Arbiter, long.as_bytes());
        let lines = recent.lines();
        assert_eq!(lines.len(), LINES);
        assert_eq!((lines[0].text.as_str(), lines[0].from), ("line 81", Speaker::Engine));
        let last = &lines[LINES - 1];
        assert_eq!(last.from, Speaker::Arbiter);
        assert!(last.text.starts_with("position 1 1") && last.text.ends_with("1 63"), "{last:?}");
        assert!(last.text.contains(&format!("[{} bytes]", long.len() - 320)), "{last:?}");
    }

    #[test]
    fn ten_lines_are_kept_and_more_of_the_last_second() {
        let mut words = StderrTail::default();
        let (mut now, mut seen) = (Instant::now(), 0);
        for number in 1..=25 {
            now += STDERR_TIME;
            words.receive(format!("line {number}\r\n").as_bytes(), now, |_| seen += 1);
            assert!(words.lines().len() <= STDERR_LINES, "{:?}", words.lines());
        }
        words.receive(b"cut ", now, |_| seen += 1);
        words.receive(b"off", now, |_| seen += 1);
        assert_eq!(seen, 25);
        let lines = words.lines();
        assert_eq!(lines.len(), STDERR_LINES + 1, "{lines:?}");
        assert_eq!((lines[0].as_str(), lines[10].as_str()), ("line 16", "cut off"));

        // A crash: its reason, and a long stack trace.
        now += STDERR_TIME * 2;
        for number in 0..100 {
            words.receive(format!(" frame {number}\n").as_bytes(), now, |_| {});
        }
        let lines = words.lines();
        assert_eq!(lines.len(), 2 * STDERR_PART + 1, "{lines:?}");
        assert_eq!(lines[0], "cut off frame 0");
        assert_eq!(lines[STDERR_PART], "[60 lines]");
        assert_eq!(lines[2 * STDERR_PART], " frame 99");
    }

    #[test]
    fn endless_lines_are_cut() {
        let mut words = StderrTail::default();
        for _ in 0..1000 {
            words.receive(&[b'x'; 1000], Instant::now(), |_| {});
        }
        words.receive(b"\nend\n", Instant::now(), |_| {});
        let lengths: Vec<usize> = words.lines().iter().map(String::len).collect();
        assert_eq!(lengths, [STDERR_BYTES, 3]);
    }
}
