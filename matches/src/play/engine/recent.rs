//! The last lines exchanged with an engine in both directions, in bounded memory.

use std::collections::VecDeque;
use std::time::Instant;

use crate::play::log::Origin;
use crate::record::printable::printable_bytes;
use crate::record::{SaidLine, Speaker};

/// Number of lines kept.
const LINES: usize = 20;
/// Number of bytes kept from the start of a long line.
const HEAD_BYTES: usize = 160;
/// Number of bytes kept from the end of a long line, which for `position` contains the latest moves.
const TAIL_BYTES: usize = 160;

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
        Recent {
            start: Instant::now(),
            lines: VecDeque::with_capacity(LINES),
        }
    }

    /// Adds a line, and drops the oldest one if the list is full.
    pub fn keep(&mut self, at: Instant, origin: Origin, line: &[u8]) {
        // Reuses the memory of the oldest line, because an engine may print thousands of lines.
        let oldest = (self.lines.len() == LINES).then(|| self.lines.pop_front());
        let mut text = oldest.flatten().map_or_else(Vec::new, |entry| entry.text);
        text.clear();
        let omitted = line.len().saturating_sub(HEAD_BYTES + TAIL_BYTES);
        if omitted == 0 {
            text.extend_from_slice(line);
        } else {
            text.extend_from_slice(&line[..HEAD_BYTES]);
            text.extend_from_slice(&line[line.len() - TAIL_BYTES..]);
        }
        self.lines.push_back(Entry {
            at,
            origin,
            text,
            omitted,
        });
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
                micros: u64::try_from(since.as_micros()).unwrap_or(u64::MAX),
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
        assert_eq!(
            (lines[0].text.as_str(), lines[0].from),
            ("line 81", Speaker::Engine)
        );
        let last = &lines[LINES - 1];
        assert_eq!(last.from, Speaker::Arbiter);
        assert!(
            last.text.starts_with("position 1 1") && last.text.ends_with("1 63"),
            "{last:?}"
        );
        assert!(
            last.text.contains(&format!("[{} bytes]", long.len() - 320)),
            "{last:?}"
        );
    }
}
