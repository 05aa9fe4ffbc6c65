//! Ratings of any number of engines, from games with any number of seats: the online method of Weng and Lin.
//!
//! A game is the set of all comparisons between its engines. In its model, that of Plackett and Luce, each pair follows
//! Bradley and Terry: an engine that is e times as strong as another comes before it with probability e / (e + 1).
//! Source: Ruby C. Weng, Chih-Jen Lin, "A Bayesian approximation method for online ranking", JMLR 12 (2011), algorithm
//! 1 (Bradley-Terry, full pairs).

use std::f64::consts::{LN_10, SQRT_2};

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

/// Standard deviation of one performance. With this value, a difference of 400 between settled ratings means odds of
/// ten to one, as in Elo.
const BETA: f64 = 400.0 / (LN_10 * SQRT_2);

/// Uncertainty of an engine without games: twice `BETA`, as in Weng and Lin.
const UNKNOWN: f64 = 2.0 * BETA;

/// Ratings of a set of engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    ratings: Vec<WengLinRating>,
}

/// Rating of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Estimated strength on the Elo scale; 0 for an engine without games.
    pub rating: f64,
    /// Standard deviation of the estimate.
    pub uncertainty: f64,
}

impl Ratings {
    /// Creates the ratings of engines without games.
    pub fn new(engines: usize) -> Ratings {
        let unknown = WengLinRating {
            rating: 0.0,
            uncertainty: UNKNOWN,
        };
        Ratings {
            ratings: vec![unknown; engines],
        }
    }

    /// Updates the ratings after a game, given the index of each seat's engine, if any, and its points. An engine with
    /// several seats counts once, with their mean. The order of games has a small effect.
    pub fn add(&mut self, engines: &[Option<usize>], points: &[f64]) {
        let mut means: Vec<(usize, f64)> = Vec::new();
        for engine in 0..self.ratings.len() {
            let seats = engines
                .iter()
                .zip(points)
                .filter(|(sitting, _)| **sitting == Some(engine));
            let (count, sum) = seats.fold((0, 0.0), |(count, sum), (_, points)| {
                (count + 1, sum + points)
            });
            if count > 0 {
                means.push((engine, sum / f64::from(count)));
            }
        }
        let rank = |mean: f64| 1 + means.iter().filter(|(_, other)| *other > mean).count();
        let seated: Vec<[WengLinRating; 1]> = means
            .iter()
            .map(|&(engine, _)| [self.ratings[engine]])
            .collect();
        let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = seated
            .iter()
            .zip(&means)
            .map(|(rating, &(_, mean))| (rating.as_slice(), MultiTeamOutcome::new(rank(mean))))
            .collect();
        let config = WengLinConfig {
            beta: BETA,
            ..WengLinConfig::default()
        };
        let learnt = weng_lin_multi_team(&teams, &config);
        for (&(engine, _), team) in means.iter().zip(learnt) {
            if let [rating] = team.as_slice() {
                self.ratings[engine] = *rating;
            }
        }
    }

    /// Returns the rating of each engine.
    pub fn iter(&self) -> impl Iterator<Item = Rating> {
        self.ratings.iter().map(|rating| Rating {
            rating: rating.rating,
            uncertainty: rating.uncertainty,
        })
    }
}
