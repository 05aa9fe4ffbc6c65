//! The solved game: the winner of each position, and the number of plies when the winner plays for the fastest win and
//! the loser delays.
//!
//! Wolves only move down, so every second ply leads to a lower placement of the wolves, and the game has no cycles. One
//! pass over the placements in ascending order is enough. All squares of the rabbit for one placement are computed
//! together, as a row of 32 bytes. The table has only the rows with the rabbit to move. A position with the wolves to
//! move is the best of at most eight of those; looking them up takes less time than writing a second table.
//!
//! Placements of four wolves on 32 squares are ranked in ascending order of their sets as numbers. The rank of a set is
//! the sum of the binomials C(square, k) over its squares, where k counts the squares from 1 upwards: the combinatorial
//! number system.

use std::array;
use std::iter;
use std::sync::LazyLock;

use super::board::{ROW_8, Square, down_left, down_right};
use super::{Position, RABBIT, WOLVES};
use crate::rules::Solution;

/// The table, built on first use.
pub static SOLVED: LazyLock<Solved> = LazyLock::new(Solved::new);

/// The exact outcome of every position, in 1.1 MiB.
///
/// # Examples
/// ```
/// use buxtehude::rules::fox::{Position, WOLVES, solved::SOLVED};
/// use buxtehude::rules::{Game, Solution};
///
/// let start = Position::start(&(), 2).unwrap();
/// assert_eq!(SOLVED.outcome(&start), Solution { winner: WOLVES, plies: 44 });
/// ```
#[derive(Debug)]
pub struct Solved {
    /// Values with the rabbit to move, by rank of the placement, [`older`] by one move.
    rabbit_to_move: Vec<Row>,
}

/// A value for each square of the rabbit. The rabbit maximises it, the wolves minimise it.
///
/// The value is the number of moves that the wolves make until the end if the wolves win, and [`HIGHEST`] less that
/// number if the rabbit wins. So the winner prefers fast wins and the loser slow ones. A side without a legal move
/// keeps the initial value, which is an immediate loss. A square occupied by a wolf has the value that is never chosen:
/// [`HIGHEST`] for the wolves, [`LOWEST`] for the rabbit.
type Row = [u8; 32];

/// The wolves have won.
const LOWEST: u8 = 0;

/// The rabbit has won.
const HIGHEST: u8 = u8::MAX;

/// Values below this are wins of the wolves. No move count comes near it: four wolves have at most 28 steps.
const MIDDLE: u8 = 128;

impl Solved {
    /// Solves the game, in a few milliseconds. Use [`SOLVED`], which does this only once.
    #[expect(clippy::new_without_default, reason = "a default should not take milliseconds")]
    pub fn new() -> Solved {
        let mut solved = Solved { rabbit_to_move: Vec::with_capacity(PLACEMENTS) };
        for wolves in placements() {
            let wolves_to_move = solved.wolves_to_move(wolves);
            let best = best_neighbours(&wolves_to_move);
            let occupied = occupied(wolves);
            let row = zip(&best, &occupied, |value, wolf| older(value) | wolf);
            solved.rabbit_to_move.push(row);
        }
        solved
    }

    /// Returns the winner and the number of plies to the end. With the rabbit on row 8 it has won in 0 plies, whichever
    /// seat is to move.
    pub fn outcome(&self, position: &Position) -> Solution {
        if position.rabbit().bit() & ROW_8 != 0 {
            return Solution { winner: RABBIT, plies: 0 };
        }
        let rabbit = usize::from(position.rabbit().number());
        let stored = |wolves| self.rabbit_to_move[rank(wolves)][rabbit];
        let wolves_move = position.mover() == WOLVES;
        let value = if wolves_move {
            let after = after_each_step(position.wolves());
            after.fold(HIGHEST, |best, wolves| best.min(stored(wolves)))
        } else {
            younger(stored(position.wolves()))
        };
        // The last move is the winner's.
        if value < MIDDLE {
            Solution { winner: WOLVES, plies: 2 * u32::from(value) - u32::from(wolves_move) }
        } else {
            Solution {
                winner: RABBIT,
                plies: 2 * u32::from(HIGHEST - value) + u32::from(!wolves_move),
            }
        }
    }

    /// Values with the wolves to move, from the rows of the lower placements.
    ///
    /// A step onto the rabbit needs no special case: afterwards a wolf stands there, and the value is never chosen.
    fn wolves_to_move(&self, wolves: u32) -> Row {
        let best = after_each_step(wolves).fold([HIGHEST; 32], |best, after| {
            zip(&best, &self.rabbit_to_move[rank(after)], u8::min)
        });
        let best = zip(&best, &ON_TOP, |value, top| value | top);
        zip(&best, &occupied(wolves), |value, wolf| value & !wolf)
    }
}

/// Sets of the wolves after each step onto a square without a wolf; the rabbit may be there.
#[inline]
fn after_each_step(wolves: u32) -> impl Iterator<Item = u32> {
    Square::all_in(wolves).flat_map(move |from| {
        let steps = (down_left(from.bit()) | down_right(from.bit())) & !wolves;
        Square::all_in(steps).map(move |to| wolves ^ (from.bit() | to.bit()))
    })
}

/// Value one move of the wolves earlier.
#[inline]
fn older(value: u8) -> u8 {
    value.wrapping_add(if value < MIDDLE { 1 } else { u8::MAX })
}

/// Inverse of [`older`].
fn younger(value: u8) -> u8 {
    value.wrapping_add(if value < MIDDLE { u8::MAX } else { 1 })
}

/// For each square, the highest value of its neighbours.
///
/// Two neighbours have numbers 4 higher and 4 lower. The other two are next to those: one number lower on rows 1, 3, 5
/// and 7, which begin with the a-file, one higher on the other rows.
#[inline]
fn best_neighbours(row: &Row) -> Row {
    let (below, above) = shifted::<4>(row);
    let straight = zip(&below, &above, u8::max);
    let (before, behind) = shifted::<1>(&straight);
    let before = zip(&before, &HAS_BEFORE, |value, has| value & has);
    let behind = zip(&behind, &HAS_BEHIND, |value, has| value & has);
    zip(&straight, &zip(&before, &behind, u8::max), u8::max)
}

/// Shifts the row by `N` squares up and down: each square gets the value `N` before it, and the value `N` after it.
/// [`LOWEST`] fills the ends.
#[inline]
fn shifted<const N: usize>(row: &Row) -> (Row, Row) {
    let mut padded = [LOWEST; 40];
    padded[4..36].copy_from_slice(row);
    (
        array::from_fn(|square| padded[4 + square - N]),
        array::from_fn(|square| padded[4 + square + N]),
    )
}

#[inline]
fn zip(a: &Row, b: &Row, combine: impl Fn(u8, u8) -> u8) -> Row {
    array::from_fn(|square| combine(a[square], b[square]))
}

/// A row with all bits set on squares of wolves.
#[inline]
fn occupied(wolves: u32) -> Row {
    Square::all_in(wolves).fold([0; 32], |row, square| {
        let single = &SINGLE_SQUARES[usize::from(square.number())];
        zip(&row, single, |a, b| a | b)
    })
}

const ON_TOP: Row = all_bits_set_on(ROW_8);

/// Squares where the number one lower belongs to the two diagonals: not on the a-file.
const HAS_BEFORE: Row = all_bits_set_on(0x0e0e_0e0e);

/// Squares where the number one higher belongs to the two diagonals: not on the h-file.
const HAS_BEHIND: Row = all_bits_set_on(0x7070_7070);

const SINGLE_SQUARES: [Row; 32] = {
    let mut rows = [[0; 32]; 32];
    let mut square = 0;
    while square < 32 {
        rows[square] = all_bits_set_on(1 << square);
        square += 1;
    }
    rows
};

const fn all_bits_set_on(squares: u32) -> Row {
    let mut row = [0; 32];
    let mut square = 0;
    while square < 32 {
        if squares >> square & 1 == 1 {
            row[square] = u8::MAX;
        }
        square += 1;
    }
    row
}

/// Number of placements: C(32, 4).
const PLACEMENTS: usize = 35_960;

const WOLF_COUNT: usize = 4;

/// C(square, k + 1) by k and square.
static BINOMIALS: [[u16; 32]; WOLF_COUNT] = {
    let mut table = [[0; 32]; WOLF_COUNT];
    let mut square = 1;
    while square < 32 {
        // Pascal's triangle: C(n, k) = C(n - 1, k) + C(n - 1, k - 1).
        table[0][square] = square as u16;
        let mut k = 1;
        while k < WOLF_COUNT {
            table[k][square] = table[k][square - 1] + table[k - 1][square - 1];
            k += 1;
        }
        square += 1;
    }
    table
};

/// Rank of a set of four squares among all such sets, from 0. For another number of squares it has no meaning.
#[inline]
fn rank(wolves: u32) -> usize {
    let mut left = wolves;
    let mut rank = 0;
    for binomials in &BINOMIALS {
        rank += binomials[left.trailing_zeros() as usize % 32];
        left &= left.wrapping_sub(1);
    }
    rank.into()
}

/// All placements in ascending order: the one at index n has rank n.
fn placements() -> impl Iterator<Item = u32> {
    // The next larger number with the same number of bits set: the top bit of the lowest block of ones moves up by one
    // place, and the rest of the block moves to the bottom.
    iter::successors(Some(0b1111), |&wolves: &u32| {
        let lowest = 1 << wolves.trailing_zeros();
        let carried = wolves.checked_add(lowest)?;
        Some(carried | (carried ^ wolves) >> 2 >> wolves.trailing_zeros())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    #[test]
    fn ranks_count_the_placements() {
        let all: Vec<u32> = placements().collect();
        assert_eq!(all.len(), PLACEMENTS);
        assert_eq!(all.last(), Some(&0xf000_0000));
        for (number, &wolves) in all.iter().enumerate() {
            assert_eq!(wolves.count_ones(), 4, "{wolves:#034b}");
            assert_eq!(rank(wolves), number, "{wolves:#034b}");
        }
    }

    #[test]
    fn the_table_is_small() {
        let bytes = size_of::<Row>() * SOLVED.rabbit_to_move.capacity();
        assert!(bytes <= 4 << 20, "{bytes} bytes");
    }

    #[test]
    fn an_end_is_0_plies_away() {
        for (text, winner) in [
            ("3F4/8/8/8/8/8/8/h1h1h1h1 w", RABBIT),
            ("3F4/8/8/8/8/8/8/h1h1h1h1 b", RABBIT),
            ("8/8/8/8/8/2F5/8/h1h1h1h1 b", RABBIT),
            ("1h1h1h2/8/8/8/8/8/1h6/F7 w", WOLVES),
        ] {
            let position = Position::parse(&(), text).unwrap();
            let expected = Solution { winner, plies: 0 };
            assert_eq!(SOLVED.outcome(&position), expected, "{position:?}");
        }
    }
}
