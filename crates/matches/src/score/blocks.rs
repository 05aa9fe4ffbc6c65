//! Scores of one engine against another by block, and the difference in strength that follows from them.
//!
//! Within a game, each seat of one engine is compared with each seat of the other: 1 for the better place, 1/2 for a
//! shared one. The mean of all these comparisons in a block is the *block score*, 0 to 1. With two seats a block is a
//! pair of games, and its score is 0, 1/4, 1/2, 3/4 or 1: the pentanomial. docs/rating.md has the formulas and their
//! sources.

use std::collections::BTreeMap;

use super::interval::{Interval, MeanScore};

/// Weight, in blocks, of each of the scores 0, 1/4, 1/2, 3/4 and 1 that no block has, in the sequential test; of 0 and
/// 1 among luck-adjusted scores. Source: fishtest, `LLRcalc.regularize`.
pub(super) const UNSEEN: f64 = 1e-3;

/// Number of blocks by score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockScores {
    /// Games per block.
    games: u32,
    /// Number of steps from a score of 0 to a score of 1.
    steps: u32,
    /// Number of blocks by score, in quarters of a step.
    counts: BTreeMap<u64, u64>,
}

/// Distribution of block scores; 0 and 1 have a positive weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Distribution {
    /// Number of blocks, including the weight of scores that no block has.
    pub blocks: f64,
    /// Scores with their probabilities.
    pub scores: Vec<(f64, f64)>,
}

impl BlockScores {
    /// Creates empty scores for blocks of `games` games with `pairs` comparisons in total, both at least 1.
    pub fn new(games: u32, pairs: u32) -> BlockScores {
        BlockScores {
            games: games.max(1),
            // A shared place counts as half a comparison.
            steps: (2 * pairs).max(2),
            counts: BTreeMap::new(),
        }
    }

    /// Creates the scores of two-seat pairs of games from the number of pairs with 0, 1/2, 1, 1 1/2 and 2 points.
    pub fn pentanomial(counts: [u64; 5]) -> BlockScores {
        let mut scores = BlockScores::new(2, 2);
        for (half_points, count) in counts.into_iter().enumerate() {
            scores.add_blocks(half_points as u32, count);
        }
        scores
    }

    /// Counts a block with `halves` half-points: two for each better place, one for each shared one. Values above the
    /// maximum of a block count as the maximum.
    pub fn add(&mut self, halves: u32) {
        self.add_blocks(halves, 1);
    }

    fn add_blocks(&mut self, halves: u32, count: u64) {
        if count > 0 {
            let quarters = 4 * u64::from(halves.min(self.steps));
            *self.counts.entry(quarters).or_default() += count;
        }
    }

    pub fn blocks(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Number of comparisons per block.
    pub fn pairs_per_block(&self) -> u32 {
        self.steps / 2
    }

    pub fn games_per_block(&self) -> u32 {
        self.games
    }

    /// Mean block score, 0 to 1; `None` before the first block.
    pub fn mean(&self) -> Option<f64> {
        let blocks = self.blocks();
        let quarters = self.counts.iter().map(|(&score, &count)| score * count);
        let quarters: u64 = quarters.sum();
        (blocks > 0).then(|| quarters as f64 / (4 * u64::from(self.steps) * blocks) as f64)
    }

    /// Number of pairs with 0, 1/2, 1, 1 1/2 and 2 points; `None` unless a block is a pair of games with two seats.
    pub fn as_pentanomial(&self) -> Option<[u64; 5]> {
        let count = |half_points: u64| self.counts.get(&(4 * half_points)).copied().unwrap_or(0);
        ((self.games, self.steps) == (2, 4)).then(|| [0, 1, 2, 3, 4].map(count))
    }

    /// Scores as fractions, with the number of blocks.
    fn fractions(&self) -> impl Iterator<Item = (f64, u64)> + Clone {
        let one = (4 * u64::from(self.steps)) as f64;
        let counts = self.counts.iter();
        counts.map(move |(&score, &count)| (score as f64 / one, count))
    }

    /// Mean block score with its precision; `None` for fewer than two blocks.
    pub fn mean_score(&self) -> Option<MeanScore> {
        MeanScore::new(self.fractions())
    }

    /// Variance of a block score; `None` for fewer than two blocks.
    pub fn variance(&self) -> Option<f64> {
        let (blocks, mean) = (self.blocks(), self.mean()?);
        let squares = self.fractions();
        let squares = squares.map(|(score, count)| count as f64 * (score - mean).powi(2));
        (blocks > 1).then(|| squares.sum::<f64>() / (blocks - 1) as f64)
    }

    /// Elo difference with its 95 % interval; `None` for fewer than two blocks.
    pub fn elo(&self) -> Option<Interval> {
        Some(self.mean_score()?.elo())
    }

    /// Normalized Elo difference with its 95 % interval; `None` for fewer than two blocks.
    pub fn normalized_elo(&self) -> Option<Interval> {
        Some(self.mean_score()?.normalized_elo(self.games))
    }

    /// Likelihood of superiority (LOS) of the first engine, 0 to 1; `None` for fewer than two blocks.
    pub fn superiority(&self) -> Option<f64> {
        Some(self.mean_score()?.superiority())
    }

    /// Returns the distribution, with a small weight for each quarter that no block has scored, so that no hypothesis
    /// is impossible and the variance is never 0.
    pub(super) fn distribution(&self) -> Distribution {
        let mut weights: BTreeMap<u64, f64> =
            self.counts.iter().map(|(&score, &count)| (score, count as f64)).collect();
        for quarter in 0..=4 {
            let score = quarter * u64::from(self.steps);
            weights.entry(score).or_insert(UNSEEN);
        }
        let blocks: f64 = weights.values().sum();
        let one = (4 * u64::from(self.steps)) as f64;
        let scores =
            weights.into_iter().map(|(score, weight)| (score as f64 / one, weight / blocks));
        Distribution { blocks, scores: scores.collect() }
    }
}

impl Distribution {
    pub fn mean(&self) -> f64 {
        self.scores.iter().map(|(score, part)| score * part).sum()
    }

    /// Variance of a block's score, above 0.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = self.scores.iter();
        squares.map(|(score, part)| part * (score - mean).powi(2)).sum()
    }
}
