//! Splits a stream of bytes into lines, in bounded memory.

use std::mem;
use std::ops::Range;

use buxtehude::protocol::text::{TextError, check_beginning, without_mark};

/// Maximum length of an engine's line, including its newline.
pub const MAX_LINE_LENGTH: usize = 64 * 1024;

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
            let mut lines = Lines::new(MAX_LINE_LENGTH);
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
            let mut lines = Lines::new(MAX_LINE_LENGTH);
            let found: Vec<String> =
                text.chunks(size).flat_map(|chunk| receive(&mut lines, chunk)).collect();
            assert_eq!(found, ["uciok", "\u{feff}x"], "in pieces of {size}");
        }
    }

    #[test]
    fn a_line_too_long_is_dropped_up_to_its_newline() {
        for (length, counts) in
            [(MAX_LINE_LENGTH - 1, true), (MAX_LINE_LENGTH, false), (300_000, false)]
        {
            let mut lines = Lines::new(MAX_LINE_LENGTH);
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
        let mut lines = Lines::new(MAX_LINE_LENGTH);
        assert!(receive(&mut lines, b"info string ").is_empty());
        lines.drop_incomplete();
        assert_eq!(receive(&mut lines, b"bestmove 1\nbestmove 2\n"), ["bestmove 2"]);
        lines.drop_incomplete();
        assert_eq!(receive(&mut lines, b"bestmove 3\n"), ["bestmove 3"]);
    }
}
