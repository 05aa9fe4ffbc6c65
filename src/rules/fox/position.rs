//! A position: the squares of the rabbit and the wolves, and the seat to move.

use std::convert::Infallible;
use std::fmt;

use super::board::{ROW_8, SQUARES, Square, neighbours, up_left, up_right};
use super::moves::{Move, Moves};
use super::notation::{self, PositionError};
use super::refusal::IllegalMove;
use super::solved::SOLVED;
use super::{picture, scene};
use crate::rules::no_cards::{NoCard, NoOutcomes};
use crate::rules::{Census, Game, MovePreview, Outcome, Scene, Seat, Turn};

/// The seat of the rabbit, which moves first.
pub const RABBIT: Seat = Seat(0);

/// The seat of the wolves.
pub const WOLVES: Seat = Seat(1);

/// Squares next to each square.
const NEIGHBOURS: [u32; SQUARES as usize] = {
    let mut table = [0; SQUARES as usize];
    let mut number = 0;
    while number < SQUARES {
        table[number as usize] = neighbours(1 << number);
        number += 1;
    }
    table
};

/// A position of Rabbits and Wolves. Two positions are equal if and only if their texts are.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Game, fox::Position};
///
/// let mut position = Position::start(&(), 2).unwrap();
/// assert_eq!(position.to_string(), "1h1h1h1h/8/8/8/8/8/8/4F3 w - - 0 1");
/// position.play("e1d2".parse().unwrap()).unwrap();
/// assert_eq!(position.to_string(), "1h1h1h1h/8/8/8/8/8/3F4/8 b - - 0 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Set of four squares without the rabbit's.
    wolves: u32,
    rabbit: Square,
    mover: Seat,
}

impl Position {
    /// Builds a position from the rabbit's square, the set of the wolves' squares and the seat to move. Returns `None`
    /// unless there are four wolves, none of them on the rabbit's square.
    pub fn new(rabbit: Square, wolves: u32, mover: Seat) -> Option<Position> {
        let is_one = wolves.count_ones() == 4 && wolves & rabbit.bit() == 0 && mover.0 < 2;
        is_one.then_some(Position::of(rabbit, wolves, mover))
    }

    /// [`Position::new`] without the check.
    pub(super) fn of(rabbit: Square, wolves: u32, mover: Seat) -> Position {
        Position {
            wolves,
            rabbit,
            mover,
        }
    }

    /// Square of the rabbit.
    #[inline]
    pub fn rabbit(&self) -> Square {
        self.rabbit
    }

    /// Set of the squares of the four wolves.
    #[inline]
    pub fn wolves(&self) -> u32 {
        self.wolves
    }

    /// Seat to move; in a finished game the seat that would be next.
    #[inline]
    pub fn mover(&self) -> Seat {
        self.mover
    }

    /// Seat that has won, or `None` if the game is not over.
    #[inline]
    pub fn winner(&self) -> Option<Seat> {
        if self.is_rabbit_home() {
            Some(RABBIT)
        } else if self.legal_moves().is_empty() {
            Some(self.rival())
        } else {
            None
        }
    }

    /// Letter for a dark square: `F` for the rabbit, `h` for a wolf, `None` for a free square.
    pub(super) fn letter_on(&self, square: Square) -> Option<char> {
        if square == self.rabbit {
            Some('F')
        } else {
            (self.wolves & square.bit() != 0).then_some('h')
        }
    }

    /// Free squares; none once the rabbit is home, since then there are no legal moves.
    #[inline(always)]
    fn free_to_step_on(&self) -> u32 {
        if self.is_rabbit_home() {
            0
        } else {
            !(self.wolves | self.rabbit.bit())
        }
    }

    #[inline]
    fn is_rabbit_home(&self) -> bool {
        self.rabbit.bit() & ROW_8 != 0
    }

    #[inline]
    fn rival(&self) -> Seat {
        Seat(1 - self.mover.0)
    }
}

impl Game for Position {
    type Rules = ();
    type Move = Move;
    type Card = NoCard;
    type Moves = Moves;
    type Outcomes = NoOutcomes;
    type IllegalMove = IllegalMove;
    type IllegalCard = Infallible;
    type PositionError = PositionError;

    const HAS_CARDS: bool = false;

    fn start(_: &'static (), seats: usize) -> Option<Position> {
        const E1: Square = Square::new(2);
        (seats == 2).then_some(Position {
            wolves: ROW_8,
            rabbit: E1,
            mover: RABBIT,
        })
    }

    fn parse(_: &'static (), text: &str) -> Result<Position, PositionError> {
        notation::parse(text)
    }

    #[inline]
    fn seats(&self) -> usize {
        2
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.legal_moves().is_empty() {
            Turn::Over
        } else {
            Turn::Seat(self.mover)
        }
    }

    #[inline]
    fn place(&self, seat: Seat) -> Option<usize> {
        let winner = self.winner()?;
        Some(if seat == winner { 1 } else { 2 })
    }

    fn turns_home(&self, _: Seat) -> Option<u32> {
        // The rabbit may never get home; games end anyway, since the wolves only move down the board.
        None
    }

    fn solved(&self) -> Option<Outcome> {
        Some(SOLVED.outcome(self))
    }

    fn census(&self) -> Option<Census<Position>> {
        Some(SOLVED.census())
    }

    #[inline(always)]
    fn legal_moves(&self) -> Moves {
        let free = self.free_to_step_on();
        if self.mover == RABBIT {
            let next_to_it = NEIGHBOURS[usize::from(self.rabbit.number())];
            return Moves::of_rabbit(self.rabbit, next_to_it & free);
        }
        // A wolf can step down to the left if and only if it is up and right of a free square.
        Moves::of_wolves(self.wolves & up_right(free), self.wolves & up_left(free))
    }

    #[inline]
    fn outcomes(&self) -> NoOutcomes {
        NoOutcomes
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.legal_moves().any(|legal| legal == mv) {
            return Err(self.refusal(mv));
        }
        *self = self.play_unchecked(mv);
        Ok(())
    }

    #[inline(always)]
    fn play_unchecked(&self, mv: Move) -> Position {
        let mover = self.rival();
        if self.mover == RABBIT {
            Position {
                rabbit: mv.to,
                mover,
                ..*self
            }
        } else {
            Position {
                wolves: self.wolves ^ (mv.from.bit() | mv.to.bit()),
                mover,
                ..*self
            }
        }
    }

    fn draw(&mut self, card: NoCard) -> Result<(), Infallible> {
        card.never()
    }

    fn draw_unchecked(&self, card: NoCard) -> Position {
        card.never()
    }

    /// In this game different positions always have different keys.
    #[inline]
    fn key(&self) -> u64 {
        let word = u64::from(self.wolves)
            | u64::from(self.rabbit.number()) << 32
            | u64::from(self.mover.0) << 40;
        mix(word.wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    fn picture(&self) -> String {
        picture::draw(self)
    }

    fn scene(&self) -> Scene {
        scene::of(self)
    }

    fn preview(&self, mv: Move) -> MovePreview {
        scene::preview(self, mv)
    }

    fn card_words(card: NoCard) -> &'static str {
        card.never()
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let wolves: Vec<String> = Square::all_in(self.wolves)
            .map(|square| square.to_string())
            .collect();
        vec![
            ("rabbit", self.rabbit.to_string()),
            ("wolves", wolves.join(" ")),
        ]
    }
}

/// Mixes every bit of a word into all others; different words stay different. Source: S. Vigna, splitmix64, with the
/// constants of D. Stafford.
#[inline]
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::format(self, f)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}\n{}", picture::draw(self))
    }
}
