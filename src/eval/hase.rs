//! The learned evaluation of Hase und Igel.
//!
//! A net sees each hare as a [feature](Features) and gives each seat a *strength*. The chance of a seat to finish
//! before another is the logistic function of the difference of their strengths.
//!
//! The input of a hare to the first layer is one row of numbers for its feature and its slot, which is the number of
//! its seat counted from the one to move. These rows are computed from the [`Weights`] once variant and number of seats
//! are known. Then the strengths are the sum of one row per hare and one for the drawn cards, followed by two small
//! layers, for any number of seats. The order of all operations is fixed in this code, without fused operations, so
//! that every machine computes the same result.
//!
//! Source: Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi" (2018), for a
//! first layer that is a sum of integer rows.

mod features;
mod weights;

use std::sync::Arc;

pub use features::{DECK_KINDS, DECKS, Features, LETTUCES, PART_ROWS, PARTS, deck_index, deck_of};
pub use weights::{EvalFileError, Nets, Row, WIDTH, Weights, WeightsError};

use super::{
    CERTAIN, Evaluate, Evaluator, Evaluators, STRENGTH_UNIT, Vector, lead, shares, static_leads,
};
use crate::rules::hase::{Position, Ruleset};
use crate::rules::{Game, MAX_SEATS, Seat, joined};

/// A row of the first layer, in integer steps of 1 / [`STEPS`].
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Sum([i16; WIDTH]);

/// Steps per unit in the first layer.
const STEPS: f32 = 256.0;

/// A net prepared to evaluate positions of one ruleset and number of seats.
#[derive(Clone, Debug)]
pub struct Net {
    features: Features,
    seats: usize,
    /// Rows of the first layer, by slot and feature.
    hares: Vec<Sum>,
    /// Rows of the first layer by deck state, including the bias.
    decks: Vec<Sum>,
    mixing: [Row; WIDTH],
    mixing_bias: Row,
    /// Weights of the strengths, by unit of the second layer and slot.
    strength: [[f32; SLOTS]; WIDTH],
    strength_bias: [f32; SLOTS],
}

/// Number of slots, padded to the width of vector registers.
const SLOTS: usize = 8;

/// Strength of each seat; differences are logarithms of odds. Entries of seats that have finished, and beyond the last
/// seat, are meaningless.
pub type Strengths = [f32; MAX_SEATS];

impl Net {
    /// Builds a net for a ruleset from its weights, in some milliseconds.
    pub fn new(ruleset: &Ruleset, weights: &Weights) -> Net {
        Net::in_place_of(None, ruleset, weights)
    }

    /// [`Net::new`] in the memory of a net that is no longer needed, or in newly allocated memory that is large enough
    /// for any net. Freeing and allocating blocks of different sizes would fragment the heap.
    fn in_place_of(old: Option<Net>, ruleset: &Ruleset, weights: &Weights) -> Net {
        let features = Features::of(ruleset);
        let part_indices: Vec<[usize; PARTS]> =
            (0..features.count()).map(|feature| features.parts(ruleset, feature)).collect();
        let (mut hares, mut decks) = old.map(|old| (old.hares, old.decks)).unwrap_or_default();
        hares.clear();
        decks.clear();
        hares.reserve_exact(MAX_SEATS * features.count());
        for slot in &weights.slots {
            let parts: Vec<Vec<Row>> = weights
                .parts
                .iter()
                .map(|table| table.iter().map(|row| times(row, slot)).collect())
                .collect();
            for indices in &part_indices {
                let mut sum = [0.0; WIDTH];
                for (table, &index) in parts.iter().zip(indices) {
                    add(&mut sum, &table[index]);
                }
                hares.push(rounded(&sum));
            }
        }
        decks.extend((0..DECKS).map(|index| {
            let mut sum = weights.bias;
            for (kind, drawn) in deck_of(index).into_iter().enumerate() {
                add(&mut sum, &weights.deck[kind][drawn]);
            }
            rounded(&sum)
        }));
        let mut strength = [[0.0; SLOTS]; WIDTH];
        let mut strength_bias = [0.0; SLOTS];
        for slot in 0..weights.seats {
            strength_bias[slot] = weights.strength_bias[slot];
            for (by_slot, &x) in strength.iter_mut().zip(&weights.strength[slot]) {
                by_slot[slot] = x;
            }
        }
        Net {
            seats: weights.seats,
            decks,
            mixing: weights.mixing.map(|row| row.map(|x| x / STEPS)),
            mixing_bias: weights.mixing_bias,
            strength,
            strength_bias,
            hares,
            features,
        }
    }

    /// Number of seats.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// Strength of each seat in a position with the net's number of seats; a card may be due.
    #[inline]
    pub fn strengths(&self, position: &Position) -> Strengths {
        match self.seats {
            2 => self.strengths_of::<2>(position),
            3 => self.strengths_of::<3>(position),
            4 => self.strengths_of::<4>(position),
            5 => self.strengths_of::<5>(position),
            _ => self.strengths_of::<6>(position),
        }
    }

    #[inline(always)]
    fn strengths_of<const N: usize>(&self, position: &Position) -> Strengths {
        let mover = position.turn().seat().map_or(0, Seat::index);
        let features = self.features.count();
        let mut sum = self.decks[deck_index(position.drawn())].0;
        for slot in 0..N {
            let seat = seat_of::<N>(mover, slot);
            let feature = self.features.index(position, Seat(seat as u8));
            let row = &self.hares[slot * features + feature].0;
            for (sum, &x) in sum.iter_mut().zip(row) {
                *sum = sum.saturating_add(x);
            }
        }
        let by_slot = self.upper_layers(&sum);
        let mut strengths = [0.0; MAX_SEATS];
        for slot in 0..N {
            strengths[seat_of::<N>(mover, slot)] = by_slot[slot];
        }
        strengths
    }

    #[inline(always)]
    fn upper_layers(&self, sum: &[i16; WIDTH]) -> [f32; SLOTS] {
        let first: Row = sum.map(|x| f32::from(x.max(0)));
        // Two sums over half of the units each, since in a single sum each addition would wait for the one before.
        let mut second = self.mixing_bias;
        let mut other = [0.0; WIDTH];
        for unit in 0..WIDTH / 2 {
            add_times(&mut second, first[unit], &self.mixing[unit]);
            add_times(&mut other, first[unit + WIDTH / 2], &self.mixing[unit + WIDTH / 2]);
        }
        add(&mut second, &other);
        let mut sums = [[0.0; SLOTS]; 4];
        for unit in (0..WIDTH).step_by(4) {
            for (offset, sum) in sums.iter_mut().enumerate() {
                let x = second[unit + offset].max(0.0);
                add_times(sum, x, &self.strength[unit + offset]);
            }
        }
        let mut by_slot = self.strength_bias;
        for sum in &sums {
            add(&mut by_slot, sum);
        }
        by_slot
    }
}

/// Seat of a slot.
#[inline(always)]
fn seat_of<const N: usize>(mover: usize, slot: usize) -> usize {
    let seat = mover + slot;
    if seat < N { seat } else { seat - N }
}

#[inline(always)]
fn add<const N: usize>(sum: &mut [f32; N], row: &[f32; N]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

#[inline(always)]
fn add_times<const N: usize>(sum: &mut [f32; N], factor: f32, row: &[f32; N]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += factor * x;
    }
}

/// Product of a row and a matrix.
fn times(row: &Row, matrix: &[Row; WIDTH]) -> Row {
    let mut product = [0.0; WIDTH];
    for (factor, row) in row.iter().zip(matrix) {
        add_times(&mut product, *factor, row);
    }
    product
}

/// Rounds a row to integer steps.
fn rounded(row: &Row) -> Sum {
    Sum(row.map(|x| (x * STEPS).round() as i16))
}

impl Evaluate for Position {
    type Evaluator = Net;

    fn evaluator(&self, evaluators: &Evaluators) -> Arc<Net> {
        evaluators.with(|nets: &mut Nets| nets.net(self.ruleset(), self.seats()))
    }
}

/// Number of best moves shown.
const SHOWN_MOVES: usize = 5;

impl Evaluator<Position> for Net {
    #[inline]
    fn strengths(&self, position: &Position) -> Vector {
        Net::strengths(self, position).map(|strength| (strength * STRENGTH_UNIT as f32) as i32)
    }

    /// A line for each seat: its share, its chance of finishing before each rival, in permille, and the turns that it
    /// would need home alone. Then the best moves, with the shares after each.
    fn explain(&self, position: &Position) -> Vec<String> {
        let strengths = Evaluator::strengths(self, position);
        let shares = shares(&static_leads(self, position)[..position.seats()]);
        let seats = || Seat::all(position.seats());
        let mut lines: Vec<String> = seats()
            .map(|seat| {
                if let Some(place) = position.place(seat) {
                    return format!("seat {seat}: place {place}");
                }
                let chances = seats()
                    .filter(|&rival| rival != seat && position.place(rival).is_none())
                    .map(|rival| {
                        let lead = lead(strengths[seat.index()] - strengths[rival.index()]);
                        let permille = (i64::from(lead) + i64::from(CERTAIN)) * 1000
                            / (2 * i64::from(CERTAIN));
                        format!("{rival} {permille}")
                    });
                let turns = position.turns_home(seat).unwrap_or_default();
                let share = shares[seat.index()];
                format!(
                    "seat {seat}: share {share}, before {}, turns home {turns}",
                    joined(chances, " ")
                )
            })
            .collect();
        lines.extend(best_moves(self, position));
        lines
    }
}

/// A line for each of the best moves, best first.
fn best_moves(net: &Net, position: &Position) -> Vec<String> {
    let Some(mover) = position.turn().mover() else {
        return Vec::new();
    };
    let mut moves: Vec<_> = position
        .legal_moves()
        .map(|mv| {
            let leads: [i32; MAX_SEATS] = static_leads(net, &position.play_unchecked(mv));
            (leads[mover.index()], mv, leads)
        })
        .collect();
    moves.sort_by_key(|&(lead, mv, _)| (std::cmp::Reverse(lead), mv));
    let spelled = moves.iter().take(SHOWN_MOVES).map(|(_, mv, leads)| {
        let shares = shares(&leads[..position.seats()]);
        format!("move {mv}: {}", joined(shares, " "))
    });
    spelled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Turn;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};
    use rand::rngs::StdRng;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};

    /// Positions of random games with a move or a card due.
    fn positions(ruleset: &'static Ruleset, seats: usize) -> Vec<Position> {
        let mut rng = StdRng::seed_from_u64(seats as u64);
        let mut positions = Vec::new();
        for _ in 0..5 {
            let mut position = Position::start(ruleset, seats).unwrap();
            for _ in 0..200 {
                positions.push(position);
                position = match position.turn() {
                    Turn::Seat(_) => {
                        position.play_unchecked(position.legal_moves().choose(&mut rng).unwrap())
                    }
                    Turn::Card(_) => {
                        position.draw_unchecked(position.outcomes().choose(&mut rng).unwrap().0)
                    }
                    Turn::Over => break,
                };
            }
        }
        positions
    }

    /// Strengths from the rows of a net, computed one number at a time, as every machine must.
    fn scalar_strengths(net: &Net, position: &Position) -> Strengths {
        let seats = position.seats();
        let mover = position.turn().seat().map_or(0, Seat::index);
        let first: Row = std::array::from_fn(|unit| {
            let mut sum = net.decks[deck_index(position.drawn())].0[unit];
            for slot in 0..seats {
                let seat = Seat(((mover + slot) % seats) as u8);
                let row = slot * net.features.count() + net.features.index(position, seat);
                sum = sum.saturating_add(net.hares[row].0[unit]);
            }
            f32::from(sum.max(0))
        });
        let second: Row = std::array::from_fn(|unit| {
            let mut low = net.mixing_bias[unit];
            let mut high = 0.0;
            for below in 0..WIDTH / 2 {
                low += first[below] * net.mixing[below][unit];
                high += first[below + WIDTH / 2] * net.mixing[below + WIDTH / 2][unit];
            }
            f32::max(low + high, 0.0)
        });
        let mut strengths = [0.0; MAX_SEATS];
        for slot in 0..seats {
            let mut strength = net.strength_bias[slot];
            for offset in 0..4 {
                let mut sum = 0.0;
                for unit in (offset..WIDTH).step_by(4) {
                    sum += second[unit] * net.strength[unit][slot];
                }
                strength += sum;
            }
            strengths[(mover + slot) % seats] = strength;
        }
        strengths
    }

    #[test]
    fn the_sum_is_the_same_to_the_last_bit() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for seats in 2..=MAX_SEATS {
                let mut rng = StdRng::seed_from_u64(seats as u64);
                let mut row =
                    |size: f32| -> Row { std::array::from_fn(|_| rng.random_range(-size..size)) };
                let mut weights = Weights::zero(ruleset.name, seats);
                // Large enough for some sums of the first layer to saturate.
                let parts = weights.parts.iter_mut().flatten();
                parts.for_each(|part| *part = row(6.0));
                let slots = weights.slots.iter_mut().flatten();
                let deck = weights.deck.iter_mut().flatten();
                let rows = slots.chain(deck).chain(&mut weights.mixing);
                rows.chain(&mut weights.strength).for_each(|part| *part = row(1.0));
                weights.mixing_bias = row(1.0);
                weights.strength_bias = row(1.0)[..seats].to_vec();
                let net = Net::new(ruleset, &weights);
                for position in positions(ruleset, seats) {
                    let bits = |strengths: Strengths| strengths.map(f32::to_bits);
                    assert_eq!(
                        bits(net.strengths(&position)),
                        bits(scalar_strengths(&net, &position)),
                        "{position:?}"
                    );
                }
            }
        }
    }
}
