//! Flaws of recorded games.

use buxtehude::rules::{Seat, UnknownVariant};
use thiserror::Error;

use crate::plan::rules::PositionError;
use crate::plan::rules::program::RulesError;
use crate::record::ending::Ending;

/// A flaw of a recorded game.
#[derive(Debug, Error)]
pub enum Flaw {
    /// The line is not a game.
    #[error("not a game record: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The variant does not exist, or its rules program is not given.
    #[error("variant: {0}, or the game of a program in --rules")]
    Variant(#[from] UnknownVariant),
    /// The start is not a valid position.
    #[error("start: {0}")]
    Start(#[from] PositionError),
    /// A list does not have one entry per seat.
    #[error("{field}: {found} entries, but the start has {seats} seats")]
    Length {
        /// `seats`, `places` or `endings`.
        field: &'static str,
        /// Number of entries.
        found: usize,
        /// Number of seats.
        seats: usize,
    },
    /// The moves are not separated by single spaces.
    #[error("moves: expected words separated by single spaces")]
    Spaces,
    /// A move or card is illegal.
    #[error("word {number} of the moves: {reason}")]
    Action {
        /// Number of the move or card, from 1.
        number: usize,
        /// Broken rule.
        reason: PositionError,
    },
    /// There are more turns than moves.
    #[error("turns: {turns} turns, but only {moves} moves")]
    TooManyTurns {
        /// Number of recorded turns.
        turns: usize,
        /// Number of moves, without cards.
        moves: usize,
    },
    /// A turn does not match its move.
    #[error(
        "turn {number}: seat {recorded_seat} with {recorded}, but the moves have seat {seat} with {mv}"
    )]
    Turn {
        /// Number of the turn, from 1.
        number: usize,
        /// Recorded seat.
        recorded_seat: u32,
        /// Recorded move.
        recorded: String,
        /// Seat to move.
        seat: Seat,
        /// Move in the list of moves.
        mv: String,
    },
    /// The game is not over, and no ending explains why it stopped.
    #[error(
        "endings: {found}, but the moves do not end the game; expected a fault, max plies, agreed or solved"
    )]
    Unfinished {
        /// Recorded endings.
        found: String,
    },
    /// An ending contradicts the moves.
    #[error("endings: seat {seat}: {found}, but the moves show {expected}")]
    Ending {
        /// The seat.
        seat: Seat,
        /// Recorded ending.
        found: Ending,
        /// Ending by the moves.
        expected: Ending,
    },
    /// The places contradict the moves and the endings.
    #[error("places: {found:?}, but the moves and endings show {expected:?}")]
    Places {
        /// Recorded places.
        found: Vec<u32>,
        /// Places by the moves and the endings.
        expected: Vec<u32>,
    },
    /// The winnings contradict the moves.
    #[error("winnings: {found:?}, but the moves show {expected:?}")]
    Winnings {
        /// Recorded winnings.
        found: Vec<u32>,
        /// Winnings by the moves.
        expected: Vec<u32>,
    },
    /// The adjudication contradicts the rules.
    #[error("endings: {found}, but by the rules {}", winner(*outcome))]
    Adjudication {
        /// Recorded adjudication.
        found: Ending,
        /// Winner by the rules, if they know it.
        outcome: Option<Seat>,
    },
    /// The totals of a seat contradict its turns.
    #[error("seats: the totals of turns, times and depths do not match the turns")]
    Totals,
    /// The luck has a wrong form.
    #[error("luck: expected one number for each seat, with a sum of 0")]
    Luck,
    /// The game has changed since it was played.
    #[error("digest: {found}, but the game has {expected}: it was changed after it was played")]
    Digest {
        /// Stored digest.
        found: String,
        /// Digest of the game as it is stored.
        expected: String,
    },
    /// The offender of the fault contradicts the endings.
    #[error("fault: {found}, but the endings show {expected}")]
    Fault {
        /// Offender of the recorded fault.
        found: String,
        /// Offender by the endings.
        expected: String,
    },
}

impl Flaw {
    /// The fault of a rules program, if that is the reason.
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
