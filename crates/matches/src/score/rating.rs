//! Ratings of any number of engines: the maximum likelihood of all comparisons of their seats, after Bradley and Terry.
//!
//! A game is the set of comparisons of its seats. In the model of Plackett and Luce, a seat of strength θ comes before
//! one of strength θ' with probability 1 / (1 + e^(θ' - θ)); other seats make no difference. Comparisons of a block are
//! not independent, so the sandwich estimator over blocks gives the errors. All sums are integers, so the order of the
//! blocks makes no difference. docs/rating.md has the formulas and their sources.

use std::collections::BTreeMap;

use super::blocks::ADJUSTED_COINS;
use super::interval::{ELO, student_quantile};

/// Value of a better place in a comparison, in the unit of [`Meeting::points`].
pub const POINT: i64 = 1_000_000_000;

/// Number of drawn comparisons of each engine with a virtual engine of strength 0. They keep every rating finite.
const DRAWN: f64 = 1.0;

/// Number of additional blocks with the variance of a coin, for each pair of engines, so that few blocks are not
/// believed to vary less.
const COINS: f64 = 2.0;

/// 0.975 quantile of the normal distribution.
const QUANTILE: f64 = 1.959_964;

/// Maximum number of iterations; at least one per unit of strength, and some to converge.
const MAX_FIT_ROUNDS: usize = 200;

/// Maximum change of a strength in one iteration. Within twice this difference the curvature of the likelihood changes
/// by a factor of e at most, so that each iteration increases it.
const MAX_STEP: f64 = 0.5;

/// Change of a strength below which the iteration has converged.
const CONVERGED_STEP: f64 = 1e-9;

/// Comparisons of the seats of two engines in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Indices of two different engines.
    pub engines: (usize, usize),
    pub comparisons: u32,
    /// Points of the first engine, in billionths: one point for each better place, half for each shared one.
    pub points: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rating {
    /// Elo above the mean of all engines with games; 0 without a game.
    pub rating: f64,
    /// Half-width of the 95 % interval; `None` if unknown, because the engine won or lost everything, or never met most
    /// of the others.
    pub error: Option<f64>,
}

/// Two engines, the lower index first.
type Pair = (usize, usize);

/// Results of a set of engines, for their ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    engines: usize,
    /// `true` if the points are luck-adjusted.
    is_adjusted: bool,
    blocks: u64,
    pairs: BTreeMap<Pair, Sums>,
    /// Sums of products, for every two pairs of engines that occur in the same block.
    products: BTreeMap<(Pair, Pair), Products>,
}

/// Sums over the blocks of a pair of engines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    blocks: u64,
    comparisons: i64,
    points: i128,
}

/// Sums over blocks of products of two pairs' comparisons and points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Products {
    comparisons: i128,
    /// Comparisons of the first pair times points of the second.
    comparisons_points: i128,
    /// Points of the first pair times comparisons of the second.
    points_comparisons: i128,
    points: i128,
}

impl Ratings {
    /// Creates the ratings of engines without games.
    pub fn new(engines: usize) -> Ratings {
        let (pairs, products) = (BTreeMap::new(), BTreeMap::new());
        Ratings { engines, is_adjusted: false, blocks: 0, pairs, products }
    }

    /// Like [`Ratings::new`], for luck-adjusted points; errors are estimated as those of [`super::AdjustedScores`].
    pub fn of_adjusted(engines: usize) -> Ratings {
        Ratings { is_adjusted: true, ..Ratings::new(engines) }
    }

    /// `true` if no block was counted.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Counts a complete block. The order of blocks makes no difference.
    pub fn add_block(&mut self, meetings: &[Meeting]) {
        let mut block: BTreeMap<Pair, (i64, i64)> = BTreeMap::new();
        for meeting in meetings {
            let (one, other) = meeting.engines;
            let comparisons = i64::from(meeting.comparisons);
            let points =
                if one < other { meeting.points } else { comparisons * POINT - meeting.points };
            if one != other && one.max(other) < self.engines && comparisons > 0 {
                let sums = block.entry((one.min(other), one.max(other))).or_default();
                sums.0 += comparisons;
                sums.1 += points;
            }
        }
        self.blocks += u64::from(!block.is_empty());
        for (&pair, &(comparisons, points)) in &block {
            let sums = self.pairs.entry(pair).or_default();
            sums.blocks += 1;
            sums.comparisons += comparisons;
            sums.points += i128::from(points);
            let [comparisons, points] = [comparisons, points].map(i128::from);
            for (&other, &sums) in block.range(pair..) {
                let (other_comparisons, other_points) = (i128::from(sums.0), i128::from(sums.1));
                let products = self.products.entry((pair, other)).or_default();
                products.comparisons += comparisons * other_comparisons;
                products.comparisons_points += comparisons * other_points;
                products.points_comparisons += points * other_comparisons;
                products.points += points * other_points;
            }
        }
    }

    /// Returns the rating of each engine. The time grows with the cube of their number.
    pub fn fit(&self) -> Vec<Rating> {
        let mut index = vec![None; self.engines];
        for engine in self.pairs.keys().flat_map(|&(one, other)| [one, other]) {
            index[engine] = Some(0);
        }
        let mut number = 0;
        for known in index.iter_mut().flatten() {
            *known = number;
            number += 1;
        }
        // Every engine of a pair has an index.
        let local = |(one, other): Pair| (index[one].unwrap_or(0), index[other].unwrap_or(0));
        let pairs = self.pairs.iter();
        let results: Vec<(Pair, f64, f64)> = pairs
            .map(|(&pair, sums)| (local(pair), sums.comparisons as f64, sums.score()))
            .collect();
        let strengths = strengths(number, &results);
        let variances = self.variances(&strengths, &results, local);
        let comparable = comparable(number, &results);
        let mean = strengths.iter().sum::<f64>() / number.max(1) as f64;
        let quantile = match self.is_adjusted {
            // Each strength less their mean uses up a degree of freedom, as the mean of a sample does.
            true => student_quantile((self.blocks + 2).saturating_sub(number as u64)),
            false => Some(QUANTILE),
        };
        let rating = |&engine: &Option<usize>| match engine {
            None => Rating::default(),
            Some(engine) => Rating {
                rating: ELO * (strengths[engine] - mean),
                error: quantile
                    .filter(|_| comparable[engine])
                    .map(|quantile| quantile * ELO * variances[engine].sqrt()),
            },
        };
        index.iter().map(rating).collect()
    }

    /// Variance of each strength less their mean: the diagonal of the sandwich of the inverse information and the
    /// products of the blocks' residuals.
    fn variances(
        &self,
        strengths: &[f64],
        results: &[(Pair, f64, f64)],
        local: impl Fn(Pair) -> Pair,
    ) -> Vec<f64> {
        let number = strengths.len();
        let mut effects = inverse(information(strengths, results));
        // Effect of a residual on each strength less the mean of all.
        for column in 0..number {
            let mean = effects.iter().map(|row| row[column]).sum::<f64>() / number as f64;
            effects.iter_mut().for_each(|row| row[column] -= mean);
        }
        let coins = if self.is_adjusted { ADJUSTED_COINS / self.pairs.len() as f64 } else { COINS };
        let residuals = self.products.iter().map(|(&(pair, other), products)| {
            let (one, two) = (local(pair), local(other));
            let [chance, other_chance] =
                [one, two].map(|(first, second)| chance(strengths[first] - strengths[second]));
            let product = products.of_residuals(chance, other_chance);
            match pair == other {
                true => {
                    let squares = products.comparisons as f64 / self.pairs[&pair].blocks as f64;
                    (one, two, product + coins * squares * chance * (1.0 - chance))
                }
                // Each order of the two pairs counts.
                false => (one, two, 2.0 * product),
            }
        });
        let residuals: Vec<(Pair, Pair, f64)> = residuals.collect();
        let variance = |effects: &Vec<f64>| {
            let effect = |(first, second): Pair| effects[first] - effects[second];
            let of_blocks = residuals.iter();
            let of_blocks =
                of_blocks.map(|&(one, two, product)| product * effect(one) * effect(two));
            let drawn = effects
                .iter()
                .zip(strengths)
                .map(|(effect, &strength)| effect * effect * of_drawn(strength));
            of_blocks.sum::<f64>() + drawn.sum::<f64>()
        };
        effects.iter().map(variance).collect()
    }
}

impl Sums {
    /// Points of the first engine; more than all or less than none count as all or none.
    fn score(&self) -> f64 {
        let points = self.points as f64 / POINT as f64;
        points.clamp(0.0, self.comparisons as f64)
    }
}

impl Products {
    /// Sum of the products of both pairs' points less the expected ones.
    fn of_residuals(&self, chance: f64, other_chance: f64) -> f64 {
        let point = POINT as f64;
        self.points as f64 / point / point
            - other_chance * self.points_comparisons as f64 / point
            - chance * self.comparisons_points as f64 / point
            + chance * other_chance * self.comparisons as f64
    }
}

/// Probability of a better place, given the difference of strengths.
fn chance(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Variance of the drawn comparisons with an engine of strength 0.
fn of_drawn(strength: f64) -> f64 {
    let chance = chance(strength);
    DRAWN * chance * (1.0 - chance)
}

/// The likeliest strengths, given each pair's number of comparisons and the points of its first engine.
fn strengths(number: usize, results: &[(Pair, f64, f64)]) -> Vec<f64> {
    let mut strengths = vec![0.0; number];
    for _ in 0..MAX_FIT_ROUNDS {
        let mut gradient: Vec<f64> =
            strengths.iter().map(|&strength| DRAWN * (0.5 - chance(strength))).collect();
        for &((one, other), comparisons, points) in results {
            let residual = points - comparisons * chance(strengths[one] - strengths[other]);
            gradient[one] += residual;
            gradient[other] -= residual;
        }
        let step = solve(information(&strengths, results), gradient);
        let longest = step.iter().fold(0.0f64, |longest, step| longest.max(step.abs()));
        let scale = (MAX_STEP / longest).min(1.0);
        for (strength, step) in strengths.iter_mut().zip(step) {
            *strength += scale * step;
        }
        if longest < CONVERGED_STEP {
            break;
        }
    }
    strengths
}

/// Fisher information of the strengths.
fn information(strengths: &[f64], results: &[(Pair, f64, f64)]) -> Vec<Vec<f64>> {
    let mut information = vec![vec![0.0; strengths.len()]; strengths.len()];
    for (engine, &strength) in strengths.iter().enumerate() {
        information[engine][engine] = of_drawn(strength);
    }
    for &((one, other), comparisons, _) in results {
        let chance = chance(strengths[one] - strengths[other]);
        let variance = comparisons * chance * (1.0 - chance);
        information[one][one] += variance;
        information[other][other] += variance;
        information[one][other] -= variance;
        information[other][one] -= variance;
    }
    information
}

/// Whether each engine belongs to a group of more than half of all engines where everyone has, directly or through
/// others, taken points from everyone. Within such a group the maximum of the likelihood is finite.
/// Source: L. R. Ford, "Solution of a ranking problem from binary comparisons", Amer. Math. Monthly 64 (1957).
fn comparable(number: usize, results: &[(Pair, f64, f64)]) -> Vec<bool> {
    let (mut won, mut lost) = (vec![Vec::new(); number], vec![Vec::new(); number]);
    for &((one, other), comparisons, points) in results {
        let mut take = |winner: usize, loser: usize| {
            won[winner].push(loser);
            lost[loser].push(winner);
        };
        if points > 0.0 {
            take(one, other);
        }
        if points < comparisons {
            take(other, one);
        }
    }
    let mut grouped = vec![false; number];
    for engine in 0..number {
        if grouped[engine] {
            continue;
        }
        let (below, above) = (reached(engine, &won), reached(engine, &lost));
        let group: Vec<bool> = below.iter().zip(&above).map(|(one, two)| *one && *two).collect();
        let members = group.iter().filter(|is_member| **is_member).count();
        if 2 * members > number {
            return group;
        }
        for (grouped, is_member) in grouped.iter_mut().zip(group) {
            *grouped |= is_member;
        }
    }
    vec![false; number]
}

/// Engines that can be reached from one by the given steps, itself included.
fn reached(from: usize, steps: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; steps.len()];
    reached[from] = true;
    let mut next = vec![from];
    while let Some(engine) = next.pop() {
        for &other in &steps[engine] {
            if !reached[other] {
                reached[other] = true;
                next.push(other);
            }
        }
    }
    reached
}

/// Cholesky factor of a symmetric, positive definite matrix: the lower triangular matrix whose product with its
/// transpose is `matrix`.
fn factor(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for row in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(row);
        let current = &mut rest[0];
        for (column, other) in above.iter().enumerate() {
            let known = dot(&current[..column], &other[..column]);
            current[column] = (current[column] - known) / other[column];
        }
        let known = dot(&current[..row], &current[..row]);
        current[row] = (current[row] - known).sqrt();
    }
    matrix
}

/// Solves a system with a factored matrix.
fn solve_factored(factor: &[Vec<f64>], mut values: Vec<f64>) -> Vec<f64> {
    for row in 0..values.len() {
        let known = dot(&factor[row][..row], &values[..row]);
        values[row] = (values[row] - known) / factor[row][row];
    }
    for row in (0..values.len()).rev() {
        values[row] /= factor[row][row];
        let value = values[row];
        for (earlier, factor) in values[..row].iter_mut().zip(&factor[row]) {
            *earlier -= factor * value;
        }
    }
    values
}

/// Solves `matrix` x = `values`.
fn solve(matrix: Vec<Vec<f64>>, values: Vec<f64>) -> Vec<f64> {
    solve_factored(&factor(matrix), values)
}

fn inverse(matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let factor = factor(matrix);
    let column = |index: usize| {
        let mut unit = vec![0.0; size];
        unit[index] = 1.0;
        solve_factored(&factor, unit)
    };
    (0..size).map(column).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error of both ratings by the formulas of docs/rating.md, for blocks with two comparisons of two engines. `coins`
    /// blocks vary like a coin.
    fn error(points: &[f64], coins: f64, quantile: f64) -> f64 {
        let blocks = points.len() as f64;
        let all: f64 = points.iter().sum();
        // The likeliest strength of the first engine; the second has the negative one.
        let gradient = |strength: f64| {
            DRAWN * (0.5 - chance(strength)) + all - 2.0 * blocks * chance(2.0 * strength)
        };
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if gradient(middle) > 0.0 { low = middle } else { high = middle }
        }
        let (p, q) = (chance(2.0 * low), chance(low));
        let residuals: f64 = points.iter().map(|points| (points - 2.0 * p).powi(2)).sum();
        let coins = coins * 4.0 * p * (1.0 - p);
        let information = 2.0 * (2.0 * blocks * p * (1.0 - p)) + q * (1.0 - q);
        let variance = (residuals + coins + q * (1.0 - q) / 2.0) / information.powi(2);
        quantile * ELO * variance.sqrt()
    }

    #[test]
    fn two_engines_have_the_errors_of_the_documented_formulas() {
        let points = [2.0, 1.0, 1.5, 0.5, 2.0, 1.0];
        // The adjusted quantile is that of Student with 6 + 1 - 2 degrees of freedom.
        for (mut ratings, coins, quantile) in
            [(Ratings::new(2), 2.0, 1.959_964), (Ratings::of_adjusted(2), 0.1, 2.570_581_836)]
        {
            for points in points {
                let points = (points * POINT as f64) as i64;
                ratings.add_block(&[Meeting { engines: (0, 1), comparisons: 2, points }]);
            }
            let expected = error(&points, coins, quantile);
            for rating in ratings.fit() {
                let found = rating.error.unwrap();
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }

    #[test]
    fn an_inverse_worked_by_hand() {
        let matrix = vec![vec![4.0, 2.0, 0.0], vec![2.0, 5.0, 2.0], vec![0.0, 2.0, 5.0]];
        // Determinant 64.
        let expected = [[21.0, -10.0, 4.0], [-10.0, 20.0, -8.0], [4.0, -8.0, 16.0]];
        let found = inverse(matrix.clone());
        for (found, expected) in found.iter().zip(expected) {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected / 64.0).abs() < 1e-12, "{found} {expected}");
            }
        }
        let solved = solve(matrix, vec![6.0, 9.0, 7.0]);
        assert!(solved.iter().all(|value| (value - 1.0).abs() < 1e-12), "{solved:?}");
    }
}
