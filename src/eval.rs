//! Evaluation: strengths of the seats in a position, and the expected shares of the points that follow from them.
//!
//! A game's evaluator gives each seat a *strength*. Of two seats the stronger one is more likely to finish first, and a
//! seat's expected placement points are the number of rivals that it is expected to beat. So shares are sums over
//! pairs: the lead of a pair is a logistic function of the difference of strengths, and one seat gains what the other
//! loses.

pub mod fox;
pub mod hase;

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

pub use hase::EvalFileError;

use crate::rules::{Game, MAX_SEATS, Seat, Turn, splitmix64};

/// Lead of one seat over another if their order is decided.
pub const CERTAIN: i32 = 1 << 20;

/// Difference of strengths at which the odds are e to 1.
pub const STRENGTH_UNIT: i32 = 4096;

/// Difference of the articles' values, in hundredths, at which the odds are e to 1.
pub const WORTH_UNIT: i32 = 2500;

/// A number for each seat; entries beyond the last seat are 0.
pub type Vector = [i32; MAX_SEATS];

/// Evaluator of the positions of a game with the same rules and number of seats.
pub trait Evaluator<G: Game>: Send + Sync + 'static {
    /// Strength of each seat, scaled so that a difference of [`STRENGTH_UNIT`] means odds of e to 1. Meaningless for
    /// seats whose place is decided. A card may be due.
    fn strengths(&self, position: &G) -> Vector;

    /// Explains the strengths as text.
    fn explain(&self, position: &G) -> Vec<String>;
}

/// A game whose positions can be evaluated.
pub trait Evaluate: Game {
    /// Evaluator of its positions.
    type Evaluator: Evaluator<Self>;

    /// Returns the evaluator for the rules and the number of seats of this position. The first call for them may take
    /// some milliseconds.
    fn evaluator(&self, evaluators: &Evaluators) -> Arc<Self::Evaluator>;
}

/// Data that games keep for their evaluators, such as those built last; shared between threads.
#[derive(Clone, Debug, Default)]
pub struct Evaluators {
    kept: Arc<Mutex<Vec<Box<dyn Any + Send>>>>,
}

impl Evaluators {
    /// Calls `work` with the kept data of a type, which are at first its default.
    fn with<T: Any + Send + Default, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter_mut().find_map(|data| data.downcast_mut()) {
            return work(known);
        }
        let mut data = Box::<T>::default();
        let result = work(&mut data);
        kept.push(data);
        result
    }
}

/// Static evaluation: each seat's summed lead over all others, from -(n - 1) x [`CERTAIN`] to (n - 1) x [`CERTAIN`] for
/// n seats. The sum is 0.
///
/// If a card is due, it is the mean over the cards that are left.
pub fn expected_leads<G: Evaluate>(evaluator: &G::Evaluator, position: &G) -> Vector {
    mean_over_cards(position, |open| static_leads(evaluator, open))
}

/// Leads in a position or, if a card is due, their mean over the cards that are left, truncated towards zero.
#[inline]
pub(crate) fn mean_over_cards<G: Game>(position: &G, leads_in: impl Fn(&G) -> Vector) -> Vector {
    let Turn::Card(_) = position.turn() else {
        return leads_in(position);
    };
    let mut sums = [0; MAX_SEATS];
    let mut cards = 0;
    for (card, number) in position.outcomes() {
        let number = i64::from(number);
        let leads = leads_in(&position.draw_unchecked(card));
        for (sum, lead) in sums.iter_mut().zip(leads) {
            *sum += number * i64::from(lead);
        }
        cards += number;
    }
    // Whenever a card is due, at least one is left.
    sums.map(|sum: i64| (sum / cards.max(1)) as i32)
}

/// Each seat's summed lead according to the evaluator; a card may be due.
#[inline]
pub fn static_leads<G: Game, E: Evaluator<G>>(evaluator: &E, position: &G) -> Vector {
    let seats = position.seats();
    let strengths = evaluator.strengths(position);
    let mut places = [None; MAX_SEATS];
    for (seat, place) in places.iter_mut().enumerate().take(seats) {
        *place = position.place(Seat(seat as u8));
    }
    let mut leads = [0; MAX_SEATS];
    for first in 0..seats {
        for second in first + 1..seats {
            let lead = match (places[first], places[second]) {
                (None, None) => lead(strengths[first] - strengths[second]),
                (Some(_), None) => CERTAIN,
                (None, Some(_)) => -CERTAIN,
                (Some(before), Some(behind)) if before < behind => CERTAIN,
                (Some(_), Some(_)) => -CERTAIN,
            };
            leads[first] += lead;
            leads[second] -= lead;
        }
    }
    leads
}

/// Lead of the first of two seats over the second according to the evaluator; the game must not be over.
#[inline]
pub fn static_lead_of_two<G: Game, E: Evaluator<G>>(evaluator: &E, position: &G) -> i32 {
    let strengths = evaluator.strengths(position);
    lead(strengths[0] - strengths[1])
}

/// Lead for a difference of strengths: U x tanh(difference / 2), which is the logistic chance of finishing first of
/// two, scaled from 0..1 to -U..U.
#[inline]
pub fn lead(difference: i32) -> i32 {
    let size = difference.unsigned_abs();
    let step = (size / LEAD_STEP) as usize;
    let lead = match LEADS.get(step..step + 2) {
        Some(&[from, to]) => from + (to - from) * (size % LEAD_STEP) as i32 / LEAD_STEP as i32,
        _ => LEADS[LEADS.len() - 1],
    };
    if difference < 0 { -lead } else { lead }
}

/// Step of the table of leads; values between are interpolated.
const LEAD_STEP: u32 = STRENGTH_UNIT as u32 / 32;

/// Entry n is the lead for n steps, up to 13 units.
const LEADS: [i32; 13 * 32 + 1] = {
    let mut table = [0; 13 * 32 + 1];
    let factor = exp(-(LEAD_STEP as f64) / STRENGTH_UNIT as f64);
    let mut odds = 1.0;
    let mut step = 0;
    while step < table.len() {
        table[step] = (CERTAIN as f64 * (1.0 - odds) / (1.0 + odds)) as i32;
        odds *= factor;
        step += 1;
    }
    table
};

/// e to the power of a small x, from its series.
pub(crate) const fn exp(x: f64) -> f64 {
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

/// Chance of `seat` to finish first, from 0 to 1, according to the evaluator; 1 or 0 once first place is taken. A card
/// may be due.
///
/// If differences of strengths are logarithms of odds, the chance of a seat to be first of many is proportional to e to
/// the power of its strength.
///
/// Source: R. Plackett, "The analysis of permutations" (1975); R. D. Luce, "Individual choice behavior" (1959).
pub fn first_chance<G: Game, E: Evaluator<G>>(evaluator: &E, position: &G, seat: Seat) -> f32 {
    let mut racing = [false; MAX_SEATS];
    for rival in Seat::all(position.seats()) {
        match position.place(rival) {
            Some(1) => return f32::from(u8::from(rival == seat)),
            // In last place while first place is open: no longer a rival.
            Some(_) => (),
            None => racing[rival.index()] = true,
        }
    }
    if !racing[seat.index()] {
        return 0.0;
    }
    chance_among(&evaluator.strengths(position), &racing, seat)
}

fn chance_among(strengths: &Vector, racing: &[bool; MAX_SEATS], seat: Seat) -> f32 {
    let entrants = strengths.iter().zip(racing).filter(|(_, racing)| **racing);
    let strongest = entrants.clone().map(|(&strength, _)| strength).max().unwrap_or_default();
    let whole: f32 = entrants.map(|(&strength, _)| odds(strongest - strength)).sum();
    odds(strongest - strengths[seat.index()]) / whole
}

/// Odds against a seat that is stronger by `difference`: e to the power of -`difference`, from the table of leads.
fn odds(difference: i32) -> f32 {
    let lead = lead(difference);
    (CERTAIN - lead) as f32 / (CERTAIN + lead) as f32
}

/// Expected share of the placement points of each seat, in permille.
///
/// `leads` are summed leads as returned by [`expected_leads`]. Shares are rounded down, and the missing units go to the
/// largest remainders, ties to the lower seat, so that the shares always add up to 1000.
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
    // The sum of averaged leads is only near 0 because of rounding, but the sum of the shares must be exact.
    let raised: Vec<i64> = leads.iter().map(|&lead| (i64::from(lead) + most).max(0)).collect();
    let whole: i64 = raised.iter().sum::<i64>().max(1);
    let mut shares: Vec<u16> = raised.iter().map(|&lead| (1000 * lead / whole) as u16).collect();
    let missing = 1000 - shares.iter().sum::<u16>();
    let mut by_remainder: Vec<usize> = (0..leads.len()).collect();
    by_remainder.sort_by_key(|&seat| std::cmp::Reverse(1000 * raised[seat] % whole));
    for &seat in by_remainder.iter().take(missing.into()) {
        shares[seat] += 1;
    }
    shares
}

/// Evaluation errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// Standard deviation of a seat's error, on the scale of [`STRENGTH_UNIT`]; 0 for none.
    pub size: i32,
    /// Seed of the errors.
    pub seed: u64,
}

/// Evaluator of a game, with errors if it plays weaker.
///
/// The error of each seat in each position is derived from the key of the position and a seed. So a position gets the
/// same error each time, however the search reaches it. Errors are symmetric about zero: they hide which seat is better
/// off without favouring any. Decided results have no errors.
#[derive(Clone, Debug)]
pub struct Judge<G: Evaluate> {
    evaluator: Arc<G::Evaluator>,
    noise: Noise,
}

impl<G: Evaluate> Judge<G> {
    /// Creates an evaluator for the rules and the number of seats of `position`, with these errors.
    pub fn new(position: &G, evaluators: &Evaluators, noise: Noise) -> Judge<G> {
        Judge { evaluator: position.evaluator(evaluators), noise }
    }

    /// Underlying evaluator.
    pub fn evaluator(&self) -> &Arc<G::Evaluator> {
        &self.evaluator
    }

    /// Errors that it adds.
    pub fn noise(&self) -> Noise {
        self.noise
    }
}

impl<G: Evaluate> Evaluator<G> for Judge<G> {
    #[inline]
    fn strengths(&self, position: &G) -> Vector {
        let mut strengths = self.evaluator.strengths(position);
        if self.noise.size != 0 {
            self.noise.add_to(&mut strengths, position);
        }
        strengths
    }

    fn explain(&self, position: &G) -> Vec<String> {
        self.evaluator.explain(position)
    }
}

/// Standard deviation of [`spread`].
const SPREAD_DEVIATION: i64 = 75_673;

impl Noise {
    /// Error for a seat in the position with a key.
    pub fn error(&self, key: u64, seat: Seat) -> i32 {
        let seats_word = splitmix64(self.seed.wrapping_add(u64::from(seat.0)));
        (i64::from(self.size) * spread(splitmix64(key ^ seats_word)) / SPREAD_DEVIATION) as i32
    }

    #[cold]
    fn add_to<G: Game>(&self, strengths: &mut Vector, position: &G) {
        let key = position.key();
        for seat in 0..position.seats() as u8 {
            strengths[usize::from(seat)] += self.error(key, Seat(seat));
        }
    }
}

/// Sum of four numbers of 16 bits each, which are uniform about 0: nearly a normal distribution.
fn spread(bits: u64) -> i64 {
    let pieces = [0, 16, 32, 48].map(|shift| i64::from((bits >> shift) as u16));
    pieces.map(|piece| 2 * piece - 0xFFFF).iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_the_hyperbolic_tangent_of_half_the_difference() {
        for difference in -100_000..=100_000 {
            let exact = f64::from(difference) / f64::from(STRENGTH_UNIT) / 2.0;
            let exact = exact.tanh() * f64::from(CERTAIN);
            let found = lead(difference);
            assert!((f64::from(found) - exact).abs() < 60.0, "{difference}: {found}, not {exact}");
            assert_eq!(lead(-difference), -found);
            assert!(found.abs() < CERTAIN);
            assert!(lead(difference + 1) >= found, "{difference}");
        }
    }

    #[test]
    fn shares_of_decided_games_are_exact() {
        let c = CERTAIN;
        assert_eq!(shares(&[c, -c]), [1000, 0]);
        assert_eq!(shares(&[-2 * c, 2 * c, 0]), [0, 667, 333]);
        assert_eq!(shares(&[3 * c, c, -c, -3 * c]), [500, 333, 167, 0]);
        assert_eq!(shares(&[0, 0, 0]), [334, 333, 333]);
        assert_eq!(shares(&[5 * c, 3 * c, c, -c, -3 * c, -5 * c]), [333, 267, 200, 133, 67, 0]);
    }

    #[test]
    fn chances_are_a_softmax_of_strengths() {
        let units = [0.5, -1.0, 2.0, 0.0, 3.0, 1.0];
        let strengths = units.map(|unit| (unit * f64::from(STRENGTH_UNIT)) as i32);
        let racing = [true, true, true, true, false, false];
        let whole: f64 = units[..4].iter().map(|unit: &f64| unit.exp()).sum();
        let mut sum = 0.0;
        for seat in 0..4 {
            let chance = chance_among(&strengths, &racing, Seat(seat));
            let exact = units[usize::from(seat)].exp() / whole;
            assert!((f64::from(chance) - exact).abs() < 1e-3, "{chance} {exact}");
            sum += chance;
        }
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }

    fn errors(noise: Noise, seat: u8) -> Vec<i32> {
        (0..100_000).map(|key| noise.error(key, Seat(seat))).collect()
    }

    #[test]
    fn errors_are_even_about_zero_and_as_large_as_asked_for() {
        let noise = Noise { size: 1000, seed: 7 };
        for seat in 0..6 {
            let errors = errors(noise, seat);
            let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / 100_000.0;
            let first = mean(&mut errors.iter().map(|&error| f64::from(error)));
            let second = mean(&mut errors.iter().map(|&error| f64::from(error).powi(2)));
            // Three standard errors of a mean of 100,000 values.
            assert!(first.abs() < 10.0, "seat {seat}: mean {first}");
            assert!((second.sqrt() - 1000.0).abs() < 10.0, "seat {seat}");
        }
    }

    #[test]
    fn a_position_is_judged_the_same_each_time_for_a_seed() {
        let noise = |seed| Noise { size: 500, seed };
        assert_eq!(errors(noise(1), 0), errors(noise(1), 0));
        assert_ne!(errors(noise(1), 0), errors(noise(2), 0));
        assert_ne!(errors(noise(1), 0), errors(noise(1), 1));
        assert!(errors(Noise::default(), 0).iter().all(|&error| error == 0));
    }

    #[test]
    fn opposite_bits_are_opposite_errors() {
        for bits in [0, 1, 0xFFFF, 0x1234_5678_9ABC_DEF0, u64::MAX] {
            assert_eq!(spread(bits), -spread(!bits));
        }
    }
}
