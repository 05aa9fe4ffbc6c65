//! Flaws of recorded games.

use buxtehude::rules::{Seat, UnknownVariant};
use thiserror::Error;

use crate::plan::rules::PositionError;
use crate::plan::rules::external::RulesError;
use crate::record::ending::Ending;

#[derive(Debug, Error)]
pub enum Flaw {
    #[error("not a game record: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The variant does not exist, or its rules program is not given.
    #[error("variant: {0}, or the game of a program in --rules")]
    Variant(#[from] UnknownVariant),
    #[error("start: {0}")]
    Start(#[from] PositionError),
    #[error("{field}: {found} entries, but the start has {seats} seats")]
    Length {
        /// `seats`, `places` or `endings`.
        field: &'static str,
        found: usize,
        seats: usize,
    },
    #[error("moves: expected words separated by single spaces")]
    Spaces,
    /// A move or card is illegal.
    #[error("word {number} of the moves: {reason}")]
    Action {
        /// Number of the move or card, from 1.
        number: usize,
        reason: PositionError,
    },
    #[error("turns: {turns} turns, but only {moves} moves")]
    TooManyTurns {
        turns: usize,
        /// Number of moves, without cards.
        moves: usize,
    },
    #[error(
        "turn {number}: seat {recorded_seat} with {recorded}, but the moves have seat {seat} with {mv}"
    )]
    Turn {
        /// Number of the turn, from 1.
        number: usize,
        recorded_seat: u32,
        /// Recorded move.
        recorded: String,
        /// Seat to move.
        seat: Seat,
        /// Move in the list of moves.
        mv: String,
    },
    #[error(
        "endings: {found}, but the moves do not end the game; expected a fault, max plies, agreed or solved"
    )]
    Unfinished { found: String },
    #[error("endings: seat {seat}: {found}, but the moves show {expected}")]
    Ending { seat: Seat, found: Ending, expected: Ending },
    #[error("places: {found:?}, but the moves and endings show {expected:?}")]
    Places { found: Vec<u32>, expected: Vec<u32> },
    #[error("winnings: {found:?}, but the moves show {expected:?}")]
    Winnings { found: Vec<u32>, expected: Vec<u32> },
    #[error("endings: {found}, but by the rules {}", winner(*outcome))]
    Adjudication {
        found: Ending,
        /// Winner by the rules, if they know it.
        outcome: Option<Seat>,
    },
    #[error("seats: the totals of turns, times and depths do not match the turns")]
    Totals,
    #[error("luck: expected one number for each seat, with a sum of 0")]
    Luck,
    #[error("digest: {found}, but the game has {expected}: it was changed after it was played")]
    Digest {
        found: String,
        /// Digest of the game as it is stored.
        expected: String,
    },
    #[error("fault: {found}, but the endings show {expected}")]
    Fault { found: String, expected: String },
}

impl Flaw {
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            Flaw::Start(reason) | Flaw::Action { reason, .. } => reason.fault_of_rules(),
            _ => None,
        }
    }
}

fn winner(outcome: Option<Seat>) -> String {
    match outcome {
        Some(seat) => format!("seat {seat} wins"),
        None => "the winner is not known".to_string(),
    }
}
