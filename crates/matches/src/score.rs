//! The statistics of a match: pure numbers, no tables.
//!
//! Place p of N is worth N - p points; seats that share places share their points equally. An engine's *share* is its
//! points as a fraction of all points of its games. Its error bar is a confidence interval over blocks, because the
//! games of a block share their opening and cards and are not independent.

use std::collections::BTreeMap;

use crate::record::ending::Ending;
use crate::record::{GameRecord, TurnSums};

mod blocks;
mod interval;
mod rating;
mod sprt;

use blocks::adjusted_half_width;
pub use blocks::{AdjustedScores, BlockScores, Comparisons, Crosstable};
pub use interval::{Interval, MeanScore, Moments, elo, expected_score, half_width};
pub use rating::{Meeting, POINT, Rating, Ratings};
pub use sprt::{EloModel, Sprt, SprtError, Verdict};

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

/// Least number of blocks whose errors are compared.
const MIN_COMPARED_BLOCKS: u64 = 5;

/// A game with the totals of each seat's turns.
pub type Summary<'a> = (&'a GameRecord, &'a [TurnSums]);

/// Statistics of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    names: Vec<String>,
    engines: Vec<Tally>,
    seats: Vec<Tally>,
    games: u64,
    ratings: Ratings,
    adjusted_ratings: Ratings,
    head_to_head: Option<BlockScores>,
    adjusted: Option<AdjustedScores>,
    crosstable: Crosstable,
    /// Number of games in complete blocks.
    games_in_blocks: u64,
    /// Number of games with luck by the identity of its evaluator.
    luck_by: BTreeMap<String, u64>,
}

/// Engine, if any, and place of each seat in a game.
#[derive(Clone, Debug, PartialEq)]
struct Placing {
    engines: Vec<Option<usize>>,
    places: Vec<u32>,
    /// Luck of each seat in billionths of all points, if it was measured.
    luck: Option<Vec<i64>>,
}

impl Placing {
    /// Luck of the first engine minus luck of the second, over all pairs of their seats, in billionths of half a point;
    /// `None` if it was not measured.
    ///
    /// The luck of a seat counts as often as the seat has rivals: then the sum over all rivals is twice the luck of its
    /// points.
    fn luck_between(&self, engines: (usize, usize)) -> Option<i64> {
        let luck = self.luck.as_ref()?;
        let rivals = self.places.len() as i64 - 1;
        let of = |engine| {
            let seats = self.engines.iter().zip(luck);
            let own = seats.filter(move |(sitting, _)| **sitting == Some(engine));
            own.fold((0, 0), |(seats, sum), (_, luck)| (seats + 1, sum + luck))
        };
        let ((one_seats, one), (other_seats, other)) = (of(engines.0), of(engines.1));
        Some(rivals * (one * other_seats - other * one_seats))
    }
}

/// Luck-adjusted comparisons of a block; `None` without the luck of a game.
fn adjusted_meetings(meetings: &[Meeting], block: &[Placing]) -> Option<Vec<Meeting>> {
    let adjusted = meetings.iter().map(|meeting| {
        let luck = block.iter().map(|game| game.luck_between(meeting.engines));
        let halves: i64 = luck.sum::<Option<i64>>()?;
        Some(Meeting { points: meeting.points - halves / 2, ..*meeting })
    });
    adjusted.collect()
}

impl Standings {
    /// Creates empty standings of engines with different names.
    pub fn new(names: Vec<String>, seats: usize, games_per_block: usize) -> Standings {
        let tally = Tally::new(seats, games_per_block);
        Standings {
            engines: vec![tally.clone(); names.len()],
            ratings: Ratings::new(names.len()),
            adjusted_ratings: Ratings::of_adjusted(names.len()),
            crosstable: Crosstable::default(),
            games_in_blocks: 0,
            names,
            seats: vec![tally; seats],
            games: 0,
            head_to_head: None,
            adjusted: None,
            luck_by: BTreeMap::new(),
        }
    }

    /// Counts a complete block. The order of the blocks makes no difference.
    pub fn add_block(&mut self, games: &[Summary<'_>]) {
        games.iter().for_each(|&game| self.add(game));
        let placings: Vec<Placing> = games.iter().map(|(record, _)| self.placing(record)).collect();
        self.compare(&placings);
    }

    /// Counts a game on its own: in the tables, but neither in ratings nor in comparisons, which need blocks.
    pub fn add(&mut self, (record, turns): Summary<'_>) {
        self.games += 1;
        let Placing { engines, places, luck } = self.placing(record);
        self.crosstable.add(&engines, &places);
        if let Some(measured) = record.luck.as_ref().filter(|_| luck.is_some()) {
            *self.luck_by.entry(measured.by.clone()).or_default() += 1;
        }
        for (engine, tally) in self.engines.iter_mut().enumerate() {
            tally.add(record, turns, |seat| engines.get(seat) == Some(&Some(engine)));
        }
        for (own, tally) in self.seats.iter_mut().enumerate() {
            tally.add(record, turns, |seat| seat == own);
        }
    }

    fn placing(&self, record: &GameRecord) -> Placing {
        Placing {
            engines: record.seats.iter().map(|name| self.engine_named(name)).collect(),
            places: record.places.clone(),
            luck: luck_of(record),
        }
    }

    /// Counts the comparisons of a block.
    fn compare(&mut self, block: &[Placing]) {
        self.games_in_blocks += block.len() as u64;
        let mut table = Crosstable::default();
        for game in block {
            table.add(&game.engines, &game.places);
        }
        let meetings: Vec<Meeting> = table.meetings().collect();
        self.ratings.add_block(&meetings);
        let adjusted = adjusted_meetings(&meetings, block);
        if let Some(adjusted) = &adjusted {
            self.adjusted_ratings.add_block(adjusted);
        }
        if self.names.len() == 2 {
            let Comparisons { pairs, halves } = table.between(0, 1);
            // The first block sets the number of pairs per block; blocks with another number, or none, are skipped.
            if pairs > 0 {
                let games = block.len() as u32;
                let scores = &mut self.head_to_head;
                let scores = scores.get_or_insert_with(|| BlockScores::new(games, pairs));
                if scores.pairs_per_block() == pairs {
                    scores.add(halves);
                    if let Some([meeting]) = adjusted.as_deref() {
                        let scores = &mut self.adjusted;
                        let scores =
                            scores.get_or_insert_with(|| AdjustedScores::new(games, pairs));
                        scores.add(meeting.points);
                    }
                }
            }
        }
    }

    /// Ratings of the engines from complete blocks.
    pub fn ratings(&self) -> Vec<Rating> {
        self.ratings.fit()
    }

    /// Ratings of the engines from luck-adjusted comparisons in complete blocks with luck; `None` without such a block.
    pub fn adjusted_ratings(&self) -> Option<Vec<Rating>> {
        (!self.adjusted_ratings.is_empty()).then(|| self.adjusted_ratings.fit())
    }

    /// Scores of the first engine against the second in complete blocks; `None` unless there are exactly two
    /// engines and at least one such block.
    pub fn head_to_head(&self) -> Option<&BlockScores> {
        self.head_to_head.as_ref()
    }

    /// Luck-adjusted scores of the first engine against the second, in complete blocks with luck; `None` without such a
    /// block.
    pub fn adjusted(&self) -> Option<&AdjustedScores> {
        self.adjusted.as_ref()
    }

    /// `true` if luck-adjusted results are more precise than raw ones: the score of the first of two engines, the
    /// ratings of more, or the shares of the seats with a single one. `false` if an error of all of them is unknown.
    pub fn gains_by_luck(&self) -> bool {
        if let [_, _] = self.names[..] {
            let raw = self
                .head_to_head()
                .and_then(BlockScores::mean_score)
                .map(|score| score.interval().width());
            let adjusted = self.adjusted().and_then(AdjustedScores::score);
            return adjusted.zip(raw).is_some_and(|(adjusted, raw)| adjusted.width() < raw);
        }
        let errors: Vec<Option<(f64, f64)>> = match self.adjusted_ratings() {
            Some(adjusted) if self.names.len() > 1 => {
                let ratings = self.ratings().into_iter().zip(adjusted);
                ratings.map(|(raw, adjusted)| raw.error.zip(adjusted.error)).collect()
            }
            _ => {
                let seats = self.seats.iter();
                seats.map(|tally| tally.error().zip(tally.adjusted_error())).collect()
            }
        };
        let errors = errors.into_iter().flatten();
        let gain: f64 = errors.map(|(raw, adjusted)| raw.powi(2) - adjusted.powi(2)).sum();
        gain > 0.0
    }

    /// Number of games whose raw results would be as precise as the luck-adjusted ones, by the squared errors of the
    /// engines' shares; `None` if an error is unknown, or the blocks are too few for it.
    pub fn equivalent_games(&self) -> Option<u64> {
        let errors = self.engines.iter().filter(|tally| tally.games > 0).map(|tally| {
            match tally.adjusted_blocks() {
                ..MIN_COMPARED_BLOCKS => None,
                _ => Some((tally.error()?, tally.adjusted_error()?)),
            }
        });
        let squares = errors.map(|errors| errors.map(|(raw, less)| (raw.powi(2), less.powi(2))));
        let (raw, adjusted): (Vec<f64>, Vec<f64>) =
            squares.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let ratio = raw.iter().sum::<f64>() / adjusted.iter().sum::<f64>();
        ratio.is_finite().then(|| (self.games_in_blocks as f64 * ratio).round() as u64)
    }

    /// Number of games with luck by the identity of its evaluator.
    pub fn luck_by(&self) -> &BTreeMap<String, u64> {
        &self.luck_by
    }

    pub fn crosstable(&self) -> &Crosstable {
        &self.crosstable
    }

    /// Number of games in complete blocks: all of [`Standings::games`], unless there is no complete block.
    pub fn games_in_blocks(&self) -> u64 {
        self.games_in_blocks
    }

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

/// Results of an engine or a seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of games with at least one seat for it.
    pub games: u64,
    /// Number of its seats in these games.
    pub seatings: u64,
    pub points: f64,
    /// Sum of all points of its games.
    pub available: f64,
    /// Number of first places, second places, and so on; shared places count as the best of them.
    pub places: Vec<u64>,
    /// Number of its games with each of [`Ending::ALL`].
    pub endings: [u64; Ending::ALL.len()],
    pub turns: TurnSums,
    games_per_block: usize,
    /// Results in each incomplete block.
    begun: BTreeMap<u64, BlockTally>,
    /// Number of complete blocks by seats per game and half-points.
    whole: BTreeMap<(u64, u64), u64>,
    /// Luck-adjusted points above par in the complete blocks whose luck was measured, in billionths. Par varies with
    /// the number of seats.
    adjusted: Moments,
    /// Winnings of the complete blocks whose games all have winnings.
    winnings: Moments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BlockTally {
    games: usize,
    /// Seats in all these games.
    seatings: u64,
    points: f64,
    /// Number of games with luck, and its sum, in billionths of all points of a game.
    measured: usize,
    luck: i64,
    /// Number of games with winnings, and their sum.
    paid: usize,
    winnings: i64,
}

impl Tally {
    pub fn new(seats: usize, games_per_block: usize) -> Tally {
        Tally { places: vec![0; seats], games_per_block, ..Tally::default() }
    }

    /// Counts a game if it has a seat in it, with the totals of each seat's turns, or none.
    pub fn add(&mut self, record: &GameRecord, turns: &[TurnSums], is_own: impl Fn(usize) -> bool) {
        let own: Vec<usize> = (0..record.places.len()).filter(|&seat| is_own(seat)).collect();
        if own.is_empty() {
            return;
        }
        for &seat in &own {
            let place = record.places[seat] as usize;
            if let Some(count) = self.places.get_mut(place.wrapping_sub(1)) {
                *count += 1;
            }
            if let Some(&ending) = record.endings.get(seat) {
                self.endings[ending as usize] += 1;
            }
            if let Some(&sums) = turns.get(seat) {
                self.turns += sums;
            }
        }
        let points = points(&record.places);
        let points: f64 = own.iter().map(|&seat| points[seat]).sum();
        let luck = luck_of(record);
        let luck_of_seat = |&seat: &usize| luck.as_ref()?.get(seat).copied();
        let luck: Option<i64> = own.iter().map(luck_of_seat).sum();
        let winnings_of = |&seat: &usize| record.winnings.get(seat).copied().map(i64::from);
        let winnings: Option<i64> = own.iter().map(winnings_of).sum();
        let seatings = own.len() as u64;
        self.games += 1;
        self.seatings += seatings;
        self.points += points;
        self.available += points_of_a_game(self.places.len());
        let block = self.begun.entry(record.block).or_default();
        block.games += 1;
        block.seatings += seatings;
        block.points += points;
        block.measured += usize::from(luck.is_some());
        block.luck += luck.unwrap_or(0);
        block.paid += usize::from(winnings.is_some());
        block.winnings += winnings.unwrap_or(0);
        if block.games == self.games_per_block {
            // A block has the same seats in all its games. A shared point is split into halves.
            let seats = block.seatings / self.games_per_block as u64;
            let halves = (2.0 * block.points).round() as u64;
            *self.whole.entry((seats, halves)).or_default() += 1;
            if block.measured == block.games {
                let rivals = self.places.len() as u64 - 1;
                let par = block.seatings * rivals;
                let lead = (halves as i64 - par as i64) * POINT / 2;
                let all = points_of_a_game(self.places.len()) as i64;
                self.adjusted.add(lead - all * block.luck);
            }
            if block.paid == block.games {
                self.winnings.add(block.winnings);
            }
            self.begun.remove(&record.block);
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
        let blocks = self
            .whole
            .iter()
            .map(|(&(own, halves), &blocks)| {
                let fixed = games * own * own.saturating_sub(1) / 2;
                let range = games * own * seats.saturating_sub(own);
                let won = halves as f64 / 2.0 - fixed as f64;
                (won / range as f64, range, blocks)
            })
            .filter(|&(_, range, _)| range > 0);
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

    /// Larger side of this interval.
    pub fn error(&self) -> Option<f64> {
        Some(self.interval()?.error())
    }

    /// Number of complete blocks whose luck was measured.
    pub fn adjusted_blocks(&self) -> u64 {
        self.adjusted.count()
    }

    /// Par plus the luck-adjusted lead over it in the complete blocks whose luck was measured; `None` without such a
    /// block.
    pub fn adjusted_share(&self) -> Option<f64> {
        Some(self.par()? + self.adjusted.mean()? / self.block_points())
    }

    /// Half-width of its 95 % interval; `None` if there are fewer than two blocks, or the share is fixed.
    pub fn adjusted_error(&self) -> Option<f64> {
        let error = adjusted_half_width(&self.adjusted, self.block_points())?;
        (self.par() != Some(1.0)).then_some(error)
    }

    /// Mean sum of its seats' winnings in a game, over the complete blocks whose games all have winnings; `None`
    /// without such a block.
    pub fn winnings(&self) -> Option<f64> {
        Some(self.winnings.mean()? / self.games_per_block as f64)
    }

    /// Half-width of its 95 % interval; `None` if there are fewer than two different such blocks.
    pub fn winnings_error(&self) -> Option<f64> {
        Some(self.winnings.half_width()? / self.games_per_block as f64)
    }

    /// Billionths of a point in a block.
    fn block_points(&self) -> f64 {
        self.games_per_block as f64 * points_of_a_game(self.places.len()) * POINT as f64
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
        self.adjusted.add_all(&other.adjusted);
        self.winnings.add_all(&other.winnings);
        for (&result, &blocks) in &other.whole {
            *self.whole.entry(result).or_default() += blocks;
        }
    }
}

/// Luck of each seat in billionths of all points, if it was measured.
fn luck_of(record: &GameRecord) -> Option<Vec<i64>> {
    let seats = record.seats.len();
    let luck = record.luck.as_ref().filter(|luck| luck.is_valid(seats))?;
    Some(luck.billionths().collect())
}
