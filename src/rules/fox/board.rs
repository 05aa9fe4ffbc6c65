//! The dark squares of the board, and the steps between them.
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
}
