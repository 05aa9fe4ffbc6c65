//! Coverage of the intervals of scores, by simulation: at least 95 % within its accuracy, for any number of blocks.

use std::collections::HashMap;

use matches::score::BlockScores;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Simulated matches for each cell; the standard error of a coverage of 95 % is 0.3 %.
const MATCHES: u32 = 5300;

/// Least coverage.
const LEAST: f64 = 0.94;

/// Numbers of pairs of games.
const PAIRS: [u64; 5] = [3, 5, 10, 30, 100];

/// True scores.
const SCORES: [f64; 4] = [0.5, 0.7, 0.9, 0.99];

/// A uniform random number from 0 to 1.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
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
    match uniform(rng) < 0.5 {
        true => 2 * game(score, rng),
        false => independent(score, rng),
    }
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
            let told = format!("{kind}, score {score}, {PAIRS:?} pairs: {coverage:.3?}");
            println!("{told}");
            if coverage.iter().any(|&coverage| coverage < LEAST) {
                too_low.push(told);
            }
        }
    }
    assert!(too_low.is_empty(), "{}", too_low.join("\n"));
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
