//! Sampling of outcomes, so that an engine that measures luck takes no more than a share of the time of play.
//!
//! The mean luck is 0 for any choice of the draws to value and of the outcomes to sample, as long as the choice does
//! not depend on the drawn outcome. The choice therefore depends only on the game before the draw.

use std::time::{Duration, Instant};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Minimum number of outcomes sampled in addition to the drawn one. A single sample would add the same amount of
/// variance that valuing the draw removes.
const MIN_SAMPLES: usize = 2;

/// Choice of the outcomes of a draw that are valued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// None: the draw counts as no luck.
    Nothing,
    /// The drawn one, and this number of samples of the others.
    Samples(usize),
    All,
}

/// Time that an engine has taken for values so far, in all games of its process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    time: Duration,
    values: u32,
}

impl Pace {
    /// Mean time for a value; `None` before the first.
    pub(super) fn of_a_value(self) -> Option<Duration> {
        (self.values > 0).then(|| self.time / self.values)
    }
}

/// The account of one game: time of play so far, as far as it may be spent, less the time spent.
#[derive(Debug)]
pub(super) struct Allowance<'a> {
    random: ChaCha8Rng,
    pace: &'a mut Pace,
    /// Seconds left.
    left: f64,
    /// Seconds of measuring for each second of play.
    share: f64,
}

impl<'a> Allowance<'a> {
    pub(super) fn new(mut random: ChaCha8Rng, pace: &'a mut Pace, percent: u32) -> Allowance<'a> {
        // A random initial allowance makes up for the time that remains unspent at the end of the game.
        let least = pace.of_a_value().map_or(0.0, |time| time.as_secs_f64() * cost(MIN_SAMPLES));
        let left = least * random.random::<f64>();
        Allowance { random, pace, left, share: f64::from(percent) / 100.0 }
    }

    /// Adds the time of a move that was played before the next draw.
    pub(super) fn earn(&mut self, time: Duration) {
        self.left += self.share * time.as_secs_f64();
    }

    /// Returns the effort for a draw of this number of outcomes.
    pub(super) fn effort(&self, outcomes: usize) -> Effort {
        let affordable = match self.pace.of_a_value() {
            Some(time) => self.left / time.as_secs_f64().max(f64::MIN_POSITIVE),
            // One draw shows how long a value takes.
            None => cost(MIN_SAMPLES),
        };
        if affordable >= outcomes as f64 {
            return Effort::All;
        }
        // Every sampled outcome costs a value, and so does the drawn one.
        match (affordable - 1.0).floor() as usize {
            samples if samples >= MIN_SAMPLES => Effort::Samples(samples),
            _ => Effort::Nothing,
        }
    }

    /// Pays for `values` that took the time since `begun`.
    pub(super) fn spend(&mut self, values: usize, begun: Instant) {
        let time = begun.elapsed();
        self.left -= time.as_secs_f64();
        self.pace.time += time;
        self.pace.values += values as u32;
    }

    /// Returns the indices of `number` samples, each outcome as often as its weight tells on average. Systematic
    /// sampling: equal steps through all weights from a random beginning.
    pub(super) fn samples(&mut self, weights: &[u32], number: usize) -> Vec<usize> {
        let sum: u64 = weights.iter().copied().map(u64::from).sum();
        let begin = self.random.random_range(0..sum.max(1));
        systematic(weights, number, begin)
    }
}

/// Number of values to compute for a draw: one for each sample, and one for the drawn outcome.
fn cost(samples: usize) -> f64 {
    (samples + 1) as f64
}

/// The samples for a beginning below the sum of the weights.
pub(super) fn systematic(weights: &[u32], number: usize, begin: u64) -> Vec<usize> {
    let sum: u64 = weights.iter().copied().map(u64::from).sum();
    let mut samples = Vec::with_capacity(number);
    let (mut index, mut end) = (0, weights.first().copied().map_or(0, u64::from));
    for sample in 0..number as u64 {
        // All such points, over all beginnings, cover each unit of the weights equally often.
        let point = (begin + sample * sum) / number as u64;
        while point >= end && index + 1 < weights.len() {
            index += 1;
            end += u64::from(weights[index]);
        }
        samples.push(index);
    }
    samples
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn over_all_beginnings_each_outcome_is_sampled_by_its_weight() {
        for weights in [&[1, 1][..], &[3, 1, 2], &[1, 2, 2, 2, 2, 2, 1], &[5]] {
            let sum: u32 = weights.iter().sum();
            for number in 1..=9 {
                let mut counts = vec![0; weights.len()];
                for begin in 0..u64::from(sum) {
                    for index in systematic(weights, number, begin) {
                        counts[index] += 1;
                    }
                }
                let expected: Vec<usize> =
                    weights.iter().map(|&weight| weight as usize * number).collect();
                assert_eq!(counts, expected, "{weights:?}, {number} samples");
            }
        }
    }

    #[test]
    fn the_effort_follows_the_time_of_play() {
        let mut pace = Pace { time: Duration::from_secs(1), values: 10 };
        let random = ChaCha8Rng::seed_from_u64(1);
        let mut allowance = Allowance { left: 0.0, ..Allowance::new(random, &mut pace, 50) };
        let mut after = |millis| {
            allowance.earn(Duration::from_millis(millis));
            allowance.effort(21)
        };
        assert_eq!(after(590), Effort::Nothing);
        assert_eq!(after(20), Effort::Samples(2));
        assert_eq!(after(400), Effort::Samples(4));
        assert_eq!(after(4000), Effort::All);
        let mut unknown = Pace::default();
        let first = Allowance::new(ChaCha8Rng::seed_from_u64(1), &mut unknown, 100);
        assert_eq!((first.effort(21), first.effort(2)), (Effort::Samples(2), Effort::All));
    }
}
