//! A position: the squares of the rabbit and the wolves, and the seat to move.

use super::board::{ROW_8, SQUARES, Square, neighbours, up_left, up_right};
use super::moves::{Move, Moves};
use crate::rules::Seat;

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
    pub(super) wolves: u32,
    pub(super) rabbit: Square,
    pub(super) mover: Seat,
}

impl Position {
    /// Builds a position from the rabbit's square, the set of the wolves' squares and the seat to move. Returns `None`
    /// unless there are four wolves, none of them on the rabbit's square.
    pub fn new(rabbit: Square, wolves: u32, mover: Seat) -> Option<Position> {
        let is_valid = wolves.count_ones() == 4 && wolves & rabbit.bit() == 0 && mover.0 < 2;
        is_valid.then_some(Position::of(rabbit, wolves, mover))
    }

    /// [`Position::new`] without the check.
    pub(super) fn of(rabbit: Square, wolves: u32, mover: Seat) -> Position {
        Position { wolves, rabbit, mover }
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
        } else if self.moves().is_empty() {
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
        if self.is_rabbit_home() { 0 } else { !(self.wolves | self.rabbit.bit()) }
    }

    #[inline]
    fn is_rabbit_home(&self) -> bool {
        self.rabbit.bit() & ROW_8 != 0
    }

    #[inline]
    fn rival(&self) -> Seat {
        Seat(1 - self.mover.0)
    }

    /// Legal moves in ascending order.
    #[inline(always)]
    pub(super) fn moves(&self) -> Moves {
        let free = self.free_to_step_on();
        if self.mover == RABBIT {
            let next_to_it = NEIGHBOURS[usize::from(self.rabbit.number())];
            return Moves::of_rabbit(self.rabbit, next_to_it & free);
        }
        // A wolf can step down to the left if and only if it is up and right of a free square.
        Moves::of_wolves(self.wolves & up_right(free), self.wolves & up_left(free))
    }

    /// Returns the position after a legal move.
    #[inline(always)]
    pub(super) fn after_move(&self, mv: Move) -> Position {
        let mover = self.rival();
        if self.mover == RABBIT {
            Position { rabbit: mv.to, mover, ..*self }
        } else {
            Position { wolves: self.wolves ^ (mv.from.bit() | mv.to.bit()), mover, ..*self }
        }
    }
}
