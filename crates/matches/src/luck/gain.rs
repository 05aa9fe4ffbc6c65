//! The luck of a game as the sum of the gains from its cards. All outcomes of a draw are valued or, so that an engine
//! takes no more than a share of the time of play, only samples of them.
//!
//! The mean luck is 0 for any choice of the draws to value and of the outcomes to sample, as long as the choice does
//! not depend on the drawn outcome. The choice therefore depends only on the game before the draw.

use std::time::{Duration, Instant};

use buxtehude::rules::Turn;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::archive::replay::Flaw;
use crate::plan::Opening;
use crate::plan::rules::Position;
use crate::review::{Appraise, PlayedGame, ReviewError, Values};

/// Returns the luck of each seat in permille: the sum over all cards from the first move on that is not part of the
/// opening.
///
/// Cards before that move are the same in all games of a block, as are the moves before it.
///
/// # Errors
/// [`ReviewError`] if the evaluator fails or the game has a flaw.
pub fn luck<A: Appraise>(
    game: &PlayedGame,
    appraiser: &mut A,
) -> Result<Vec<f64>, ReviewError<A::Error>> {
    luck_within(game, appraiser, None)
}

/// Returns the luck as [`luck`] does. With an allowance and the time of each move after the opening, some draws count
/// as no luck, and of others only some outcomes are valued.
pub(super) fn luck_within<A: Appraise>(
    game: &PlayedGame,
    appraiser: &mut A,
    mut allowance: Option<(Allowance<'_>, &[Duration])>,
) -> Result<Vec<f64>, ReviewError<A::Error>> {
    let mut values = Values::new(appraiser);
    let (mut position, mut line) = (game.start.clone(), game.beginning());
    let mut luck = vec![0.0; position.seats()];
    let mut plies = 0_usize;
    for (index, word) in game.words.iter().enumerate() {
        let mut next = position.clone();
        next.play(word).map_err(|reason| Flaw::Action { number: index + 1, reason })?;
        let is_card = matches!(position.turn(), Turn::Card(_));
        if !is_card {
            plies += 1;
            if let Some((allowance, times)) = &mut allowance {
                let time = plies.checked_sub(game.opening + 1).and_then(|turn| times.get(turn));
                allowance.earn(time.copied().unwrap_or_default());
            }
        } else if plies > game.opening {
            let outcomes = position.outcomes();
            let effort =
                allowance.as_ref().map_or(Effort::All, |(it, _)| it.effort(outcomes.len()));
            let begun = Instant::now();
            let (gain, valued) = match (effort, &mut allowance) {
                (Effort::Nothing, _) => (Vec::new(), 0),
                (Effort::Samples(number), Some((allowance, _))) => {
                    let sample = |weights: &[u32]| allowance.samples(weights, number);
                    let gain = sampled_gain(&mut values, &position, &mut line, word, sample)?;
                    (gain, number + 1)
                }
                (_, _) => {
                    let mean = values.of(&position, &mut line)?;
                    line.moves.push(word.clone());
                    let value = values.of(&next, &mut line)?;
                    line.moves.pop();
                    let gain = value.iter().zip(mean).map(|(value, mean)| value - mean);
                    (gain.collect(), outcomes.len())
                }
            };
            if let Some((allowance, _)) = allowance.as_mut().filter(|_| valued > 0) {
                allowance.spend(valued, begun);
            }
            for (luck, gain) in luck.iter_mut().zip(gain) {
                *luck += gain;
            }
        }
        line.moves.push(word.clone());
        position = next;
    }
    Ok(luck)
}

/// Returns the value after the drawn word less the mean value of all outcomes. To estimate the mean, `sample` chooses
/// some of the other outcomes by their weights.
fn sampled_gain<A: Appraise>(
    values: &mut Values<'_, A>,
    position: &Position,
    line: &mut Opening,
    drawn: &str,
    sample: impl FnOnce(&[u32]) -> Vec<usize>,
) -> Result<Vec<f64>, ReviewError<A::Error>> {
    let (words, mut weights): (Vec<String>, Vec<u32>) = position.outcomes().into_iter().unzip();
    let sum: u64 = weights.iter().copied().map(u64::from).sum();
    let own = words.iter().position(|word| word == drawn);
    let own = own.map_or(0, |own| std::mem::take(&mut weights[own]));
    let samples = sample(&weights);
    let mut after = |word: &str| -> Result<Vec<f64>, ReviewError<A::Error>> {
        let (mut next, number) = (position.clone(), line.moves.len() + 1);
        next.play(word).map_err(|reason| Flaw::Action { number, reason })?;
        line.moves.push(word.to_string());
        let value = values.of(&next, line);
        line.moves.pop();
        value
    };
    let mut gain = after(drawn)?;
    for &sample in &samples {
        for (gain, value) in gain.iter_mut().zip(after(&words[sample])?) {
            *gain -= value / samples.len() as f64;
        }
    }
    // The drawn outcome is part of the mean by its own weight.
    let others = 1.0 - f64::from(own) / sum as f64;
    gain.iter_mut().for_each(|gain| *gain *= others);
    Ok(gain)
}

/// Minimum number of outcomes sampled in addition to the drawn one. A single sample would add the same amount of
/// variance that valuing the draw removes.
const MIN_SAMPLES: usize = 2;

/// Choice of the outcomes of a draw that are valued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
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
    fn of_a_value(self) -> Option<Duration> {
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
    fn earn(&mut self, time: Duration) {
        self.left += self.share * time.as_secs_f64();
    }

    /// Returns the effort for a draw of this number of outcomes.
    fn effort(&self, outcomes: usize) -> Effort {
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
    fn spend(&mut self, values: usize, begun: Instant) {
        let time = begun.elapsed();
        self.left -= time.as_secs_f64();
        self.pace.time += time;
        self.pace.values += values as u32;
    }

    /// Returns the indices of `number` samples, each outcome as often as its weight tells on average. Systematic
    /// sampling: equal steps through all weights from a random beginning.
    fn samples(&mut self, weights: &[u32], number: usize) -> Vec<usize> {
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
fn systematic(weights: &[u32], number: usize, begin: u64) -> Vec<usize> {
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
    use std::convert::Infallible;
    use std::hash::{DefaultHasher, Hash, Hasher};

    use rand::SeedableRng;

    use super::*;
    use crate::judge::Question;
    use crate::plan::rules::Rules;
    use crate::review::Appraisal;

    /// Values without any sense.
    struct Random;

    impl Appraise for Random {
        type Error = Infallible;

        fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
            let share = |seat: usize| {
                let mut hasher = DefaultHasher::new();
                (question.position.to_string(), seat).hash(&mut hasher);
                (hasher.finish() % 1000 + 1) as f64
            };
            let shares = (0..question.position.seats()).map(share).collect();
            Ok(Appraisal { shares, best: String::new() })
        }
    }

    #[test]
    fn sampled_luck_has_mean_zero_over_draws_and_samples() {
        let rules = Rules::by_name("hase-und-igel").unwrap();
        let mut line = Opening { moves: vec!["5".into(), "6".into()], ..Opening::usual(3) };
        let position = line.position(&rules, 3).unwrap();
        let outcomes = position.outcomes();
        assert!(outcomes.len() > 5, "{outcomes:?}");
        for number in [2, 3, 5] {
            let (mut mean, mut size) = (vec![0.0; 3], 0.0);
            for (drawn, weight) in &outcomes {
                let others: u32 = outcomes.iter().map(|(_, weight)| weight).sum::<u32>() - weight;
                for begin in 0..others.into() {
                    let mut values = Random;
                    let mut values = Values::new(&mut values);
                    let sample = |weights: &[u32]| systematic(weights, number, begin);
                    let gain = sampled_gain(&mut values, &position, &mut line, drawn, sample);
                    for (mean, gain) in mean.iter_mut().zip(gain.unwrap()) {
                        *mean += f64::from(*weight) / f64::from(others) * gain;
                        size += gain.abs();
                    }
                }
            }
            assert!(mean.iter().all(|mean| mean.abs() < 1e-9) && size > 1.0, "{number}: {mean:?}");
        }
    }

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
