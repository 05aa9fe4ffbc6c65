//! Ratings against an independent algorithm and known values, and the coverage of their errors by simulation.

use matches::score::{
    AdjustedScores, Crosstable, Meeting, POINT, Rating, Ratings, elo, expected_score,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::intervals::uniform;

/// A block where the first engine wins `halves` half-points of `comparisons`.
fn meeting(engines: (usize, usize), comparisons: u32, halves: i64) -> Meeting {
    Meeting { engines, comparisons, points: halves * POINT / 2 }
}

fn rated(engines: usize, blocks: &[Vec<Meeting>]) -> Vec<Rating> {
    let mut ratings = Ratings::new(engines);
    blocks.iter().for_each(|block| ratings.add_block(block));
    ratings.fit()
}

#[test]
fn two_engines_differ_by_the_elo_of_their_score() {
    for halves in [[4, 4, 4, 0], [4, 3, 1, 0], [2, 2, 2, 2], [3, 3, 2, 3]] {
        let blocks: Vec<Vec<Meeting>> = halves
            .map(|halves| vec![meeting((0, 1), 2, halves)])
            .iter()
            .cycle()
            .take(10_000)
            .cloned()
            .collect();
        let score = halves.iter().sum::<i64>() as f64 / 16.0;
        let found = rated(2, &blocks);
        let difference = found[0].rating - found[1].rating;
        assert!((difference - elo(score)).abs() < 0.05, "{halves:?}: {found:?}");
        assert!((found[0].rating + found[1].rating).abs() < 1e-9, "{found:?}");
    }
}

#[test]
fn the_error_of_two_engines_is_that_of_their_score() {
    // Pairs of games with 0, 1 and 2 points, of variance 1/8 as block scores: a standard error of 1/8 / 20 for 400.
    let blocks: Vec<Vec<Meeting>> = [0, 2, 4, 2]
        .map(|halves| vec![meeting((0, 1), 2, halves)])
        .iter()
        .cycle()
        .take(400)
        .cloned()
        .collect();
    let found = rated(2, &blocks);
    let of_score = 1.96 * (0.125f64 / 400.0).sqrt();
    let expected = elo(0.5 + of_score) / 2.0;
    let error = found[0].error.unwrap();
    assert!((error / expected - 1.0).abs() < 0.02, "{error}, expected {expected}");
    assert!((error - found[1].error.unwrap()).abs() < 1e-9, "{found:?}");
}

#[test]
fn the_error_of_two_engines_less_luck_is_that_of_their_score() {
    let (mut ratings, mut scores) = (Ratings::of_adjusted(2), AdjustedScores::new(2, 2));
    for points in [90, 110, 100, 130, 80, 115, 95, 105].map(|percent| percent * POINT / 100) {
        ratings.add_block(&[Meeting { engines: (0, 1), comparisons: 2, points }]);
        scores.add(points);
    }
    let error = ratings.fit()[0].error.unwrap();
    let expected = scores.elo().unwrap().error() / 2.0;
    assert!((error / expected - 1.0).abs() < 0.1, "{error}, expected {expected}");
}

/// Ratings by a minorization-maximization algorithm, with one drawn comparison of each engine against strength 1.
/// Source: David R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32 (2004).
fn by_minorization(engines: usize, blocks: &[Vec<Meeting>]) -> Vec<f64> {
    let mut strengths = vec![1.0; engines];
    for _ in 0..20_000 {
        let mut won = vec![0.5; engines];
        let mut weights: Vec<f64> =
            strengths.iter().map(|strength| 1.0 / (strength + 1.0)).collect();
        for meeting in blocks.iter().flatten() {
            let (one, other) = meeting.engines;
            let (comparisons, points) =
                (f64::from(meeting.comparisons), meeting.points as f64 / POINT as f64);
            won[one] += points;
            won[other] += comparisons - points;
            let weight = comparisons / (strengths[one] + strengths[other]);
            weights[one] += weight;
            weights[other] += weight;
        }
        strengths = won.iter().zip(weights).map(|(won, weight)| won / weight).collect();
    }
    let ratings: Vec<f64> =
        strengths.iter().map(|strength: &f64| 400.0 * strength.log10()).collect();
    let mean = ratings.iter().sum::<f64>() / engines as f64;
    ratings.iter().map(|rating| rating - mean).collect()
}

#[test]
fn ratings_are_those_of_another_algorithm() {
    let mixed = vec![
        vec![meeting((0, 1), 2, 3), meeting((0, 2), 2, 4), meeting((1, 2), 2, 1)],
        vec![meeting((3, 1), 4, 1), meeting((3, 2), 4, 7)],
        vec![meeting((2, 0), 2, 1), meeting((2, 3), 2, 2)],
    ];
    // One engine lost everything, and two groups never met.
    let extreme =
        vec![vec![meeting((0, 1), 6, 12), meeting((0, 2), 2, 3)], vec![meeting((3, 4), 2, 1)]];
    for (engines, blocks) in [(4, mixed), (5, extreme)] {
        let (found, expected) = (rated(engines, &blocks), by_minorization(engines, &blocks));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found.rating - expected).abs() < 1e-4, "{found:?}, {expected}");
        }
    }
}

#[test]
fn what_games_do_not_tell_is_unknown() {
    let known = |engines, blocks: &[Vec<Meeting>]| -> Vec<bool> {
        let found = rated(engines, blocks);
        assert!(found.iter().all(|rating| rating.rating.is_finite()), "{found:?}");
        found.iter().map(|rating| rating.error.is_some()).collect()
    };
    assert_eq!(known(3, &[]), [false; 3]);
    // Won everything.
    assert_eq!(known(2, &[vec![meeting((0, 1), 2, 4)]]), [false; 2]);
    let one_better = vec![meeting((0, 1), 2, 4), meeting((0, 2), 2, 4), meeting((1, 2), 2, 3)];
    assert_eq!(known(4, &[one_better]), [false, true, true, false]);
    // Two groups that never met, and two that met without a point for the second.
    let groups = vec![meeting((0, 1), 2, 2), meeting((2, 3), 2, 2)];
    assert_eq!(known(4, std::slice::from_ref(&groups)), [false; 4]);
    let met = [groups, vec![meeting((0, 2), 2, 4)]];
    assert_eq!(known(4, &met), [false; 4]);
    // A circle of wins is enough.
    let circle = [(0, 1), (1, 2), (2, 0)].map(|engines| vec![meeting(engines, 2, 4)]);
    assert_eq!(known(3, &circle), [true; 3]);
}

#[test]
fn an_engine_without_games_has_no_rating() {
    let found = rated(3, &[vec![meeting((0, 2), 2, 3)], vec![meeting((2, 2), 2, 4)]]);
    assert_eq!(found[1], Rating { rating: 0.0, error: None });
    assert!(found[0].rating > 0.0 && found[0].rating == -found[2].rating, "{found:?}");
}

/// Games of a line-up after Plackett and Luce, one per seat. In half of the blocks the cards favour the same engines in
/// all games.
fn block(line_up: &[usize], strengths: &[f64], rng: &mut ChaCha8Rng) -> Vec<Meeting> {
    let (seats, is_alike) = (line_up.len(), uniform(rng) < 0.5);
    let mut table = Crosstable::default();
    let mut times = vec![0.0; seats];
    for game in 0..seats {
        if game == 0 || !is_alike {
            // With exponentially distributed finishing times, the first to finish follows that law.
            times.fill_with(|| -(1.0 - uniform(rng)).ln());
        }
        let time = |seat: usize| times[seat] / strengths[line_up[seat]];
        let place = |seat| (0..seats).filter(|&other| time(other) <= time(seat)).count() as u32;
        let places: Vec<u32> = (0..seats).map(place).collect();
        let engines: Vec<Option<usize>> = line_up.iter().copied().map(Some).collect();
        table.add(&engines, &places);
    }
    let mut meetings = Vec::new();
    for one in 0..strengths.len() {
        for other in one + 1..strengths.len() {
            let found = table.between(one, other);
            meetings.push(meeting((one, other), found.pairs, i64::from(found.halves)));
        }
    }
    meetings
}

/// Share of the intervals of ratings that contain the true ones, in simulated matches.
fn coverage(elo: &[f64], seed: u64, mut play: impl FnMut(&mut ChaCha8Rng) -> Ratings) -> f64 {
    const MATCHES: usize = 1500;
    let mean = elo.iter().sum::<f64>() / elo.len() as f64;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut covered = 0;
    for _ in 0..MATCHES {
        for (found, elo) in play(&mut rng).fit().iter().zip(elo) {
            let error = found.error.unwrap();
            covered += usize::from((found.rating - (elo - mean)).abs() <= error);
        }
    }
    covered as f64 / (MATCHES * elo.len()) as f64
}

/// Asserts that the intervals of ratings contain the true ones in 95 % of simulated matches.
fn covers(name: &str, elo: &[f64], line_ups: &[Vec<usize>], rounds: usize) {
    let strengths: Vec<f64> = elo.iter().map(|elo| 10f64.powf(elo / 400.0)).collect();
    let coverage = coverage(elo, 1929, |rng| {
        let mut ratings = Ratings::new(elo.len());
        for line_up in (0..rounds).flat_map(|_| line_ups) {
            ratings.add_block(&block(line_up, &strengths, rng));
        }
        ratings
    });
    println!("{name}, {rounds} rounds: {coverage:.4}");
    assert!((coverage - 0.95).abs() < 0.015, "{name}: {coverage}");
}

#[test]
fn errors_cover_the_true_ratings_of_three_seats() {
    covers("three seats", &[70.0, 0.0, -40.0], &[vec![0, 1, 2]], 60);
}

fn pairs_of_four() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|one| (one + 1..4).map(move |other| (one, other)))
}

#[test]
fn errors_cover_the_true_ratings_of_a_round_robin() {
    let line_ups: Vec<Vec<usize>> = pairs_of_four().map(|(one, other)| vec![one, other]).collect();
    covers("round robin", &[120.0, 20.0, 0.0, -60.0], &line_ups, 20);
}

#[test]
fn errors_less_luck_cover_the_true_ratings_of_a_short_round_robin() {
    let elo = [120.0, 20.0, 0.0, -140.0];
    let coverage = coverage(&elo, 1952, |rng| {
        let mut ratings = Ratings::of_adjusted(elo.len());
        for (one, other) in (0..3).flat_map(|_| pairs_of_four()) {
            // Three uniform numbers, with a standard deviation of 0.1.
            let noise: f64 = (0..3).map(|_| 0.2 * (uniform(rng) - 0.5)).sum();
            let points = 2.0 * (expected_score(elo[one] - elo[other]) + noise) * POINT as f64;
            let engines = (one, other);
            ratings.add_block(&[Meeting { engines, comparisons: 2, points: points as i64 }]);
        }
        ratings
    });
    println!("{coverage:.4}");
    assert!((0.94..0.99).contains(&coverage), "{coverage}");
}

/// Blocks of meetings of three engines, with any number of points.
fn blocks() -> impl Strategy<Value = Vec<Vec<Meeting>>> {
    let pair = prop_oneof![Just((0, 1)), Just((1, 2)), Just((2, 0)), Just((1, 0))];
    let meeting = (pair, 1..5u32, 0..=POINT).prop_map(|(engines, comparisons, part)| Meeting {
        engines,
        comparisons,
        points: i64::from(comparisons) * part,
    });
    prop::collection::vec(prop::collection::vec(meeting, 1..4), 1..12)
}

proptest! {
    #[test]
    fn the_order_of_blocks_makes_no_difference(
        (blocks, order) in blocks().prop_flat_map(|blocks| {
            let order: Vec<usize> = (0..blocks.len()).collect();
            (Just(blocks), Just(order).prop_shuffle())
        })
    ) {
        let shuffled: Vec<Vec<Meeting>> = order.iter().map(|&index| blocks[index].clone()).collect();
        prop_assert_eq!(rated(3, &blocks), rated(3, &shuffled));
    }
}
