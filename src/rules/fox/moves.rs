//! Moves, their text, and the compact set of legal moves.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::board::Square;

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
