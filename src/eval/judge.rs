//! An evaluator with optional errors, for weaker play.
//!
//! The error of each seat in each position is derived from the key of the position and a seed. So a position gets the
//! same error each time, however the search reaches it. Errors are symmetric about zero: they hide which seat is better
//! off without favouring any. Decided results have no errors.

use std::sync::Arc;

use super::{Evaluate, Evaluator, Evaluators, Vector};
use crate::rules::{Game, Seat, splitmix64};

/// Evaluation errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// Standard deviation of a seat's error, on the scale of [`STRENGTH_UNIT`](super::STRENGTH_UNIT); 0 for none.
    pub size: i32,
    /// Seed of the errors.
    pub seed: u64,
}

/// Evaluator of a game, with its errors, if any.
#[derive(Clone, Debug)]
pub struct Judge<G: Evaluate> {
    evaluator: Arc<G::Evaluator>,
    noise: Noise,
}

impl<G: Evaluate> Judge<G> {
    /// Creates an evaluator for the rules and the number of seats of `position`, with these errors.
    pub fn new(position: &G, evaluators: &Evaluators, noise: Noise) -> Judge<G> {
        Judge { evaluator: position.evaluator(evaluators), noise }
    }

    /// Underlying evaluator.
    pub fn evaluator(&self) -> &Arc<G::Evaluator> {
        &self.evaluator
    }

    /// Errors that it adds.
    pub fn noise(&self) -> Noise {
        self.noise
    }
}

impl<G: Evaluate> Evaluator<G> for Judge<G> {
    #[inline]
    fn strengths(&self, position: &G) -> Vector {
        let mut strengths = self.evaluator.strengths(position);
        if self.noise.size != 0 {
            self.noise.add_to(&mut strengths, position);
        }
        strengths
    }

    fn explain(&self, position: &G) -> Vec<String> {
        self.evaluator.explain(position)
    }
}

/// Standard deviation of [`spread`].
const SPREAD: i64 = 75_673;

impl Noise {
    /// Error for a seat in the position with a key.
    pub fn error(&self, key: u64, seat: Seat) -> i32 {
        let seats_word = splitmix64(self.seed.wrapping_add(u64::from(seat.0)));
        (i64::from(self.size) * spread(splitmix64(key ^ seats_word)) / SPREAD) as i32
    }

    #[cold]
    fn add_to<G: Game>(&self, strengths: &mut Vector, position: &G) {
        let key = position.key();
        for seat in 0..position.seats() as u8 {
            strengths[usize::from(seat)] += self.error(key, Seat(seat));
        }
    }
}

/// Sum of four numbers of 16 bits each, which are uniform about 0: nearly a normal distribution.
fn spread(bits: u64) -> i64 {
    let pieces = [0, 16, 32, 48].map(|shift| i64::from((bits >> shift) as u16));
    pieces.map(|piece| 2 * piece - 0xFFFF).iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(noise: Noise, seat: u8) -> Vec<i32> {
        (0..100_000).map(|key| noise.error(key, Seat(seat))).collect()
    }

    #[test]
    fn errors_are_even_about_zero_and_as_large_as_asked_for() {
        let noise = Noise { size: 1000, seed: 7 };
        for seat in 0..6 {
            let errors = errors(noise, seat);
            let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / 100_000.0;
            let first = mean(&mut errors.iter().map(|&error| f64::from(error)));
            let second = mean(&mut errors.iter().map(|&error| f64::from(error).powi(2)));
            // Three standard errors of a mean of 100,000 values.
            assert!(first.abs() < 10.0, "seat {seat}: mean {first}");
            assert!((second.sqrt() - 1000.0).abs() < 10.0, "seat {seat}");
        }
    }

    #[test]
    fn a_position_is_judged_the_same_each_time_for_a_seed() {
        let noise = |seed| Noise { size: 500, seed };
        assert_eq!(errors(noise(1), 0), errors(noise(1), 0));
        assert_ne!(errors(noise(1), 0), errors(noise(2), 0));
        assert_ne!(errors(noise(1), 0), errors(noise(1), 1));
        assert!(errors(Noise::default(), 0).iter().all(|&error| error == 0));
    }

    #[test]
    fn opposite_bits_are_opposite_errors() {
        for bits in [0, 1, 0xFFFF, 0x1234_5678_9ABC_DEF0, u64::MAX] {
            assert_eq!(spread(bits), -spread(!bits));
        }
    }
}
