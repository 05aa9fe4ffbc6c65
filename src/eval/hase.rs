//! The learned evaluation of Hase und Igel.
//!
//! A net sees each hare as a [feature](Features) and gives each seat a *strength*. The chance of a seat to finish
//! before another is the logistic function of the difference of their strengths.
//!
//! The input of a hare to the first layer is one row of numbers for its feature and its slot, which is the number of
//! its seat counted from the one to move. These rows are computed from the [`Weights`] once variant and number of seats
//! are known. Then the strengths are the sum of one row per hare and one for the drawn cards, followed by two small
//! layers, for any number of seats. The sums of the first two layers are of integers. The order of all other operations
//! is fixed in this code, without fused ones. So every machine computes the same result.
//!
//! Source: Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi" (2018), for a
//! first layer that is a sum of integer rows.

mod features;
mod weights;

use std::array;
use std::sync::Arc;

use wide::{f32x8, i16x8, i16x16, i32x8};

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
struct Sum([i16x16; WIDTH / 16]);

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
    mixing: Mixing,
    mixing_bias: [i32x8; WIDTH / 8],
    /// Weights of the strengths, by slot and unit of the second layer.
    strength: [[f32x8; WIDTH / 8]; MAX_SEATS],
    strength_bias: [f32; MAX_SEATS],
}

/// Weights of the second layer, by eight units of it, then by two of the first layer. Both weights of a unit stand side
/// by side, since processors multiply and add such pairs in one instruction.
type Mixing = [[i16x16; WIDTH / 2]; WIDTH / 8];

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
        let steps: Row = array::from_fn(|unit| mixing_steps(weights, unit));
        let mut mixing = [[[[0; 2]; 8]; WIDTH / 2]; WIDTH / 8];
        for (from, row) in weights.mixing.iter().enumerate() {
            for (unit, x) in row.iter().enumerate() {
                mixing[unit / 8][from / 2][unit % 8][from % 2] = (x * steps[unit]).round() as i16;
            }
        }
        let mixing_bias: [i32; WIDTH] =
            array::from_fn(|unit| (weights.mixing_bias[unit] * STEPS * steps[unit]).round() as i32);
        let mut strength = [[0.0; WIDTH]; MAX_SEATS];
        let mut strength_bias = [0.0; MAX_SEATS];
        for slot in 0..weights.seats {
            let row = &weights.strength[slot];
            strength[slot] = array::from_fn(|unit| row[unit] / (STEPS * steps[unit]));
            strength_bias[slot] = weights.strength_bias[slot];
        }
        Net {
            seats: weights.seats,
            decks,
            mixing: bytemuck::cast(mixing),
            mixing_bias: bytemuck::cast(mixing_bias),
            strength: bytemuck::cast(strength),
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
    pub fn strengths(&self, position: &Position) -> Strengths {
        self.map_strengths(position, |strength| strength)
    }

    #[inline]
    fn map_strengths<T: Copy + Default>(
        &self,
        position: &Position,
        of: impl Fn(f32) -> T,
    ) -> [T; MAX_SEATS] {
        match self.seats {
            2 => self.map_strengths_of::<2, T>(position, of),
            3 => self.map_strengths_of::<3, T>(position, of),
            4 => self.map_strengths_of::<4, T>(position, of),
            5 => self.map_strengths_of::<5, T>(position, of),
            _ => self.map_strengths_of::<6, T>(position, of),
        }
    }

    #[inline(always)]
    fn map_strengths_of<const N: usize, T: Copy + Default>(
        &self,
        position: &Position,
        of: impl Fn(f32) -> T,
    ) -> [T; MAX_SEATS] {
        let mover = position.turn().seat().map_or(0, Seat::index);
        let features = self.features.count();
        let rows: [usize; N] = array::from_fn(|slot| {
            let seat = Seat(seat_of::<N>(mover, slot) as u8);
            slot * features + self.features.index(position, seat)
        });
        let Sum([mut low, mut high]) = self.decks[deck_index(position.drawn())];
        for row in rows {
            let Sum([row_low, row_high]) = self.hares[row];
            low = low.saturating_add(row_low);
            high = high.saturating_add(row_high);
        }
        let second = self.second_layer([low, high]);
        let mut strengths = [T::default(); MAX_SEATS];
        for slot in 0..N {
            let strength = self.strength_bias[slot] + product(&second, &self.strength[slot]);
            strengths[seat_of::<N>(mover, slot)] = of(strength);
        }
        strengths
    }

    // Inlined, the compiler would copy all weights to the stack first.
    #[inline(never)]
    fn second_layer(&self, first: [i16x16; WIDTH / 16]) -> [f32x8; WIDTH / 8] {
        let pairs: [i32; WIDTH / 2] = bytemuck::cast(first.map(|x| x.max(i16x16::ZERO)));
        let mut second = [f32x8::ZERO; WIDTH / 8];
        for (block, rows) in self.mixing.iter().enumerate() {
            let mut sum = self.mixing_bias[block];
            for (&pair, &weights) in pairs.iter().zip(rows) {
                let pair: i16x16 = bytemuck::cast(i32x8::splat(pair));
                sum += pair.dot(weights);
            }
            second[block] = f32x8::from_i32x8(sum.max(i32x8::ZERO));
        }
        second
    }
}

/// Integer steps per 1 in the weights of a unit of the second layer: so few that no weight overflows, nor the sum of
/// the unit for any input.
fn mixing_steps(weights: &Weights, unit: usize) -> f32 {
    let column = weights.mixing.map(|row| row[unit].abs());
    let largest = column.iter().fold(0.0, |most: f32, &x| most.max(x));
    let most = f32::from(i16::MAX);
    let sum = column.iter().sum::<f32>() * most + weights.mixing_bias[unit].abs() * STEPS;
    // Each rounded weight may be half a step larger; a hundredth is for the rounding of the sum.
    let room = i32::MAX as f32 * 0.99 - (WIDTH / 2) as f32 * most;
    (most / largest).min(room / sum).min(f32::MAX / STEPS)
}

/// Seat of a slot.
#[inline(always)]
fn seat_of<const N: usize>(mover: usize, slot: usize) -> usize {
    let seat = mover + slot;
    if seat < N { seat } else { seat - N }
}

#[inline(always)]
fn add(sum: &mut Row, row: &Row) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

#[inline(always)]
fn add_times(sum: &mut Row, factor: f32, row: &Row) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += factor * x;
    }
}

/// Sum of the products of two rows.
#[inline(always)]
fn product(left: &[f32x8; WIDTH / 8], right: &[f32x8; WIDTH / 8]) -> f32 {
    let [a, b, c, d] = array::from_fn(|index| left[index] * right[index]);
    let [a, b, c, d, e, f, g, h] = ((a + b) + (c + d)).to_array();
    ((a + e) + (c + g)) + ((b + f) + (d + h))
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
    let row: [f32x8; WIDTH / 8] = bytemuck::cast(*row);
    // Without the first step, ties would depend on the processor.
    let steps = row.map(|x| (x * STEPS).round_ties_even().round_int());
    Sum(bytemuck::cast(steps.map(i16x8::from_i32x8_saturate)))
}

impl Evaluate for Position {
    type Evaluator = Net;

    fn evaluator(&self, evaluators: &Evaluators) -> Arc<Net> {
        evaluators.with(|nets: &mut Nets| nets.net(self.ruleset(), self.seats()))
    }
}

/// Number of best moves shown.
const SHOWN_MOVES: usize = 5;

/// Far beyond any sensible strength; the difference of two strengths does not overflow.
const MAX_STRENGTH: i32 = 1 << 29;

impl Evaluator<Position> for Net {
    #[inline]
    fn strengths(&self, position: &Position) -> Vector {
        self.map_strengths(position, |strength| {
            ((strength * STRENGTH_UNIT as f32) as i32).clamp(-MAX_STRENGTH, MAX_STRENGTH)
        })
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

    /// Weights and bias of a unit of the second layer.
    fn second_unit(net: &Net, unit: usize) -> ([i64; WIDTH], i64) {
        let mixing: [[[[i16; 2]; 8]; WIDTH / 2]; WIDTH / 8] = bytemuck::cast(net.mixing);
        let biases: [i32; WIDTH] = bytemuck::cast(net.mixing_bias);
        let weight = |from: usize| mixing[unit / 8][from / 2][unit % 8][from % 2].into();
        (array::from_fn(weight), biases[unit].into())
    }

    /// Strengths from the rows of a net, computed one number at a time, as every machine must.
    fn scalar_strengths(net: &Net, position: &Position) -> Strengths {
        let seats = position.seats();
        let mover = position.turn().seat().map_or(0, Seat::index);
        let numbers = |row: &Sum| -> [i16; WIDTH] { bytemuck::cast(row.0) };
        let strength: [Row; MAX_SEATS] = bytemuck::cast(net.strength);
        let first: [i16; WIDTH] = array::from_fn(|unit| {
            let mut sum = numbers(&net.decks[deck_index(position.drawn())])[unit];
            for slot in 0..seats {
                let seat = Seat(((mover + slot) % seats) as u8);
                let row = slot * net.features.count() + net.features.index(position, seat);
                sum = sum.saturating_add(numbers(&net.hares[row])[unit]);
            }
            sum.max(0)
        });
        let second: Row = array::from_fn(|unit| {
            let (weights, bias) = second_unit(net, unit);
            let products = first.iter().zip(weights).map(|(&x, weight)| i64::from(x) * weight);
            let sum = bias + products.sum::<i64>();
            assert_eq!(i64::from(sum as i32), sum, "no sum overflows");
            sum.max(0) as f32
        });
        let mut strengths = [0.0; MAX_SEATS];
        for slot in 0..seats {
            let of_eight: [f32; 8] = array::from_fn(|lane| {
                let at = |index: usize| second[lane + index] * strength[slot][lane + index];
                (at(0) + at(8)) + (at(16) + at(24))
            });
            let pairs: [f32; 4] = array::from_fn(|lane| of_eight[lane] + of_eight[lane + 4]);
            let sum = (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
            strengths[(mover + slot) % seats] = net.strength_bias[slot] + sum;
        }
        strengths
    }

    #[test]
    fn the_sum_is_the_same_to_the_last_bit() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for seats in 2..=MAX_SEATS {
                let mut rng = StdRng::seed_from_u64(seats as u64);
                let mut row =
                    |size: f32| -> Row { array::from_fn(|_| rng.random_range(-size..size)) };
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

    #[test]
    fn no_sum_of_the_second_layer_overflows() {
        let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
        let sizes = [0.0, 1e-30, 1e-3, 1.0, 1e3, 1e30, f32::MAX];
        for (mixing, bias) in sizes.iter().flat_map(|&x| sizes.map(|bias| (x, bias))) {
            let mut weights = Weights::zero(HASE_UND_IGEL.name, 2);
            weights.mixing = [[mixing; WIDTH]; WIDTH];
            weights.mixing_bias = [-bias; WIDTH];
            weights.strength = vec![[mixing; WIDTH], [-mixing; WIDTH]];
            let net = Net::new(&HASE_UND_IGEL, &weights);
            for unit in 0..WIDTH {
                let (weights, bias) = second_unit(&net, unit);
                let inputs: i64 = weights.into_iter().map(i64::abs).sum();
                let sum = inputs * i64::from(i16::MAX) + bias.abs();
                assert!(sum <= i64::from(i32::MAX), "{mixing} {bias}: {sum}");
            }
            let leads = static_leads(&net, &start);
            assert!(leads.iter().all(|lead| lead.abs() <= CERTAIN), "{leads:?}");
        }
    }

    #[test]
    fn rows_are_rounded_to_even_numbers_of_steps() {
        let special = [0.5, 1.5, -0.5, -2.5, 0.49, 7.51, 1e9, -1e9, f32::NAN];
        let row: Row = array::from_fn(|index| special.get(index).unwrap_or(&0.25) / STEPS);
        let rounded: [i16; WIDTH] = bytemuck::cast(rounded(&row).0);
        assert_eq!(rounded[..9], [0, 2, 0, -2, 0, 8, i16::MAX, i16::MIN, 0]);
        assert_eq!(rounded, row.map(|x| (x * STEPS).round_ties_even() as i16));
    }
}
