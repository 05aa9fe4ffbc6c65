//! Tiny courses: they learn, are reproducible, and resume where they were interrupted.

use std::fs;
use std::path::Path;

use buxtehude::eval::hase::{Features, Net, PART_ROWS, Weights};
use buxtehude::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn};
use matches::play::interrupt::Interrupt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trainer::course::{Course, CourseError, carried_over};
use trainer::learner::{Learner, for_each_pair};
use trainer::measure::compare;
use trainer::player::Player;
use trainer::self_play::{Sample, play};

fn course(seats: usize, rounds: u64) -> Course {
    Course {
        ruleset: &HASE_UND_IGEL,
        seats,
        seed: 7,
        rounds,
        last_rounds: 2,
        nodes: 30,
        samples: 3000,
        threads: 2,
        from: None,
    }
}

fn learned(course: &Course, output: &Path) -> (Vec<u8>, Vec<f64>) {
    let mut losses = Vec::new();
    course
        .run(output, &Interrupt::new(), &mut |round| {
            losses.push(round.loss);
        })
        .unwrap();
    (fs::read(output).unwrap(), losses)
}

fn player(bytes: &[u8], nodes: u64) -> Player {
    Player::new(&HASE_UND_IGEL, &Weights::from_bytes(bytes).unwrap(), nodes)
}

#[test]
fn a_short_course_learns_to_tell_who_is_ahead_and_to_play() {
    let folder = tempfile::tempdir().unwrap();
    let (after, losses) = learned(&course(2, 40), &folder.path().join("after.net"));
    let (before, _) = learned(&course(2, 2), &folder.path().join("before.net"));
    let last = &losses[losses.len() - 10..];
    let mean = last.iter().sum::<f64>() / 10.0;
    assert!(mean < 0.52, "a coin has 0.69: {losses:?}");
    let mut players = [&after, &before].map(|bytes| player(bytes, 10));
    let (share, error) = compare(&mut players, 300, 1);
    assert!(share - error > 55.0, "{share} ± {error}");
}

#[test]
fn the_same_course_learns_the_same_and_another_seed_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for seats in [2, 5] {
        let first = learned(&course(seats, 3), &file("first.net"));
        assert_eq!(first, learned(&course(seats, 3), &file("second.net")));
        for threads in [1, 3, 100] {
            let other = Course { threads, ..course(seats, 3) };
            assert_eq!(first, learned(&other, &file("second.net")));
        }
        let other = Course { seed: 8, ..course(seats, 3) };
        assert_ne!(first, learned(&other, &file("third.net")));
    }
}

#[test]
fn a_course_goes_on_where_it_was_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    let whole = learned(&course(3, 10), &folder.path().join("whole.net"));
    let output = folder.path().join("broken.net");
    let broken = std::panic::catch_unwind(|| {
        course(3, 10).run(&output, &Interrupt::new(), &mut |round| {
            assert!(round.round < 12, "the power is cut");
        })
    });
    assert!(broken.is_err());
    assert!(!output.exists());
    let mut resumed = Vec::new();
    course(3, 10)
        .run(&output, &Interrupt::new(), &mut |round| {
            resumed.push(round.round);
        })
        .unwrap();
    assert_eq!(resumed, [11, 12]);
    assert_eq!(fs::read(&output).unwrap(), whole.0);
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn the_progress_of_another_course_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("net.net");
    fs::write(output.with_extension("progress"), "hase-und-igel 2 9 9 9 9 9 anew\n").unwrap();
    let refused = course(2, 3).run(&output, &Interrupt::new(), &mut |_| ());
    assert!(matches!(refused, Err(CourseError::File(_))), "{refused:?}");
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("expected hase-und-igel 2 7 3 2 30 3000 anew"), "{refused}");
}

fn samples(weights: &Weights, nodes: u64, count: usize) -> Vec<Sample> {
    let mut player = Player::new(&HASE_UND_IGEL, weights, nodes);
    let features = Features::of(&HASE_UND_IGEL);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut samples = Vec::new();
    while samples.len() < count {
        play(&mut player, &features, &mut random, &mut samples);
    }
    samples
}

/// Actual and expected wins are both distributed over the same pairs of rivals.
#[test]
fn seats_still_in_the_race_finish_before_one_another() {
    for (seats, nodes) in [(2, 0), (3, 20), (6, 20)] {
        let weights = Weights::zero("hase-und-igel", seats);
        for sample in samples(&weights, nodes, 1000) {
            let mut pairs = 0.0;
            for_each_pair(&sample, seats, |_, _, _| pairs += 1.0);
            let wins: f32 = sample.wins.iter().sum();
            assert!((wins - pairs).abs() < 0.01, "{sample:?}");
            for (&place, &wins) in sample.places.iter().zip(&sample.wins) {
                assert!(place > 0 || wins == 0.0, "{sample:?}");
            }
        }
    }
}

#[test]
fn the_luck_of_a_card_has_mean_zero_for_each_seat_whatever_the_net() {
    for seats in [2, 3, 6] {
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let weights = Learner::new(&HASE_UND_IGEL, seats, &mut random).weights;
        let player = Player::new(&HASE_UND_IGEL, &weights, 0);
        let mut unequal = 0;
        let all = positions(seats);
        let after = all.iter().flat_map(|position| {
            let moves = position.legal_moves();
            moves.map(|mv| position.play_unchecked(mv))
        });
        for due in after.filter(|position| matches!(position.turn(), Turn::Card(_))) {
            let mut sums = [0.0; MAX_SEATS];
            let mut most = 0.0f32;
            for (card, weight) in due.outcomes() {
                let luck = player.luck(&due, &due.draw_unchecked(card));
                for (sum, luck) in sums.iter_mut().zip(luck) {
                    *sum += weight as f32 * luck;
                    most = most.max(luck.abs());
                }
            }
            assert!(sums.iter().all(|sum| sum.abs() < 1e-3), "{sums:?} {due:?}");
            unequal += usize::from(most > 0.001);
        }
        assert!(unequal > 5, "{unequal} positions where a card matters");
    }
}

/// The learner computes the same loss as the net used for play, except for the rounding of its rows.
#[test]
fn the_learner_and_the_net_agree() {
    for seats in [2, 4, 6] {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut learner = Learner::new(&HASE_UND_IGEL, seats, &mut random);
        for sample in samples(&learner.weights.clone(), 0, 2000) {
            learner.learn(&sample, 1.0);
        }
        let net = Net::new(&HASE_UND_IGEL, &learner.weights);
        for position in positions(seats) {
            let features = Features::of(&HASE_UND_IGEL);
            let mut sample = Sample::of(&features, &position);
            // The mover finishes before the next seat: the loss of this single pair is the logarithm of its chance.
            sample.places[0] = 1;
            sample.places[1] = 2;
            let (loss, pairs) = learner.loss(&sample);
            assert_eq!(pairs, 1);
            let strengths = net.strengths(&position);
            let Some(mover) = position.turn().seat().map(Seat::index) else {
                continue;
            };
            let difference = strengths[mover] - strengths[(mover + 1) % seats];
            let expected = (1.0 + (-difference).exp()).ln();
            assert!(
                (loss - expected).abs() < 0.05 + 0.02 * expected,
                "{loss} {expected}\n{position:?}"
            );
        }
    }
}

fn positions(seats: usize) -> Vec<buxtehude::rules::hase::Position> {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    (0..200)
        .map(|_| trainer::player::opening(&HASE_UND_IGEL, seats, &mut random))
        .filter(|position| position.finished().len() == 0)
        .collect()
}

/// A small step against the gradient lowers the loss.
#[test]
fn learning_from_a_sample_lowers_its_loss() {
    for seats in [2, 3, 6] {
        let mut random = ChaCha8Rng::seed_from_u64(6);
        let learner = Learner::new(&HASE_UND_IGEL, seats, &mut random);
        for sample in samples(&learner.weights, 0, 300).iter().step_by(10) {
            let (before, pairs) = learner.loss(sample);
            if pairs == 0 {
                continue;
            }
            let mut after = learner.clone();
            for _ in 0..128 {
                after.learn(sample, 0.05);
            }
            assert!(after.loss(sample).0 < before, "{sample:?}");
        }
    }
}

#[test]
fn what_is_known_of_a_way_of_standing_is_carried_over_to_the_other_board() {
    let mut weights = Weights::zero("hase-und-igel", 2);
    let old = Features::of(&HASE_UND_IGEL);
    for (placement, (square, state)) in old.placements().enumerate() {
        for row in 0..4 {
            weights.parts[0][4 * placement + row] = [f32::from(square) + 100.0 * state as f32; 32];
        }
    }
    assert_eq!(carried_over(&weights, &HASE_UND_IGEL), weights);
    let carried = carried_over(&weights, &HARE_AND_TORTOISE);
    assert_eq!(carried.variant, "hare-and-tortoise");
    assert_eq!(carried.parts.each_ref().map(Vec::len), PART_ROWS);
    for (placement, (square, state)) in Features::of(&HARE_AND_TORTOISE).placements().enumerate() {
        let found = carried.parts[0][4 * placement][0];
        let is_new = !old.placements().any(|known| known == (square, state));
        let expected = f32::from(square) + if is_new { 0.0 } else { 100.0 * state as f32 };
        assert_eq!(found, expected, "square {square}, state {state}");
    }
}
