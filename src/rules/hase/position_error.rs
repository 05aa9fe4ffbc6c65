//! Errors in the text of a position: the invalid field and the accepted values.

use thiserror::Error;

use crate::rules::Seat;
use crate::rules::number::NumberError;

/// The text is not a position. Each message begins with the invalid field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// There are too few or too many fields.
    #[error("{field}: expected `<hares> <turn> <finished> <drawn>`, four fields, found {found}")]
    Fields {
        /// The first missing field, or the last one if there are too many.
        field: &'static str,
        /// Number of fields found.
        found: usize,
    },
    /// The number of hares is not 2 to 6.
    #[error("hares: expected 2 to 6, found {found}")]
    Hares {
        /// Number of hares found.
        found: usize,
    },
    /// A hare is not of the form `square,carrots,lettuces`.
    #[error("hares: expected `square,carrots,lettuces` and `!` for a missed turn, found {text:?}")]
    Hare {
        /// The text found.
        text: String,
    },
    /// A number of a hare is malformed or too large.
    #[error("{field}: seat {seat}: {text:?} {problem}")]
    Number {
        /// `square`, `carrots` or `lettuces`.
        field: &'static str,
        /// The seat of the hare.
        seat: Seat,
        /// The text found.
        text: String,
        /// Reason.
        problem: NumberError,
    },
    /// Two hares share a square other than start and finish.
    #[error(
        "square: seats {first} and {second} share square {square}, only 0 and 64 can be shared"
    )]
    SharedSquare {
        /// One seat.
        first: Seat,
        /// The other seat.
        second: Seat,
        /// The square.
        square: u8,
    },
    /// A finished hare holds more carrots than its place allows.
    #[error(
        "carrots: seat {seat} finished in place {place} with {carrots}, at most 10 a place are allowed"
    )]
    FinishedCarrots {
        /// The finished seat.
        seat: Seat,
        /// Its place.
        place: usize,
        /// Carrots that it holds.
        carrots: u16,
    },
    /// A finished hare holds lettuces.
    #[error("lettuces: seat {seat} finished with {lettuces}, none are allowed")]
    FinishedLettuces {
        /// The finished seat.
        seat: Seat,
        /// Lettuces that it holds.
        lettuces: u8,
    },
    /// The hare marked with `!` cannot miss its turn.
    #[error("mark: seat {seat} cannot miss its turn {}", reason(*.lettuces, *.square))]
    Mark {
        /// The marked seat.
        seat: Seat,
        /// Square that it is on.
        square: u8,
        /// Lettuces in hand if it is on a lettuce square, otherwise `None`.
        lettuces: Option<u8>,
    },
    /// The turn is not of the form `seat` or `seat?paid`, or names an unknown seat.
    #[error(
        "turn: expected a seat from 1 to {seats}, or `seat?paid` where a card is due, found {text:?}"
    )]
    Turn {
        /// The text found.
        text: String,
        /// Number of seats.
        seats: usize,
    },
    /// The turn names a seat that has finished.
    #[error("turn: seat {seat} has finished")]
    TurnFinished {
        /// The seat named.
        seat: Seat,
    },
    /// All hares have finished.
    #[error("turn: all hares have finished, at least one must still be racing")]
    AllFinished,
    /// The seat cannot have paid this price.
    #[error("payment: expected n(n+1)/2 for an n from 1 to {most}, found {text:?}")]
    Payment {
        /// The text found.
        text: String,
        /// Largest number of steps that end on the seat's square.
        most: u8,
    },
    /// The seat that is to draw a card cannot draw one.
    #[error("payment: seat {seat} has no card to draw {}", reason_of_payment(*.marked, *.over))]
    NoCardDue {
        /// The seat to move.
        seat: Seat,
        /// Whether it misses its next turn.
        marked: bool,
        /// Whether the game is over.
        over: bool,
    },
    /// The finished seats differ from those on square 64.
    #[error(
        "finished: expected the seats on square 64, each once, joined by `,`, or `-` for none; found {text:?}"
    )]
    Finished {
        /// The text found.
        text: String,
    },
    /// The list of drawn cards is malformed.
    #[error("drawn: expected letters in the order BDRHFSG, or `-` for none, found {text:?}")]
    Drawn {
        /// The text found.
        text: String,
    },
    /// More cards of a kind are drawn than the deck has.
    #[error("drawn: {letter} drawn {found} times, the deck has {most}")]
    DrawnTooOften {
        /// Letter of the card.
        letter: char,
        /// Number drawn.
        found: usize,
        /// Number in the deck.
        most: u8,
    },
}

fn reason(lettuces: Option<u8>, square: u8) -> String {
    match lettuces {
        Some(_) => format!("on lettuce square {square} without a lettuce in hand"),
        None => format!("on square {square}, which is neither lettuce nor hare"),
    }
}

fn reason_of_payment(marked: bool, over: bool) -> &'static str {
    match (over, marked) {
        (true, _) => "in a finished game",
        (false, true) => "while it misses its next turn",
        (false, false) => "off the hare squares",
    }
}
