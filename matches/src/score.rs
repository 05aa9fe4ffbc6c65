//! The statistics of a match: pure numbers, no tables.
//!
//! Place p of N is worth N - p points; seats that share places share their points equally. An engine's *share* is its
//! points as a fraction of all points of its games. Its error bar is a confidence interval over blocks, because the
//! games of a block share their opening and cards and are not independent. Comparisons of two engines and ratings use
//! whole blocks.

mod blocks;
mod crosstable;
mod elo;
mod in_order;
mod interval;
mod likelihood;
mod rating;
pub mod review;
mod sprt;
mod student;

use std::collections::BTreeMap;

use crate::record::ending::Ending;
use crate::record::{GameRecord, TurnSums};

pub use blocks::BlockScores;
pub use crosstable::{Comparisons, Crosstable};
pub use elo::{elo, expected_score};
pub use in_order::InOrder;
pub use interval::{Interval, MeanScore};
pub use rating::{Meeting, POINT, Rating, Ratings};
pub use sprt::{EloModel, Sprt, SprtError, Verdict};
pub use student::half_width;

/// Returns the points of each seat, given its place from 1; seats that share places all have the best of them.
///
/// # Examples
/// ```
/// use matches::score::points;
///
/// assert_eq!(points(&[2, 1, 3]), [1.0, 2.0, 0.0]);
/// assert_eq!(points(&[1, 3, 1]), [1.5, 0.0, 1.5]);
/// ```
pub fn points(places: &[u32]) -> Vec<f64> {
    let seats = places.len() as f64;
    let points = |&place: &u32| {
        let sharing = places.iter().filter(|&&other| other == place).count() as f64;
        // The mean over the shared places.
        seats - f64::from(place) - (sharing - 1.0) / 2.0
    };
    places.iter().map(points).collect()
}

/// Returns the sum of all points of a game.
pub fn points_of_a_game(seats: usize) -> f64 {
    (seats * seats.saturating_sub(1)) as f64 / 2.0
}

/// Returns each seat's share of the points of a game, in permille.
///
/// # Examples
/// ```
/// use matches::score::shares;
///
/// assert_eq!(shares(&[2, 1]), [0.0, 1000.0]);
/// assert_eq!(shares(&[1, 1]), [500.0, 500.0]);
/// ```
pub fn shares(places: &[u32]) -> Vec<f64> {
    let all = points_of_a_game(places.len());
    let points = points(places).into_iter();
    points.map(|points| 1000.0 * points / all).collect()
}

/// Results of an engine or a seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of games with at least one seat for it.
    pub games: u64,
    /// Number of its seats in these games.
    pub seatings: u64,
    /// Points won.
    pub points: f64,
    /// Sum of all points of its games.
    pub available: f64,
    /// Number of first places, second places, and so on; shared places count as the best of them.
    pub places: Vec<u64>,
    /// Number of its games with each of [`Ending::ALL`].
    pub endings: [u64; Ending::ALL.len()],
    /// Totals of its turns.
    pub turns: TurnSums,
    games_per_block: usize,
    /// Results in each incomplete block.
    begun: BTreeMap<u64, BlockTally>,
    /// Number of complete blocks by seats per game and half-points.
    whole: BTreeMap<(u64, u64), u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BlockTally {
    games: usize,
    /// Seats in all these games.
    seatings: u64,
    points: f64,
}

impl Tally {
    /// Creates an empty tally.
    pub fn new(seats: usize, games_per_block: usize) -> Tally {
        Tally {
            places: vec![0; seats],
            games_per_block,
            ..Tally::default()
        }
    }

    /// Counts a game if `engine` has a seat in it; the turns are not counted.
    pub fn add(&mut self, record: &GameRecord, engine: &str) {
        let points = points(&record.places);
        let seats = record.seats.iter().zip(&record.places).zip(points);
        let (mut seatings, mut won) = (0, 0.0);
        for (((name, &place), points), &ending) in seats.zip(&record.endings) {
            if name == engine {
                self.add_seat(place, points, ending);
                seatings += 1;
                won += points;
            }
        }
        if seatings > 0 {
            self.add_game(record.block, seatings, won);
        }
    }

    /// Points as a fraction of all points of its games, 0 to 1; `None` before the first game.
    pub fn share(&self) -> Option<f64> {
        (self.available > 0.0).then(|| self.points / self.available)
    }

    /// Share with its 95 % interval over complete blocks.
    ///
    /// `None` if there are fewer than two blocks, or if no other engine was in the games, so that the share is fixed.
    pub fn interval(&self) -> Option<Interval> {
        // Only comparisons with other seats vary: k of N seats have at least k(k - 1)/2 points per game, and at most
        // k(N - k) more.
        let (seats, games) = (self.places.len() as u64, self.games_per_block as u64);
        let blocks = self.whole.iter().map(|(&(own, halves), &blocks)| {
            let fixed = games * own * own.saturating_sub(1) / 2;
            let range = games * own * seats.saturating_sub(own);
            let won = halves as f64 / 2.0 - fixed as f64;
            (won / range as f64, range, blocks)
        });
        let blocks = blocks.filter(|&(_, range, _)| range > 0);
        let score = MeanScore::new(blocks.clone().map(|(score, _, blocks)| (score, blocks)))?;
        let number: u64 = blocks.clone().map(|(_, _, blocks)| blocks).sum();
        let range: u64 = blocks.map(|(_, range, blocks)| range * blocks).sum();
        let available = self.games_per_block as f64 * points_of_a_game(self.places.len());
        let of_a_score = range as f64 / number as f64 / available;
        let (share, score) = (self.share()?, score.interval());
        Some(Interval {
            value: share,
            low: (share - (score.value - score.low) * of_a_score).max(0.0),
            high: (share + (score.high - score.value) * of_a_score).min(1.0),
        })
    }

    /// Expected share of an engine as strong as its opponents, 0 to 1; `None` before the first game.
    pub fn par(&self) -> Option<f64> {
        let seats = self.games * self.places.len() as u64;
        (seats > 0).then(|| self.seatings as f64 / seats as f64)
    }

    /// Mean reported depth; `None` if there is none.
    pub fn mean_depth(&self) -> Option<f64> {
        let sums = &self.turns;
        (sums.depth_turns > 0).then(|| sums.depths as f64 / sums.depth_turns as f64)
    }

    /// Mean milliseconds per answer; `None` without a known time.
    pub fn mean_ms(&self) -> Option<f64> {
        let sums = &self.turns;
        (sums.turns > 0).then(|| sums.micros as f64 / 1000.0 / sums.turns as f64)
    }

    /// Adds the results of other games, except places, endings, turns and incomplete blocks.
    pub fn add_all(&mut self, other: &Tally) {
        self.games += other.games;
        self.seatings += other.seatings;
        self.points += other.points;
        self.available += other.available;
        for (&result, &blocks) in &other.whole {
            *self.whole.entry(result).or_default() += blocks;
        }
    }

    /// Subtracts `part`, which was added by [`Tally::add_all`].
    pub fn less(&self, part: &Tally) -> Tally {
        let whole = self.whole.iter().map(|(&result, &blocks)| {
            let other = part.whole.get(&result).copied().unwrap_or(0);
            (result, blocks.saturating_sub(other))
        });
        Tally {
            games: self.games.saturating_sub(part.games),
            seatings: self.seatings.saturating_sub(part.seatings),
            points: self.points - part.points,
            available: self.available - part.available,
            whole: whole.filter(|&(_, blocks)| blocks > 0).collect(),
            ..Tally::new(self.places.len(), self.games_per_block)
        }
    }

    fn add_seat(&mut self, place: u32, points: f64, ending: Ending) {
        self.seatings += 1;
        self.points += points;
        if let Some(count) = self.places.get_mut((place as usize).wrapping_sub(1)) {
            *count += 1;
        }
        self.endings[ending as usize] += 1;
    }

    fn add_game(&mut self, block: u64, seatings: u64, points: f64) {
        self.games += 1;
        self.available += points_of_a_game(self.places.len());
        let tally = self.begun.entry(block).or_default();
        tally.games += 1;
        tally.seatings += seatings;
        tally.points += points;
        if tally.games == self.games_per_block {
            // A block has the same seats in all its games. A shared point is split into halves.
            let seats = tally.seatings / self.games_per_block as u64;
            let halves = (2.0 * tally.points).round() as u64;
            *self.whole.entry((seats, halves)).or_default() += 1;
            self.begun.remove(&block);
        }
    }
}

/// Statistics of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    names: Vec<String>,
    engines: Vec<Tally>,
    seats: Vec<Tally>,
    games: u64,
    waiting: InOrder<Placing>,
    ratings: Ratings,
    head_to_head: Option<BlockScores>,
    crosstable: Crosstable,
    /// Number of games in the blocks that ratings and comparisons use.
    games_in_order: u64,
}

/// Engine, if any, and place of each seat in a game.
#[derive(Clone, Debug, PartialEq)]
struct Placing {
    engines: Vec<Option<usize>>,
    places: Vec<u32>,
}

impl Standings {
    /// Creates empty standings of engines with different names.
    pub fn new(names: Vec<String>, seats: usize, games_per_block: usize) -> Standings {
        let tally = Tally::new(seats, games_per_block);
        Standings {
            engines: vec![tally.clone(); names.len()],
            ratings: Ratings::new(names.len()),
            crosstable: Crosstable::default(),
            games_in_order: 0,
            names,
            seats: vec![tally; seats],
            games: 0,
            waiting: InOrder::new(games_per_block),
            head_to_head: None,
        }
    }

    /// Counts a game. Games may come in any order, but each only once.
    pub fn add(&mut self, record: &GameRecord) {
        self.add_summary(record, &record.turn_sums());
    }

    /// Counts a game with the given totals of each seat's turns instead of the record's own turns.
    pub fn add_summary(&mut self, record: &GameRecord, sums: &[TurnSums]) {
        self.games += 1;
        self.add_placing(record);
        for (name, tally) in self.names.iter().zip(&mut self.engines) {
            tally.add(record, name);
        }
        let points = points(&record.places);
        let seats = record.places.iter().zip(points).zip(&record.endings);
        for (tally, ((&place, points), &ending)) in self.seats.iter_mut().zip(seats) {
            tally.add_seat(place, points, ending);
            tally.add_game(record.block, 1, points);
        }
        for (seat, (name, &sums)) in record.seats.iter().zip(sums).enumerate() {
            if let Some(engine) = self.engine_named(name) {
                self.engines[engine].turns += sums;
            }
            if let Some(tally) = self.seats.get_mut(seat) {
                tally.turns += sums;
            }
        }
    }

    /// Counts the complete blocks that still wait for earlier ones. Earlier blocks may be missing, for example those of
    /// a retired engine.
    pub fn finish(&mut self) {
        for block in self.waiting.whole_blocks() {
            self.add_block(&block);
        }
    }

    /// Counts the places of a game, and every block that is now due and complete.
    fn add_placing(&mut self, record: &GameRecord) {
        let placing = Placing {
            engines: record
                .seats
                .iter()
                .map(|name| self.engine_named(name))
                .collect(),
            places: record.places.clone(),
        };
        self.crosstable.add(&placing.engines, &placing.places);
        self.waiting.add(record.block, record.game, placing);
        while let Some(block) = self.waiting.next_block() {
            self.add_block(&block);
        }
    }

    fn add_block(&mut self, block: &[Placing]) {
        self.games_in_order += block.len() as u64;
        let mut table = Crosstable::default();
        for game in block {
            table.add(&game.engines, &game.places);
        }
        let meetings: Vec<Meeting> = table.meetings().collect();
        self.ratings.add_block(&meetings);
        if self.names.len() == 2 {
            let Comparisons { pairs, halves } = table.between(0, 1);
            // The first block sets the number of pairs per block; blocks with another number, or none, are skipped.
            if pairs > 0 {
                let games = block.len() as u32;
                let scores = &mut self.head_to_head;
                let scores = scores.get_or_insert_with(|| BlockScores::new(games, pairs));
                if scores.pairs_per_block() == pairs {
                    scores.add(halves);
                }
            }
        }
    }

    /// Ratings of the engines from the complete blocks so far.
    pub fn ratings(&self) -> Vec<Rating> {
        self.ratings.fit()
    }

    /// Scores of the first engine against the second in the complete blocks so far; `None` unless there are exactly two
    /// engines and at least one such block.
    pub fn head_to_head(&self) -> Option<&BlockScores> {
        self.head_to_head.as_ref()
    }

    /// Results of each engine against each other, from the places in all games.
    pub fn crosstable(&self) -> &Crosstable {
        &self.crosstable
    }

    /// Number of games in the blocks that [`Standings::ratings`] and [`Standings::head_to_head`] use.
    pub fn games_in_order(&self) -> u64 {
        self.games_in_order
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Names and results of the engines, in the order of the plan.
    pub fn engines(&self) -> impl Iterator<Item = (&str, &Tally)> {
        self.names.iter().map(String::as_str).zip(&self.engines)
    }

    /// Results of each seat over all engines.
    pub fn seats(&self) -> &[Tally] {
        &self.seats
    }

    fn engine_named(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}
