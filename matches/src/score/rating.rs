//! Ratings of any number of engines, from games of any number of seats: the online method of Weng and Lin.
//!
//! A game is the set of all comparisons between its engines. Its model is that of Plackett and Luce, under
//! which each pair by itself follows Bradley and Terry: who is e times as strong comes before the other e
//! times out of e + 1.
//! Source: Ruby C. Weng, Chih-Jen Lin, "A Bayesian approximation method for online ranking", JMLR 12 (2011),
//! algorithm 1 (Bradley-Terry, full pairs).

use std::f64::consts::{LN_10, SQRT_2};

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

/// The spread of one performance. With it, settled ratings that are 400 apart mean ten to one, as in Elo.
const BETA: f64 = 400.0 / (LN_10 * SQRT_2);

/// The uncertainty of an engine of which nothing is known, as many times the spread as Weng and Lin have it.
const UNKNOWN: f64 = 2.0 * BETA;

/// The ratings of some engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    ratings: Vec<WengLinRating>,
}

/// What is known of the strength of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Its strength on the scale of Elo; 0 is that of an unknown engine.
    pub rating: f64,
    /// The standard deviation of what it may be.
    pub uncertainty: f64,
}

impl Ratings {
    /// The ratings of so many engines before their first game.
    pub fn new(engines: usize) -> Ratings {
        let unknown = WengLinRating {
            rating: 0.0,
            uncertainty: UNKNOWN,
        };
        Ratings {
            ratings: vec![unknown; engines],
        }
    }

    /// Learns from a game: the engine of each seat, as an index if it is known, and its points. The order of
    /// games matters a little. An engine with several seats counts once, with their mean.
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

    /// The rating of each engine.
    pub fn iter(&self) -> impl Iterator<Item = Rating> {
        self.ratings.iter().map(|rating| Rating {
            rating: rating.rating,
            uncertainty: rating.uncertainty,
        })
    }
}
