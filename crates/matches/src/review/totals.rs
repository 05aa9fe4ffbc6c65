//! Totals of many reviews, for each engine and each seat.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Review, ReviewedMove, SeatSums};
use crate::score::half_width;

/// Number of values per seat and game.
const NUMBERS: usize = <SeatSums>::NAMES.len();

/// Skill and luck over many games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    games: u64,
    /// Engines in the order of their first games, and of the seats within a game.
    engines: Vec<(String, Samples)>,
    seats: Vec<Samples>,
}

/// Loss above which a move counts as costly, in permille.
pub const COSTLY: f64 = 10.0;

/// Values of an engine or a seat by block.
#[derive(Clone, Debug, Default, PartialEq)]
struct Samples {
    moves: u64,
    /// Moves with an alternative, the sum of their losses, and the number of costly ones.
    choices: u64,
    loss: f64,
    costly: u64,
    blocks: BTreeMap<u64, Sample>,
}

/// Number of games of a block and the sums of their values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sample {
    games: u64,
    numbers: [f64; NUMBERS],
}

/// A mean over games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    pub mean: f64,
    /// Half-width of the 95 % interval over blocks, whose games share their cards; `None` for fewer than two blocks.
    pub error: Option<f64>,
}

/// Means of the values of [`SeatSums`] over the games of an engine or a seat. For an engine with several seats in a
/// game, the mean of these seats counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    pub games: u64,
    /// Number of reviewed moves.
    pub moves: u64,
    /// Mean loss of a move that had an alternative; `None` without such moves.
    pub loss_per_move: Option<f64>,
    /// Share of these moves that lost more than [`COSTLY`], 0 to 1; `None` without such moves.
    pub costly: Option<f64>,
    #[serde(flatten)]
    pub means: SeatSums<Mean>,
}

impl Totals {
    /// Adds a game of a block, given the names of its engines in seat order.
    pub fn add(&mut self, block: u64, engines: &[String], review: &Review) {
        self.games += 1;
        let sums = review.sums();
        if self.seats.len() < sums.len() {
            self.seats.resize_with(sums.len(), Samples::default);
        }
        for (samples, sums) in self.seats.iter_mut().zip(&sums) {
            samples.add(block, &[sums]);
        }
        for (index, name) in engines.iter().enumerate() {
            if !engines[..index].contains(name) {
                let own: Vec<&SeatSums> = engines
                    .iter()
                    .zip(&sums)
                    .filter(|(other, _)| *other == name)
                    .map(|(_, sums)| sums)
                    .collect();
                self.engine(name).add(block, &own);
            }
        }
        for reviewed in &review.moves {
            let seat = reviewed.seat - 1;
            if let Some(samples) = self.seats.get_mut(seat) {
                samples.add_move(reviewed);
            }
            if let Some(name) = engines.get(seat) {
                self.engine(name).add_move(reviewed);
            }
        }
    }

    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of reviewed moves.
    pub fn moves(&self) -> u64 {
        self.seats.iter().map(|samples| samples.moves).sum()
    }

    /// Means of the engines with their names, in the order of their first games and seats.
    pub fn engines(&self) -> impl Iterator<Item = (&str, Line)> {
        let engines = self.engines.iter();
        engines.map(|(name, samples)| (name.as_str(), samples.line()))
    }

    /// Means of the seats, over all engines.
    pub fn seats(&self) -> impl Iterator<Item = Line> {
        self.seats.iter().map(Samples::line)
    }

    fn engine(&mut self, name: &str) -> &mut Samples {
        let known = self.engines.iter().position(|(known, _)| known == name);
        let index = known.unwrap_or_else(|| {
            self.engines.push((name.to_string(), Samples::default()));
            self.engines.len() - 1
        });
        &mut self.engines[index].1
    }
}

impl Samples {
    /// Adds the mean of an engine's seats in a game.
    fn add(&mut self, block: u64, seats: &[&SeatSums]) {
        let sample = self.blocks.entry(block).or_default();
        sample.games += 1;
        for sums in seats {
            for (sum, number) in sample.numbers.iter_mut().zip(sums.numbers()) {
                *sum += number / seats.len() as f64;
            }
        }
    }

    fn add_move(&mut self, reviewed: &ReviewedMove) {
        self.moves += 1;
        if !reviewed.is_forced {
            self.choices += 1;
            self.loss += reviewed.loss;
            self.costly += u64::from(reviewed.loss > COSTLY);
        }
    }

    fn line(&self) -> Line {
        let per_choice = |sum: f64| (self.choices > 0).then(|| sum / self.choices as f64);
        let games: u64 = self.blocks.values().map(|sample| sample.games).sum();
        let mean = |index: usize| {
            let sums = || self.blocks.values().map(|sample| sample.numbers[index]);
            let of_blocks =
                self.blocks.values().map(|sample| sample.numbers[index] / sample.games as f64);
            Mean {
                mean: sums().sum::<f64>() / games.max(1) as f64,
                error: half_width(&of_blocks.collect::<Vec<f64>>()),
            }
        };
        let [start, skill, gifts, luck, noise, verdict, result] = std::array::from_fn(mean);
        Line {
            games,
            moves: self.moves,
            loss_per_move: per_choice(self.loss),
            costly: per_choice(self.costly as f64),
            means: SeatSums { start, skill, gifts, luck, noise, verdict, result },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game without moves: luck alone gives seat 1 its `result`.
    fn lucky(result: f64) -> Review {
        let shares = vec![result, 1000.0 - result];
        Review {
            start: vec![500.0, 500.0],
            drawn_first: vec![crate::review::ReviewedCard {
                word: 1,
                seat: 1,
                card: "+half".to_string(),
                luck: vec![result - 500.0, 500.0 - result],
            }],
            moves: Vec::new(),
            end: shares.clone(),
            result: shares,
            is_whole: true,
        }
    }

    #[test]
    fn errors_are_over_blocks() {
        let mut totals = Totals::default();
        let names = |names: [&str; 2]| names.map(String::from);
        // Engine a has 600 and 500 in the first block, 700 and 800 in the second.
        totals.add(1, &names(["a", "b"]), &lucky(600.0));
        totals.add(1, &names(["b", "a"]), &lucky(500.0));
        totals.add(2, &names(["a", "b"]), &lucky(700.0));
        totals.add(2, &names(["b", "a"]), &lucky(200.0));
        let engines: Vec<(&str, Line)> = totals.engines().collect();
        let (name, a) = &engines[0];
        assert_eq!((*name, a.games, a.means.result.mean), ("a", 4, 650.0));
        assert_eq!((a.means.luck.mean, a.means.start.mean), (150.0, 500.0));
        // Block means of 50 and 250, which differ by twice the standard error.
        let error = a.means.luck.error.unwrap();
        assert!((error - 12.706 * 100.0).abs() < 0.03, "{error}");
        let seats: Vec<Line> = totals.seats().collect();
        assert_eq!((seats[0].means.luck.mean, seats[1].means.luck.mean), (0.0, 0.0));
    }

    #[test]
    fn an_engine_in_two_seats_has_the_mean_of_both() {
        let mut totals = Totals::default();
        totals.add(1, &["a", "a"].map(String::from), &lucky(900.0));
        let engines: Vec<(&str, Line)> = totals.engines().collect();
        assert_eq!(engines.len(), 1);
        let luck = engines[0].1.means.luck;
        assert_eq!((luck.mean, luck.error), (0.0, None));
    }
}
