//! Coverage of the intervals of scores, by simulation: at least 95 % within its accuracy, for any number of blocks.

use std::collections::HashMap;

use matches::score::{AdjustedScores, BlockScores};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Simulated matches for each cell; the standard error of a coverage of 95 % is 0.3 %.
const MATCHES: u32 = 5300;

const MIN_COVERAGE: f64 = 0.94;

/// Numbers of pairs of games.
const PAIRS: [u64; 5] = [3, 5, 10, 30, 100];

/// True scores.
const SCORES: [f64; 4] = [0.5, 0.7, 0.9, 0.99];

/// A uniform random number from 0 to 1.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.next_u64() as f64 / (u64::MAX as f64 + 1.0)
}

/// Half-points of a pair of games with this expected score, 0 to 4.
type PairOfGames = fn(f64, &mut ChaCha8Rng) -> usize;

fn game(score: f64, rng: &mut ChaCha8Rng) -> usize {
    2 * usize::from(uniform(rng) < score)
}

fn independent(score: f64, rng: &mut ChaCha8Rng) -> usize {
    game(score, rng) + game(score, rng)
}

/// The cards of half of the pairs decide both games.
fn correlated(score: f64, rng: &mut ChaCha8Rng) -> usize {
    if uniform(rng) < 0.5 { 2 * game(score, rng) } else { independent(score, rng) }
}

/// Two thirds of the weaker engine's points are from shared places.
fn shared(score: f64, rng: &mut ChaCha8Rng) -> usize {
    let drawn = 4.0 / 3.0 * score.min(1.0 - score);
    let mut game = || match uniform(rng) {
        at if at < drawn => 1,
        at if at < score + drawn / 2.0 => 2,
        _ => 0,
    };
    game() + game()
}

/// Share of simulated matches whose interval contains the true score, for each number of pairs.
fn coverage(score: f64, pair: PairOfGames) -> [f64; PAIRS.len()] {
    let mut rng = ChaCha8Rng::seed_from_u64(1934);
    let mut known: HashMap<[u64; 5], bool> = HashMap::new();
    let mut covered = [0; PAIRS.len()];
    for _ in 0..MATCHES {
        let mut counts = [0; 5];
        for (number, covered) in PAIRS.iter().zip(&mut covered) {
            while counts.iter().sum::<u64>() < *number {
                counts[pair(score, &mut rng)] += 1;
            }
            let covers = known.entry(counts).or_insert_with(|| {
                let found = BlockScores::pentanomial(counts).mean_score().unwrap().interval();
                found.low <= score && score <= found.high
            });
            *covered += u32::from(*covers);
        }
    }
    covered.map(|covered| f64::from(covered) / f64::from(MATCHES))
}

#[test]
fn intervals_hold_at_any_number_of_blocks() {
    let kinds: [(&str, PairOfGames); 3] =
        [("independent", independent), ("correlated", correlated), ("shared", shared)];
    let mut too_low = Vec::new();
    for (kind, pair) in kinds {
        for score in SCORES {
            let coverage = coverage(score, pair);
            let description = format!("{kind}, score {score}, {PAIRS:?} pairs: {coverage:.3?}");
            println!("{description}");
            if coverage.iter().any(|&coverage| coverage < MIN_COVERAGE) {
                too_low.push(description);
            }
        }
    }
    assert!(too_low.is_empty(), "{}", too_low.join("\n"));
}

/// Billionths of a point in a pair of games.
pub const PAIR: f64 = 2e9;

/// Shares below the quantiles that are given for luck-adjusted scores.
const BELOW: [f64; 17] =
    [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0];

/// Quantiles of the luck-adjusted scores of 1000 to 2000 pairs of games between engines: of `nodes=1000` against
/// `nodes=100`, and of `nodes=300` against 1700 and against 1300 Elo.
const ADJUSTED: [[f64; BELOW.len()]; 3] = [
    [
        0.219, 0.409, 0.430, 0.470, 0.485, 0.498, 0.500, 0.508, 0.521, 0.537, 0.556, 0.578, 0.636,
        0.707, 0.786, 0.826, 1.074,
    ],
    [
        0.254, 0.508, 0.532, 0.577, 0.615, 0.713, 0.797, 0.853, 0.896, 0.934, 0.969, 1.0, 1.038,
        1.070, 1.150, 1.222, 1.449,
    ],
    [
        0.580, 0.694, 0.722, 0.815, 0.869, 0.932, 0.971, 0.993, 1.0, 1.005, 1.025, 1.054, 1.108,
        1.149, 1.210, 1.241, 1.573,
    ],
];

#[test]
fn luck_adjusted_intervals_hold_at_any_number_of_blocks() {
    for quantiles in ADJUSTED {
        // Scores are distributed evenly between neighbouring quantiles.
        let parts: Vec<_> = BELOW.windows(2).zip(quantiles.windows(2)).collect();
        let means = parts.iter().map(|(at, score)| (at[1] - at[0]) * (score[0] + score[1]) / 2.0);
        let mean: f64 = means.sum();
        let mut rng = ChaCha8Rng::seed_from_u64(2018);
        let mut covered = [0; PAIRS.len()];
        for _ in 0..MATCHES {
            let mut scores = AdjustedScores::new(2, 2);
            for (number, covered) in PAIRS.iter().zip(&mut covered) {
                while scores.blocks() < *number {
                    let drawn = uniform(&mut rng);
                    let (at, score) = parts.iter().find(|(at, _)| drawn < at[1]).unwrap();
                    let above = (drawn - at[0]) / (at[1] - at[0]);
                    scores.add((PAIR * (score[0] + (score[1] - score[0]) * above)) as i64);
                }
                let found = scores.score().unwrap();
                *covered += u32::from(found.low <= mean && mean <= found.high);
            }
        }
        let coverage = covered.map(|covered| f64::from(covered) / f64::from(MATCHES));
        println!("score {mean:.3}, {PAIRS:?} pairs: {coverage:.3?}");
        assert!(coverage.iter().all(|&coverage| coverage >= MIN_COVERAGE), "{mean}: {coverage:?}");
    }
}

#[test]
fn many_blocks_have_the_interval_of_student() {
    // Scores of variance 0.055.
    let of = |blocks: u64| [6, 20, 48, 20, 6].map(|percent| percent * blocks / 100);
    for (blocks, quantile, most) in
        [(100, 1.984_217, 1.06), (1000, 1.962_341, 1.01), (100_000, 1.959_988, 1.001)]
    {
        let scores = BlockScores::pentanomial(of(blocks));
        let score = scores.mean_score().unwrap().interval();
        let variance = 0.055 * blocks as f64 / (blocks - 1) as f64;
        let student = 2.0 * quantile * (variance / blocks as f64).sqrt();
        let ratio = (score.high - score.low) / student;
        println!("{blocks} blocks: {ratio:.4} of {student:.4}");
        assert!((0.99..most).contains(&ratio), "{blocks} blocks: {ratio}");
    }
}
