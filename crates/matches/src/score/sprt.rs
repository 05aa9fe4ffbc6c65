//! The sequential probability ratio test (SPRT), which decides after each block whether the evidence suffices.
//!
//! H0 says that the Elo difference of two engines is `elo0`, H1 that it is `elo1`. The test compares the log likelihood
//! ratio (LLR) of all blocks so far with Wald's two bounds, which follow from the accepted error rates. docs/rating.md
//! has the formulas.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::blocks::{AdjustedScores, BlockScores, Distribution};
use super::interval::{NORMALIZED_ELO, expected_score};

/// Keys of the text form: `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic luck=off`.
const SPRT_KEYS: &str = "elo0, elo1, alpha, beta, model, luck";

/// Number of luck-adjusted blocks before the first verdict: fewer say too little about the distribution.
const MIN_ADJUSTED_BLOCKS: u64 = 30;

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

/// Error in the settings of a test: names the invalid word, and the accepted ones.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct SprtError(String);

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
                let expected = format!("a number from -{MAX_ELO} to {MAX_ELO}");
                return Err(SprtError(format!("{name}={value}: expected {expected}")));
            }
        }
        if elo0 >= elo1 {
            let found = format!("elo0={elo0} and elo1={elo1}");
            return Err(SprtError(format!("{found}: expected elo0 below elo1")));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value <= 0.5) {
                let expected = "a number above 0 and at most 0.5, such as 0.05";
                return Err(SprtError(format!("{name}={value}: expected {expected}")));
            }
        }
        if alpha + beta >= 1.0 {
            let found = "alpha=0.5 and beta=0.5: expected one of them below 0.5";
            return Err(SprtError(format!("{found}; with these rates no game is needed")));
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
            ..MIN_ADJUSTED_BLOCKS => 0.0,
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
                || SprtError(format!("{word:?} is not KEY=VALUE; the keys are {SPRT_KEYS}"));
            let (key, value) = word.split_once('=').ok_or_else(no_value)?;
            match key {
                "elo0" => once(&mut elo0, key, number(key, value)?)?,
                "elo1" => once(&mut elo1, key, number(key, value)?)?,
                "alpha" => once(&mut alpha, key, number(key, value)?)?,
                "beta" => once(&mut beta, key, number(key, value)?)?,
                "model" => once(&mut model, key, model_named(value)?)?,
                "luck" => once(&mut luck, key, switch(key, value)?)?,
                _ => {
                    let unknown = format!("unknown key {key:?}; the keys are {SPRT_KEYS}");
                    return Err(SprtError(unknown));
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
    number.ok_or_else(|| SprtError(expected()))
}

fn model_named(name: &str) -> Result<EloModel, SprtError> {
    let models = [EloModel::Logistic, EloModel::Normalized];
    let model = models.into_iter().find(|model| model.to_string() == name);
    let expected = || format!("model={name}: expected logistic or normalized");
    model.ok_or_else(|| SprtError(expected()))
}

fn switch(key: &str, value: &str) -> Result<bool, SprtError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(SprtError(format!("{key}={value}: expected on or off"))),
    }
}

fn once<T>(field: &mut Option<T>, key: &str, value: T) -> Result<(), SprtError> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(SprtError(format!("{key} is given twice"))),
    }
}

// The generalized log likelihood ratio: compares how well two hypotheses explain the observed scores, each by the
// likeliest distribution that satisfies it.
//
// A hypothesis fixes one number of the unknown distribution of scores: its mean, or its mean in units of its standard
// deviation. Among the distributions that satisfy it, the likeliest one given the observed distribution q is
// p = q / (1 + x a), with a value `a` for each score and one multiplier x for all. The condition that the mean of `a`
// under p is zero determines x.
// Source: Michel Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio of a
// multinomial distribution" and "Comments on normalized Elo", sections 4.1 and 4.2 (cantate.be/Fishtest).

/// Maximum number of iterations for a distribution with a given t-value.
const MAX_ROUNDS: usize = 100;

/// Change of a probability below which this iteration has converged; with very rare scores, rounding alone causes
/// changes of 1e-9.
const CONVERGED_CHANGE: f64 = 1e-7;

/// Log likelihood ratio of a mean score of `one` to a mean score of `zero`, both between 0 and 1.
fn ratio_of_means(observed: &Distribution, zero: f64, one: f64) -> f64 {
    let values = |mean| observed.scores.iter().map(move |(score, _)| score - mean);
    let log_factors = |mean| log_factors(observed, &values(mean).collect::<Vec<f64>>());
    match (log_factors(zero), log_factors(one)) {
        (Some(under_zero), Some(under_one)) => ratio(observed, &under_zero, &under_one),
        // Unreachable: the scores range from 0 to 1, so any mean in between is possible.
        _ => 0.0,
    }
}

/// Like [`ratio_of_means`], for hypotheses about the *t-value*: the excess of the mean score over 1/2 in units of the
/// standard deviation of a block.
fn ratio_of_t_values(observed: &Distribution, zero: f64, one: f64) -> f64 {
    match (with_t_value(observed, zero), with_t_value(observed, one)) {
        (Some(under_zero), Some(under_one)) => ratio(observed, &under_zero, &under_one),
        // The iteration may not converge if the hypothesis is far from all observations; then the likelihood ratio of a
        // normal distribution replaces it.
        _ => {
            let t = (observed.mean() - 0.5) / observed.variance().sqrt();
            let misfit = |hypothesis: f64| (1.0 + (t - hypothesis).powi(2)).ln();
            observed.blocks / 2.0 * (misfit(zero) - misfit(one))
        }
    }
}

/// Log likelihood ratio, given the logarithms of q / p under both hypotheses.
fn ratio(observed: &Distribution, under_zero: &[f64], under_one: &[f64]) -> f64 {
    let factors = under_zero.iter().zip(under_one);
    let terms = observed.scores.iter().zip(factors);
    let per_block: f64 = terms.map(|((_, part), (zero, one))| part * (zero - one)).sum();
    observed.blocks * per_block
}

/// Logarithms of q / p for the likeliest distribution p with this t-value; `None` if the iteration does not converge.
fn with_t_value(observed: &Distribution, t_value: f64) -> Option<Vec<f64>> {
    let scores = &observed.scores;
    let mut likeliest = vec![1.0 / scores.len() as f64; scores.len()];
    for _ in 0..MAX_ROUNDS {
        // The condition on the t-value, linearized about the last distribution.
        let guess = Distribution {
            blocks: observed.blocks,
            scores: scores
                .iter()
                .zip(&likeliest)
                .map(|((score, _), &part)| (*score, part))
                .collect(),
        };
        let (mean, deviation) = (guess.mean(), guess.variance().sqrt());
        let value = |(score, _): &(f64, f64)| {
            let stretched = 1.0 + ((score - mean) / deviation).powi(2);
            score - 0.5 - t_value * deviation * stretched / 2.0
        };
        let factors = log_factors(observed, &scores.iter().map(value).collect::<Vec<f64>>())?;
        let next: Vec<f64> =
            scores.iter().zip(&factors).map(|((_, part), factor)| part * (-factor).exp()).collect();
        let changes = next.iter().zip(&likeliest).map(|(new, old)| (new - old).abs());
        let change = changes.fold(0.0, f64::max);
        likeliest = next;
        if change < CONVERGED_CHANGE {
            return Some(factors);
        }
    }
    None
}

/// Logarithms of q / p for the likeliest distribution p under which `values` have mean zero; `None` unless they have
/// both signs.
fn log_factors(observed: &Distribution, values: &[f64]) -> Option<Vec<f64>> {
    let parts = observed.scores.iter().map(|&(_, part)| part);
    let weighted: Vec<(f64, f64)> = parts.zip(values.iter().copied()).collect();
    let x = multiplier(&weighted)?;
    Some(values.iter().map(|value| (x * value).ln_1p()).collect())
}

/// Returns the x for which the sum of q a / (1 + x a) over all pairs (q, a) is zero and every 1 + x a is positive;
/// `None` unless the `a` have both signs.
fn multiplier(weighted: &[(f64, f64)]) -> Option<f64> {
    let values = weighted.iter().map(|&(_, value)| value);
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    // The sum falls from plus infinity at the lower bound to minus infinity at the upper one. Newton's method, with a
    // bisection whenever a step would leave the bracket.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let mut x = 0.0;
    loop {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (part, value) in weighted {
            let divided = value / (1.0 + x * value);
            sum += part * divided;
            slope -= part * divided * divided;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - sum / slope;
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        let has_converged = (next - x).abs() <= 4.0 * f64::EPSILON * x.abs().max(f64::MIN_POSITIVE);
        if sum == 0.0 || has_converged || next <= low || next >= high {
            return Some(x);
        }
        x = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_keys_take_defaults() {
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
