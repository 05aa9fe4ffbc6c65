//! 95 % confidence interval of the mean of independent scores from 0 to 1, for any number of them.
//!
//! Student's interval fails for few scores or a mean near 0 or 1: three won blocks have no variance and would prove
//! anything. Here the scores count as tosses of a coin, whose exact interval is that of Clopper and Pearson. A score
//! that varies less than a coin of the same mean counts as several tosses.
//! Sources: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
//! binomial", Biometrika 26 (1934); the effective number of tosses is that of E. L. Korn, B. I. Graubard, "Confidence
//! intervals for proportions with small expected number of positive counts", Survey Methodology 24 (1998).

use statrs::distribution::{Beta, ContinuousCDF};

use super::elo::{NORMALIZED_ELO, elo};

/// Number of additional scores with the variance of a coin, so that few scores are not believed to vary less.
const COINS: f64 = 2.0;

/// Variance of the number of won tosses at which half of the correction for continuity applies.
const CONTINUOUS: f64 = 10.0;

/// Relative error of a sum of squares by rounding, at most.
const ROUNDING: f64 = 1e-9;

/// Two sides of an interval that differ by at most this share count as equal.
const SYMMETRIC: f64 = 0.1;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Distance of the estimate from the farther bound; not finite if the estimate or a bound is not.
    pub fn error(&self) -> f64 {
        let (below, above) = self.sides();
        below.max(above)
    }

    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// `true` if both bounds are finite and about equally far from the estimate.
    pub fn is_symmetric(&self) -> bool {
        let (below, above) = self.sides();
        let larger = below.max(above);
        larger.is_finite() && below.min(above) >= (1.0 - SYMMETRIC) * larger
    }

    /// Distances of the estimate from the lower and from the upper bound.
    fn sides(&self) -> (f64, f64) {
        // NaN between equal infinities; `max` and `min` ignore it.
        (self.value - self.low, self.high - self.value)
    }

    /// Converts the estimate and its bounds by an increasing function.
    pub fn map(&self, convert: impl Fn(f64) -> f64) -> Interval {
        Interval { value: convert(self.value), low: convert(self.low), high: convert(self.high) }
    }
}

/// Mean of independent scores from 0 to 1, with its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanScore {
    mean: f64,
    /// Variance of a coin with this mean as a multiple of the variance of a score.
    tosses_per_score: f64,
    /// Number of tosses that determine the mean as well as the scores do.
    tosses: f64,
}

impl MeanScore {
    /// Computes the mean of scores, each with the number of its occurrences; `None` for fewer than two. Single scores
    /// may lie outside 0 to 1, if only the expected score cannot.
    pub fn new(scores: impl Iterator<Item = (f64, u64)> + Clone) -> Option<MeanScore> {
        let number: u64 = scores.clone().map(|(_, times)| times).sum();
        let sum: f64 = scores.clone().map(|(score, times)| score * times as f64).sum();
        let mean = sum / number as f64;
        let squares: f64 = scores.map(|(score, times)| (score - mean).powi(2) * times as f64).sum();
        if number < 2 {
            return None;
        }
        let (number, mean) = (number as f64, mean.clamp(0.0, 1.0));
        let of_a_coin = mean * (1.0 - mean);
        let variance = (squares + COINS * of_a_coin) / (number - 1.0 + COINS);
        // Scores from 0 to 1 vary at most like a coin. Others may vary more, even at a mean of 0 or 1, where a coin
        // does not vary at all; there the farther bound is a few standard errors away.
        let is_within = squares <= number * of_a_coin * (1.0 + ROUNDING);
        let least = if is_within { 1.0 } else { (1.0 / (number * variance).sqrt()).min(1.0) };
        let tosses_per_score =
            if variance > 0.0 { (of_a_coin / variance).max(least) } else { least };
        Some(MeanScore { mean, tosses_per_score, tosses: number * tosses_per_score })
    }

    /// Numbers of tosses won and lost.
    fn counts(&self) -> (f64, f64) {
        (self.tosses * self.mean, self.tosses * (1.0 - self.mean))
    }

    /// Mean score with its 95 % interval.
    pub fn interval(&self) -> Interval {
        let (won, lost) = self.counts();
        // Clopper and Pearson correct fully for counting in whole tosses. The mean of many scores hardly has steps.
        let variance = won * (1.0 - self.mean);
        let less = 0.5 * variance / (variance + CONTINUOUS);
        Interval {
            value: self.mean,
            low: quantile(won + less, lost + 1.0 - less, 0.025),
            high: quantile(won + 1.0 - less, lost + less, 0.975),
        }
    }

    /// Probability, 0 to 1, that the expected score exceeds 1/2: 1 less the mid-p value of the hypothesis that it is
    /// 1/2.
    pub fn superiority(&self) -> f64 {
        // Source: H. O. Lancaster, "Significance tests in discrete distributions", JASA 56 (1961).
        let (won, lost) = self.counts();
        let at_least = cumulative(won, lost + 1.0, 0.5);
        let more = cumulative(won + 1.0, lost, 0.5);
        1.0 - (at_least + more) / 2.0
    }

    /// Elo difference with its 95 % interval.
    pub fn elo(&self) -> Interval {
        self.interval().map(elo)
    }

    /// Normalized Elo difference with its 95 % interval, for scores of blocks of this many games.
    pub fn normalized_elo(&self, games: u32) -> Interval {
        // Standard deviation of a game, which depends on the expected score: near 1 it is small.
        let deviation = |score: f64| {
            let variance = score * (1.0 - score) / self.tosses_per_score;
            (variance * f64::from(games)).sqrt()
        };
        let normalized = |score: f64| (score - 0.5) / deviation(score) * NORMALIZED_ELO;
        self.interval().map(normalized)
    }
}

/// Quantile of the beta distribution; all of its weight is at 0 or 1 if a parameter is 0.
fn quantile(a: f64, b: f64, probability: f64) -> f64 {
    match Beta::new(a, b) {
        Ok(beta) => beta.inverse_cdf(probability),
        Err(_) if a <= 0.0 => 0.0,
        Err(_) => 1.0,
    }
}

/// Cumulative distribution function of the beta distribution, for `x` between 0 and 1.
fn cumulative(a: f64, b: f64, x: f64) -> f64 {
    match Beta::new(a, b) {
        Ok(beta) => beta.cdf(x),
        Err(_) if a <= 0.0 => 1.0,
        Err(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &[f64]) -> MeanScore {
        MeanScore::new(scores.iter().map(|&score| (score, 1))).unwrap()
    }

    #[test]
    fn won_blocks_have_the_bounds_of_clopper_and_pearson() {
        // All of n won: the lower bound is the n-th root of 0.025.
        for number in [2, 3, 10, 1000] {
            let mean = MeanScore::new([(1.0, number)].into_iter()).unwrap();
            let found = mean.interval();
            let low = 0.025f64.powf(1.0 / number as f64);
            assert!((found.low - low).abs() < 1e-9, "{number}: {found:?}");
            assert_eq!((found.value, found.high), (1.0, 1.0));
            let superiority = 1.0 - 0.5f64.powi(number as i32 + 1);
            assert!((mean.superiority() - superiority).abs() < 1e-9, "{mean:?}");
        }
        assert_eq!(MeanScore::new([(1.0, 1)].into_iter()), None);
    }

    #[test]
    fn the_engines_exchanged_the_interval_is_reflected() {
        for scores in [&[0.0, 0.5, 0.25][..], &[1.0, 1.0], &[0.5, 0.5], &[0.9, 0.2, 0.7, 0.7]] {
            let reflected: Vec<f64> = scores.iter().map(|score| 1.0 - score).collect();
            let (one, other) = (of(scores), of(&reflected));
            let (found, mirrored) = (one.interval(), other.interval());
            assert!((found.low + mirrored.high - 1.0).abs() < 1e-9, "{scores:?}");
            assert!((found.high + mirrored.low - 1.0).abs() < 1e-9, "{scores:?}");
            let sum = one.superiority() + other.superiority();
            assert!((sum - 1.0).abs() < 1e-9, "{scores:?}");
            assert!(found.low <= found.value && found.value <= found.high);
        }
        assert!((of(&[0.0, 1.0, 0.5]).superiority() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn scores_outside_the_range_may_vary_more_than_a_coin() {
        // Half of the scores lie above the mean by `deviation`, half below it.
        let of = |mean: f64, deviation: f64, number: u64| {
            let scores = [mean - deviation, mean + deviation];
            MeanScore::new(scores.map(|score| (score, number / 2)).into_iter()).unwrap()
        };
        for (mean, deviation) in [(0.5, 0.8), (0.9, 0.5), (0.99, 0.3), (1.0, 0.2), (1.01, 0.2)] {
            let (found, error) = (of(mean, deviation, 1000).interval(), deviation / 1000f64.sqrt());
            let below = (found.value - found.low) / error;
            assert!((1.7..5.0).contains(&below), "{mean} ± {deviation}: {below} standard errors");
        }
    }

    #[test]
    fn quantiles_are_inverse_to_the_distribution() {
        for won in [1e-6, 0.01, 0.3, 1.0, 7.5, 400.0, 2e6] {
            for lost in [1e-6, 0.2, 1.0, 30.0, 1e5] {
                for probability in [0.025, 0.975] {
                    let found = quantile(won, lost + 1.0, probability);
                    let back = cumulative(won, lost + 1.0, found);
                    let is_close = (back - probability).abs() < 2e-4 || found < 1e-9;
                    assert!(is_close, "{won} {lost} {probability}: {found} {back}");
                }
            }
        }
    }
}
