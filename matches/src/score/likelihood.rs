//! The generalized log likelihood ratio: how much better the likeliest distribution under one hypothesis
//! explains what was observed than the likeliest one under another.
//!
//! A hypothesis fixes one number of the unknown distribution of scores: its mean, or its mean in units of
//! its standard deviation. The likeliest distribution p of those that satisfy it, given the observed one q,
//! is q / (1 + x a) with a value `a` for each score and one multiplier x for all, found from the condition
//! that the mean of `a` under p is nought.
//! Source: Michel Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio of
//! a multinomial distribution" and "Comments on normalized Elo", sections 4.1 and 4.2 (cantate.be/Fishtest).

use super::blocks::Distribution;

/// Rounds of the search for a distribution with a given t-value.
const MOST_ROUNDS: usize = 100;

/// The change of a probability at which that search has arrived; where scores are hardly ever seen, rounding
/// alone makes changes of a billionth.
const ARRIVED: f64 = 1e-7;

/// The logarithm of how much likelier the observed blocks are, at best, if the mean score is `one` than if it
/// is `zero`; both between 0 and 1.
pub(super) fn ratio_of_means(observed: &Distribution, zero: f64, one: f64) -> f64 {
    let values = |mean| observed.scores.iter().map(move |(score, _)| score - mean);
    let log_factors = |mean| log_factors(observed, &values(mean).collect::<Vec<f64>>());
    match (log_factors(zero), log_factors(one)) {
        (Some(under_zero), Some(under_one)) => ratio(observed, &under_zero, &under_one),
        // The scores reach from 0 to 1, so that any mean between is possible.
        _ => 0.0,
    }
}

/// As [`ratio_of_means`], for hypotheses on the *t-value*: the mean score above 1/2 in units of the standard
/// deviation of a block.
pub(super) fn ratio_of_t_values(observed: &Distribution, zero: f64, one: f64) -> f64 {
    match (with_t_value(observed, zero), with_t_value(observed, one)) {
        (Some(under_zero), Some(under_one)) => ratio(observed, &under_zero, &under_one),
        // The search does not always arrive where the hypothesis is far from all that was seen. The ratio
        // of the two largest likelihoods of a normal distribution serves there.
        _ => {
            let t = (observed.mean() - 0.5) / observed.variance().sqrt();
            let misfit = |hypothesis: f64| (1.0 + (t - hypothesis).powi(2)).ln();
            observed.blocks / 2.0 * (misfit(zero) - misfit(one))
        }
    }
}

/// Sums up the logarithms of q / p of both hypotheses.
fn ratio(observed: &Distribution, under_zero: &[f64], under_one: &[f64]) -> f64 {
    let factors = under_zero.iter().zip(under_one);
    let terms = observed.scores.iter().zip(factors);
    let per_block: f64 = terms
        .map(|((_, part), (zero, one))| part * (zero - one))
        .sum();
    observed.blocks * per_block
}

/// The logarithms of q / p for the likeliest distribution p with this t-value, or `None` where it is not
/// found.
fn with_t_value(observed: &Distribution, t_value: f64) -> Option<Vec<f64>> {
    let scores = &observed.scores;
    let mut likeliest = vec![1.0 / scores.len() as f64; scores.len()];
    for _ in 0..MOST_ROUNDS {
        // The condition on the t-value made linear about the last distribution.
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
        let next = scores
            .iter()
            .zip(&factors)
            .map(|((_, part), factor)| part * (-factor).exp());
        let next: Vec<f64> = next.collect();
        let changes = next
            .iter()
            .zip(&likeliest)
            .map(|(new, old)| (new - old).abs());
        let change = changes.fold(0.0, f64::max);
        likeliest = next;
        if change < ARRIVED {
            return Some(factors);
        }
    }
    None
}

/// The logarithms of q / p for the likeliest distribution p under which these values have the mean nought,
/// or `None` where they are not on both sides of it.
fn log_factors(observed: &Distribution, values: &[f64]) -> Option<Vec<f64>> {
    let parts = observed.scores.iter().map(|&(_, part)| part);
    let weighted: Vec<(f64, f64)> = parts.zip(values.iter().copied()).collect();
    let x = multiplier(&weighted)?;
    Some(values.iter().map(|value| (x * value).ln_1p()).collect())
}

/// The x for which the sum of q a / (1 + x a) over all pairs (q, a) is nought and every 1 + x a above
/// nought; `None` unless some `a` are below nought and some above.
fn multiplier(weighted: &[(f64, f64)]) -> Option<f64> {
    let values = weighted.iter().map(|&(_, value)| value);
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    // The sum falls from plus infinity at the one bound to minus infinity at the other: Newton's method,
    // with a bisection wherever it would leave what is left.
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
        let next = match newton > low && newton < high {
            true => newton,
            false => low + (high - low) / 2.0,
        };
        let is_there = (next - x).abs() <= 4.0 * f64::EPSILON * x.abs().max(f64::MIN_POSITIVE);
        if sum == 0.0 || is_there || next <= low || next >= high {
            return Some(x);
        }
        x = next;
    }
}
