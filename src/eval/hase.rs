//! The evaluation of Hase und Igel: E = Ks x S + Kc x C + Kp x P for each seat, from its lettuces, its
//! carrots and its square.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It shows its curves as pictures only;
//! these are our own, and its third function of carrots counts turns instead. [`article`] has the evaluation
//! as the article describes it.

pub mod article;
pub mod curves;
pub mod lookahead;

use super::{ArticleModel, Evaluate, ModelSettings, NoModel, Vector};
use crate::rules::hase::{FINISH, Hare, Position, cost};
use crate::rules::{Game, MAX_SEATS, Seat};
use article::{Evaluation, Factors, Terms};
use curves::{CURVES, CarrotCurve, Falling, LettuceCurves, MOST_CARROTS};
use lookahead::Lookahead;

/// The factors Ks, Kc and Kp, in hundredths.
const FACTORS: Factors = Factors {
    lettuces: 100,
    carrots: 100,
    path: 100,
};

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

/// S by lettuces in hand and lettuce squares strictly ahead: the fewer squares are left for the
/// lettuces in hand, the worse, and with more lettuces than squares the hare has to turn back.
const LETTUCES: LettuceCurves = [
    [60, 60, 60, 60, 60, 60],
    [-20, 25, 38, 42, 44, 45],
    [-60, -20, 5, 20, 26, 30],
    [-90, -60, -25, -5, 8, 15],
];

/// C by carrots held, for the article's first two functions: the first and the second half of the track.
const CARROTS: [CarrotCurve; 2] = [
    Falling {
        first: 90,
        half: 60,
    }
    .curve(),
    Falling {
        first: 90,
        half: 35,
    }
    .curve(),
];

/// C of a hare that is home with its next move.
const HOMECOMING: i32 = 30;

/// What each turn costs that a hare needs before its last move.
const TURN: i32 = 13;

/// C of a hare that can pay the way home in one move: with the right holding it is as good as there, with
/// too much it needs turns to spend what it may not bring along, and the more the further away.
fn worth_of_way_home(position: &Position, seat: Seat) -> i32 {
    let hare = position.hare(seat);
    let turns = position.turns_home(seat).unwrap_or(1).min(MOST_TURNS) as i32;
    let eating = 2 * i32::from(hare.lettuces);
    HOMECOMING + PATH_PER_SQUARE * i32::from(FINISH - hare.square) - TURN * (turns - 1 - eating)
}

/// Ways home of more turns count as this many.
const MOST_TURNS: u32 = 40;

/// What a seat's worth is made of.
#[inline]
fn own_terms(position: &Position, seat: Seat) -> Terms {
    let Hare {
        carrots,
        square,
        lettuces,
    } = position.hare(seat);
    let held = usize::from(carrots) + usize::from(position.income(seat));
    let (function, carrots) = if held >= COST_OF_WAY_HOME[usize::from(square)] {
        (2, worth_of_way_home(position, seat))
    } else {
        let function = usize::from(square >= HALF);
        (function, CARROTS[function][held.min(MOST_CARROTS)])
    };
    let ahead = position.ruleset().track.lettuces_ahead(square);
    let row = usize::from(lettuces).min(LETTUCES.len() - 1);
    Terms {
        lettuces: LETTUCES[row][ahead.min(5)],
        function,
        carrots,
        path: PATH_PER_SQUARE * i32::from(square),
    }
}

impl Evaluate for Position {
    type Vectors = Lookahead;
    type Minimax = NoModel<Position>;

    #[inline]
    fn worth(&self) -> Vector {
        let mut worth = [0; MAX_SEATS];
        for (seat, worth) in worth.iter_mut().enumerate().take(self.seats()) {
            *worth = own_terms(self, Seat(seat as u8)).worth(&FACTORS);
        }
        worth
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

    fn explain(&self) -> Vec<String> {
        explain_with(self, &FACTORS, |seat| own_terms(self, seat))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carrots_are_worth_less_and_less_and_sooner_so_in_the_second_half() {
        let gain =
            |function: usize, from: usize| CARROTS[function][from + 50] - CARROTS[function][from];
        for function in [0, 1] {
            for from in [0, 50, 100, 150] {
                assert!(
                    gain(function, from) > gain(function, from + 50),
                    "[{function}] {from}"
                );
            }
        }
        for from in [0, 50, 100] {
            assert!(gain(1, from) < gain(0, from), "{from}");
        }
    }

    #[test]
    fn lettuces_weigh_more_the_fewer_squares_are_left_for_them() {
        for (lettuces, row) in LETTUCES.iter().enumerate() {
            for ahead in 1..row.len() {
                assert!(
                    row[ahead] >= row[ahead - 1],
                    "{lettuces} lettuces, {ahead} ahead"
                );
                if lettuces > 0 {
                    assert!(
                        row[ahead] < LETTUCES[lettuces - 1][ahead],
                        "{lettuces}, {ahead}"
                    );
                }
            }
        }
    }
}
