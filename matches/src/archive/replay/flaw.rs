//! What can be wrong with a recorded game.

use buxtehude::rules::{ActionError, Seat, SetupError, UnknownVariant};
use thiserror::Error;

use crate::record::ending::Ending;

/// What is wrong with a line of a record.
#[derive(Debug, Error)]
pub enum Flaw {
    /// The line is no game.
    #[error("no game record: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The variant does not exist.
    #[error("variant: {0}")]
    Variant(#[from] UnknownVariant),
    /// The start is no position.
    #[error("start: {0}")]
    Start(#[from] SetupError),
    /// A list has not one entry a seat.
    #[error("{field}: {found} entries, the start has {seats} seats")]
    Length {
        /// `seats`, `places` or `endings`.
        field: &'static str,
        /// Number of entries.
        found: usize,
        /// Number of seats.
        seats: usize,
    },
    /// The moves are not joined by single spaces.
    #[error("moves: expected words separated by single spaces")]
    Spaces,
    /// A move or card is refused by the rules.
    #[error("word {number} of the moves: {reason}")]
    Action {
        /// Which of the moves and cards, from 1.
        number: usize,
        /// The rule that is broken.
        reason: ActionError,
    },
    /// There are more turns than moves.
    #[error("turns: {turns} turns, the moves have {moves}")]
    TooManyTurns {
        /// Number of turns recorded.
        turns: usize,
        /// Number of moves, without cards.
        moves: usize,
    },
    /// A turn does not match its move.
    #[error(
        "turn {number}: seat {recorded_seat} with {recorded}, the moves have seat {seat} with {mv}"
    )]
    Turn {
        /// Which turn, from 1.
        number: usize,
        /// The seat recorded.
        recorded_seat: u32,
        /// The move recorded.
        recorded: String,
        /// The seat whose turn it was.
        seat: Seat,
        /// The move in the list of moves.
        mv: String,
    },
    /// The game is neither over nor stopped by anything.
    #[error(
        "endings: the game is not over after the moves, expected a fault, max plies, agreed or solved, found {found}"
    )]
    Unfinished {
        /// The endings recorded.
        found: String,
    },
    /// An ending is not the one that the moves show.
    #[error("endings: seat {seat}: {found}, the moves show {expected}")]
    Ending {
        /// The seat.
        seat: Seat,
        /// The ending recorded.
        found: Ending,
        /// What it has to be.
        expected: Ending,
    },
    /// The places are not those that the moves and the endings show.
    #[error("places: {found:?}, the moves and endings show {expected:?}")]
    Places {
        /// The places recorded.
        found: Vec<u32>,
        /// What they have to be.
        expected: Vec<u32>,
    },
    /// The arbiter ended the game otherwise than the rules know it.
    #[error("endings: {found}: the rules say that {}", winner(*outcome))]
    Adjudication {
        /// How the game was ended.
        found: Ending,
        /// Who wins by the rules, if they know it.
        outcome: Option<Seat>,
    },
    /// The totals of a seat are not those of its turns.
    #[error("seats: the totals of turns, times and depths are not those of the turns")]
    Totals,
    /// Something is not as it was when the game was played.
    #[error("digest: {found}, what is there makes {expected}: it was changed after it was played")]
    Digest {
        /// The digest that was kept.
        found: String,
        /// That of the game as it is.
        expected: String,
    },
    /// The fault is not that of the seat with a faulty ending.
    #[error("fault: {found}, the endings show {expected}")]
    Fault {
        /// Whose fault is recorded.
        found: String,
        /// Whose it has to be.
        expected: String,
    },
}

fn winner(outcome: Option<Seat>) -> String {
    match outcome {
        Some(seat) => format!("seat {seat} wins"),
        None => "nobody knows who wins".to_string(),
    }
}
