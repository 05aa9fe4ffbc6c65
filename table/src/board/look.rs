//! What a position looks like, as JSON: seats count from 1 there.

use std::sync::LazyLock;

use buxtehude::rules::{self, AnyPosition, Layout, MAX_SEATS, Seat, VARIANTS, Variant};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Turn {
    /// The seat that moves or whose card is due, from 1.
    pub seat: usize,
    /// `move` or `card`.
    pub due: Due,
}

/// What a seat has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Due {
    /// To move.
    Move,
    /// To draw a card.
    Card,
}

/// A board, the pieces on it, and what else there is to know of each seat.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Scene {
    /// The board, which is the same in all positions of a game, so that it was written once for all.
    #[schemars(with = "Board")]
    pub board: Option<&'static RawValue>,
    /// The pieces: in all positions of a game as many, in the same order.
    pub pieces: Vec<Piece>,
    /// What there is to know of each seat, in seat order.
    pub facts: Vec<Vec<Fact>>,
}

/// A board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Board {
    /// `track`, squares one behind the other, or `grid`, rows from the bottom to the top.
    pub layout: &'static str,
    /// Squares in a row, or 0 for a track.
    pub files: u8,
    /// What each square is.
    pub squares: Vec<Square>,
}

/// What a square is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Square {
    /// Its name.
    pub name: &'static str,
    /// One letter or digit that is written on it, or nothing.
    pub mark: &'static str,
}

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Piece {
    /// To whom it belongs, from 1.
    pub seat: usize,
    /// What it is.
    pub name: &'static str,
    /// The square on which it stands, counted from 0.
    pub square: usize,
}

/// One thing to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fact {
    /// What it is about.
    pub label: &'static str,
    /// What there is to know; may be empty.
    pub value: String,
}

/// A kind of card that is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Card {
    /// The card, as it stands in a list of moves.
    pub card: String,
    /// How many of it are left.
    pub number: u32,
    /// What it says.
    pub words: &'static str,
}

impl Card {
    /// A kind of card of the game of a position, of which so many are left.
    pub fn of(card: String, number: u32, position: &AnyPosition) -> Card {
        let words = position.card_words(&card).unwrap_or_default();
        Card {
            card,
            number,
            words,
        }
    }
}

/// A seat as it is counted in JSON, from 1.
pub fn number(seat: Seat) -> usize {
    seat.index() + 1
}

impl Turn {
    /// What is due in a position; `None` where it is over.
    pub fn of(position: &AnyPosition) -> Option<Turn> {
        let (seat, due) = match position.turn() {
            rules::Turn::Seat(seat) => (seat, Due::Move),
            rules::Turn::Card(seat) => (seat, Due::Card),
            rules::Turn::Over => return None,
        };
        Some(Turn {
            seat: number(seat),
            due,
        })
    }
}

/// The board of each variant as JSON: the longest part of an answer by far.
static BOARDS: LazyLock<Vec<(&'static str, Box<RawValue>)>> = LazyLock::new(|| {
    let boards = VARIANTS.iter().filter_map(|variant| {
        let start = (2..=MAX_SEATS).find_map(|seats| variant.start(seats).ok())?;
        let board = to_raw_value(&Board::from(start.scene().board)).ok()?;
        Some((variant.name, board))
    });
    boards.collect()
});

impl Scene {
    /// What a position of a variant looks like.
    pub fn of(variant: &Variant, position: &AnyPosition) -> Scene {
        let scene = position.scene();
        let mut boards = BOARDS.iter();
        Scene {
            board: boards
                .find(|(name, _)| *name == variant.name)
                .map(|(_, board)| &**board),
            pieces: scene.pieces.into_iter().map(Piece::from).collect(),
            facts: scene.facts.into_iter().map(all).collect(),
        }
    }
}

impl From<rules::Board> for Board {
    fn from(board: rules::Board) -> Board {
        let (layout, files) = match board.layout {
            Layout::Track => ("track", 0),
            Layout::Grid { files } => ("grid", files),
        };
        let squares = board.squares.into_iter().map(|kind| Square {
            name: kind.name,
            mark: kind.mark,
        });
        Board {
            layout,
            files,
            squares: squares.collect(),
        }
    }
}

impl From<rules::Piece> for Piece {
    fn from(piece: rules::Piece) -> Piece {
        Piece {
            seat: number(piece.seat),
            name: piece.name,
            square: piece.square,
        }
    }
}

impl From<rules::Fact> for Fact {
    fn from(fact: rules::Fact) -> Fact {
        Fact {
            label: fact.label,
            value: fact.value,
        }
    }
}

/// Facts, in their order.
pub fn all(facts: Vec<rules::Fact>) -> Vec<Fact> {
    facts.into_iter().map(Fact::from).collect()
}

/// The place of each seat, from 1, `None` while it is open.
pub fn places(position: &AnyPosition) -> Vec<Option<usize>> {
    let seats = (0..position.seats() as u8).map(Seat);
    seats.map(|seat| position.place(seat)).collect()
}
