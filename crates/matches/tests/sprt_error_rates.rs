//! The SPRT, simulated with games of known strengths: its error rates are as low as promised.

use matches::score::{
    AdjustedScores, BlockScores, Crosstable, EloModel, Sprt, Verdict, expected_score,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::intervals::{PAIR, uniform};

/// Simulated tests for each strength.
const TESTS: u32 = 1500;

/// Error rate allowed for each test.
const ALLOWED: f64 = 0.05;

const MAX_BLOCKS: u64 = 100_000;

fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
    Sprt::new(elo0, elo1, ALLOWED, ALLOWED, model).unwrap()
}

/// Simulates tests. `add` plays a block and returns the LLR. Returns the share of tests that accept H1, and the mean
/// number of blocks.
fn simulate<S>(
    sprt: &Sprt,
    tests: u32,
    empty: impl Fn() -> S,
    mut add: impl FnMut(&mut S) -> f64,
) -> (f64, f64) {
    let (mut accepted, mut blocks) = (0, 0);
    for _ in 0..tests {
        let mut scores = empty();
        for block in 1.. {
            let verdict = sprt.verdict(add(&mut scores));
            if verdict != Verdict::Open {
                accepted += u32::from(verdict == Verdict::H1);
                blocks += block;
                break;
            }
            assert!(block < MAX_BLOCKS, "no end: {sprt:?}");
        }
    }
    (f64::from(accepted) / f64::from(tests), blocks as f64 / f64::from(tests))
}

/// Simulates tests with blocks of `halves`; asserts that a `wrong` verdict is as rare as promised, and that the tests
/// do not need too many games for it.
fn errors_hold(
    sprt: &Sprt,
    empty: &BlockScores,
    wrong: Verdict,
    mut halves: impl FnMut(&mut ChaCha8Rng) -> u32,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(1978);
    let add = |scores: &mut BlockScores| {
        scores.add(halves(&mut rng));
        sprt.llr(scores)
    };
    let (accepted, mean_blocks) = simulate(sprt, TESTS, || empty.clone(), add);
    let rate = if wrong == Verdict::H1 { accepted } else { 1.0 - accepted };
    // Three standard deviations of a binomial distribution.
    let bound = ALLOWED + 3.0 * (ALLOWED * (1.0 - ALLOWED) / f64::from(TESTS)).sqrt();
    println!("{sprt:?}: {rate} wrong, {mean_blocks} blocks");
    assert!(rate <= bound, "{rate} of {wrong:?}, {sprt:?}, {mean_blocks} blocks");
    assert!(rate >= ALLOWED / 3.0, "{rate} of {wrong:?}, {sprt:?}, {mean_blocks} blocks");
}

/// Share of drawn games between two seats.
const SHARED: f64 = 0.3;

/// Extra score of the favoured seat in an unbalanced opening.
const FAVOUR: f64 = 0.15;

/// A pair of games with this expected score, in halves of a point: four at most. Every other opening favours a seat.
fn pair(score: f64, rng: &mut ChaCha8Rng) -> u32 {
    let favour = if uniform(rng) < 0.5 { FAVOUR } else { 0.0 };
    let mut game = |score: f64| match uniform(rng) {
        drawn if drawn < score - SHARED / 2.0 => 2,
        drawn if drawn < score + SHARED / 2.0 => 1,
        _ => 0,
    };
    game(score + favour) + game(score - favour)
}

/// The score of a normalized Elo difference in such pairs.
fn score_of_normalized(elo: f64) -> f64 {
    let mut score = 0.5;
    for _ in 0..50 {
        let variance = |score: f64| score - SHARED / 4.0 - score * score;
        let favoured = (variance(score + FAVOUR) + variance(score - FAVOUR)) / 2.0;
        let of_a_game = ((favoured + variance(score)) / 2.0).sqrt();
        score = 0.5 + elo / (800.0 / std::f64::consts::LN_10) * of_a_game;
    }
    score
}

#[test]
fn two_seats_logistic() {
    let sprt = sprt(-10.0, 40.0, EloModel::Logistic);
    for (elo, wrong) in [(-10.0, Verdict::H1), (40.0, Verdict::H0)] {
        let score = expected_score(elo);
        errors_hold(&sprt, &BlockScores::new(2, 2), wrong, |rng| pair(score, rng));
    }
}

#[test]
fn two_seats_normalized() {
    let sprt = sprt(0.0, 50.0, EloModel::Normalized);
    for (elo, wrong) in [(0.0, Verdict::H1), (50.0, Verdict::H0)] {
        let score = score_of_normalized(elo);
        errors_hold(&sprt, &BlockScores::new(2, 2), wrong, |rng| pair(score, rng));
    }
}

/// A block of games in three seats between two engines, after Plackett and Luce: the probability of finishing next is
/// proportional to strength. Engine 0 has two of the seats and `strength` times the strength of engine 1.
fn block_of_three(strength: f64, rng: &mut ChaCha8Rng) -> u32 {
    let mut engines = [Some(0), Some(1), Some(0)];
    let mut crosstable = Crosstable::default();
    for _ in 0..3 {
        // With exponentially distributed finishing times, the first to finish follows that law.
        let times = engines.map(|engine| {
            let rate = if engine == Some(0) { strength } else { 1.0 };
            -(1.0 - uniform(rng)).ln() / rate
        });
        let place = |time| times.iter().filter(|&&other| other <= time).count() as u32;
        let places = times.map(place);
        crosstable.add(&engines, &places);
        engines.rotate_left(1);
    }
    crosstable.between(0, 1).halves
}

#[test]
fn three_seats() {
    for (elo0, elo1, model) in [(-20.0, 40.0, EloModel::Logistic), (0.0, 60.0, EloModel::Logistic)]
    {
        let sprt = sprt(elo0, elo1, model);
        for (elo, wrong) in [(elo0, Verdict::H1), (elo1, Verdict::H0)] {
            let strength = 10f64.powf(elo / 400.0);
            let empty = BlockScores::new(3, 6);
            errors_hold(&sprt, &empty, wrong, |rng| block_of_three(strength, rng));
        }
    }
}

/// A luck-adjusted score of a pair of games: its standard deviation is 0.1 as in real matches, its distribution skewed
/// towards `side`, 1 or -1. Rarely an engine loses a game by a fault, which no luck explains.
fn adjusted_pair(score: f64, side: f64, rng: &mut ChaCha8Rng) -> i64 {
    // An exponential distribution less its mean, and three uniform ones.
    let skewed = -(1.0 - uniform(rng)).ln() - 1.0;
    let even: f64 = (0..3).map(|_| uniform(rng) - 0.5).sum();
    let fault = match uniform(rng) {
        drawn if drawn < 0.005 => 0.25,
        drawn if drawn < 0.01 => -0.25,
        _ => 0.0,
    };
    ((score + side * 0.07 * skewed + 0.13 * even + fault) * PAIR) as i64
}

/// Simulates luck-adjusted tests of pairs with this expected score.
fn adjusted_tests(
    sprt: &Sprt,
    tests: u32,
    score: f64,
    side: f64,
    rng: &mut ChaCha8Rng,
) -> (f64, f64) {
    let add = |scores: &mut AdjustedScores| {
        scores.add(adjusted_pair(score, side, rng));
        sprt.adjusted_llr(scores)
    };
    simulate(sprt, tests, || AdjustedScores::new(2, 2), add)
}

/// A luck-adjusted score that mostly equals the expected one. Rarely it is far above, or with a `side` of -1 far below.
fn rarely_large(score: f64, side: f64, rng: &mut ChaCha8Rng) -> i64 {
    let excess = match uniform(rng) {
        drawn if drawn < 0.05 => -0.15 * (1.0 - uniform(rng)).ln(),
        _ => 0.0,
    };
    ((score + side * (excess - 0.05 * 0.15)) * PAIR) as i64
}

#[test]
fn luck_adjusted_tests_of_very_skewed_scores_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(2020);
    let sprt: Sprt = "elo0=0 elo1=40 luck=on".parse().unwrap();
    for (elo, side) in [(0.0, 1.0), (40.0, 1.0), (0.0, -1.0), (40.0, -1.0)] {
        let add = |scores: &mut AdjustedScores| {
            scores.add(rarely_large(expected_score(elo), side, &mut rng));
            sprt.adjusted_llr(scores)
        };
        let (rate, mean_blocks) = simulate(&sprt, 200, || AdjustedScores::new(2, 2), add);
        println!("{sprt}: at {elo} Elo H1 in {rate}, {mean_blocks} blocks");
        assert!((rate - elo / 40.0).abs() <= ALLOWED && mean_blocks < 100.0, "{rate}");
    }
}

#[test]
fn luck_adjusted_tests_of_unequal_engines_end_early() {
    let mut rng = ChaCha8Rng::seed_from_u64(2021);
    for model in ["logistic", "normalized"] {
        let sprt: Sprt = format!("elo0=0 elo1=5 luck=on model={model}").parse().unwrap();
        for (elo, expected) in [(-150.0, 0.0), (150.0, 1.0)] {
            let (rate, mean_blocks) =
                adjusted_tests(&sprt, 200, expected_score(elo), 1.0, &mut rng);
            println!("{sprt}: at {elo} Elo H1 in {rate}, {mean_blocks} blocks");
            assert!(rate == expected && mean_blocks < 100.0, "{rate}, {mean_blocks}");
        }
    }
}

#[test]
fn luck_adjusted_tests_keep_their_error_rates() {
    let mut rng = ChaCha8Rng::seed_from_u64(2018);
    for (elo0, elo1, side, tests) in
        [(0.0, 10.0, 1.0, 1000), (0.0, 30.0, 1.0, 10_000), (0.0, 30.0, -1.0, 10_000)]
    {
        let sprt: Sprt = format!("elo0={elo0} elo1={elo1} luck=on").parse().unwrap();
        for elo in [elo0, (elo0 + elo1) / 2.0, elo1] {
            let (rate, mean_blocks) =
                adjusted_tests(&sprt, tests, expected_score(elo), side, &mut rng);
            println!("{sprt}: at {elo} Elo H1 in {rate}, {mean_blocks} blocks");
            // Three standard deviations of a binomial distribution.
            let bound = ALLOWED + 3.0 * (ALLOWED * (1.0 - ALLOWED) / f64::from(tests)).sqrt();
            match elo {
                elo if elo == elo0 => assert!(rate <= bound, "{sprt}: {rate}"),
                elo if elo == elo1 => assert!(rate >= 1.0 - bound, "{sprt}: {rate}"),
                _ => assert!((rate - 0.5).abs() < 0.15, "{sprt}: {rate}"),
            }
        }
    }
}

/// Standard deviation of the raw score of a pair of games, about that of real matches.
const RAW_DEVIATION: f64 = 0.234;

/// Half-points of a pair of games that both engines win one of, unless one engine wins both, as in real matches.
fn raw_pair(score: f64, rng: &mut ChaCha8Rng) -> u32 {
    let excess = score - 0.5;
    let one_sided = 4.0 * (RAW_DEVIATION.powi(2) + excess.powi(2));
    match uniform(rng) {
        at if at < one_sided / 2.0 + excess => 4,
        at if at < one_sided => 0,
        _ => 2,
    }
}

#[test]
#[ignore = "prints, and takes minutes"]
fn luck_adjusted_tests_need_a_third_of_the_games() {
    const TESTS: u32 = 10_000;
    let mut rng = ChaCha8Rng::seed_from_u64(2019);
    for elo1 in [30.0, 10.0] {
        let raw = sprt(0.0, elo1, EloModel::Logistic);
        let adjusted: Sprt = format!("elo0=0 elo1={elo1} luck=on").parse().unwrap();
        for elo in [0.0, elo1 / 2.0, elo1] {
            let score = expected_score(elo);
            let add = |scores: &mut BlockScores| {
                scores.add(raw_pair(score, &mut rng));
                raw.llr(scores)
            };
            let (raw_rate, raw_blocks) = simulate(&raw, TESTS, || BlockScores::new(2, 2), add);
            for side in [1.0, -1.0] {
                let (rate, blocks) = adjusted_tests(&adjusted, TESTS, score, side, &mut rng);
                println!(
                    "elo1={elo1}: at {elo} Elo H1 in {raw_rate} and {rate}, {:.0} and {:.0} games",
                    2.0 * raw_blocks,
                    2.0 * blocks
                );
                assert!(3.0 * blocks < raw_blocks, "{blocks} and {raw_blocks} blocks");
            }
        }
    }
}
