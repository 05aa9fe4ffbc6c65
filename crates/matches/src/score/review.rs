//! The review of a game: for each seat the loss by its own moves, the gain from the moves of others, and luck.
//!
//! All values are shares of the placement points in permille, one per seat, without rounding. From the value of the
//! start position they add up to the result ([`SeatSums`]).

mod totals;

use serde::Serialize;

pub use totals::{COSTLY, Line, Mean, Totals};

/// A game with the values of its moves and cards.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// Value of the position at the start of the review.
    pub start: Vec<f64>,
    /// Cards drawn before the first reviewed move.
    pub drawn_first: Vec<ReviewedCard>,
    /// Moves in order, without the opening.
    pub moves: Vec<ReviewedMove>,
    /// Value of the position at the end of the review.
    pub end: Vec<f64>,
    /// Result of the seats; the same as `end` if the game ended by the rules.
    pub result: Vec<f64>,
    /// Whether the review covers the whole game; it may have been stopped.
    pub is_whole: bool,
}

/// A move with the cards drawn after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedMove {
    /// Number of the move among the moves and cards of the game, from 1.
    pub word: usize,
    /// Number of the move among the moves of the game, including the opening, from 1.
    pub ply: usize,
    /// Seat that moved, from 1.
    pub seat: usize,
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether it was the only legal move.
    pub is_forced: bool,
    /// Best known move; the move itself if none is better.
    pub best: String,
    /// Value of the best move minus the value of this move, for the seat that moved, at least 0.
    pub loss: f64,
    /// Value of the position before the move.
    pub before: Vec<f64>,
    /// Value after the best move minus `before`: the error of the search, 0 for an exact one.
    pub noise: Vec<f64>,
    /// Value after this move minus the value after the best one: `-loss` for the seat that moved, gifts for the others.
    pub change: Vec<f64>,
    /// Cards drawn between this move and the next one.
    pub cards: Vec<ReviewedCard>,
    /// Value of the position after the move and its cards.
    pub after: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedCard {
    /// Number of the card among the moves and cards of the game, from 1.
    pub word: usize,
    /// Seat that drew it, from 1.
    pub seat: usize,
    pub card: String,
    /// Value after the card minus the weighted mean over all possible cards.
    pub luck: Vec<f64>,
}

impl ReviewedMove {
    /// Sum of the luck of the cards after the move.
    pub fn luck(&self) -> Vec<f64> {
        let mut luck = vec![0.0; self.before.len()];
        for card in &self.cards {
            add(&mut luck, &card.luck);
        }
        luck
    }
}

/// Sums of a game for a seat, in permille: `start + skill + gifts + luck + noise + verdict` equals `result`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SeatSums<T = f64> {
    /// Value of the start position.
    pub start: T,
    /// Loss by its own moves, as a negative number.
    pub skill: T,
    /// Gain from the moves of others.
    pub gifts: T,
    /// Gain from cards, including those that others drew.
    pub luck: T,
    /// Error of the search: the difference between the value of a position and that after its best move.
    pub noise: T,
    /// Gain from the arbiter's adjudication of a game that the rules had not ended.
    pub verdict: T,
    /// Share of the points.
    pub result: T,
}

impl SeatSums {
    /// Names of the values, in the order of [`SeatSums::numbers`].
    pub const NAMES: [&str; 7] = ["start", "skill", "gifts", "luck", "noise", "verdict", "result"];

    /// Returns all values: the summands, then the result.
    pub fn numbers(&self) -> [f64; 7] {
        [self.start, self.skill, self.gifts, self.luck, self.noise, self.verdict, self.result]
    }
}

impl Review {
    pub fn sums(&self) -> Vec<SeatSums> {
        let seats = self.start.len();
        let mut sums = vec![SeatSums::default(); seats];
        for (index, sums) in sums.iter_mut().enumerate() {
            let of_seat = |shares: &[f64]| shares.get(index).copied().unwrap_or(0.0);
            sums.start = of_seat(&self.start);
            sums.result = of_seat(&self.result);
            sums.verdict = sums.result - of_seat(&self.end);
            sums.luck = self.cards().map(|card| of_seat(&card.luck)).sum();
            for reviewed in &self.moves {
                sums.noise += of_seat(&reviewed.noise);
                if reviewed.seat == index + 1 {
                    sums.skill += of_seat(&reviewed.change);
                } else {
                    sums.gifts += of_seat(&reviewed.change);
                }
            }
        }
        sums
    }

    /// Returns all cards in order.
    pub fn cards(&self) -> impl Iterator<Item = &ReviewedCard> {
        let after = self.moves.iter().flat_map(|reviewed| &reviewed.cards);
        self.drawn_first.iter().chain(after)
    }

    /// Returns up to `most` moves with a loss, the largest loss first; with equal losses, the earlier move first.
    pub fn worst(&self, most: usize) -> Vec<&ReviewedMove> {
        let mut worst: Vec<&ReviewedMove> = self.moves.iter().collect();
        worst.retain(|reviewed| reviewed.loss > 0.0);
        worst.sort_by(|one, other| other.loss.total_cmp(&one.loss));
        worst.truncate(most);
        worst
    }
}

/// Adds `numbers` to `sums`, element by element.
fn add(sums: &mut [f64], numbers: &[f64]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
