//! What came of a game, seat by seat: what its own moves lost, what those of others brought it, and what luck did.
//!
//! All numbers are shares of the placement points in permille, one for each seat, and are rounded nowhere: from the
//! value of the start to the result they add up ([`SeatSums`]).

mod totals;

use serde::Serialize;

pub use totals::{Line, Mean, Totals};

/// A game of which moves and cards were valued.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// The value of the position in which the review begins.
    pub start: Vec<f64>,
    /// Cards drawn before the first of the moves.
    pub drawn_first: Vec<ReviewedCard>,
    /// The moves in their order, without those of the opening.
    pub moves: Vec<ReviewedMove>,
    /// The value of the position with which it ends.
    pub end: Vec<f64>,
    /// What the seats got; the same as `end` where nobody but the rules ended the game.
    pub result: Vec<f64>,
    /// Whether it was reviewed to its end, and not told to stop before.
    pub is_whole: bool,
}

/// A move, with the cards that were drawn after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedMove {
    /// Which of the moves and cards of the game it is, from 1.
    pub word: usize,
    /// Which of the moves it is, from 1; those of the opening count.
    pub ply: usize,
    /// The seat that moved, from 1.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether there was no other.
    pub is_forced: bool,
    /// The best move known: the move itself where none is better.
    pub best: String,
    /// How much less the seat may expect after its move than after the best one, at least 0.
    pub loss: f64,
    /// The value of the position before the move.
    pub before: Vec<f64>,
    /// What the best move brought beyond that value: the error of the search, 0 for an exact one.
    pub noise: Vec<f64>,
    /// What the choice of the move brought: `-loss` to the seat that moved, gifts to the others.
    pub change: Vec<f64>,
    /// What was drawn after the move, until somebody moved again.
    pub cards: Vec<ReviewedCard>,
    /// The value of the position after move and cards.
    pub after: Vec<f64>,
}

/// A card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedCard {
    /// Which of the moves and cards of the game it is, from 1.
    pub word: usize,
    /// The seat that drew it, from 1.
    pub seat: usize,
    /// The card.
    pub card: String,
    /// What it brought: the value after it less the mean of the values after all cards that might have come.
    pub luck: Vec<f64>,
}

impl ReviewedMove {
    /// What the cards after the move brought.
    pub fn luck(&self) -> Vec<f64> {
        let mut luck = vec![0.0; self.before.len()];
        for card in &self.cards {
            add(&mut luck, &card.luck);
        }
        luck
    }
}

/// What a game was for a seat, in permille: `start + skill + gifts + luck + noise + verdict` is `result`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SeatSums {
    /// What it could expect at the start.
    pub start: f64,
    /// Minus what its own moves lost.
    pub skill: f64,
    /// What the moves of others brought it.
    pub gifts: f64,
    /// What the cards brought it, whoever drew them.
    pub luck: f64,
    /// What the search got wrong: how much better or worse than the value of a position its best move turned out.
    pub noise: f64,
    /// What the arbiter's verdict brought it in a game that the rules had not ended.
    pub verdict: f64,
    /// What it got.
    pub result: f64,
}

impl SeatSums {
    /// The names of the numbers, in the order of [`SeatSums::numbers`].
    pub const NAMES: [&str; 7] = [
        "start", "skill", "gifts", "luck", "noise", "verdict", "result",
    ];

    /// All numbers, each added before the result.
    pub fn numbers(&self) -> [f64; 7] {
        [
            self.start,
            self.skill,
            self.gifts,
            self.luck,
            self.noise,
            self.verdict,
            self.result,
        ]
    }
}

impl Review {
    /// What the game was for each seat.
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
                match reviewed.seat == index + 1 {
                    true => sums.skill += of_seat(&reviewed.change),
                    false => sums.gifts += of_seat(&reviewed.change),
                }
            }
        }
        sums
    }

    /// All cards in their order.
    pub fn cards(&self) -> impl Iterator<Item = &ReviewedCard> {
        let after = self.moves.iter().flat_map(|reviewed| &reviewed.cards);
        self.drawn_first.iter().chain(after)
    }

    /// So many of the moves that lost most, the worst first, of equal ones the earlier; none that lost nothing.
    pub fn worst(&self, most: usize) -> Vec<&ReviewedMove> {
        let mut worst: Vec<&ReviewedMove> = self.moves.iter().collect();
        worst.retain(|reviewed| reviewed.loss > 0.0);
        worst.sort_by(|one, other| other.loss.total_cmp(&one.loss));
        worst.truncate(most);
        worst
    }
}

/// Adds numbers to others, one by one.
fn add(sums: &mut [f64], numbers: &[f64]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
