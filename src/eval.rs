//! What a position is worth to each seat, and how that becomes expected shares of the points.
//!
//! A game's evaluation gives each seat a *worth*. Of two seats the one with the larger worth is the more
//! likely to come in first of the two, and a seat's expected placement points are the number of rivals it
//! is expected to beat. So shares are made of pairs: each pair's lead is a logistic function of the
//! difference of worths, and what one seat gains the other loses.

mod fox;
mod hase;
mod model;

pub use hase::{article, curves, lookahead};
pub use model::{ArticleModel, Heuristic, MinimaxModel, Model, ModelSettings, NoModel, mean};

use crate::rules::{Game, MAX_SEATS, Seat, Turn};

/// The lead of one seat over another whose order is decided.
pub const CERTAIN: i32 = 1 << 20;

/// Worth of a decided place, for itself and for each place behind it: two worths that differ by at least this much are in a decided order.
pub const DECIDED_WORTH: i32 = 20_000_000;

/// Differences of worth are looked up in steps of this many hundredths.
const WORTH_STEP: i32 = 32;

/// The difference of worth, in hundredths, at which the odds are e to 1.
const WORTH_SCALE: f64 = 2500.0;

/// A number for each seat; entries beyond the last seat are 0.
pub type Vector = [i32; MAX_SEATS];

/// A game whose positions can be evaluated.
pub trait Evaluate: Game {
    /// The worth of each seat whose place is open, in hundredths, well within a million of zero.
    fn worth(&self) -> Vector;

    /// How the worth comes about, a line a seat, for a person.
    fn explain(&self) -> Vec<String>;

    /// The model for a search for vectors; [`NoModel`] where the article has none.
    type Vectors: Model<Position = Self, Move = Self::Move>;

    /// The model for a search for a single number; [`NoModel`] where the article has none.
    type Minimax: MinimaxModel<Position = Self, Move = Self::Move>;

    /// The model that the article about the game searches.
    fn model(&self, settings: &ModelSettings) -> ArticleModel<Self::Vectors, Self::Minimax>;

    /// The worth of each seat in the model, in hundredths, as the position stands.
    fn model_worth(&self, settings: &ModelSettings) -> Vector;

    /// How the worth in the model comes about, a line a seat, for a person.
    fn explain_model(&self, settings: &ModelSettings) -> Vec<String>;
}

/// The estimate of a position without search: each seat's summed lead over all others, from
/// -(n - 1) x [`CERTAIN`] to (n - 1) x [`CERTAIN`] for n seats. The sum is 0.
///
/// Where a card is due, it is the mean over the cards that are left.
pub fn estimate<G: Evaluate>(position: &G) -> Vector {
    mean_over_cards(position, estimate_of_open)
}

/// As [`estimate`], by what the position is worth in the model.
pub fn model_estimate<G: Evaluate>(position: &G, settings: &ModelSettings) -> Vector {
    mean_over_cards(position, |open| {
        leads(&open.model_worth(settings), open.seats())
    })
}

/// The leads in a position, or where a card is due their mean over the cards that are left.
#[inline]
fn mean_over_cards<G: Evaluate>(position: &G, leads_in: impl Fn(&G) -> Vector) -> Vector {
    let Turn::Card(_) = position.turn() else {
        return leads_in(position);
    };
    let mut mean = VectorMean::default();
    for (card, weight) in position.outcomes() {
        mean.add(&leads_in(&position.draw_unchecked(card)), weight);
    }
    mean.leads()
}

/// The estimate of a position in which no card is due.
#[inline]
pub fn estimate_of_open<G: Evaluate>(position: &G) -> Vector {
    leads(&decided_worth(position), position.seats())
}

/// Each seat's summed lead over all others, from what a position is worth to each of `seats` seats.
#[inline]
pub fn leads(worth: &Vector, seats: usize) -> Vector {
    let mut leads = [0; MAX_SEATS];
    if seats == 2 {
        // One pair needs no loops: a tenth faster.
        leads[0] = lead(worth[0] - worth[1]);
        leads[1] = -leads[0];
        return leads;
    }
    for first in 0..seats {
        for second in first + 1..seats {
            let lead = lead(worth[first] - worth[second]);
            leads[first] += lead;
            leads[second] -= lead;
        }
    }
    leads
}

/// The lead of the first of two seats over the second; what [`estimate_of_open`] gives the first.
#[inline]
pub fn estimate_of_two<G: Evaluate>(position: &G) -> i32 {
    let worth = position.worth();
    lead(worth[0] - worth[1])
}

/// The worth with every decided place above all open ones.
fn decided_worth<G: Evaluate>(position: &G) -> Vector {
    let mut worth = position.worth();
    let seats = position.seats();
    for (seat, worth) in worth.iter_mut().enumerate().take(seats) {
        if let Some(place) = position.place(Seat(seat as u8)) {
            *worth = DECIDED_WORTH * (seats + 1 - place) as i32;
        }
    }
    worth
}

/// The lead that a difference of worth gives: U x tanh(difference / (2 x scale)), which is the logistic
/// chance to come in first of two, spread from 0..1 to -U..U.
#[inline]
fn lead(difference: i32) -> i32 {
    // Division rounds towards zero, so that what one seat leads by is what the other is behind.
    let step = difference / WORTH_STEP;
    if let Some(&lead) = LEADS.get((step + FURTHEST_STEP) as usize) {
        return lead;
    }
    let most = if difference.abs() >= DECIDED_WORTH / 2 {
        CERTAIN
    } else {
        LEADS[LEADS.len() - 1]
    };
    difference.signum() * most
}

/// The differences of worth that are told apart: this many steps either way.
const FURTHEST_STEP: i32 = 511;

/// Entry FURTHEST_STEP + n is the lead for n steps. Both signs have entries, for which of two seats leads is
/// hard to predict: a branch would take more time than the table.
const LEADS: [i32; 2 * FURTHEST_STEP as usize + 1] = {
    let mut table = [0; 2 * FURTHEST_STEP as usize + 1];
    let mut step = 0;
    // e to the power of -difference / scale, from one step to the next.
    let factor = exp(-(WORTH_STEP as f64) / WORTH_SCALE);
    let mut odds = 1.0;
    while step <= FURTHEST_STEP as usize {
        let lead = (CERTAIN as f64 * (1.0 - odds) / (1.0 + odds)) as i32;
        table[FURTHEST_STEP as usize + step] = lead;
        table[FURTHEST_STEP as usize - step] = -lead;
        odds *= factor;
        step += 1;
    }
    table
};

/// e to the power of a small x, by its series.
const fn exp(x: f64) -> f64 {
    let mut sum = 1.0;
    let mut term = 1.0;
    let mut n = 1.0;
    while n < 20.0 {
        term *= x / n;
        sum += term;
        n += 1.0;
    }
    sum
}

/// The mean of a vector of leads that is being collected.
#[derive(Clone, Copy, Debug, Default)]
pub struct VectorMean {
    sums: [i64; MAX_SEATS],
    weight: i64,
}

impl VectorMean {
    /// Adds a vector with its weight.
    pub fn add(&mut self, leads: &Vector, weight: u32) {
        let weight = i64::from(weight);
        for (sum, &lead) in self.sums.iter_mut().zip(leads) {
            *sum += weight * i64::from(lead);
        }
        self.weight += weight;
    }

    /// The mean.
    pub fn leads(&self) -> Vector {
        // At least one card is left wherever one is due.
        self.sums.map(|sum| (sum / self.weight.max(1)) as i32)
    }
}

/// Each seat's expected share of the placement points, in permille.
///
/// `leads` are summed leads as of [`estimate`]. Shares are rounded down and the units that are missing
/// go to the largest remainders, of equal ones to the lower seat: they always add up to 1000.
///
/// # Examples
/// ```
/// use buxtehude::eval::{CERTAIN, shares};
///
/// assert_eq!(shares(&[0, 0]), [500, 500]);
/// assert_eq!(shares(&[2 * CERTAIN, 0, -2 * CERTAIN]), [667, 333, 0]);
/// ```
pub fn shares(leads: &[i32]) -> Vec<u16> {
    let rivals = leads.len() as i64 - 1;
    let most = rivals * i64::from(CERTAIN);
    // Leads that were averaged have lost fractions: their sum is near 0, that of the shares has to be exact.
    let raised: Vec<i64> = leads
        .iter()
        .map(|&lead| (i64::from(lead) + most).max(0))
        .collect();
    let whole: i64 = raised.iter().sum::<i64>().max(1);
    let mut shares: Vec<u16> = raised
        .iter()
        .map(|&lead| (1000 * lead / whole) as u16)
        .collect();
    let missing = 1000 - shares.iter().sum::<u16>();
    let mut by_remainder: Vec<usize> = (0..leads.len()).collect();
    by_remainder.sort_by_key(|&seat| std::cmp::Reverse(1000 * raised[seat] % whole));
    for &seat in by_remainder.iter().take(missing.into()) {
        shares[seat] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_grow_and_never_reach_certainty() {
        for step in 1..LEADS.len() {
            assert!(LEADS[step] > LEADS[step - 1], "at {step}");
        }
        assert!(LEADS[LEADS.len() - 1] < CERTAIN);
        assert_eq!(lead(-5000), -lead(5000));
        assert_eq!(lead(DECIDED_WORTH - 900_000), CERTAIN);
        let one_scale = f64::from(lead(WORTH_SCALE as i32)) / f64::from(CERTAIN);
        assert!((one_scale - 0.5f64.tanh()).abs() < 0.01, "{one_scale}");
    }

    #[test]
    fn shares_of_decided_games_are_exact() {
        let c = CERTAIN;
        assert_eq!(shares(&[c, -c]), [1000, 0]);
        assert_eq!(shares(&[-2 * c, 2 * c, 0]), [0, 667, 333]);
        assert_eq!(shares(&[3 * c, c, -c, -3 * c]), [500, 333, 167, 0]);
        assert_eq!(shares(&[0, 0, 0]), [334, 333, 333]);
        assert_eq!(
            shares(&[5 * c, 3 * c, c, -c, -3 * c, -5 * c]),
            [333, 267, 200, 133, 67, 0]
        );
    }
}
