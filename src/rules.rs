//! Rules of the games: legal moves, their effects, and the final places.
//!
//! Each game is a *position*: a small `Copy` value with the seat to move ([`Turn`]), its legal moves, and the effect of
//! each. The search works on a position's own type through the trait [`Game`]. Sessions, referees and other clients
//! that work with text use [`AnyPosition`], which holds a position of any [`Variant`]. The rules do not print, draw
//! pictures, read a clock or start a thread. Chance is explicit: if a card is due, [`Game::outcomes`] lists the
//! possible cards with their weights, and the caller draws.

pub mod fox;
pub mod hase;
#[cfg(feature = "ludo")]
#[path = "../tests/ludo.rs"]
pub mod ludo;
#[macro_use]
mod variant;

use std::fmt;
use std::hash::Hash;
use std::hint::black_box;
use std::str::FromStr;

use thiserror::Error;

pub use variant::{ActionError, SetupError, UnknownVariant, Variant, is_card};

// A game also has its evaluation in `src/eval.rs` and its pictures in `src/pictures.rs`. Two seats can play each game.
games! { $
    #[cfg(true)]
    Hase: hase {
        "hase-und-igel" => &hase::HASE_UND_IGEL,
        "hare-and-tortoise" => &hase::HARE_AND_TORTOISE
    }
    #[cfg(true)]
    Fox: fox { "fox-and-hounds" "rabbits-and-wolves" => &() }
    #[cfg(feature = "ludo")]
    Ludo: ludo { "ludo" => &() }
}

/// Largest number of seats in any game.
pub const MAX_SEATS: usize = 6;

/// Largest number of legal moves in any position of any game.
pub const MAX_MOVES: usize = 72;

/// Largest number of kinds of card in any game.
pub const MAX_OUTCOMES: usize = 8;

/// A place in the turn order, counted from 0 in code and from 1 in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(pub u8);

impl Seat {
    /// The first `count` seats, in turn order.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Seat> + Clone {
        (0..count as u8).map(Seat)
    }

    /// Index into per-seat arrays, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// The next action in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This seat moves.
    Seat(Seat),
    /// A card is due for this seat, whose move ended on a card square.
    Card(Seat),
    /// None: every place is decided.
    Over,
}

impl Turn {
    /// Seat that moves or draws; `None` if the game is over.
    #[inline]
    pub fn seat(self) -> Option<Seat> {
        match self {
            Turn::Seat(seat) | Turn::Card(seat) => Some(seat),
            Turn::Over => None,
        }
    }

    /// Seat that moves; `None` if a card is due or the game is over.
    #[inline]
    pub fn mover(self) -> Option<Seat> {
        match self {
            Turn::Seat(seat) => Some(seat),
            Turn::Card(_) | Turn::Over => None,
        }
    }
}

/// Result of a two-player game with perfect play: the winner plays for the fastest win, and the loser delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Solution {
    /// Winning seat.
    pub winner: Seat,
    /// Plies to the end; 0 if the game is over.
    pub plies: u32,
}

/// The text is not a position. The message begins with the invalid field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct PositionError {
    /// Name of the invalid field.
    pub field: &'static str,
    /// The seat that it concerns, if it is one seat's.
    pub seat: Option<Seat>,
    /// The expected content of the field, and the content that was found.
    pub problem: String,
}

impl PositionError {
    /// The field is invalid.
    pub(crate) fn new(field: &'static str, problem: impl Into<String>) -> PositionError {
        PositionError { field, seat: None, problem: problem.into() }
    }

    /// The field has another text or number than expected.
    pub(crate) fn expected(
        field: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Debug,
    ) -> PositionError {
        PositionError::new(field, format!("expected {expected}, found {found:?}"))
    }

    /// The field of a seat is invalid.
    pub(crate) fn of_seat(
        field: &'static str,
        seat: Seat,
        problem: impl Into<String>,
    ) -> PositionError {
        PositionError { seat: Some(seat), ..PositionError::new(field, problem) }
    }
}

/// A position of a turn-based game with perfect information and, in some games, cards.
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
    /// Tables of a variant of this game.
    type Rules: Sync + 'static;
    /// A move, in the protocol's notation, ordered as in the list of legal moves.
    type Move: Copy
        + Ord
        + Hash
        + fmt::Debug
        + fmt::Display
        + FromStr<Err: fmt::Display>
        + Send
        + 'static;
    /// A card, in the protocol's notation.
    type Card: Copy
        + Ord
        + Hash
        + fmt::Debug
        + fmt::Display
        + FromStr<Err: fmt::Display>
        + Send
        + 'static;
    /// Legal moves of a position, in ascending order.
    type Moves: Iterator<Item = Self::Move> + ExactSizeIterator + Copy;
    /// Kinds of card left, in deck order, each with its number.
    type Outcomes: Iterator<Item = (Self::Card, u32)> + ExactSizeIterator + Clone;
    /// Rule that an illegal move breaks.
    type IllegalMove: std::error::Error + Send + Sync + 'static;
    /// Reason why a card cannot be drawn.
    type IllegalCard: std::error::Error + Send + Sync + 'static;

    /// `true` if a card can ever be due.
    const HAS_CARDS: bool;

    /// Returns the start for `seats` players, or `None` if the game cannot be played by that number.
    fn start(rules: &'static Self::Rules, seats: usize) -> Option<Self>;

    /// Parses the text of a position, as printed by [`Display`](fmt::Display).
    ///
    /// # Errors
    /// Names the invalid field and the accepted values.
    fn parse(rules: &'static Self::Rules, text: &str) -> Result<Self, PositionError>;

    /// Number of seats, 2 to [`MAX_SEATS`].
    fn seats(&self) -> usize;

    /// The next action: a seat's move, a card, or none.
    fn turn(&self) -> Turn;

    /// Final place of a seat, from 1, or `None` while it is open. No two seats share a place.
    fn place(&self, seat: Seat) -> Option<usize>;

    /// Best open place, from 1; one more than the number of seats if none is open.
    fn best_open_place(&self) -> usize {
        1 + Seat::all(self.seats()).filter(|&seat| self.place(seat).is_some()).count()
    }

    /// Number of turns that a seat would need to its goal if no other seat were in its way, as a measure of progress;
    /// `None` if the game has no such measure.
    fn turns_home(&self, seat: Seat) -> Option<u32>;

    /// Result with perfect play; `None` if the game is not solved. Either all positions of a game are solved or none.
    /// The first call may take some milliseconds to build tables.
    fn solved(&self) -> Option<Solution> {
        None
    }

    /// Legal moves in ascending order: at least one if a seat is to move, otherwise none.
    fn legal_moves(&self) -> Self::Moves;

    /// Kinds of card that can be drawn, in deck order; none unless a card is due.
    fn outcomes(&self) -> Self::Outcomes;

    /// Plays `mv` for the seat to move, after checking that it is legal.
    ///
    /// The search calls [`Game::play_unchecked`] instead, since its moves come from [`Game::legal_moves`].
    ///
    /// # Errors
    /// The rule that `mv` breaks, with its numbers; the position is unchanged.
    fn play(&mut self, mv: Self::Move) -> Result<(), Self::IllegalMove>;

    /// Returns the position after a legal move, without the check of [`Game::play`]. With an illegal move the result is
    /// meaningless, or the call panics.
    #[must_use]
    fn play_unchecked(&self, mv: Self::Move) -> Self;

    /// Draws `card` for the seat that is to draw, after checking that it can be drawn.
    ///
    /// The search calls [`Game::draw_unchecked`] instead, since its cards come from [`Game::outcomes`].
    ///
    /// # Errors
    /// The reason why the card cannot be drawn; the position is unchanged.
    fn draw(&mut self, card: Self::Card) -> Result<(), Self::IllegalCard>;

    /// Returns the position after a card that is due and left, without the check of [`Game::draw`].
    #[must_use]
    fn draw_unchecked(&self, card: Self::Card) -> Self;

    /// 64-bit key: equal positions have equal keys, and different positions almost surely different ones.
    fn key(&self) -> u64;
}

/// Writes `items` with `separator` between them.
pub(crate) fn joined(
    items: impl IntoIterator<Item = impl fmt::Display>,
    separator: &str,
) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(separator)
}

/// Mixes every bit of a word into all others; different words stay different.
///
/// Source: G. Steele et al., "Fast splittable pseudorandom number generators" (2014), SplitMix64.
#[inline]
pub(crate) fn splitmix64(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// Subtrees below this depth are too small to check for interruption.
const MIN_INTERRUPTIBLE_DEPTH: u32 = 4;

/// Counts the leaves `depth` plies below `position`, without playing the last ply, for checking move generation against
/// other programs. A card counts as a ply: each kind of card that is left is one branch.
///
/// Returns 1 at depth 0, and `None` once `should_stop` returns `true`. It is called often enough to stop within a few
/// milliseconds.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Game, hase::{HASE_UND_IGEL, Position}, perft};
///
/// let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
/// assert_eq!(perft(&start, 4, &mut || false), Some(3229));
/// ```
pub fn perft<G: Game>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    count::<G, true>(position, depth, should_stop)
}

/// Counts like [`perft`], but also plays every move of the last ply.
pub fn perft_by_playing<G: Game>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    count::<G, false>(position, depth, should_stop)
}

/// Counts the leaves; returns `None` once `should_stop` returns `true`.
fn count<G: Game, const BULK: bool>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    if depth < MIN_INTERRUPTIBLE_DEPTH {
        return Some(count_to_the_end::<G, BULK>(position, depth));
    }
    if should_stop() {
        return None;
    }
    let mut leaves = Some(0);
    for_each_child(position, |child| {
        leaves =
            leaves.and_then(|sum| Some(sum + count::<G, BULK>(child, depth - 1, should_stop)?));
    });
    leaves
}

/// [`count`] without interruption; the last plies need no calls.
fn count_to_the_end<G: Game, const BULK: bool>(position: &G, depth: u32) -> u64 {
    let mut leaves = 0;
    match depth {
        0 => leaves = 1,
        1 if BULK => leaves = number_of_children(position),
        1 => for_each_child(position, |leaf| {
            // Keeps the compiler from removing the move because its result is unused.
            black_box(leaf);
            leaves += 1;
        }),
        2 if BULK => for_each_child(position, |child| leaves += number_of_children(child)),
        _ => for_each_child(position, |child| {
            leaves += count_to_the_end::<G, BULK>(child, depth - 1);
        }),
    }
    leaves
}

/// Number of leaves at depth 1.
#[inline]
fn number_of_children<G: Game>(position: &G) -> u64 {
    match position.turn() {
        Turn::Seat(_) => position.legal_moves().len() as u64,
        Turn::Card(_) => position.outcomes().len() as u64,
        Turn::Over => 0,
    }
}

/// Calls `visit` with each position one ply later: after each legal move or, if a card is due, each kind of card.
// Inlines loops and moves together, so that work common to all moves of a position is done once.
#[inline(always)]
pub fn for_each_child<G: Game>(position: &G, mut visit: impl FnMut(&G)) {
    position.legal_moves().for_each(|mv| visit(&position.play_unchecked(mv)));
    for (card, _) in position.outcomes() {
        visit(&position.draw_unchecked(card));
    }
}

/// Parses a canonical whole number from 0 to `max`: decimal digits without sign or leading zeros.
///
/// # Errors
/// The reason, as words behind the text.
pub(crate) fn whole_number(text: &str, max: u32) -> Result<u32, String> {
    let canonical = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    if !canonical {
        return Err("is not a whole number without sign or leading zeros".into());
    }
    let number = text.parse().ok().filter(|number| *number <= max);
    number.ok_or_else(|| format!("is above {max}"))
}

/// Parses the number of one of the first `seats` seats, from 1.
pub(crate) fn seat_number(text: &str, seats: usize) -> Option<Seat> {
    match whole_number(text, seats as u32) {
        Ok(0) | Err(_) => None,
        Ok(number) => Some(Seat(number as u8 - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_of_a_number_is_accepted() {
        assert_eq!(whole_number("0", 9), Ok(0));
        assert_eq!(whole_number("65535", 65535), Ok(65535));
        for text in ["", "+1", "-1", "01", "00", "1 ", "1e3", "١"] {
            let error = "is not a whole number without sign or leading zeros";
            assert_eq!(whole_number(text, 9), Err(error.into()), "{text:?}");
        }
        for text in ["10", "4294967296", "99999999999999999999999"] {
            assert_eq!(whole_number(text, 9), Err("is above 9".into()), "{text:?}");
        }
    }
}
