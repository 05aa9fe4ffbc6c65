//! Luck-adjusted scores of one engine against another by block: real numbers, with the same mean as the raw scores and a
//! smaller variance. docs/rating.md has the formulas and their sources.

use super::elo::{EloInterval, NORMALIZED_ELO, elo, interval};
use super::moments::Moments;
use super::student;

/// Billionths in a unit.
pub(super) const BILLION: i64 = 1_000_000_000;

/// Luck-adjusted block scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjustedScores {
    /// Games per block.
    games: u32,
    /// Comparisons per block.
    pairs: u32,
    /// Points of the blocks, in billionths of a half-point.
    points: Moments,
}

impl AdjustedScores {
    /// Creates empty scores for blocks of `games` games with `pairs` comparisons in total, both at least 1.
    pub fn new(games: u32, pairs: u32) -> AdjustedScores {
        AdjustedScores {
            games: games.max(1),
            pairs: pairs.max(1),
            points: Moments::default(),
        }
    }

    /// Counts a block with the sum of its half-points, in billionths.
    pub fn add(&mut self, halves: i64) {
        self.points.add(halves);
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

    /// Half-width of the 95 % interval of the mean, by Student's t; `None` for fewer than two blocks.
    pub fn half_width(&self) -> Option<f64> {
        Some(self.points.half_width()? / self.unit())
    }

    /// Elo difference with its 95 % interval; `None` for fewer than two blocks.
    pub fn elo(&self) -> Option<EloInterval> {
        Some(interval(self.mean()?, self.half_width()?, elo))
    }

    /// Normalized Elo difference with its 95 % interval; `None` if all blocks have the same score.
    pub fn normalized_elo(&self) -> Option<EloInterval> {
        let of_a_game = (self.variance()? * f64::from(self.games)).sqrt();
        let normalized = |score: f64| (score - 0.5) / of_a_game * NORMALIZED_ELO;
        (of_a_game > 0.0).then_some(interval(self.mean()?, self.half_width()?, normalized))
    }

    /// Likelihood of superiority (LOS) of the first engine, 0 to 1; `None` for fewer than two different blocks.
    pub fn superiority(&self) -> Option<f64> {
        let error = self.points.standard_error().filter(|error| *error > 0.0)?;
        let t = (self.mean()? - 0.5) * self.unit() / error;
        student::cumulative(t, self.blocks())
    }

    /// Billionths of a half-point in a score of 1.
    fn unit(&self) -> f64 {
        2.0 * f64::from(self.pairs) * BILLION as f64
    }
}
