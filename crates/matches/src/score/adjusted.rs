//! Luck-adjusted scores of one engine against another by block: real numbers, with the mean of the raw scores and less
//! variance. docs/rating.md has the formulas and their sources.

use std::collections::BTreeMap;

use super::blocks::{Distribution, UNSEEN};
use super::elo::{NORMALIZED_ELO, elo};
use super::interval::Interval;
use super::moments::Moments;
use super::rating::POINT;
use super::student;

/// Number of additional scores with the variance of a coin, so that few scores are not believed to vary less: most
/// scores are near the mean, and among few of them the rare other ones may be missing.
pub(super) const COINS: f64 = 0.1;

/// Number of classes of scores from 0 to 1.
const CLASSES: f64 = 1000.0;

/// Luck-adjusted block scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjustedScores {
    /// Games per block.
    games: u32,
    /// Comparisons per block.
    pairs: u32,
    /// Points of the blocks, in billionths.
    points: Moments,
    /// Number of blocks, and the sum of their points, by class of similar scores.
    classes: BTreeMap<i64, (u64, i128)>,
}

impl AdjustedScores {
    /// Creates empty scores for blocks of `games` games with `pairs` comparisons in total, both at least 1.
    pub fn new(games: u32, pairs: u32) -> AdjustedScores {
        AdjustedScores {
            games: games.max(1),
            pairs: pairs.max(1),
            points: Moments::default(),
            classes: BTreeMap::new(),
        }
    }

    /// Counts a block with the points of its comparisons, in billionths.
    pub fn add(&mut self, points: i64) {
        self.points.add(points);
        let class = (points as f64 / self.unit() * CLASSES).round() as i64;
        let (blocks, sum) = self.classes.entry(class).or_default();
        *blocks += 1;
        *sum += i128::from(points);
    }

    pub fn blocks(&self) -> u64 {
        self.points.count()
    }

    pub fn games_per_block(&self) -> u32 {
        self.games
    }

    /// Mean block score; `None` before the first block.
    pub fn mean(&self) -> Option<f64> {
        Some(self.points.mean()? / self.unit())
    }

    /// Variance of a block score; `None` for fewer than two blocks.
    pub fn variance(&self) -> Option<f64> {
        variance(&self.points, self.unit())
    }

    /// Returns the distribution, with a small weight for 0 and 1; similar scores count as their mean.
    pub(super) fn distribution(&self) -> Distribution {
        let classes = self.classes.values();
        let scores =
            classes.map(|&(blocks, sum)| (sum as f64 / blocks as f64 / self.unit(), blocks as f64));
        let extremes = [0.0, 1.0].map(|score| (score, UNSEEN));
        let blocks = self.blocks() as f64 + 2.0 * UNSEEN;
        let scores = scores.chain(extremes).map(|(score, weight)| (score, weight / blocks));
        Distribution { blocks, scores: scores.collect() }
    }

    /// Mean block score with its 95 % interval, by Student's t; `None` for fewer than two blocks.
    pub fn score(&self) -> Option<Interval> {
        let (value, error) = (self.mean()?, half_width(&self.points, self.unit())?);
        Some(Interval { value, low: value - error, high: value + error })
    }

    /// Elo difference with its 95 % interval; `None` for fewer than two blocks.
    pub fn elo(&self) -> Option<Interval> {
        Some(self.score()?.map(elo))
    }

    /// Normalized Elo difference with its 95 % interval; `None` for fewer than two blocks.
    pub fn normalized_elo(&self) -> Option<Interval> {
        let of_a_game = (self.variance()? * f64::from(self.games)).sqrt();
        Some(self.score()?.map(|score| (score - 0.5) / of_a_game * NORMALIZED_ELO))
    }

    /// Likelihood of superiority (LOS) of the first engine, 0 to 1; `None` for fewer than two blocks.
    pub fn superiority(&self) -> Option<f64> {
        let error = (self.variance()? / self.blocks() as f64).sqrt();
        student::cumulative((self.mean()? - 0.5) / error, self.blocks())
    }

    /// Billionths of a point in a score of 1.
    fn unit(&self) -> f64 {
        f64::from(self.pairs) * POINT as f64
    }
}

/// Variance of luck-adjusted scores, given as points, with this many points in a score of 1; `None` for fewer than two.
fn variance(points: &Moments, unit: f64) -> Option<f64> {
    let others = points.count() as f64 - 1.0;
    let squares = points.variance()? / unit.powi(2) * others;
    Some((squares + COINS / 4.0) / (others + COINS))
}

/// Half-width of the 95 % interval of the mean of such scores, by Student's t; `None` for fewer than two.
pub(super) fn half_width(points: &Moments, unit: f64) -> Option<f64> {
    student::half_width_of(variance(points, unit)?, points.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_scores_vary_as_the_documented_formula_says() {
        let mut scores = AdjustedScores::new(2, 2);
        for score in [0.6, 0.5, 0.7] {
            scores.add((score * 2.0 * POINT as f64) as i64);
        }
        let expected: f64 = (0.02 + 0.1 / 4.0) / (3.0 - 1.0 + 0.1);
        assert!((scores.variance().unwrap() - expected).abs() < 1e-12, "{scores:?}");
        // The quantile has two degrees of freedom.
        let error = scores.score().unwrap().error();
        assert!((error - 4.302_652_73 * (expected / 3.0).sqrt()).abs() < 1e-8, "{error}");
    }
}
