//! The article's evaluation: E = Ks x S + Kc x C + Kp x P for each seat.
//!
//! Source: the article "AI in Hase und Igel: minimax for three".

use super::curves::{CURVES, Curves, LettuceCurves, MAX_CARROTS};
use super::{COST_OF_WAY_HOME, HALF, PATH_PER_SQUARE};
use crate::eval::DECIDED_WORTH;
use crate::rules::hase::{FINISH, Hare, Position, Ruleset};
use crate::rules::{Game, Seat};

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
    (function, held.min(MAX_CARROTS))
}

/// The evaluation with its factors multiplied in, for a search.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Ks x S + Kp x P by lettuces in hand and square.
    standing: [[i32; FINISH as usize + 1]; 4],
    /// Kc x C by function and carrots held.
    carrots: [[i32; MAX_CARROTS + 1]; 3],
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
