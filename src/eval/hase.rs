//! The evaluations of Hase und Igel: the learned one, a [`net`], and that of the article "AI in Hase und Igel: minimax
//! for three", an [`article::Evaluation`] with [`curves`], which [`lookahead`] searches.

pub mod article;
pub mod curves;
pub mod lookahead;
pub mod net;

use std::sync::{Arc, MutexGuard, PoisonError};

use super::{ArticleModel, Evaluate, Evaluators, ModelSettings, NoModel, Vector};
use crate::rules::hase::{FINISH, Position, Ruleset, cost};
use crate::rules::{Game, MAX_SEATS, Seat};
use article::{Evaluation, Factors, Terms};
use curves::CURVES;
use lookahead::Lookahead;
use net::Net;
pub use net::Nets;

/// P for a square.
const PATH_PER_SQUARE: i32 = 3;

/// Carrots that one move from a square to the finish costs.
const COST_OF_WAY_HOME: [usize; FINISH as usize + 1] = {
    let mut table = [0; FINISH as usize + 1];
    let mut square = 0;
    while square < table.len() {
        table[square] = cost(FINISH as u16 - square as u16) as usize;
        square += 1;
    }
    table
};

/// The squares below this one are the first half of the track.
const HALF: u8 = 32;

impl Evaluators {
    /// The net for a ruleset and a number of seats.
    fn net(&self, ruleset: &'static Ruleset, seats: usize) -> Arc<Net> {
        self.lock().net(ruleset, seats)
    }

    fn lock(&self) -> MutexGuard<'_, Nets> {
        self.nets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Evaluate for Position {
    type Evaluator = Net;
    type Vectors = Lookahead;
    type Minimax = NoModel<Position>;

    fn evaluator(&self, evaluators: &Evaluators) -> Arc<Net> {
        evaluators.net(self.ruleset(), self.seats())
    }

    fn model(&self, settings: &ModelSettings) -> ArticleModel<Lookahead, NoModel<Position>> {
        ArticleModel::Vectors(Lookahead::new(self.ruleset(), settings))
    }

    fn model_worth(&self, settings: &ModelSettings) -> Vector {
        let evaluation = Evaluation::new(self.ruleset(), &CURVES, &settings.factors);
        let mut worth = [0; MAX_SEATS];
        for (seat, worth) in worth.iter_mut().enumerate().take(self.seats()) {
            *worth = evaluation.worth_of(self, Seat(seat as u8));
        }
        worth
    }

    fn explain_model(&self, settings: &ModelSettings) -> Vec<String> {
        explain_with(self, &settings.factors, |seat| article::terms(self, seat))
    }
}

/// A line a seat: each term with its factor, and E, all in hundredths but S, C and P.
fn explain_with(
    position: &Position,
    factors: &Factors,
    terms: impl Fn(Seat) -> Terms,
) -> Vec<String> {
    let seats = (0..position.seats() as u8).map(Seat);
    seats
        .map(|seat| match position.place(seat) {
            Some(place) => format!("seat {seat}: place {place}"),
            None => {
                let terms = terms(seat);
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
        })
        .collect()
}
