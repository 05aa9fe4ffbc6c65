//! The generalized log likelihood ratio: compares how well two hypotheses explain the observed scores, each by the
//! likeliest distribution that satisfies it.
//!
//! A hypothesis fixes one number of the unknown distribution of scores: its mean, or its mean in units of its standard
//! deviation. Among the distributions that satisfy it, the likeliest one given the observed distribution q is
//! p = q / (1 + x a), with a value `a` for each score and one multiplier x for all. The condition that the mean of `a`
//! under p is zero determines x.
//! Source: Michel Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio of a
//! multinomial distribution" and "Comments on normalized Elo", sections 4.1 and 4.2 (cantate.be/Fishtest).

use super::blocks::Distribution;

/// Maximum number of iterations for a distribution with a given t-value.
const MAX_ROUNDS: usize = 100;

/// Change of a probability below which this iteration has converged; with very rare scores, rounding alone causes
/// changes of 1e-9.
const ARRIVED: f64 = 1e-7;

/// Log likelihood ratio of a mean score of `one` to a mean score of `zero`, both between 0 and 1.
pub(super) fn ratio_of_means(observed: &Distribution, zero: f64, one: f64) -> f64 {
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
pub(super) fn ratio_of_t_values(observed: &Distribution, zero: f64, one: f64) -> f64 {
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
        let next = scores.iter().zip(&factors).map(|((_, part), factor)| part * (-factor).exp());
        let next: Vec<f64> = next.collect();
        let changes = next.iter().zip(&likeliest).map(|(new, old)| (new - old).abs());
        let change = changes.fold(0.0, f64::max);
        likeliest = next;
        if change < ARRIVED {
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
        let is_there = (next - x).abs() <= 4.0 * f64::EPSILON * x.abs().max(f64::MIN_POSITIVE);
        if sum == 0.0 || is_there || next <= low || next >= high {
            return Some(x);
        }
        x = next;
    }
}
