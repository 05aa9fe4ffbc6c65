//! Moves, their integer codes, and the compact set of legal moves.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A move, identified by its code: 1 to 64 steps forward, -1 to -63 steps back, 1001 and 1002 to stay on a carrot
/// square, 0 for a forced stay. Moves are ordered by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(i16);

impl Move {
    /// Forced stay.
    pub const STAY: Move = Move(0);
    /// Stays on a carrot square and takes ten carrots.
    pub const TAKE: Move = Move(1001);
    /// Stays on a carrot square and gives ten carrots.
    pub const GIVE: Move = Move(1002);

    /// Move of `steps` squares forward.
    ///
    /// # Panics
    /// If `steps` is not 1 to 64.
    pub const fn forward(steps: u8) -> Move {
        assert!(steps >= 1 && steps <= 64, "a move forward has 1 to 64 steps");
        Move(steps as i16)
    }

    /// Integer code.
    pub const fn code(self) -> i16 {
        self.0
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The word is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected 1 to 64, -1 to -63, 1001, 1002 or 0")]
pub struct MoveError;

impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Move, MoveError> {
        let code: i16 = text.parse().map_err(|_| MoveError)?;
        let known = matches!(code, -63..=64 | 1001 | 1002);
        // Accepts only the canonical spelling, not `+5`, `05` or `-0`.
        if known && Move(code).to_string() == text { Ok(Move(code)) } else { Err(MoveError) }
    }
}

/// A set of moves that iterates in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// Bit n: n + 1 steps forward.
    pub(super) forward: u64,
    /// Steps back, or 0 for none.
    pub(super) back: u8,
    /// Bit 0: the forced stay; bit 1: take; bit 2: give.
    pub(super) staying: u8,
}

impl Moves {
    pub(super) const NONE: Moves = Moves { forward: 0, back: 0, staying: 0 };
    pub(super) const FORCED: Moves = Moves { forward: 0, back: 0, staying: 1 };

    pub(super) const TAKE: u8 = 2;
    pub(super) const GIVE: u8 = 4;

    /// `true` if no move is left.
    pub fn is_empty(&self) -> bool {
        self.forward == 0 && self.back == 0 && self.staying == 0
    }

    /// `true` if `mv` is in the set.
    pub fn contains(&self, mv: Move) -> bool {
        match mv.0 {
            1..=64 => self.forward >> (mv.0 - 1) & 1 == 1,
            0 => self.staying & 1 == 1,
            1001 => self.staying & Moves::TAKE != 0,
            1002 => self.staying & Moves::GIVE != 0,
            code => self.back != 0 && code == -i16::from(self.back),
        }
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        if self.back != 0 {
            let steps = std::mem::take(&mut self.back);
            return Some(Move(-i16::from(steps)));
        }
        if self.forward != 0 {
            let bit = self.forward.trailing_zeros();
            self.forward &= self.forward - 1;
            return Some(Move(bit as i16 + 1));
        }
        if self.staying == 0 {
            return None;
        }
        // The forced stay is always the only move, so its place in the order does not matter.
        let bit = self.staying.trailing_zeros();
        self.staying &= self.staying - 1;
        Some(if bit == 0 { Move::STAY } else { Move(1000 + bit as i16) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count =
            self.forward.count_ones() + self.staying.count_ones() + u32::from(self.back != 0);
        (count as usize, Some(count as usize))
    }
}

impl ExactSizeIterator for Moves {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_yields_what_it_contains_in_ascending_order() {
        let set = Moves { forward: 1 << 63 | 0b101, back: 6, staying: Moves::TAKE | Moves::GIVE };
        let codes: Vec<i16> = set.map(Move::code).collect();
        assert_eq!(codes, [-6, 1, 3, 64, 1001, 1002]);
        assert_eq!(set.len(), codes.len());
        for code in (-63..=64).chain([1001, 1002]) {
            assert_eq!(set.contains(Move(code)), codes.contains(&code), "{code}");
        }
    }
}
