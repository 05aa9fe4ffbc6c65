//! Line protocol between a client and an engine, typed in both directions.
//!
//! A client (a GUI, the arbiter, a person at a terminal) sends [`Command`]s; an engine answers with [`Reply`]s. Each is
//! one line of text. Both parse with [`FromStr`](std::str::FromStr) and print with [`Display`](std::fmt::Display), and
//! the printed line parses back to the same value. `protocol.md` and `docs/engine.md` have the grammar.
//!
//! Moves, cards and positions are passed through as text; the rules interpret them.
//!
//! Each error message is one line with the offending text and the accepted input.
//!
//! [`LineReader`] splits a stream into lines of bounded length, and [`Line::command`] parses a line.
//!
//! # Examples
//! ```
//! use buxtehude::protocol::{Command, CommandError, Reply};
//!
//! let command: Command = "go  depth 7\r".parse()?;
//! assert_eq!(command.to_string(), "go depth 7");
//!
//! let refused = "go depth 0".parse::<Command>().unwrap_err();
//! assert!(refused.is_go());
//! assert_eq!(refused.to_string(), r#"go depth: "0" is not a whole number from 1 to 4294967295"#);
//!
//! let reply: Reply = "bestmove 5 ponder 3 estimate 520 480".parse().unwrap();
//! let Reply::BestMove(answer) = reply else { panic!("{reply}") };
//! assert_eq!(answer.estimate, [520, 480]);
//! # Ok::<(), CommandError>(())
//! ```

// Untrusted input must not cause a panic here.
#![deny(
    clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice,
    clippy::todo, clippy::unimplemented, clippy::unreachable, clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

mod command;
#[cfg(test)]
mod laws;
mod lines;
mod reply;
pub mod text;
mod words;

use std::fmt;

use thiserror::Error;

pub use command::{
    COMMAND_WORDS, Clock, ClockTimes, Command, GO_WORDS, Go, MAX_PERFT_DEPTH, PositionCommand,
    Query, Start,
};
pub use lines::{Line, LineReader, MAX_LINE_BYTES};
pub use reply::{BestMove, Info, OptionKind, OptionOffer, Reply, Score, parse_into};

/// The line is not a valid [`Command`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The line is empty or blank. It gets no answer.
    #[error("empty line: expected one of {}", COMMAND_WORDS.join(", "))]
    Empty,
    /// The first word is not a command.
    #[error("unknown command {found}: expected one of {}", COMMAND_WORDS.join(", "))]
    Unknown {
        /// The first word.
        found: Excerpt,
    },
    /// A command other than `go` has a wrong argument.
    #[error(transparent)]
    Argument(ArgumentError),
    /// The argument of a `go` is invalid.
    #[error(transparent)]
    Go(GoError),
    /// The line's bytes are not UTF-8.
    #[error("line {found} is not UTF-8: expected UTF-8 text")]
    NotUtf8 {
        /// The line, with invalid bytes replaced.
        found: Excerpt,
        /// Whether its first word is `go`.
        is_go: bool,
    },
    /// The line is longer than any command.
    #[error("line {found} is too long: expected at most {limit} bytes")]
    TooLong {
        /// Beginning of the line, with invalid bytes replaced.
        found: Excerpt,
        /// Largest number of bytes accepted.
        limit: usize,
        /// Whether its first word is `go`.
        is_go: bool,
    },
}

impl CommandError {
    /// `true` if the refused line was a `go`. It still needs a `bestmove` as its answer.
    pub fn is_go(&self) -> bool {
        match self {
            CommandError::Go(_) => true,
            CommandError::NotUtf8 { is_go, .. } | CommandError::TooLong { is_go, .. } => *is_go,
            CommandError::Empty | CommandError::Unknown { .. } | CommandError::Argument(_) => false,
        }
    }
}

/// Words that `go` accepts: all known ones except `mate`, which has an error of its own.
fn accepted_go_words() -> String {
    let accepted = GO_WORDS.iter().filter(|word| **word != "mate");
    accepted.copied().collect::<Vec<_>>().join(", ")
}

/// The argument of `go` is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GoError {
    /// One of its words has a wrong argument.
    #[error(transparent)]
    Argument(ArgumentError),
    /// `go` does not know the word.
    #[error("go: unknown word {found}: expected one of {}", accepted_go_words())]
    UnknownWord {
        /// The word.
        found: Excerpt,
    },
    /// A word occurs twice.
    #[error("go: repeated {found}: expected each word once")]
    Repeated {
        /// The word.
        found: Excerpt,
    },
    /// The line mixes two spellings of the clocks.
    #[error(
        "go: {first} together with {second}: expected clocks as time and inc, as wtime, btime, winc and binc, or as \
         p1time, p1inc and so on"
    )]
    MixedClocks {
        /// Word of one spelling.
        first: &'static str,
        /// Word of another spelling.
        second: &'static str,
    },
    /// `inc` and `time` have different numbers of values.
    #[error("go inc: found {incs} numbers: expected {times}, one for each in time")]
    IncrementCount {
        /// Number of values of `time`.
        times: usize,
        /// Number of values of `inc`.
        incs: usize,
    },
    /// An increment or `movestogo` without the time left.
    #[error("go: {found} without a clock: expected {expected} with it")]
    NoClock {
        /// The word without a clock.
        found: &'static str,
        /// Words that would supply the clock.
        expected: &'static str,
    },
    /// `mate`, which the engine does not support.
    #[error(
        "go: mate is not supported, the engine does not search for mates: expected depth, nodes or movetime"
    )]
    Mate,
    /// `perft` together with another word.
    #[error("go perft: together with {found}: expected perft and its depth alone")]
    PerftMixed {
        /// The other word.
        found: Excerpt,
    },
}

/// The line begins like a [`Reply`] but is malformed.
///
/// `info` and lines with any other beginning are always accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// A malformed `bestmove`.
    #[error(transparent)]
    BestMove(ArgumentError),
    /// A malformed `option`.
    #[error(transparent)]
    Option(ArgumentError),
    /// A malformed `id`.
    #[error(transparent)]
    Id(ArgumentError),
}

/// A word is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// The line ends before a required argument.
    #[error("{after}: missing argument: expected {expected}")]
    Missing {
        /// Words before the argument, such as `go depth`.
        after: &'static str,
        /// The missing argument.
        expected: Expected,
    },
    /// A word instead of a number, or a number out of range.
    #[error("{after}: {found} is not {bounds}")]
    NotANumber {
        /// Words before the number.
        after: &'static str,
        /// The word.
        found: Excerpt,
        /// Range of numbers accepted.
        bounds: Bounds,
    },
    /// A word that does not belong here.
    #[error("{after}: unexpected {found}: expected {expected}")]
    Unexpected {
        /// Words before it, such as `position startpos`.
        after: &'static str,
        /// The word.
        found: Excerpt,
        /// Arguments that would be accepted.
        expected: &'static str,
    },
}

/// Arguments that would be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A description for people.
    Words(&'static str),
    /// A number.
    Number(Bounds),
}

impl From<&'static str> for Expected {
    fn from(words: &'static str) -> Self {
        Expected::Words(words)
    }
}

impl From<Bounds> for Expected {
    fn from(bounds: Bounds) -> Self {
        Expected::Number(bounds)
    }
}

/// Smallest and largest number accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Smallest number accepted.
    pub min: i128,
    /// Largest number accepted.
    pub max: i128,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Words(words) => f.write_str(words),
            Expected::Number(bounds) => bounds.fmt(f),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {} to {}", self.min, self.max)
    }
}

/// Beginning of an untrusted text, at most [`Excerpt::MAX_CHARS`] characters of it.
///
/// It prints in quotes, with control characters escaped so that the message stays on one line. Three dots after the
/// quotes mark a shortened text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    text: String,
    shortened: bool,
}

impl Excerpt {
    /// Number of characters kept.
    pub const MAX_CHARS: usize = 60;

    /// Keeps the beginning of `text`.
    pub fn new(text: &str) -> Self {
        let mut chars = text.chars();
        let start = chars.by_ref().take(Self::MAX_CHARS).collect();
        Self { text: start, shortened: chars.next().is_some() }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.shortened { "..." } else { "" };
        write!(f, "\"{}\"{dots}", self.text.escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Excerpt::new(text).to_string()
    }

    #[test]
    fn a_short_text_is_quoted_whole() {
        assert_eq!(shown("hop"), "\"hop\"");
        assert_eq!(shown(""), "\"\"");
        let longest = "ä".repeat(60);
        assert_eq!(shown(&longest), format!("\"{longest}\""));
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let cut = format!("\"{}\"...", "ä".repeat(60));
        assert_eq!(shown(&"ä".repeat(61)), cut);
    }

    #[test]
    fn control_characters_are_escaped() {
        let escaped = r#""a\r\n\0\u{1b}\"\u{2028}""#;
        assert_eq!(shown("a\r\n\0\u{1b}\"\u{2028}"), escaped);
    }
}
