//! Evaluations of Hase und Igel: the learned one, a [`net`], and the one of the article "AI in Hase und Igel: minimax
//! for three", an [`article::Evaluation`] with [`curves`], which is searched in [`lookahead`].

pub mod article;
pub mod curves;
pub mod lookahead;
pub mod net;

use std::sync::Arc;

use super::{
    Article, ArticleModel, Evaluate, Evaluators, ModelOption, ModelSettings, NoModel, Values,
    Vector,
};
use crate::rules::hase::{FINISH, Position, cost};
use crate::rules::{Game, MAX_SEATS, Seat};
use article::{Evaluation, Factors};
use curves::CURVES;
use lookahead::{HareModel, Lookahead};
use net::{Net, Nets};

/// P per square.
const PATH_PER_SQUARE: i32 = 3;

/// Cost in carrots of a single move from each square to the finish.
const COST_OF_WAY_HOME: [usize; FINISH as usize + 1] = {
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

impl Evaluate for Position {
    type Evaluator = Net;
    type Article = MinimaxForThree;

    fn evaluator(&self, evaluators: &Evaluators) -> Arc<Net> {
        evaluators.with(|nets: &mut Nets| nets.net(self.ruleset(), self.seats()))
    }
}

/// Settings of the article's model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Ks, Kc and Kp.
    pub factors: Factors,
    /// Effect of a hare square in the search.
    pub hare_model: HareModel,
}

/// Largest value of a factor, in hundredths.
const MAX_FACTOR: u32 = 1000;

/// Options for the settings.
pub const OPTIONS: &[ModelOption] = &[
    ModelOption {
        name: "Ks",
        values: Values::UpTo(MAX_FACTOR),
        get: |settings| settings.hase.factors.lettuces as u32,
        set: |settings, value| settings.hase.factors.lettuces = value as i32,
    },
    ModelOption {
        name: "Kc",
        values: Values::UpTo(MAX_FACTOR),
        get: |settings| settings.hase.factors.carrots as u32,
        set: |settings, value| settings.hase.factors.carrots = value as i32,
    },
    ModelOption {
        name: "Kp",
        values: Values::UpTo(MAX_FACTOR),
        get: |settings| settings.hase.factors.path as u32,
        set: |settings, value| settings.hase.factors.path = value as i32,
    },
    ModelOption {
        name: "HareModel",
        values: Values::Names(&["article", "article-penalty", "chance"]),
        get: |settings| settings.hase.hare_model as u32,
        set: |settings, value| {
            settings.hase.hare_model = match value {
                0 => HareModel::Article,
                1 => HareModel::ArticlePenalty,
                _ => HareModel::Chance,
            };
        },
    },
];

/// The article "AI in Hase und Igel: minimax for three".
#[derive(Clone, Copy, Debug)]
pub struct MinimaxForThree;

impl Article<Position> for MinimaxForThree {
    type Vectors = Lookahead;
    type Minimax = NoModel<Position>;

    fn model(
        position: &Position,
        settings: &ModelSettings,
    ) -> Option<ArticleModel<Lookahead, NoModel<Position>>> {
        let lookahead = Lookahead::new(position.ruleset(), &settings.hase);
        Some(ArticleModel::Vectors(lookahead))
    }

    fn worth(position: &Position, settings: &ModelSettings) -> Option<Vector> {
        let evaluation = Evaluation::new(position.ruleset(), &CURVES, &settings.hase.factors);
        let mut worth = [0; MAX_SEATS];
        for (seat, worth) in worth.iter_mut().enumerate().take(position.seats()) {
            *worth = evaluation.worth_of(position, Seat(seat as u8));
        }
        Some(worth)
    }

    /// A line for each seat: each term with its factor, and E, all in hundredths except S, C and P.
    fn explain(position: &Position, settings: &ModelSettings) -> Vec<String> {
        let factors = &settings.hase.factors;
        let seats = Seat::all(position.seats());
        let line = |seat| match position.place(seat) {
            Some(place) => format!("seat {seat}: place {place}"),
            None => {
                let terms = article::terms(position, seat);
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
        seats.map(line).collect()
    }
}
