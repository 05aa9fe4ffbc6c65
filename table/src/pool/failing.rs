//! Why an engine is no help.

use matches::play::engine::{Failure, StartError};
use thiserror::Error;

/// There is no room in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{waiting} searches are waiting for an engine; expected fewer than {most}: try again later"
)]
pub struct Busy {
    /// How many wait.
    pub waiting: usize,
    /// How many may.
    pub most: usize,
}

/// Why there is no answer that stands.
#[derive(Debug, Error)]
pub enum Failing {
    /// It does not start.
    #[error("{0}")]
    Start(#[from] StartError),
    /// It did not answer in time.
    #[error("engine {engine}: no answer in time{}", quoted(stderr))]
    TooLate {
        /// The engine's name.
        engine: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// It ended, or does not talk any more.
    #[error("engine {engine}: {failure}{}", quoted(stderr))]
    Failed {
        /// The engine's name.
        engine: String,
        /// What happened.
        failure: Failure,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// Its answer is no move.
    #[error("engine {engine}: {reason}")]
    Unreadable {
        /// The engine's name.
        engine: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// Its move is illegal.
    #[error("engine {engine}: its best move is {found:?}; expected one of {}", expected.join(" "))]
    Illegal {
        /// The engine's name.
        engine: String,
        /// What it gave.
        found: String,
        /// The legal moves.
        expected: Vec<String>,
    },
    /// We are ending.
    #[error("the server is shutting down")]
    Ending,
}

fn quoted(stderr: &[String]) -> String {
    match stderr {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join(" | ")),
    }
}
