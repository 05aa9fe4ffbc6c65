//! The scores of one engine against another, block by block, and what they say of its strength.
//!
//! Within a game each seat of the one engine is compared with each seat of the other: 1 for the better
//! place, 1/2 for a shared one. The mean of all these comparisons in a block is the *block score*, 0 to 1.
//! In two seats a block is a pair of games, and its score one of 0, 1/4, 1/2, 3/4 and 1: the pentanomial.
//! docs/rating.md has the formulas and where they come from.

use std::collections::BTreeMap;

use super::elo::{EloInterval, NORMALIZED_ELO, elo, interval};
use super::student;

/// What a quarter counts, in blocks, that no block has scored, wherever a spread is needed.
/// Source: fishtest, `LLRcalc.regularize`.
const UNSEEN: f64 = 1e-3;

/// How many blocks ended with which score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockScores {
    /// Games of a block.
    games: u32,
    /// Steps from a score of 0 to one of 1.
    steps: u32,
    /// The number of blocks at each score, which is told in quarters of a step.
    counts: BTreeMap<u64, u64>,
}

/// A distribution of block scores in which each quarter has some weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Distribution {
    /// Number of blocks, the weight of unseen quarters included.
    pub blocks: f64,
    /// Scores, ascending from 0 to 1, each with its probability.
    pub scores: Vec<(f64, f64)>,
}

impl BlockScores {
    /// No block yet: blocks of `games` games, in which `pairs` comparisons are made in all, at least one
    /// each.
    pub fn new(games: u32, pairs: u32) -> BlockScores {
        BlockScores {
            games: games.max(1),
            // A shared place is half a comparison.
            steps: (2 * pairs).max(2),
            counts: BTreeMap::new(),
        }
    }

    /// The scores of pairs of games in two seats: how many ended with 0, 1/2, 1, 1 1/2 and 2 points.
    pub fn pentanomial(counts: [u64; 5]) -> BlockScores {
        let mut scores = BlockScores::new(2, 2);
        for (half_points, count) in counts.into_iter().enumerate() {
            scores.add_blocks(half_points as u32, count);
        }
        scores
    }

    /// Counts a block: twice its won comparisons, and once those that were shared. What is more than a
    /// block can have counts as all of it.
    pub fn add(&mut self, halves: u32) {
        self.add_blocks(halves, 1);
    }

    fn add_blocks(&mut self, halves: u32, count: u64) {
        if count > 0 {
            let quarters = 4 * u64::from(halves.min(self.steps));
            *self.counts.entry(quarters).or_default() += count;
        }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Comparisons made in one block.
    pub fn pairs_per_block(&self) -> u32 {
        self.steps / 2
    }

    /// Games of one block.
    pub fn games_per_block(&self) -> u32 {
        self.games
    }

    /// The mean of the block scores, 0 to 1, or `None` before the first block.
    pub fn mean(&self) -> Option<f64> {
        let blocks = self.blocks();
        let quarters = self.counts.iter().map(|(&score, &count)| score * count);
        let quarters: u64 = quarters.sum();
        (blocks > 0).then(|| quarters as f64 / (4 * u64::from(self.steps) * blocks) as f64)
    }

    /// The numbers of pairs with 0, 1/2, 1, 1 1/2 and 2 points, or `None` where a block is no pair of games
    /// in two seats.
    pub fn as_pentanomial(&self) -> Option<[u64; 5]> {
        let count = |half_points: u64| self.counts.get(&(4 * half_points)).copied().unwrap_or(0);
        ((self.games, self.steps) == (2, 4)).then(|| [0, 1, 2, 3, 4].map(count))
    }

    /// The Elo difference and its 95 % interval, or `None` for fewer than two blocks.
    pub fn elo(&self) -> Option<EloInterval> {
        let (mean, half_width) = self.mean_and_half_width()?;
        Some(interval(mean, half_width, elo))
    }

    /// The normalized Elo difference and its 95 % interval, or `None` where all blocks have one score, since
    /// it is in units of their spread.
    pub fn normalized_elo(&self) -> Option<EloInterval> {
        if self.counts.len() < 2 {
            return None;
        }
        let (mean, half_width) = self.mean_and_half_width()?;
        let of_one_game = (self.distribution().variance() * f64::from(self.games)).sqrt();
        let normalized = |score: f64| (score - 0.5) / of_one_game * NORMALIZED_ELO;
        Some(interval(mean, half_width, normalized))
    }

    /// The likelihood of superiority: how likely it is that the one engine is stronger, 0 to 1, as far as
    /// these blocks tell; `None` for fewer than two blocks.
    pub fn superiority(&self) -> Option<f64> {
        let (mean, error) = (self.mean()?, self.standard_error()?);
        Some(student::cumulative((mean - 0.5) / error, self.degrees()))
    }

    fn mean_and_half_width(&self) -> Option<(f64, f64)> {
        let half_width = student::quantile(self.degrees()) * self.standard_error()?;
        Some((self.mean()?, half_width))
    }

    /// The standard error of the mean, above 0, or `None` for fewer than two blocks.
    fn standard_error(&self) -> Option<f64> {
        let blocks = self.blocks();
        (blocks > 1).then(|| (self.distribution().variance() / (blocks - 1) as f64).sqrt())
    }

    fn degrees(&self) -> usize {
        usize::try_from(self.blocks().saturating_sub(1)).unwrap_or(usize::MAX)
    }

    /// The distribution, with a little weight on each quarter that no block has scored: so a hypothesis is
    /// never impossible, and no spread is nought.
    pub(super) fn distribution(&self) -> Distribution {
        let mut weights: BTreeMap<u64, f64> = self
            .counts
            .iter()
            .map(|(&score, &count)| (score, count as f64))
            .collect();
        for quarter in 0..=4 {
            let score = quarter * u64::from(self.steps);
            weights.entry(score).or_insert(UNSEEN);
        }
        let blocks: f64 = weights.values().sum();
        let one = (4 * u64::from(self.steps)) as f64;
        let scores = weights
            .into_iter()
            .map(|(score, weight)| (score as f64 / one, weight / blocks));
        Distribution {
            blocks,
            scores: scores.collect(),
        }
    }
}

impl Distribution {
    /// The mean score.
    pub fn mean(&self) -> f64 {
        self.scores.iter().map(|(score, part)| score * part).sum()
    }

    /// The variance of a block's score, above 0.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = self.scores.iter();
        squares
            .map(|(score, part)| part * (score - mean).powi(2))
            .sum()
    }
}
