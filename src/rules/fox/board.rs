//! The dark squares of the board, the steps between them, and the moves.
//!
//! The squares are numbered row by row from the bottom, four to a row: a1 is 0, c1 is 1, b2 is 4, h8 is 31. In a set of
//! squares bit n is square n. A step up adds 4 to the number and, depending on the row, 1 more to the right or 1 less
//! to the left.

use std::fmt;
use std::iter;
use std::str::FromStr;

use thiserror::Error;

/// Number of dark squares.
pub const SQUARES: u8 = 32;

/// Squares of row 8, the rabbit's goal.
pub const ROW_8: u32 = 0xF000_0000;

/// Squares of rows 1, 3, 5 and 7, which begin with a dark square.
const ODD_ROWS: u32 = 0x0F0F_0F0F;

/// Squares of rows 2, 4, 6 and 8, which end with a dark square.
const EVEN_ROWS: u32 = 0xF0F0_F0F0;

/// Squares at the left edge, where no step to the left is possible.
const FILE_A: u32 = 0x0101_0101;

/// Squares at the right edge, where no step to the right is possible.
const FILE_H: u32 = 0x8080_8080;

/// Squares one step up and left of a square in `set`.
#[inline]
pub const fn up_left(set: u32) -> u32 {
    (set & EVEN_ROWS) << 4 | (set & ODD_ROWS & !FILE_A) << 3
}

/// Squares one step up and right of a square in `set`.
#[inline]
pub const fn up_right(set: u32) -> u32 {
    (set & ODD_ROWS) << 4 | (set & EVEN_ROWS & !FILE_H) << 5
}

/// Squares one step down and left of a square in `set`.
#[inline]
pub const fn down_left(set: u32) -> u32 {
    (set & EVEN_ROWS) >> 4 | (set & ODD_ROWS & !FILE_A) >> 5
}

/// Squares one step down and right of a square in `set`.
#[inline]
pub const fn down_right(set: u32) -> u32 {
    (set & ODD_ROWS) >> 4 | (set & EVEN_ROWS & !FILE_H) >> 3
}

/// Squares one step in any direction from a square in `set`.
#[inline]
pub const fn neighbours(set: u32) -> u32 {
    up_left(set) | up_right(set) | down_left(set) | down_right(set)
}

/// A dark square, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square with a number.
    ///
    /// # Panics
    /// If the number is not below [`SQUARES`].
    #[inline]
    pub const fn new(number: u8) -> Square {
        assert!(number < SQUARES, "there are 32 dark squares");
        Square(number)
    }

    /// Returns the square at a row and a file, both from 0, if it is a dark square of the board.
    pub const fn at(row: u8, file: u8) -> Option<Square> {
        if row < 8 && file < 8 && (row + file).is_multiple_of(2) {
            Some(Square(4 * row + file / 2))
        } else {
            None
        }
    }

    /// Squares of a set in ascending order.
    #[inline]
    pub fn all_in(set: u32) -> impl Iterator<Item = Square> {
        let without_lowest = |set: u32| set & set.wrapping_sub(1);
        iter::successors(Some(set), move |&set| Some(without_lowest(set)))
            .take_while(|&set| set != 0)
            .map(|set| Square::from_low_bits(set.trailing_zeros()))
    }

    /// Returns the square whose number is in the low five bits.
    #[inline]
    pub(super) const fn from_low_bits(bits: u32) -> Square {
        Square(bits as u8 % SQUARES)
    }

    /// Number of the square, 0 to 31.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The set with only this square.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << (self.0 % SQUARES)
    }

    /// Row, from 0 at the bottom.
    pub const fn row(self) -> u8 {
        self.0 / 4
    }

    /// File, from 0 at the left.
    pub const fn file(self) -> u8 {
        self.0 % 4 * 2 + self.row() % 2
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = char::from(b'a' + self.file());
        write!(f, "{file}{}", self.row() + 1)
    }
}

/// The word is not a dark square.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected a dark square such as a1 or b2")]
pub struct SquareError;

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Square, SquareError> {
        let &[file, row] = text.as_bytes() else {
            return Err(SquareError);
        };
        Square::at(row.wrapping_sub(b'1'), file.wrapping_sub(b'a')).ok_or(SquareError)
    }
}

/// A move from one square to another. Moves are ordered by the number of the origin square, then of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Origin square.
    pub from: Square,
    /// Destination square.
    pub to: Square,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

/// The word is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected two dark squares, from and to, such as e1d2")]
pub struct MoveError;

impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Move, MoveError> {
        let (from, to) = text.split_at_checked(2).ok_or(MoveError)?;
        Ok(Move {
            from: from.parse().map_err(|_| MoveError)?,
            to: to.parse().map_err(|_| MoveError)?,
        })
    }
}

/// Card of this game, which has none: this type has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoCard {}

impl fmt::Display for NoCard {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// The game has no cards, so no word is one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this game has no cards, expected a move")]
pub struct CardError;

impl FromStr for NoCard {
    type Err = CardError;

    fn from_str(_: &str) -> Result<NoCard, CardError> {
        Err(CardError)
    }
}

/// A set of moves that iterates in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Moves(Set);

#[derive(Clone, Copy, Debug)]
enum Set {
    /// The rabbit can step to each square of `targets`.
    OfRabbit { from: Square, targets: u32 },
    /// Wolves that can step down to the left, and those that can step down to the right.
    OfWolves { left: u32, right: u32 },
}

impl Moves {
    /// The moves of a rabbit on square `from`.
    #[inline]
    pub(super) fn of_rabbit(from: Square, targets: u32) -> Moves {
        Moves(Set::OfRabbit { from, targets })
    }

    /// The moves down to the left of the wolves in `left`, and to the right of those in `right`.
    #[inline]
    pub(super) fn of_wolves(left: u32, right: u32) -> Moves {
        Moves(Set::OfWolves { left, right })
    }

    /// `true` if no move is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match self.0 {
            Set::OfRabbit { targets, .. } => targets == 0,
            Set::OfWolves { left, right } => left | right == 0,
        }
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        match &mut self.0 {
            Set::OfRabbit { targets: 0, .. } | Set::OfWolves { left: 0, right: 0 } => None,
            Set::OfRabbit { from, targets } => {
                let to = Square::from_low_bits(targets.trailing_zeros());
                *targets &= *targets - 1;
                Some(Move { from: *from, to })
            }
            Set::OfWolves { left, right } => {
                let from = (*left | *right).trailing_zeros();
                let bit = 1 << from;
                let is_right = *left & bit == 0;
                if is_right {
                    *right ^= bit;
                } else {
                    *left ^= bit;
                }
                Some(step_down(from, u32::from(is_right)))
            }
        }
    }

    // Branches once on the kind of moves instead of at each move: twice as fast as `next`.
    #[inline]
    fn fold<B, F>(self, initial: B, mut f: F) -> B
    where
        F: FnMut(B, Move) -> B,
    {
        let mut accumulated = initial;
        match self.0 {
            Set::OfRabbit { from, mut targets } => {
                while targets != 0 {
                    let to = Square::from_low_bits(targets.trailing_zeros());
                    targets &= targets - 1;
                    accumulated = f(accumulated, Move { from, to });
                }
            }
            Set::OfWolves { left, right } => {
                let mut movers = left | right;
                while movers != 0 {
                    let from = movers.trailing_zeros();
                    movers &= movers - 1;
                    if left >> from & 1 == 1 {
                        accumulated = f(accumulated, step_down(from, 0));
                    }
                    if right >> from & 1 == 1 {
                        accumulated = f(accumulated, step_down(from, 1));
                    }
                }
            }
        }
        accumulated
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = match self.0 {
            Set::OfRabbit { targets, .. } => targets.count_ones(),
            Set::OfWolves { left, right } => left.count_ones() + right.count_ones(),
        };
        (count as usize, Some(count as usize))
    }
}

impl ExactSizeIterator for Moves {}

/// Step of a wolf down to the left, or to the right if `right` is 1.
#[inline]
fn step_down(from: u32, right: u32) -> Move {
    // The number falls by 4 to the left and by 3 to the right, in rows 1, 3, 5 and 7 by one more.
    let in_odd_row = !(from >> 2) & 1;
    Move {
        from: Square::from_low_bits(from),
        to: Square::from_low_bits(from.wrapping_sub(4 + in_odd_row).wrapping_add(right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_and_named_row_by_row() {
        let mut number = 0;
        for row in 0..8 {
            for file in 0..8 {
                let Some(square) = Square::at(row, file) else {
                    continue;
                };
                assert_eq!(square.number(), number, "{square}");
                assert_eq!((square.row(), square.file()), (row, file), "{square}");
                assert_eq!(square.to_string().parse(), Ok(square));
                number += 1;
            }
        }
        assert_eq!(number, SQUARES);
        for text in ["", "a", "a2", "b1", "A1", "a0", "a9", "i1", "a11", "1a", "ä1"] {
            assert_eq!(text.parse::<Square>(), Err(SquareError), "{text:?}");
        }
    }

    type Step = fn(u32) -> u32;

    #[test]
    fn steps_lead_to_the_next_row_and_file_and_never_round_an_edge() {
        let steps: [(Step, i8, i8); 4] =
            [(up_left, 1, -1), (up_right, 1, 1), (down_left, -1, -1), (down_right, -1, 1)];
        for from in (0..SQUARES).map(Square::new) {
            for (step, rows, files) in steps {
                let row = from.row().wrapping_add_signed(rows);
                let file = from.file().wrapping_add_signed(files);
                let expected = Square::at(row, file).map_or(0, Square::bit);
                assert_eq!(step(from.bit()), expected, "{from} {rows:+} {files:+}");
            }
        }
    }

    #[test]
    fn only_one_spelling_of_a_move_is_accepted() {
        for text in ["e1d2", "b8a7", "h8g7", "a1h8", "c3c3"] {
            let read = text.parse::<Move>().map(|mv| mv.to_string());
            assert_eq!(read, Ok(text.to_string()));
        }
        for text in [
            "", "e1", "e1d", "e1d22", "e1-d2", "E1D2", "e2e4", "d1e2", "e1e2", "e9d8", "0000", "5",
            "é1d2",
        ] {
            assert_eq!(text.parse::<Move>(), Err(MoveError), "{text:?}");
        }
    }
}
