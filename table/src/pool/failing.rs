//! Errors of the engine pool.

use matches::play::engine::{AnswerError, StartError, quoted};
use thiserror::Error;

/// The queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{waiting} searches are waiting for an engine; expected fewer than {most}: try again later"
)]
pub struct Busy {
    /// Number of waiting questions.
    pub waiting: usize,
    /// Maximum number of waiting questions.
    pub most: usize,
}

/// Reasons why there is no valid answer.
#[derive(Debug, Error)]
pub enum Failing {
    /// The engine does not start.
    #[error("{0}")]
    Start(#[from] StartError),
    #[error("engine {engine}: no answer in time{}", quoted(stderr))]
    TooLate {
        engine: String,
        /// Last lines of its standard error.
        stderr: Vec<String>,
    },
    /// The engine ended, or closed its output.
    #[error("engine {engine}: {error}{}", quoted(stderr))]
    Failed {
        engine: String,
        error: AnswerError,
        /// Last lines of its standard error.
        stderr: Vec<String>,
    },
    /// The answer is malformed.
    #[error("engine {engine}: {reason}")]
    Unreadable { engine: String, reason: String },
    /// The move is illegal.
    #[error("engine {engine}: its best move is {found:?}; expected one of {}", expected.join(" "))]
    Illegal {
        engine: String,
        found: String,
        /// The legal moves.
        expected: Vec<String>,
    },
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Ending,
}
