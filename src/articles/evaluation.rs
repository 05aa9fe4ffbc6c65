//! The article's evaluation: E = Ks x S + Kc x C + Kp x P for each seat.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It shows the curves of S and C only as pictures; these
//! follow its description and were chosen among candidates by matches (docs/research.md).

use super::DECIDED_WORTH;
use crate::rules::hase::{FINISH, Hare, Position, Ruleset, cost};
use crate::rules::{Game, Seat};

/// P per square.
const PATH_PER_SQUARE: i32 = 3;

/// Cost in carrots of a single move from each square to the finish.
pub(super) const COST_OF_WAY_HOME: [usize; FINISH as usize + 1] = {
    let mut table = [0; FINISH as usize + 1];
    let mut square = 0;
    while square < table.len() {
        table[square] = cost(FINISH as u16 - square as u16) as usize;
        square += 1;
    }
    table
};

/// Squares below this one are the first half of the track.
const HALF: u8 = 32;

/// Correction factors Ks, Kc and Kp, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factors {
    /// Ks, for the lettuces.
    pub lettuces: i32,
    /// Kc, for the carrots.
    pub carrots: i32,
    /// Kp, for the path.
    pub path: i32,
}

impl Default for Factors {
    fn default() -> Factors {
        Factors { lettuces: 100, carrots: 100, path: 100 }
    }
}

/// Terms of a seat's E.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// S.
    pub lettuces: i32,
    /// Index of the function used for C: 0, 1 or 2.
    pub function: usize,
    /// C.
    pub carrots: i32,
    /// P.
    pub path: i32,
}

impl Terms {
    /// E, in hundredths.
    #[inline]
    pub fn worth(&self, factors: &Factors) -> i32 {
        factors.lettuces * self.lettuces + factors.carrots * self.carrots + factors.path * self.path
    }
}

/// Terms of a seat that has not finished, with the preset's curves.
pub fn terms(position: &Position, seat: Seat) -> Terms {
    let Hare { carrots, square, lettuces } = position.hare(seat);
    let held = usize::from(carrots) + usize::from(position.income(seat));
    let (function, held) = function_of(square, held);
    let ahead = position.ruleset().track.lettuces_ahead(square);
    Terms {
        lettuces: read(&CURVES.lettuces, lettuces, ahead),
        function,
        carrots: CURVES.carrots[function][held],
        path: PATH_PER_SQUARE * i32::from(square),
    }
}

fn read(curves: &LettuceCurves, lettuces: u8, ahead: usize) -> i32 {
    let row = &curves[usize::from(lettuces).min(curves.len() - 1)];
    row[ahead.min(row.len() - 1)]
}

/// The function for a holding on a square, and the part of the holding that counts.
#[inline(always)]
fn function_of(square: u8, held: usize) -> (usize, usize) {
    let function =
        if held >= COST_OF_WAY_HOME[usize::from(square)] { 2 } else { usize::from(square >= HALF) };
    (function, held.min(MAX_CURVE_CARROTS))
}

/// The evaluation with its factors multiplied in, for a search.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Ks x S + Kp x P by lettuces in hand and square.
    standing: [[i32; FINISH as usize + 1]; 4],
    /// Kc x C by function and carrots held.
    carrots: [[i32; MAX_CURVE_CARROTS + 1]; 3],
}

impl Evaluation {
    /// Computes the evaluation for a ruleset, with given curves and factors.
    pub fn new(ruleset: &Ruleset, curves: &Curves, factors: &Factors) -> Evaluation {
        let mut standing = [[0; FINISH as usize + 1]; 4];
        for (lettuces, row) in standing.iter_mut().enumerate() {
            for (square, worth) in row.iter_mut().enumerate() {
                let ahead = ruleset.track.lettuces_ahead(square as u8);
                let path = PATH_PER_SQUARE * square as i32;
                let from_lettuces =
                    factors.lettuces * read(&curves.lettuces, lettuces as u8, ahead);
                *worth = from_lettuces + factors.path * path;
            }
        }
        let carrots = curves.carrots.map(|curve| curve.map(|worth| factors.carrots * worth));
        Evaluation { standing, carrots }
    }

    /// E of each of the position's `N` seats, in hundredths. A seat that has finished has [`DECIDED_WORTH`] for itself
    /// and for each seat behind it, which is above all others.
    #[inline(always)]
    pub fn worth<const N: usize>(&self, position: &Position) -> [i32; N] {
        std::array::from_fn(|seat| self.worth_of(position, Seat(seat as u8)))
    }

    /// E of a seat.
    #[inline(always)]
    pub fn worth_of(&self, position: &Position, seat: Seat) -> i32 {
        let Hare { carrots, square, lettuces } = position.hare(seat);
        if square == FINISH {
            // A hare on the finish always has a place.
            let place = position.place(seat).unwrap_or(1);
            return finished_worth(place, position.seats());
        }
        self.worth_on(square, lettuces, carrots.saturating_add(position.income(seat)))
    }

    /// E of a hare on a square before the finish; `held` includes its next income.
    #[inline(always)]
    pub fn worth_on(&self, square: u8, lettuces: u8, held: u16) -> i32 {
        let (function, held) = function_of(square, held.into());
        let row = &self.standing[usize::from(lettuces & 3)];
        row[usize::from(square)] + self.carrots[function][held]
    }
}

/// E of the seat that finishes in this place, from 1, out of `seats` seats.
pub fn finished_worth(place: usize, seats: usize) -> i32 {
    DECIDED_WORTH * (seats + 1 - place) as i32
}

/// A line for each seat: each term with its factor, and E, all in hundredths except S, C and P.
pub fn explain(position: &Position, factors: &Factors) -> Vec<String> {
    let line = |seat| match position.place(seat) {
        Some(place) => format!("seat {seat}: place {place}"),
        None => {
            let terms = terms(position, seat);
            format!(
                "seat {seat}: S {} x {} + C[{}] {} x {} + P {} x {} = E {}",
                terms.lettuces,
                factors.lettuces,
                terms.function,
                terms.carrots,
                factors.carrots,
                terms.path,
                factors.path,
                terms.worth(factors),
            )
        }
    };
    Seat::all(position.seats()).map(line).collect()
}

/// Largest number of lettuces in hand.
const MAX_LETTUCES: usize = 3;

/// Largest number of lettuce squares ahead.
const MAX_AHEAD: usize = 5;

/// Largest holding in the curves; larger ones count as this.
pub const MAX_CURVE_CARROTS: usize = 511;

/// S by lettuces in hand and lettuce squares strictly ahead.
pub type LettuceCurves = [[i32; MAX_AHEAD + 1]; MAX_LETTUCES + 1];

/// C by carrots held.
pub type CarrotCurve = [i32; MAX_CURVE_CARROTS + 1];

/// The curves of S and C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curves {
    /// S by lettuces in hand and lettuce squares strictly ahead.
    pub lettuces: LettuceCurves,
    /// C by carrots held: for the first half of the track, for the second half, and for holdings that pay the way home.
    pub carrots: [CarrotCurve; 3],
}

/// Parameters of the curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// S by lettuces in hand and lettuce squares strictly ahead.
    pub lettuces: LettuceCurves,
    /// Value of carrots in the first half of the track.
    pub first_half: Falling,
    /// Value of carrots in the second half of the track.
    pub second_half: Falling,
    /// Value of carrots that pay the way home.
    pub way_home: Burden,
}

/// A value that grows with each carrot, by decreasing amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Falling {
    /// Value of the first carrot, in hundredths.
    pub first: i32,
    /// Number of carrots at which one more is worth half as much.
    pub half: i32,
}

/// A value that falls with each carrot, by increasing amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burden {
    /// Value of no carrots.
    pub start: i32,
    /// Decrease for the first carrot, in thousandths.
    pub first: i32,
    /// Growth of the decrease per carrot, in thousandths.
    pub growth: i32,
}

/// Parameters of the preset's curves.
pub const SHAPE: Shape = Shape {
    lettuces: [
        [60, 60, 60, 60, 60, 60],
        [-100, -35, 16, 18, 35, 35],
        [-170, -115, -55, -45, -15, 0],
        [-260, -215, -130, -100, -75, -50],
    ],
    first_half: Falling { first: 96, half: 67 },
    second_half: Falling { first: 90, half: 55 },
    way_home: Burden { start: 110, first: 1100, growth: 15 },
};

/// The preset's curves.
pub static CURVES: Curves = SHAPE.curves();

impl Shape {
    /// Computes the curves.
    pub const fn curves(&self) -> Curves {
        Curves {
            lettuces: self.lettuces,
            carrots: [self.first_half.curve(), self.second_half.curve(), self.way_home.curve()],
        }
    }
}

impl Falling {
    /// Computes the curve: a sum of the values of single carrots, rounded down.
    pub const fn curve(self) -> CarrotCurve {
        let mut table = [0; MAX_CURVE_CARROTS + 1];
        let mut carrots = 1;
        let mut hundredths = 0;
        while carrots < table.len() {
            hundredths += self.first * self.half / (self.half + carrots as i32 - 1);
            table[carrots] = hundredths / 100;
            carrots += 1;
        }
        table
    }
}

impl Burden {
    /// Computes the curve, with each carrot's part rounded up.
    pub const fn curve(self) -> CarrotCurve {
        let mut table = [self.start; MAX_CURVE_CARROTS + 1];
        let mut carrots = 1;
        let mut thousandths = 0;
        while carrots < table.len() {
            thousandths += self.first + self.growth * (carrots as i32 - 1);
            table[carrots] = self.start - thousandths / 1000;
            carrots += 1;
        }
        table
    }
}
