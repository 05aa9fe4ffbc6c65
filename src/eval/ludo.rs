//! Evaluation of the small dice game: the seat with the shorter way is ahead.

use std::sync::Arc;

use super::{Evaluate, Evaluator, Evaluators, STRENGTH_UNIT, Vector};
use crate::rules::ludo::Position;
use crate::rules::{Game, MAX_SEATS, Seat};

/// Squares of lead at which the odds are e to 1.
const SQUARES: i32 = 6;

/// The evaluator: squares that a seat's pawns have covered.
#[derive(Clone, Copy, Debug)]
pub struct Squares;

impl Evaluator<Position> for Squares {
    fn strengths(&self, position: &Position) -> Vector {
        let mut strengths = [0; MAX_SEATS];
        for (seat, strength) in strengths.iter_mut().enumerate().take(position.seats()) {
            let way: i32 = position.pawns(Seat(seat as u8)).map(i32::from).iter().sum();
            *strength = way * STRENGTH_UNIT / SQUARES;
        }
        strengths
    }

    fn explain(&self, position: &Position) -> Vec<String> {
        position.picture().lines().map(String::from).collect()
    }
}

impl Evaluate for Position {
    type Evaluator = Squares;

    fn evaluator(&self, _: &Evaluators) -> Arc<Squares> {
        Arc::new(Squares)
    }
}
