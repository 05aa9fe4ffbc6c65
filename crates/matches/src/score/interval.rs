//! Means with their 95 % confidence intervals, and the Elo differences that follow from them.
//!
//! [`Moments`] and [`half_width`] give Student's interval. It fails for few scores or a mean near 0 or 1: three won
//! blocks have no variance and would prove anything. [`MeanScore`] is for scores from 0 to 1, which count as tosses of
//! a coin, whose exact interval is that of Clopper and Pearson. A score that varies less than a coin of the same mean
//! counts as several tosses.
//! Sources: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
//! binomial", Biometrika 26 (1934); the effective number of tosses is that of E. L. Korn, B. I. Graubard, "Confidence
//! intervals for proportions with small expected number of positive counts", Survey Methodology 24 (1998).

use std::f64::consts::LN_10;

use statrs::distribution::{Beta, ContinuousCDF, StudentsT};
use statrs::statistics::Statistics;

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
            low: beta_quantile(won + less, lost + 1.0 - less, 0.025),
            high: beta_quantile(won + 1.0 - less, lost + less, 0.975),
        }
    }

    /// Probability, 0 to 1, that the expected score exceeds 1/2: 1 less the mid-p value of the hypothesis that it is
    /// 1/2.
    pub fn superiority(&self) -> f64 {
        // Source: H. O. Lancaster, "Significance tests in discrete distributions", JASA 56 (1961).
        let (won, lost) = self.counts();
        let at_least = beta_cumulative(won, lost + 1.0, 0.5);
        let more = beta_cumulative(won + 1.0, lost, 0.5);
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
fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    match Beta::new(a, b) {
        Ok(beta) => beta.inverse_cdf(probability),
        Err(_) if a <= 0.0 => 0.0,
        Err(_) => 1.0,
    }
}

/// Cumulative distribution function of the beta distribution, for `x` between 0 and 1.
fn beta_cumulative(a: f64, b: f64, x: f64) -> f64 {
    match Beta::new(a, b) {
        Ok(beta) => beta.cdf(x),
        Err(_) if a <= 0.0 => 1.0,
        Err(_) => 0.0,
    }
}

/// Half-width of the 95 % confidence interval of the mean of independent samples, by Student's t; `None` for fewer than
/// two samples.
pub fn half_width(samples: &[f64]) -> Option<f64> {
    half_width_of(samples.variance(), samples.len() as u64)
}

/// [`half_width`] of samples with this estimated variance, by their number.
pub(super) fn half_width_of(variance: f64, samples: u64) -> Option<f64> {
    Some(student_quantile(samples)? * (variance / samples as f64).sqrt())
}

/// 0.975 quantile of the mean of `samples` samples, in standard errors; `None` for fewer than two.
pub(super) fn student_quantile(samples: u64) -> Option<f64> {
    Some(distribution(samples)?.inverse_cdf(0.975))
}

/// Probability of a mean up to `t` standard errors; `None` for fewer than two samples.
pub(super) fn student_cumulative(t: f64, samples: u64) -> Option<f64> {
    Some(distribution(samples)?.cdf(t))
}

fn distribution(samples: u64) -> Option<StudentsT> {
    // Fails without a degree of freedom.
    StudentsT::new(0.0, 1.0, samples as f64 - 1.0).ok()
}

/// Number of whole numbers, their sum and the sum of their squares: exact in any order of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Moments {
    /// Adds a number, below 2^50 by absolute value; then no sum of a match overflows.
    pub fn add(&mut self, value: i64) {
        let value = i128::from(value);
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    pub fn add_all(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; `None` without a number.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Estimated variance of a number; `None` for fewer than two.
    pub fn variance(&self) -> Option<f64> {
        let count = i128::from(self.count);
        // Exact up to here: no digits are lost by the subtraction.
        let spread = (self.squares * count - self.sum * self.sum) as f64;
        (count > 1).then(|| spread / (count * (count - 1)) as f64)
    }

    /// Half-width of the 95 % interval of the mean, by Student's t; `None` for fewer than two different numbers.
    pub fn half_width(&self) -> Option<f64> {
        let variance = self.variance().filter(|variance| *variance > 0.0)?;
        half_width_of(variance, self.count)
    }
}

/// Elo of odds of e to 1.
pub(super) const ELO: f64 = 400.0 / LN_10;

/// Elo per unit of normalized Elo: twice the Elo of odds of e to 1.
/// Source: Michel Van den Bergh, "Normalized Elo", cantate.be/Fishtest/normalized_elo.pdf.
pub(super) const NORMALIZED_ELO: f64 = 2.0 * ELO;

/// Returns the expected score, 0 to 1, for an Elo difference.
///
/// # Examples
/// ```
/// use matches::score::expected_score;
///
/// assert_eq!(expected_score(0.0), 0.5);
/// assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
/// ```
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Returns the Elo difference for an expected score; infinite unless the score is between 0 and 1.
pub fn elo(score: f64) -> f64 {
    match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        score => -400.0 * (1.0 / score - 1.0).log10(),
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
                    let found = beta_quantile(won, lost + 1.0, probability);
                    let back = beta_cumulative(won, lost + 1.0, found);
                    let is_close = (back - probability).abs() < 2e-4 || found < 1e-9;
                    assert!(is_close, "{won} {lost} {probability}: {found} {back}");
                }
            }
        }
    }

    #[test]
    fn quantiles_agree_with_the_tables() {
        // Source: any table of the distribution, such as Abramowitz and Stegun, table 26.10.
        for (degrees, expected) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (10, 2.228),
            (30, 2.042),
            (40, 2.021),
            (120, 1.980),
            (1000, 1.962),
            (1_000_000, 1.960),
        ] {
            let found = student_quantile(degrees + 1).unwrap();
            assert!((found - expected).abs() < 0.0006, "{degrees}: {found}");
        }
        assert_eq!((student_quantile(0), student_quantile(1)), (None, None));
    }

    #[test]
    fn an_interval_worked_by_hand() {
        // Mean 0.5, variance 0.02, standard error 0.1.
        let found = half_width(&[0.4, 0.6]).unwrap();
        assert!((found - 1.2706).abs() < 1e-4, "{found}");
        assert_eq!(half_width(&[0.3]), None);
        assert_eq!(half_width(&[0.5, 0.5, 0.5]), Some(0.0));
    }

    fn moments_of(values: &[i64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.add(value));
        moments
    }

    #[test]
    fn moments_agree_with_the_samples() {
        let values = [4, -7, 12, 12, 0];
        let samples = values.map(|value| value as f64);
        let found = moments_of(&values);
        assert_eq!((found.count(), found.mean()), (5, Some(4.2)));
        let variance = found.variance().unwrap();
        let expected = samples.map(|sample| (sample - 4.2).powi(2)).iter().sum::<f64>() / 4.0;
        assert!((variance - expected).abs() < 1e-12, "{variance} {expected}");
        let (found, expected) = (found.half_width().unwrap(), half_width(&samples).unwrap());
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        assert_eq!(moments_of(&[3]).variance(), None);
        assert_eq!(moments_of(&[3, 3, 3]).half_width(), None);
        assert_eq!(moments_of(&[]).mean(), None);
    }

    #[test]
    fn a_small_variance_of_large_numbers_is_exact() {
        let large = 1 << 49;
        let found = moments_of(&[large, large + 1, large + 2]);
        assert_eq!(found.variance(), Some(1.0));
    }
}
