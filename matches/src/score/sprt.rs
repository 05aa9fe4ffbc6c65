//! The sequential probability ratio test: after each block, is there enough evidence to stop?
//!
//! H0 says that the Elo difference of two engines is `elo0`, H1 that it is `elo1`. The log likelihood ratio
//! (LLR) of all blocks so far is held against two bounds, Abraham Wald's, that follow from the rates of
//! error allowed. docs/rating.md has the formulas.

mod text;

use thiserror::Error;

use super::blocks::BlockScores;
use super::elo::{NORMALIZED_ELO, expected_score};
use super::likelihood::{ratio_of_means, ratio_of_t_values};

pub use text::SprtTextError;

/// The largest Elo difference of a hypothesis.
const MOST_ELO: f64 = 1000.0;

/// A test of an Elo difference: what is asked, and how sure the answer is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

/// What an Elo difference is a measure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EloModel {
    /// Of the score: a difference of 400 lets expect ten points to one.
    Logistic,
    /// Of the score above 1/2 in units of the standard deviation of a game: of how soon it shows.
    Normalized,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is rather `elo0`.
    H0,
    /// The difference is rather `elo1`.
    H1,
    /// There is not enough evidence yet.
    Open,
}

/// Why there is no such test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// A difference that is no number or too large.
    #[error("{name}={value}: expected a number from -{MOST_ELO} to {MOST_ELO}")]
    Elo {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// The hypotheses are not in order.
    #[error("elo0={elo0} and elo1={elo1}: expected elo0 below elo1")]
    Order {
        /// The difference of H0.
        elo0: f64,
        /// The difference of H1.
        elo1: f64,
    },
    /// A rate of error outside what it can be.
    #[error("{name}={value}: expected a number above 0 and at most 0.5, such as 0.05")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// Two rates that need no test.
    #[error("alpha=0.5 and beta=0.5: expected one of them below 0.5, or no game would be needed")]
    Rates,
}

impl Sprt {
    /// A test of H0, a difference of `elo0`, against H1, one of `elo1`, which accepts H1 at a rate of at most
    /// about `alpha` where H0 holds, and H0 at one of about `beta` where H1 holds.
    ///
    /// # Errors
    /// [`SprtError`] names what was given and what is accepted.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: EloModel,
    ) -> Result<Sprt, SprtError> {
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MOST_ELO..=MOST_ELO).contains(&value) {
                return Err(SprtError::Elo { name, value });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value <= 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        if alpha + beta >= 1.0 {
            return Err(SprtError::Rates);
        }
        Ok(Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// The Elo differences of H0 and H1.
    pub fn hypotheses(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// What these differences are a measure of.
    pub fn model(&self) -> EloModel {
        self.model
    }

    /// The bounds of the LLR, below and above 0: H0 is accepted at the first, H1 at the second.
    ///
    /// # Examples
    /// ```
    /// use arbiter::score::{EloModel, Sprt};
    ///
    /// let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic)?;
    /// let (low, high) = sprt.bounds();
    /// assert_eq!((format!("{low:.2}"), format!("{high:.2}")), ("-2.94".into(), "2.94".into()));
    /// # Ok::<(), arbiter::score::SprtError>(())
    /// ```
    pub fn bounds(&self) -> (f64, f64) {
        // Source: Abraham Wald, "Sequential tests of statistical hypotheses", 1945, section 3.2.
        let low = (self.beta / (1.0 - self.alpha)).ln();
        let high = ((1.0 - self.beta) / self.alpha).ln();
        (low, high)
    }

    /// The generalized log likelihood ratio of H1 to H0; 0 before the first block.
    pub fn llr(&self, scores: &BlockScores) -> f64 {
        if scores.blocks() == 0 {
            return 0.0;
        }
        let observed = scores.distribution();
        match self.model {
            EloModel::Logistic => ratio_of_means(
                &observed,
                expected_score(self.elo0),
                expected_score(self.elo1),
            ),
            EloModel::Normalized => {
                // A block of n games is worth n times the evidence of one: its t-value is the root of n
                // times that of a game.
                let of_a_block = f64::from(scores.games_per_block()).sqrt() / NORMALIZED_ELO;
                ratio_of_t_values(&observed, self.elo0 * of_a_block, self.elo1 * of_a_block)
            }
        }
    }

    /// What an LLR says.
    pub fn verdict(&self, llr: f64) -> Verdict {
        let (low, high) = self.bounds();
        match llr {
            llr if llr >= high => Verdict::H1,
            llr if llr <= low => Verdict::H0,
            _ => Verdict::Open,
        }
    }
}
