//! The games: what is legal, what a move does, and who came where.
//!
//! Every game is a *position*: a small `Copy` value that knows whose turn it is ([`Turn`]), which moves
//! are legal, and what each does. The search works on a position's own type through the trait [`Game`];
//! everyone who speaks in text (sessions, referees) works on [`AnyPosition`], which holds a position of
//! any [`Variant`]. Nothing here prints, reads a clock or starts a thread, and chance is explicit: where
//! a card is due, [`Game::outcomes`] lists what can be drawn with its weight, and the caller draws.

pub mod fox;
pub mod hase;
#[cfg(feature = "ludo")]
pub mod ludo;
mod no_cards;
mod number;
mod perft;
mod scene;
mod solved;
mod variant;

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

pub use no_cards::{NoCard, NoOutcomes, NotACard};
pub use perft::{for_each_child, perft, perft_by_playing};
pub use scene::{Board, Fact, Layout, MovePreview, Piece, Scene, SquareKind};
pub use solved::{Census, LongestWin, Outcome, Start};
pub(crate) use variant::with_position;
pub use variant::{
    ActionError, AnyPosition, Rules, SetupError, UnknownVariant, VARIANTS, Variant, is_card,
};

/// The most seats that any game has.
pub const MAX_SEATS: usize = 6;

/// No position of any game has more legal moves.
pub const MAX_MOVES: usize = 72;

/// Where a card is due in any game, there are no more kinds of card than this.
pub const MAX_OUTCOMES: usize = 8;

/// A place at the table, counted from 0 in code and from 1 in everything a person reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(pub u8);

impl Seat {
    /// The seat as an index into per-seat arrays, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// What is due in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This seat moves.
    Seat(Seat),
    /// This seat's move ended on a card; chance moves.
    Card(Seat),
    /// Nothing: every place is decided.
    Over,
}

impl Turn {
    /// The seat that moves or whose card is due; `None` when nothing is.
    #[inline]
    pub fn seat(self) -> Option<Seat> {
        match self {
            Turn::Seat(seat) | Turn::Card(seat) => Some(seat),
            Turn::Over => None,
        }
    }

    /// The seat that moves; `None` where a card or nothing is due.
    #[inline]
    pub fn mover(self) -> Option<Seat> {
        match self {
            Turn::Seat(seat) => Some(seat),
            Turn::Card(_) | Turn::Over => None,
        }
    }
}

/// A position of a game with moves in turn, public knowledge and perhaps cards.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Game, Turn, hase::{HASE_UND_IGEL, Position}};
///
/// let mut position = Position::start(&HASE_UND_IGEL, 2).unwrap();
/// while let Turn::Seat(_) = position.turn() {
///     let highest = position.legal_moves().last().unwrap();
///     position = position.play_unchecked(highest);
/// }
/// assert!(matches!(position.turn(), Turn::Card(_) | Turn::Over));
/// ```
pub trait Game: Copy + Eq + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// The tables that a variant of this game is made of.
    type Rules: Sync + 'static;
    /// A move as the protocol spells it; its order is the order of the list of legal moves.
    type Move: Copy
        + Ord
        + Hash
        + fmt::Debug
        + fmt::Display
        + FromStr<Err: fmt::Display>
        + Send
        + 'static;
    /// A card as the protocol spells it.
    type Card: Copy
        + Ord
        + Hash
        + fmt::Debug
        + fmt::Display
        + FromStr<Err: fmt::Display>
        + Send
        + 'static;
    /// The legal moves of a position, ascending.
    type Moves: Iterator<Item = Self::Move> + ExactSizeIterator + Copy;
    /// The kinds of card left, in deck order, each with the number of such cards.
    type Outcomes: Iterator<Item = (Self::Card, u32)> + ExactSizeIterator + Copy;
    /// Why a move is refused.
    type IllegalMove: std::error::Error + Send + Sync + 'static;
    /// Why a card is refused.
    type IllegalCard: std::error::Error + Send + Sync + 'static;
    /// Why a text is not a position.
    type PositionError: std::error::Error + Send + Sync + 'static;

    /// Whether anything is left to chance: whether a card can ever be due.
    const HAS_CARDS: bool;

    /// The start for `seats` players, or `None` where the game is not for so many.
    fn start(rules: &'static Self::Rules, seats: usize) -> Option<Self>;

    /// Reads the text of a position, as [`Display`](fmt::Display) prints it.
    ///
    /// # Errors
    /// Names the field at fault and what would have been accepted.
    fn parse(rules: &'static Self::Rules, text: &str) -> Result<Self, Self::PositionError>;

    /// Number of seats, 2 to [`MAX_SEATS`].
    fn seats(&self) -> usize;

    /// What is due now.
    fn turn(&self) -> Turn;

    /// The final place of a seat, from 1, or `None` while it is open. Places are never shared: no two seats have the
    /// same one.
    fn place(&self, seat: Seat) -> Option<usize>;

    /// The best place that is open, from 1; one more than there are seats where none is.
    fn best_open_place(&self) -> usize {
        let seats = (0..self.seats() as u8).map(Seat);
        1 + seats.filter(|&seat| self.place(seat).is_some()).count()
    }

    /// The number of turns that a seat would need to its goal if nobody were in its way, as a measure of
    /// progress; `None` where the game knows no such measure.
    fn turns_home(&self, seat: Seat) -> Option<u32>;

    /// How the game ends when all play perfectly, and when; `None` where the game is not solved. All
    /// positions of a game are, or none. The first call may take some milliseconds, in which tables are made.
    fn solved(&self) -> Option<Outcome> {
        None
    }

    /// Counts over all positions of this position's game; `None` where it is not solved. Takes its time.
    fn census(&self) -> Option<Census<Self>> {
        None
    }

    /// The legal moves, ascending; none unless it is a seat's turn, at least one if it is.
    fn legal_moves(&self) -> Self::Moves;

    /// What can be drawn, in deck order; nothing unless a card is due.
    fn outcomes(&self) -> Self::Outcomes;

    /// Plays `mv` for the seat to move, after checking that it is legal.
    ///
    /// The search, whose moves come from [`Game::legal_moves`], calls [`Game::play_unchecked`] instead.
    ///
    /// # Errors
    /// The one rule that `mv` breaks, with its numbers; the position is unchanged.
    fn play(&mut self, mv: Self::Move) -> Result<(), Self::IllegalMove>;

    /// The position after a move that is known to be legal; [`Game::play`] checks. After any other
    /// move the position has no meaning, or the call panics.
    #[must_use]
    fn play_unchecked(&self, mv: Self::Move) -> Self;

    /// Draws `card` for the seat to which one is due, after checking that it can be drawn.
    ///
    /// The search, whose cards come from [`Game::outcomes`], calls [`Game::draw_unchecked`] instead.
    ///
    /// # Errors
    /// Why that card cannot be drawn now; the position is unchanged.
    fn draw(&mut self, card: Self::Card) -> Result<(), Self::IllegalCard>;

    /// The position after a card that is known to be left where one is due; [`Game::draw`] checks.
    #[must_use]
    fn draw_unchecked(&self, card: Self::Card) -> Self;

    /// A 64-bit key: equal positions have equal keys, different ones almost surely different keys.
    fn key(&self) -> u64;

    /// A drawing for a person: several lines, without a newline at the end.
    fn picture(&self) -> String;

    /// What shows a position within one row of a table: cells with their headings, which are the same for
    /// all positions of a game.
    fn columns(&self) -> Vec<(&'static str, String)>;

    /// What the position looks like, for programs that draw it.
    fn scene(&self) -> Scene;

    /// What a move looks like that is known to be legal; of any other it has no meaning, or the call panics.
    fn preview(&self, mv: Self::Move) -> MovePreview;

    /// What a card says, as a sentence to whoever draws it.
    fn card_words(card: Self::Card) -> &'static str;
}
