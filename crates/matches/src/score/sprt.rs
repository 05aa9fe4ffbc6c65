//! The sequential probability ratio test (SPRT), which decides after each block whether the evidence suffices.
//!
//! H0 says that the Elo difference of two engines is `elo0`, H1 that it is `elo1`. The test compares the log likelihood
//! ratio (LLR) of all blocks so far with Wald's two bounds, which follow from the accepted error rates. docs/rating.md
//! has the formulas.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adjusted::AdjustedScores;
use super::blocks::{BlockScores, Distribution};
use super::elo::{NORMALIZED_ELO, expected_score};
use super::likelihood::{ratio_of_means, ratio_of_t_values};

/// Keys of the text form: `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic luck=off`.
const KEYS: &str = "elo0, elo1, alpha, beta, model, luck";

/// Number of luck-adjusted blocks before the first verdict: fewer say too little about the distribution.
const MIN_BLOCKS: u64 = 30;

/// Least distance of both hypotheses below the mean luck-adjusted score, or above it, in standard errors, at which the
/// test no longer allows for scores that no block has.
const FAR: f64 = 4.0;

/// Largest Elo difference of a hypothesis.
const MAX_ELO: f64 = 1000.0;

/// A test of an Elo difference, with its hypotheses and error rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
    luck: bool,
}

/// Definition of an Elo difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Defined by the expected score: a difference of 400 means odds of ten to one.
    Logistic,
    /// Defined by the excess of the score over 1/2 in units of the standard deviation of a game, which determines the
    /// number of games that a test needs.
    Normalized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// H0 is accepted: the difference is closer to `elo0`.
    H0,
    /// H1 is accepted: the difference is closer to `elo1`.
    H1,
    /// The evidence does not suffice yet.
    Open,
}

#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    #[error("{name}={value}: expected a number from -{MAX_ELO} to {MAX_ELO}")]
    Elo {
        /// `elo0` or `elo1`.
        name: &'static str,
        value: f64,
    },
    #[error("elo0={elo0} and elo1={elo1}: expected elo0 below elo1")]
    Order { elo0: f64, elo1: f64 },
    #[error("{name}={value}: expected a number above 0 and at most 0.5, such as 0.05")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        value: f64,
    },
    #[error(
        "alpha=0.5 and beta=0.5: expected one of them below 0.5; with these rates no game is needed"
    )]
    Rates,
    /// The text is not a test; names the invalid part and the accepted form.
    #[error("{0}")]
    Text(String),
}

impl Sprt {
    /// Creates a test of H0 (a difference of `elo0`) against H1 (a difference of `elo1`). It wrongly accepts H1 with a
    /// probability of about `alpha`, and wrongly accepts H0 with a probability of about `beta`.
    ///
    /// # Errors
    /// [`SprtError`] names the given and the accepted values.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: EloModel,
    ) -> Result<Sprt, SprtError> {
        let sprt = Sprt { elo0, elo1, alpha, beta, model, luck: false };
        sprt.check().map(|()| sprt)
    }

    /// Checks a test of unknown origin, such as a stored one.
    ///
    /// # Errors
    /// As [`Sprt::new`].
    pub fn check(&self) -> Result<(), SprtError> {
        let Sprt { elo0, elo1, alpha, beta, .. } = *self;
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&value) {
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
        Ok(())
    }

    /// `true` if the test uses luck-adjusted scores.
    pub fn uses_luck(&self) -> bool {
        self.luck
    }

    /// Elo differences of H0 and H1.
    pub fn hypotheses(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    pub fn model(&self) -> EloModel {
        self.model
    }

    /// Bounds of the LLR, below and above 0: H0 is accepted at the first, H1 at the second.
    ///
    /// # Examples
    /// ```
    /// use matches::score::{EloModel, Sprt};
    ///
    /// let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic)?;
    /// let (low, high) = sprt.bounds();
    /// assert_eq!((format!("{low:.2}"), format!("{high:.2}")), ("-2.94".into(), "2.94".into()));
    /// # Ok::<(), matches::score::SprtError>(())
    /// ```
    pub fn bounds(&self) -> (f64, f64) {
        // Source: Abraham Wald, "Sequential tests of statistical hypotheses", 1945, section 3.2.
        let low = (self.beta / (1.0 - self.alpha)).ln();
        let high = ((1.0 - self.beta) / self.alpha).ln();
        (low, high)
    }

    /// Generalized log likelihood ratio of H1 to H0; 0 before the first block.
    pub fn llr(&self, scores: &BlockScores) -> f64 {
        match scores.blocks() {
            0 => 0.0,
            _ => self.ratio(&scores.distribution(), scores.games_per_block()),
        }
    }

    /// [`Sprt::llr`] for luck-adjusted scores; 0 before the 30th block.
    pub fn adjusted_llr(&self, scores: &AdjustedScores) -> f64 {
        match scores.blocks() {
            ..MIN_BLOCKS => 0.0,
            _ => self
                .ratio_if_far(scores)
                .unwrap_or_else(|| self.ratio(&scores.distribution(), scores.games_per_block())),
        }
    }

    /// Log likelihood ratio of normal distributions with the observed variance, if both hypotheses are [`FAR`] on the
    /// same side of the mean. There the general one, which explains any mean by rare scores of 0 or 1, hardly rises.
    fn ratio_if_far(&self, scores: &AdjustedScores) -> Option<f64> {
        let (mean, variance) = (scores.mean()?, scores.variance()?);
        let (blocks, games) = (scores.blocks() as f64, scores.games_per_block());
        let [zero, one] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => expected_score(elo),
            EloModel::Normalized => 0.5 + t_value(elo, games) * variance.sqrt(),
        });
        let far = FAR * (variance / blocks).sqrt();
        let is_far = mean > one + far || mean < zero - far;
        is_far.then(|| blocks * (one - zero) * (mean - (zero + one) / 2.0) / variance)
    }

    fn ratio(&self, observed: &Distribution, games_per_block: u32) -> f64 {
        match self.model {
            EloModel::Logistic => {
                ratio_of_means(observed, expected_score(self.elo0), expected_score(self.elo1))
            }
            EloModel::Normalized => {
                let of_a_block = |elo| t_value(elo, games_per_block);
                ratio_of_t_values(observed, of_a_block(self.elo0), of_a_block(self.elo1))
            }
        }
    }

    pub fn verdict(&self, llr: f64) -> Verdict {
        let (low, high) = self.bounds();
        match llr {
            llr if llr >= high => Verdict::H1,
            llr if llr <= low => Verdict::H0,
            _ => Verdict::Open,
        }
    }
}

impl FromStr for Sprt {
    type Err = SprtError;

    /// Parses `key=value` words separated by blanks. The defaults are `elo0=0`, `elo1=5`, `alpha=0.05`, `beta=0.05`,
    /// `model=logistic` and `luck=off`.
    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, None, None);
        let (mut model, mut luck) = (None, None);
        for word in text.split_whitespace() {
            let no_value =
                || SprtError::Text(format!("{word:?} is not KEY=VALUE; the keys are {KEYS}"));
            let (key, value) = word.split_once('=').ok_or_else(no_value)?;
            match key {
                "elo0" => once(&mut elo0, key, number(key, value)?)?,
                "elo1" => once(&mut elo1, key, number(key, value)?)?,
                "alpha" => once(&mut alpha, key, number(key, value)?)?,
                "beta" => once(&mut beta, key, number(key, value)?)?,
                "model" => once(&mut model, key, model_named(value)?)?,
                "luck" => once(&mut luck, key, switch(key, value)?)?,
                _ => {
                    let unknown = format!("unknown key {key:?}; the keys are {KEYS}");
                    return Err(SprtError::Text(unknown));
                }
            }
        }
        let sprt = Sprt::new(
            elo0.unwrap_or(0.0),
            elo1.unwrap_or(5.0),
            alpha.unwrap_or(0.05),
            beta.unwrap_or(0.05),
            model.unwrap_or(EloModel::Logistic),
        )?;
        let luck = luck.unwrap_or(false);
        Ok(Sprt { luck, ..sprt })
    }
}

/// Writes all keys in the form that [`FromStr`] parses.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta, model, luck } = self;
        write!(f, "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}")?;
        if *luck { f.write_str(" luck=on") } else { Ok(()) }
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
        })
    }
}

/// T-value of a block of n games at a normalized Elo difference. A block carries n times the evidence of a game, so its
/// t-value is sqrt(n) times a game's.
fn t_value(elo: f64, games: u32) -> f64 {
    elo * f64::from(games).sqrt() / NORMALIZED_ELO
}

fn number(key: &str, value: &str) -> Result<f64, SprtError> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    let expected = || format!("{key}={value}: expected a number such as 2.5");
    number.ok_or_else(|| SprtError::Text(expected()))
}

fn model_named(name: &str) -> Result<EloModel, SprtError> {
    let models = [EloModel::Logistic, EloModel::Normalized];
    let model = models.into_iter().find(|model| model.to_string() == name);
    let expected = || format!("model={name}: expected logistic or normalized");
    model.ok_or_else(|| SprtError::Text(expected()))
}

fn switch(key: &str, value: &str) -> Result<bool, SprtError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(SprtError::Text(format!("{key}={value}: expected on or off"))),
    }
}

fn once<T>(field: &mut Option<T>, key: &str, value: T) -> Result<(), SprtError> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(SprtError::Text(format!("{key} is given twice"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_has_a_default() {
        let read = |text: &str| text.parse::<Sprt>().unwrap().to_string();
        assert_eq!(read(""), "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic");
        let full = "elo0=-1.75 elo1=0.25 alpha=0.01 beta=0.1 model=normalized";
        assert_eq!(read(full), full);
        assert_eq!(
            read("luck=on elo1=2"),
            "elo0=0 elo1=2 alpha=0.05 beta=0.05 model=logistic luck=on"
        );
        assert_eq!(read(" elo1=2 luck=off "), "elo0=0 elo1=2 alpha=0.05 beta=0.05 model=logistic");
    }

    #[test]
    fn errors_name_what_was_given_and_what_is_accepted() {
        let texts = [
            "elo0", "elo2=5", "elo0=1 elo0=1", "elo0=low", "elo1=inf", "model=bayesian", "elo0=5",
            "elo1=1001", "alpha=0", "beta=0.6", "alpha=0.5 beta=0.5",
        ];
        let errors = texts.map(|text| match text.parse::<Sprt>() {
            Ok(sprt) => panic!("{text}: {sprt}"),
            Err(error) => format!("{text}\n  {error}"),
        });
        insta::assert_snapshot!(errors.join("\n"));
    }
}
