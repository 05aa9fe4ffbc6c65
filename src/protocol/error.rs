//! Why a line was refused: each error is one line that names the offending text and what was expected.

use std::fmt;

use thiserror::Error;

use super::command::COMMAND_WORDS;
use super::excerpt::Excerpt;
use super::go::GO_WORDS;

/// Why a line is not a [`Command`](super::Command).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The line is empty or blank. It deserves no answer.
    #[error("empty line: expected one of {}", COMMAND_WORDS.join(", "))]
    Empty,
    /// The first word is no command.
    #[error("unknown command {found}: expected one of {}", COMMAND_WORDS.join(", "))]
    Unknown {
        /// The first word.
        found: Excerpt,
    },
    /// A command other than `go` has a wrong argument.
    #[error(transparent)]
    Argument(ArgumentError),
    /// A `go` that cannot be followed.
    #[error(transparent)]
    Go(GoError),
    /// The line's bytes are not UTF-8.
    #[error("line {found} is not UTF-8: expected UTF-8 text")]
    NotUtf8 {
        /// The line, its bad bytes replaced.
        found: Excerpt,
        /// Whether its first word is `go`.
        is_go: bool,
    },
    /// The line is longer than any command.
    #[error("line {found} is too long: expected at most {limit} bytes")]
    TooLong {
        /// The line's beginning, bad bytes replaced.
        found: Excerpt,
        /// The number of bytes that a line may have.
        limit: usize,
        /// Whether its first word is `go`.
        is_go: bool,
    },
}

impl CommandError {
    /// Whether the refused line was a `go`, to which a `bestmove` is due all the same.
    pub fn is_go(&self) -> bool {
        match self {
            CommandError::Go(_) => true,
            CommandError::NotUtf8 { is_go, .. } | CommandError::TooLong { is_go, .. } => *is_go,
            CommandError::Empty | CommandError::Unknown { .. } | CommandError::Argument(_) => false,
        }
    }
}

/// The words that `go` accepts: all that it knows but `mate`, which it refuses with a reason of its own.
fn accepted_go_words() -> String {
    let accepted = GO_WORDS.iter().filter(|word| **word != "mate");
    accepted.copied().collect::<Vec<_>>().join(", ")
}

/// Why the argument of `go` is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GoError {
    /// One of its words has a wrong argument.
    #[error(transparent)]
    Argument(ArgumentError),
    /// A word that `go` does not know.
    #[error("go: unknown word {found}: expected one of {}", accepted_go_words())]
    UnknownWord {
        /// The word.
        found: Excerpt,
    },
    /// A word stands twice.
    #[error("go: repeated {found}: expected each word once")]
    Repeated {
        /// The word.
        found: Excerpt,
    },
    /// The clocks come in several spellings at once.
    #[error(
        "go: {first} together with {second}: expected clocks as time and inc, as wtime, btime, winc and binc, or as \
         p1time, p1inc and so on"
    )]
    MixedClocks {
        /// A word of the one spelling.
        first: &'static str,
        /// A word of another.
        second: &'static str,
    },
    /// `inc` has not as many numbers as `time`.
    #[error("go inc: found {incs} numbers: expected {times}, as many as behind time")]
    IncrementCount {
        /// How many numbers stand behind `time`.
        times: usize,
        /// How many numbers stand behind `inc`.
        incs: usize,
    },
    /// An increment or `movestogo` without the time left.
    #[error("go: {found} without a clock: expected {expected} with it")]
    NoClock {
        /// The word without a clock.
        found: &'static str,
        /// The words one of which has to be there.
        expected: &'static str,
    },
    /// `mate`, which the engine does not do.
    #[error(
        "go: mate is not offered, the engine does not search for mates: expected depth, nodes or movetime"
    )]
    Mate,
    /// `perft` together with another word.
    #[error("go perft: together with {found}: expected perft and its depth alone")]
    PerftMixed {
        /// The other word.
        found: Excerpt,
    },
}

/// Why a line that begins like a [`Reply`](super::Reply) is none.
///
/// A line of another beginning is never refused, nor is `info`.
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

/// A word that is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// The line ends where an argument is due.
    #[error("{after}: missing argument: expected {expected}")]
    Missing {
        /// The words that the argument belongs behind, such as `go depth`.
        after: &'static str,
        /// What is due.
        expected: Expected,
    },
    /// A word where a number is due, or a number out of bounds.
    #[error("{after}: {found} is not {bounds}")]
    NotANumber {
        /// The words that the number belongs behind.
        after: &'static str,
        /// The word.
        found: Excerpt,
        /// The numbers accepted.
        bounds: Bounds,
    },
    /// A word where another, or the end of the line, is due.
    #[error("{after}: unexpected {found}: expected {expected}")]
    Unexpected {
        /// The words before it, such as `position startpos`.
        after: &'static str,
        /// The word.
        found: Excerpt,
        /// What would have been accepted.
        expected: &'static str,
    },
}

/// What would have been accepted as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// In words for a person.
    Words(&'static str),
    /// A number.
    Number(Bounds),
}

/// The smallest and the largest number accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest.
    pub min: i128,
    /// The largest.
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
