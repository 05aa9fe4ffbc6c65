//! Results of an engine or a seat over the games of a match.

use std::collections::BTreeMap;

use super::blocks::adjusted_half_width;
use super::interval::{Interval, MeanScore, Moments};
use super::rating::POINT;
use super::{points, points_of_a_game};
use crate::record::ending::Ending;
use crate::record::{GameRecord, TurnSums};

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

/// Result of an engine or a seat in one game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameTally {
    /// Number of its seats.
    pub seatings: u64,
    pub points: f64,
    /// Luck in billionths of all points, if it was measured.
    pub luck: Option<i64>,
    /// Winnings, if the game has any.
    pub winnings: Option<i64>,
}

impl Tally {
    pub fn new(seats: usize, games_per_block: usize) -> Tally {
        Tally { places: vec![0; seats], games_per_block, ..Tally::default() }
    }

    /// Counts a game if `engine` has a seat in it; the turns are not counted.
    pub fn add(&mut self, record: &GameRecord, engine: &str) {
        if !record.seats.iter().any(|name| name == engine) {
            return;
        }
        let points = points(&record.places);
        let luck = luck_of(record);
        let seats = record.seats.iter().zip(&record.places).zip(points);
        let mut game = GameTally { luck: Some(0), winnings: Some(0), ..GameTally::default() };
        for (seat, (((name, &place), points), &ending)) in seats.zip(&record.endings).enumerate() {
            if name == engine {
                self.add_seat(place, points, ending);
                game.seatings += 1;
                game.points += points;
                let luck = luck.as_ref().map(|luck| luck[seat]);
                game.luck = game.luck.zip(luck).map(|(sum, luck)| sum + luck);
                let winnings = winnings_of(record, seat);
                game.winnings = game.winnings.zip(winnings).map(|(sum, won)| sum + won);
            }
        }
        self.add_game(record.block, game);
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

    pub(super) fn add_seat(&mut self, place: u32, points: f64, ending: Ending) {
        self.seatings += 1;
        self.points += points;
        if let Some(count) = self.places.get_mut((place as usize).wrapping_sub(1)) {
            *count += 1;
        }
        self.endings[ending as usize] += 1;
    }

    pub(super) fn add_game(&mut self, block: u64, game: GameTally) {
        self.games += 1;
        self.available += points_of_a_game(self.places.len());
        let tally = self.begun.entry(block).or_default();
        tally.games += 1;
        tally.seatings += game.seatings;
        tally.points += game.points;
        tally.measured += usize::from(game.luck.is_some());
        tally.luck += game.luck.unwrap_or(0);
        tally.paid += usize::from(game.winnings.is_some());
        tally.winnings += game.winnings.unwrap_or(0);
        if tally.games == self.games_per_block {
            // A block has the same seats in all its games. A shared point is split into halves.
            let seats = tally.seatings / self.games_per_block as u64;
            let halves = (2.0 * tally.points).round() as u64;
            *self.whole.entry((seats, halves)).or_default() += 1;
            if tally.measured == tally.games {
                let rivals = self.places.len() as u64 - 1;
                let par = tally.seatings * rivals;
                let lead = (halves as i64 - par as i64) * POINT / 2;
                let all = points_of_a_game(self.places.len()) as i64;
                self.adjusted.add(lead - all * tally.luck);
            }
            if tally.paid == tally.games {
                self.winnings.add(tally.winnings);
            }
            self.begun.remove(&block);
        }
    }
}

/// Winnings of a seat, if the game has any.
pub(super) fn winnings_of(record: &GameRecord, seat: usize) -> Option<i64> {
    record.winnings.get(seat).copied().map(i64::from)
}

/// Luck of each seat in billionths of all points, if it was measured.
pub(super) fn luck_of(record: &GameRecord) -> Option<Vec<i64>> {
    let seats = record.seats.len();
    let luck = record.luck.as_ref().filter(|luck| luck.is_valid(seats))?;
    Some(luck.billionths().collect())
}
