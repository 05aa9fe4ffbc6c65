//! Scores of one engine against another by block, and the difference in strength that follows from them.
//!
//! Within a game, each seat of one engine is compared with each seat of the other: 1 for the better place, 1/2 for a
//! shared one. The mean of all these comparisons in a block is the *block score*, 0 to 1. With two seats a block is a
//! pair of games, and its score is 0, 1/4, 1/2, 3/4 or 1: the pentanomial. docs/rating.md has the formulas and their
//! sources.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::interval::{
    Interval, MeanScore, Moments, NORMALIZED_ELO, elo, half_width_of, student_cumulative,
};
use super::rating::{Meeting, POINT};

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
        let quarters: u64 = self.counts.iter().map(|(&score, &count)| score * count).sum();
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
        let squares = self.fractions().map(|(score, count)| count as f64 * (score - mean).powi(2));
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

/// Number of additional scores with the variance of a coin, so that few scores are not believed to vary less: most
/// scores are near the mean, and among few of them the rare other ones may be missing.
pub(super) const ADJUSTED_COINS: f64 = 0.1;

/// Number of classes of scores from 0 to 1.
const SCORE_CLASSES: f64 = 1000.0;

/// Luck-adjusted block scores: real numbers, with the mean of the raw scores and less variance.
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
        let class = (points as f64 / self.unit() * SCORE_CLASSES).round() as i64;
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
        adjusted_variance(&self.points, self.unit())
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
        let (value, error) = (self.mean()?, adjusted_half_width(&self.points, self.unit())?);
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
        student_cumulative((self.mean()? - 0.5) / error, self.blocks())
    }

    /// Billionths of a point in a score of 1.
    fn unit(&self) -> f64 {
        f64::from(self.pairs) * POINT as f64
    }
}

/// Variance of luck-adjusted scores, given as points, with this many points in a score of 1; `None` for fewer than two.
fn adjusted_variance(points: &Moments, unit: f64) -> Option<f64> {
    let others = points.count() as f64 - 1.0;
    let squares = points.variance()? / unit.powi(2) * others;
    Some((squares + ADJUSTED_COINS / 4.0) / (others + ADJUSTED_COINS))
}

/// Half-width of the 95 % interval of the mean of such scores, by Student's t; `None` for fewer than two.
pub(super) fn adjusted_half_width(points: &Moments, unit: f64) -> Option<f64> {
    half_width_of(adjusted_variance(points, unit)?, points.count())
}

/// Comparisons between the seats of two engines, in one or more games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Number of pairs of a seat of the first engine and a seat of the second.
    pub pairs: u32,
    /// Half-points of the first engine: two for each pair with the better place, one for each shared place.
    pub halves: u32,
}

impl Comparisons {
    /// Adds a pair of seats, given their places.
    fn add(&mut self, place: u32, other_place: u32) {
        self.pairs += 1;
        self.halves += match place.cmp(&other_place) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        };
    }

    /// Points of the first engine: 1 for each better place, 1/2 for each shared one.
    pub fn points(&self) -> f64 {
        f64::from(self.halves) / 2.0
    }

    /// Points per comparison, 0 to 1; `None` without comparisons.
    pub fn score(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.points() / f64::from(self.pairs))
    }
}

/// Comparisons of places between every two engines, over all games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crosstable {
    /// Comparisons of each engine with those after it in the plan, if they met.
    cells: BTreeMap<(usize, usize), Comparisons>,
}

impl Crosstable {
    /// Counts a game, given the index of each seat's engine, if any, and its place. Seats of the same engine are not
    /// compared.
    ///
    /// # Examples
    /// ```
    /// use matches::score::{Comparisons, Crosstable};
    ///
    /// // Engine 0 is first and last, engine 1 between.
    /// let mut crosstable = Crosstable::default();
    /// crosstable.add(&[Some(0), Some(1), Some(0)], &[1, 2, 3]);
    /// assert_eq!(crosstable.between(0, 1), Comparisons { pairs: 2, halves: 2 });
    /// ```
    pub fn add(&mut self, engines: &[Option<usize>], places: &[u32]) {
        let seats = || engines.iter().zip(places);
        for (one, place) in seats() {
            for (other, other_place) in seats() {
                if let Some((one, other)) = one.zip(*other).filter(|(one, other)| one < other) {
                    let cell = self.cells.entry((one, other)).or_default();
                    cell.add(*place, *other_place);
                }
            }
        }
    }

    /// Comparisons of the seats of one engine with those of another, both by index in the plan; empty if they never
    /// met.
    pub fn between(&self, one: usize, other: usize) -> Comparisons {
        let (first, second) = (one.min(other), one.max(other));
        let found = self.cells.get(&(first, second)).copied().unwrap_or_default();
        if one == first {
            found
        } else {
            Comparisons { halves: 2 * found.pairs - found.halves, ..found }
        }
    }

    /// The pairs of engines that met, for their ratings.
    pub(super) fn meetings(&self) -> impl Iterator<Item = Meeting> {
        self.cells.iter().map(|(&engines, found)| Meeting {
            engines,
            comparisons: found.pairs,
            points: i64::from(found.halves) * (POINT / 2),
        })
    }
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

    #[test]
    fn each_pair_of_seats_is_one_comparison_of_their_engines() {
        let mut crosstable = Crosstable::default();
        crosstable.add(&[Some(0), Some(1), Some(0)], &[1, 2, 3]);
        crosstable.add(&[Some(2), Some(1), None], &[1, 1, 3]);
        let cell = |one, other| {
            let found = crosstable.between(one, other);
            (found.halves, found.pairs)
        };
        assert_eq!([cell(0, 1), cell(1, 0)], [(2, 2), (2, 2)]);
        assert_eq!([cell(1, 2), cell(2, 1)], [(1, 1), (1, 1)]);
        assert_eq!([cell(0, 0), cell(0, 2), cell(7, 1)], [(0, 0); 3]);
    }
}
