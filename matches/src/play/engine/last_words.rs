//! The last lines of an engine's standard error, in bounded memory.

use std::collections::VecDeque;

use crate::record::printable::printable_bytes;

/// Number of lines kept.
const LINES: usize = 10;
/// Number of bytes kept of each line.
const LINE_BYTES: usize = 500;

/// The last lines of a standard error.
#[derive(Default)]
pub struct LastWords {
    lines: VecDeque<Vec<u8>>,
    /// Line without a newline so far.
    unfinished: Vec<u8>,
}

impl LastWords {
    /// Adds bytes, and calls `line` for each line that they complete.
    pub fn receive(&mut self, bytes: &[u8], mut line: impl FnMut(&[u8])) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (text, complete) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let room = LINE_BYTES - self.unfinished.len();
            self.unfinished
                .extend_from_slice(&text[..text.len().min(room)]);
            if complete {
                line(&self.unfinished);
                if self.lines.len() == LINES {
                    self.lines.pop_front();
                }
                self.lines.push_back(std::mem::take(&mut self.unfinished));
            }
        }
    }

    /// Returns the last lines, oldest first and escaped; the newest may be incomplete.
    pub fn lines(&self) -> Vec<String> {
        let unfinished = Some(&self.unfinished).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = self
            .lines
            .iter()
            .chain(unfinished)
            .map(|line| printable_bytes(line.trim_ascii_end()).into_owned())
            .collect();
        lines.drain(..lines.len().saturating_sub(LINES));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_lines_are_kept() {
        let mut words = LastWords::default();
        let mut seen = 0;
        for number in 1..=25 {
            words.receive(format!("line {number}\r\n").as_bytes(), |_| seen += 1);
        }
        words.receive(b"cut ", |_| seen += 1);
        words.receive(b"off", |_| seen += 1);
        assert_eq!(seen, 25);
        let lines = words.lines();
        assert_eq!(lines.len(), 10, "{lines:?}");
        assert_eq!(
            (lines[0].as_str(), lines[9].as_str()),
            ("line 17", "cut off")
        );
    }

    #[test]
    fn endless_lines_are_cut() {
        let mut words = LastWords::default();
        for _ in 0..1000 {
            words.receive(&[b'x'; 1000], |_| {});
        }
        words.receive(b"\nend\n", |_| {});
        let lengths: Vec<usize> = words.lines().iter().map(String::len).collect();
        assert_eq!(lengths, [LINE_BYTES, 3]);
    }
}
