//! What the games of a match add up to: pure numbers, no tables.
//!
//! Place p of N is worth N - p points; seats that share places share their points equally. An engine's
//! *share* is its points as a part of all points of the games in which it sat. Its error bar is an interval
//! over blocks, since the games of one block, with their common opening and cards, are not independent.
//! What two engines are to each other, and ratings, are told by whole blocks in the order of the schedule.

mod blocks;
mod crosstable;
mod elo;
mod head_to_head;
mod in_order;
mod likelihood;
mod rating;
pub mod review;
mod sprt;
mod student;

use std::collections::BTreeMap;

use crate::record::ending::Ending;
use crate::record::{GameRecord, TurnSums};
use head_to_head::add_block;

pub use blocks::BlockScores;
pub use crosstable::Crosstable;
pub use elo::{EloInterval, elo, expected_score};
pub use head_to_head::Comparisons;
pub use in_order::InOrder;
pub use rating::{Rating, Ratings};
pub use sprt::{EloModel, Sprt, SprtError, SprtTextError, Verdict};
pub use student::half_width;
use student::half_width_of_counts;

/// The points of each seat, given its place from 1, shared places as the best of them.
///
/// # Examples
/// ```
/// use arbiter::score::points;
///
/// assert_eq!(points(&[2, 1, 3]), [1.0, 2.0, 0.0]);
/// assert_eq!(points(&[1, 3, 1]), [1.5, 0.0, 1.5]);
/// ```
pub fn points(places: &[u32]) -> Vec<f64> {
    let seats = places.len() as f64;
    let points = |&place: &u32| {
        let sharing = places.iter().filter(|&&other| other == place).count() as f64;
        // The mean of the places from this one to the last that is shared.
        seats - f64::from(place) - (sharing - 1.0) / 2.0
    };
    places.iter().map(points).collect()
}

/// All points of a game with so many seats.
pub fn points_of_a_game(seats: usize) -> f64 {
    (seats * seats.saturating_sub(1)) as f64 / 2.0
}

/// What each seat gets of a game with these places, in permille of all points.
///
/// # Examples
/// ```
/// use arbiter::score::shares;
///
/// assert_eq!(shares(&[2, 1]), [0.0, 1000.0]);
/// assert_eq!(shares(&[1, 1]), [500.0, 500.0]);
/// ```
pub fn shares(places: &[u32]) -> Vec<f64> {
    let all = points_of_a_game(places.len());
    let points = points(places).into_iter();
    points.map(|points| 1000.0 * points / all).collect()
}

/// What an engine, or a seat, has achieved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Games in which it sat, in one seat or several.
    pub games: u64,
    /// Seats that it had in them.
    pub seatings: u64,
    /// Points won.
    pub points: f64,
    /// All points of its games.
    pub available: f64,
    /// How often it came first, second, and so on; shared places count as the best of them.
    pub places: Vec<u64>,
    /// How often each of [`Ending::ALL`] was its ending.
    pub endings: [u64; Ending::ALL.len()],
    /// Answers of which the time is known.
    pub turns: u64,
    /// Microseconds used for them.
    pub micros: u64,
    /// Answers with a depth.
    pub depth_turns: u64,
    /// The sum of these depths.
    pub depths: u64,
    /// Answers of which something other than the move was no good.
    pub flaws: u64,
    games_per_block: usize,
    /// Its points so far in each block that is not whole yet, and the games of the block in which it sat.
    begun: BTreeMap<u64, BlockTally>,
    /// How often a whole block brought it so many halves of a point.
    whole: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BlockTally {
    games: usize,
    points: f64,
}

impl Tally {
    /// What an engine has achieved before its first game of so many seats, in blocks of so many games.
    pub fn new(seats: usize, games_per_block: usize) -> Tally {
        Tally {
            places: vec![0; seats],
            games_per_block,
            ..Tally::default()
        }
    }

    /// Counts a game in which the engine may have sat, but for its turns.
    pub fn add(&mut self, record: &GameRecord, engine: &str) {
        let points = points(&record.places);
        let seats = record.seats.iter().zip(&record.places).zip(points);
        let mut won = None;
        for (((name, &place), points), &ending) in seats.zip(&record.endings) {
            if name == engine {
                self.add_seat(place, points, ending);
                won = Some(won.unwrap_or(0.0) + points);
            }
        }
        if let Some(points) = won {
            self.add_game(record.block, points);
        }
    }

    /// Its part of all points of its games, 0 to 1, or `None` before its first game.
    pub fn share(&self) -> Option<f64> {
        (self.available > 0.0).then(|| self.points / self.available)
    }

    /// The half-width of the 95 % interval of the share, over the blocks of which all games are played.
    ///
    /// `None` for fewer than two blocks, where the interval holds every share that there is, and where the
    /// share could not be another since nobody else was in the games.
    pub fn error(&self) -> Option<f64> {
        let available = self.games_per_block as f64 * points_of_a_game(self.places.len());
        let blocks = self.whole.iter();
        let shares = blocks.map(|(&halves, &blocks)| (halves as f64 / 2.0 / available, blocks));
        let (share, error) = self.share().zip(half_width_of_counts(shares))?;
        let tells_nothing = share - error <= 0.0 && share + error >= 1.0;
        (!tells_nothing && self.par() != Some(1.0)).then_some(error)
    }

    /// The share of an engine that is as strong as its opponents, 0 to 1, or `None` before its first game.
    pub fn par(&self) -> Option<f64> {
        let seats = self.games * self.places.len() as u64;
        (seats > 0).then(|| self.seatings as f64 / seats as f64)
    }

    /// The mean of the depths reported, or `None` where none was.
    pub fn mean_depth(&self) -> Option<f64> {
        (self.depth_turns > 0).then(|| self.depths as f64 / self.depth_turns as f64)
    }

    /// Milliseconds per answer, or `None` where no time is known.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.turns > 0).then(|| self.micros as f64 / 1000.0 / self.turns as f64)
    }

    /// Adds what was achieved in other games: of the errors only that of whole blocks.
    pub fn add_all(&mut self, other: &Tally) {
        self.games += other.games;
        self.seatings += other.seatings;
        self.points += other.points;
        self.available += other.available;
        for (&halves, &blocks) in &other.whole {
            *self.whole.entry(halves).or_default() += blocks;
        }
    }

    /// What was achieved in the games that are not among those of `part`, all of which were added by
    /// [`Tally::add_all`].
    pub fn less(&self, part: &Tally) -> Tally {
        let whole = self.whole.iter().map(|(&halves, &blocks)| {
            let other = part.whole.get(&halves).copied().unwrap_or(0);
            (halves, blocks.saturating_sub(other))
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
        let index = Ending::ALL.iter().position(|&known| known == ending);
        if let Some(index) = index {
            self.endings[index] += 1;
        }
    }

    fn add_game(&mut self, block: u64, points: f64) {
        self.games += 1;
        self.available += points_of_a_game(self.places.len());
        let tally = self.begun.entry(block).or_default();
        tally.games += 1;
        tally.points += points;
        if tally.games == self.games_per_block {
            // Points are shared by halves.
            let halves = (2.0 * tally.points).round() as u64;
            *self.whole.entry(halves).or_default() += 1;
            self.begun.remove(&block);
        }
    }
}

/// The score of a match.
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
    /// Games in whole blocks, as far as ratings and comparisons by block count them.
    games_in_order: u64,
}

/// Who sat where in a game, as far as the engine is known, and came in which place.
#[derive(Clone, Debug, PartialEq)]
struct Placing {
    engines: Vec<Option<usize>>,
    places: Vec<u32>,
}

impl Standings {
    /// The score before the first game: the engines' names, which differ, and the number of seats.
    pub fn new(names: Vec<String>, seats: usize) -> Standings {
        let tally = Tally::new(seats, seats);
        Standings {
            engines: vec![tally.clone(); names.len()],
            ratings: Ratings::new(names.len()),
            crosstable: Crosstable::new(names.len()),
            games_in_order: 0,
            names,
            seats: vec![tally; seats],
            games: 0,
            waiting: InOrder::new(seats),
            head_to_head: None,
        }
    }

    /// The same before the first game, where a block has so many games: at first as many as there are seats.
    pub fn in_blocks_of(mut self, games: usize) -> Standings {
        self.waiting = InOrder::new(games);
        for tally in self.engines.iter_mut().chain(&mut self.seats) {
            tally.games_per_block = games;
        }
        self
    }

    /// Counts a game. Games may come in any order, each once.
    pub fn add(&mut self, record: &GameRecord) {
        self.add_summary(record, &record.turn_sums());
    }

    /// Counts a game, given what the turns of each seat add up to: those of the record itself are not looked at.
    pub fn add_summary(&mut self, record: &GameRecord, sums: &[TurnSums]) {
        self.games += 1;
        self.add_placing(record);
        let points = points(&record.places);
        let mut points_of_engine: BTreeMap<usize, f64> = BTreeMap::new();
        let seats = record
            .seats
            .iter()
            .zip(&record.places)
            .zip(&points)
            .zip(&record.endings);
        for (seat, (((name, &place), &points), &ending)) in seats.enumerate() {
            if let Some(tally) = self.seats.get_mut(seat) {
                tally.add_seat(place, points, ending);
                tally.add_game(record.block, points);
            }
            if let Some(engine) = self.engine_named(name) {
                self.engines[engine].add_seat(place, points, ending);
                *points_of_engine.entry(engine).or_default() += points;
            }
        }
        for (engine, points) in points_of_engine {
            self.engines[engine].add_game(record.block, points);
        }
        for (seat, (name, sums)) in record.seats.iter().zip(sums).enumerate() {
            let engine = self.engine_named(name);
            let tallies = [
                engine.map(|engine| &mut self.engines[engine]),
                self.seats.get_mut(seat),
            ];
            for tally in tallies.into_iter().flatten() {
                tally.turns += sums.turns;
                tally.micros += sums.micros;
                tally.depth_turns += sums.depth_turns;
                tally.depths += sums.depths;
                tally.flaws += sums.flaws;
            }
        }
    }

    /// Counts the whole blocks that wait for others before them, since none will come any more: games that are
    /// missing, as those of an engine that was retired, keep no others from being counted.
    pub fn finish(&mut self) {
        for block in self.waiting.whole_blocks() {
            self.add_block(&block);
        }
    }

    /// Counts what needs engines and places alone; what is told by whole blocks in the order of the schedule, as
    /// far as they are there.
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
        for game in block {
            self.ratings.add(&game.engines, &points(&game.places));
        }
        if self.names.len() == 2 {
            let games = block.iter();
            let games = games.map(|game| Comparisons::of_game(&game.engines, &game.places, 0, 1));
            add_block(&mut self.head_to_head, &games.collect::<Vec<Comparisons>>());
        }
    }

    /// The rating of each engine after the whole blocks so far, in the order of the plan.
    pub fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// The scores of the first engine against the second in the whole blocks so far, or `None` where there
    /// are not two engines, or no such block.
    pub fn head_to_head(&self) -> Option<&BlockScores> {
        self.head_to_head.as_ref()
    }

    /// Each engine against each other, by the places in all games.
    pub fn crosstable(&self) -> &Crosstable {
        &self.crosstable
    }

    /// Games in the whole blocks that [`Standings::ratings`] and [`Standings::head_to_head`] tell about.
    pub fn games_in_order(&self) -> u64 {
        self.games_in_order
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The engines' names and what each has achieved, in the order of the plan.
    pub fn engines(&self) -> impl Iterator<Item = (&str, &Tally)> {
        self.names.iter().map(String::as_str).zip(&self.engines)
    }

    /// What each seat has achieved, whoever sat there.
    pub fn seats(&self) -> &[Tally] {
        &self.seats
    }

    fn engine_named(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}
