//! Luck-adjusted scores of one engine against another by block: real numbers, with the mean of the raw scores and less
//! variance. docs/rating.md has the formulas and their sources.

use super::elo::{NORMALIZED_ELO, elo};
use super::interval::Interval;
use super::moments::Moments;
use super::rating::POINT;
use super::student;

/// Luck-adjusted block scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjustedScores {
    /// Games per block.
    games: u32,
    /// Comparisons per block.
    pairs: u32,
    /// Points of the blocks, in billionths.
    points: Moments,
}

impl AdjustedScores {
    /// Creates empty scores for blocks of `games` games with `pairs` comparisons in total, both at least 1.
    pub fn new(games: u32, pairs: u32) -> AdjustedScores {
        AdjustedScores { games: games.max(1), pairs: pairs.max(1), points: Moments::default() }
    }

    /// Counts a block with the points of its comparisons, in billionths.
    pub fn add(&mut self, points: i64) {
        self.points.add(points);
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.points.count()
    }

    /// Number of games per block.
    pub fn games_per_block(&self) -> u32 {
        self.games
    }

    /// Mean block score; `None` before the first block.
    pub fn mean(&self) -> Option<f64> {
        Some(self.points.mean()? / self.unit())
    }

    /// Variance of a block score; `None` for fewer than two blocks.
    pub fn variance(&self) -> Option<f64> {
        Some(self.points.variance()? / self.unit().powi(2))
    }

    /// Third central moment of a block score; `None` before the first block.
    pub(super) fn third(&self) -> Option<f64> {
        Some(self.points.third()? / self.unit().powi(3))
    }

    /// Mean block score with its 95 % interval, by Student's t; `None` for fewer than two different blocks.
    pub fn score(&self) -> Option<Interval> {
        let (value, error) = (self.mean()?, self.points.half_width()? / self.unit());
        Some(Interval { value, low: value - error, high: value + error })
    }

    /// Elo difference with its 95 % interval; `None` for fewer than two different blocks.
    pub fn elo(&self) -> Option<Interval> {
        Some(self.score()?.map(elo))
    }

    /// Normalized Elo difference with its 95 % interval; `None` for fewer than two different blocks.
    pub fn normalized_elo(&self) -> Option<Interval> {
        let of_a_game = (self.variance()? * f64::from(self.games)).sqrt();
        Some(self.score()?.map(|score| (score - 0.5) / of_a_game * NORMALIZED_ELO))
    }

    /// Likelihood of superiority (LOS) of the first engine, 0 to 1; `None` for fewer than two different blocks.
    pub fn superiority(&self) -> Option<f64> {
        let t = (self.mean()? - 0.5) * self.unit() / self.points.standard_error()?;
        student::cumulative(t, self.blocks())
    }

    /// Billionths of a point in a score of 1.
    fn unit(&self) -> f64 {
        f64::from(self.pairs) * POINT as f64
    }
}
