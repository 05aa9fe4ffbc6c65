//! What the table needs to know of the game: squares, steps, and whose turn it is.
//!
//! The 32 dark squares are numbered from the bottom row up and from left to right: a1 = 0, c1 = 1, b2 = 4,
//! h8 = 31. A set of squares is a `u32` with bit n for square n.

use std::iter;

/// The squares of row 8.
pub const TOP_ROW: u32 = 0xf000_0000;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one rabbit, which moves first.
    Rabbit,
    /// The four wolves.
    Wolves,
}

/// Where everybody stands and who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The set of the four squares of the wolves.
    pub wolves: u32,
    /// The square of the rabbit, 0 to 31, none of the wolves'.
    pub rabbit: u8,
    /// Whether it is the wolves' turn.
    pub wolves_move: bool,
}

/// A step of the rabbit or of a wolf. Moves are ordered by the square they leave, then by the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The square that is left.
    pub from: u8,
    /// The square a step away.
    pub to: u8,
}

impl Position {
    /// A start of the game: the wolves on the top row, the rabbit, to move, on a square of its choice.
    pub fn start(rabbit: u8) -> Position {
        Position {
            wolves: TOP_ROW,
            rabbit,
            wolves_move: false,
        }
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        if self.wolves_move {
            Side::Wolves
        } else {
            Side::Rabbit
        }
    }

    /// The legal moves, ascending; none when the game is over.
    pub fn moves(self) -> impl Iterator<Item = Move> {
        let is_over = TOP_ROW >> self.rabbit & 1 == 1;
        let movers = match self.side() {
            _ if is_over => 0,
            Side::Rabbit => 1 << self.rabbit,
            Side::Wolves => self.wolves,
        };
        let upwards = !self.wolves_move;
        let free = !(self.wolves | 1 << self.rabbit);
        squares(movers).flat_map(move |from| {
            let square = usize::from(from);
            let above = if upwards { ABOVE[square] } else { 0 };
            squares((BELOW[square] | above) & free).map(move |to| Move { from, to })
        })
    }

    /// The position after a legal move.
    #[must_use]
    pub fn after(self, mv: Move) -> Position {
        let wolves_move = !self.wolves_move;
        if self.wolves_move {
            Position {
                wolves: mv.of_wolves(self.wolves),
                wolves_move,
                ..self
            }
        } else {
            Position {
                rabbit: mv.to,
                wolves_move,
                ..self
            }
        }
    }
}

impl Move {
    /// The wolves after this step of one of them.
    #[inline]
    pub fn of_wolves(self, wolves: u32) -> u32 {
        wolves ^ (1 << self.from | 1 << self.to)
    }
}

/// All steps of the wolves onto squares without a wolf, though the rabbit may stand there.
#[inline]
pub fn wolf_moves(wolves: u32) -> impl Iterator<Item = Move> {
    squares(wolves).flat_map(move |from| {
        squares(BELOW[usize::from(from)] & !wolves).map(move |to| Move { from, to })
    })
}

/// The squares of a set, ascending.
#[inline]
pub fn squares(set: u32) -> impl Iterator<Item = u8> {
    let rest = |set: u32| set & set.wrapping_sub(1);
    iter::successors(Some(set), move |&set| Some(rest(set)))
        .take_while(|&set| set != 0)
        .map(|set| set.trailing_zeros() as u8)
}

/// The squares a step above those of a set.
pub const fn above(set: u32) -> u32 {
    set << 4 | (set & BEGINS_A & !A_FILE) << 3 | (set & !BEGINS_A & !H_FILE) << 5
}

/// The squares a step below those of a set.
pub const fn below(set: u32) -> u32 {
    set >> 4 | (set & BEGINS_A & !A_FILE) >> 5 | (set & !BEGINS_A & !H_FILE) >> 3
}

/// The rows 1, 3, 5 and 7, which begin on the a-file; the others end on the h-file.
const BEGINS_A: u32 = 0x0f0f_0f0f;
const A_FILE: u32 = 0x0101_0101;
const H_FILE: u32 = 0x8080_8080;

const ABOVE: [u32; 32] = {
    let mut steps = [0; 32];
    let mut square = 0;
    while square < 32 {
        steps[square] = above(1 << square);
        square += 1;
    }
    steps
};

const BELOW: [u32; 32] = {
    let mut steps = [0; 32];
    let mut square = 0;
    while square < 32 {
        steps[square] = below(1 << square);
        square += 1;
    }
    steps
};
