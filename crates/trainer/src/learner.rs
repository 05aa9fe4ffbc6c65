//! Learning: the loss of a net on a sample, and the gradient steps.
//!
//! The loss is the cross-entropy of the chances of finishing before each rival. The rows that make up features change
//! with each sample, with Adagrad (one number per row); all other weights change with the mean of a batch, with Adam.
//! Source: J. Duchi, E. Hazan and Y. Singer, "Adaptive subgradient methods" (2011); D. Kingma and J. Ba, "Adam: a
//! method for stochastic optimization" (2015).

#![expect(clippy::needless_range_loop, reason = "the loops index several rows at once")]

use buxtehude::eval::hase::{DECK_KINDS, Features, PART_ROWS, PARTS, Row, WIDTH, Weights, deck_of};
use buxtehude::rules::MAX_SEATS;
use buxtehude::rules::hase::Ruleset;
use rand::{Rng, RngExt};

use crate::player::chance;
use crate::self_play::Sample;

/// Samples per step of the dense weights, which are not in tables of parts.
const BATCH: usize = 64;

/// Step sizes of Adam (dense) and Adagrad (sparse).
const DENSE_RATE: f32 = 0.002;
const SPARSE_RATE: f32 = 0.05;

/// Adam's decay of the means and of the squares.
const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const TINY: f32 = 1e-8;

/// Number of batches after which Adam's bias correction no longer changes.
const MAX_BATCHES: f32 = 100_000.0;

/// Initial sum of squares of a row.
const FIRST_SQUARE: f32 = 0.1;

/// A net in training.
#[derive(Clone, Debug)]
pub struct Learner {
    pub weights: Weights,
    /// Sums of squared gradients, one number per row.
    row_squares: [Vec<f32>; PARTS],
    dense: Dense,
    mean: Dense,
    square: Dense,
    in_batch: usize,
    /// Batches so far, up to [`MAX_BATCHES`].
    batches: f32,
    /// Rows of each feature.
    parts: Vec<[u16; PARTS]>,
    /// Transposed `mixing` and `slots` of the weights, for backpropagation.
    mixing_back: [Row; WIDTH],
    slots_back: Vec<[Row; WIDTH]>,
}

/// A number for each dense weight: a gradient or a statistic of gradients.
#[derive(Clone, Debug)]
struct Dense {
    deck: [[Row; 3]; DECK_KINDS],
    slots: Vec<[Row; WIDTH]>,
    bias: Row,
    mixing: [Row; WIDTH],
    mixing_bias: Row,
    strength: Vec<Row>,
    strength_bias: Row,
}

/// All dense rows but the bias of the strengths.
macro_rules! dense_rows {
    ($weights:expr) => {
        ($weights.deck.iter_mut().flatten())
            .chain($weights.slots.iter_mut().flatten())
            .chain([&mut $weights.bias])
            .chain(&mut $weights.mixing)
            .chain([&mut $weights.mixing_bias])
            .chain(&mut $weights.strength)
    };
}

impl Dense {
    fn zero(seats: usize) -> Dense {
        const ZERO: Row = [0.0; WIDTH];
        Dense {
            deck: [[ZERO; 3]; DECK_KINDS],
            slots: vec![[ZERO; WIDTH]; seats],
            bias: ZERO,
            mixing: [ZERO; WIDTH],
            mixing_bias: ZERO,
            strength: vec![ZERO; seats],
            strength_bias: ZERO,
        }
    }

    fn rows(&mut self) -> impl Iterator<Item = &mut Row> {
        dense_rows!(self).chain([&mut self.strength_bias])
    }
}

/// Activations of a forward pass.
struct Pass {
    hares: [Row; MAX_SEATS],
    first: Row,
    second: Row,
    strengths: [f32; MAX_SEATS],
}

impl Learner {
    /// Creates a net with random weights.
    pub fn new(ruleset: &Ruleset, seats: usize, random: &mut impl Rng) -> Learner {
        let mut weights = Weights::zero(ruleset.name, seats);
        let mut uniform = |size: f32| random.random_range(-size..size);
        let unit = (1.0 / WIDTH as f32).sqrt();
        for x in weights.parts.iter_mut().flatten().flatten() {
            *x = uniform(0.2);
        }
        let slots = weights.slots.iter_mut().flatten();
        for x in slots.chain(&mut weights.mixing).flatten() {
            *x = uniform(1.5 * unit);
        }
        for x in weights.strength.iter_mut().flatten() {
            *x = uniform(0.5 * unit);
        }
        Learner::from_weights(ruleset, weights)
    }

    pub fn from_weights(ruleset: &Ruleset, weights: Weights) -> Learner {
        let features = Features::of(ruleset);
        let seats = weights.seats;
        let parts = (0..features.count())
            .map(|feature| features.parts(ruleset, feature).map(|row| row as u16));
        Learner {
            row_squares: PART_ROWS.map(|rows| vec![FIRST_SQUARE; rows]),
            dense: Dense::zero(seats),
            mean: Dense::zero(seats),
            square: Dense::zero(seats),
            in_batch: 0,
            batches: 0.0,
            parts: parts.collect(),
            mixing_back: transposed(&weights.mixing),
            slots_back: weights.slots.iter().map(transposed).collect(),
            weights,
        }
    }

    #[inline]
    fn pass(&self, sample: &Sample) -> Pass {
        let weights = &self.weights;
        let mut hares = [[0.0; WIDTH]; MAX_SEATS];
        let mut first = weights.bias;
        for (kind, drawn) in deck_of(sample.deck.into()).into_iter().enumerate() {
            add(&mut first, &weights.deck[kind][drawn]);
        }
        for slot in 0..weights.seats {
            let parts = &self.parts[usize::from(sample.features[slot])];
            let hare = self.hare(parts);
            for unit in 0..WIDTH {
                add_times(&mut first, hare[unit], &weights.slots[slot][unit]);
            }
            hares[slot] = hare;
        }
        keep_positive(&mut first);
        let mut second = weights.mixing_bias;
        for unit in 0..WIDTH {
            add_times(&mut second, first[unit], &weights.mixing[unit]);
        }
        keep_positive(&mut second);
        let mut strengths = [0.0; MAX_SEATS];
        for slot in 0..weights.seats {
            strengths[slot] = dot(&second, &weights.strength[slot]) + weights.strength_bias[slot];
        }
        Pass { hares, first, second, strengths }
    }

    /// Sum of the rows that make up a feature.
    #[inline(always)]
    fn hare(&self, parts: &[u16; PARTS]) -> Row {
        let mut hare = [0.0; WIDTH];
        for (table, &row) in self.weights.parts.iter().zip(parts) {
            add(&mut hare, &table[usize::from(row)]);
        }
        hare
    }

    /// Returns the cross-entropy of a sample in nats, summed over the pairs of rivals, and the number of pairs.
    pub fn loss(&self, sample: &Sample) -> (f32, u32) {
        let pass = self.pass(sample);
        let mut sum = 0.0;
        let mut pairs = 0;
        for_each_pair(sample, self.weights.seats, |first, second, is_before| {
            let difference = pass.strengths[first] - pass.strengths[second];
            let chance = chance(if is_before { difference } else { -difference });
            sum -= chance.max(1e-6).ln();
            pairs += 1;
        });
        (sum, pairs)
    }

    /// Learns from a sample, with steps of `rate` times the usual size.
    pub fn learn(&mut self, sample: &Sample, rate: f32) {
        let seats = self.weights.seats;
        let pass = self.pass(sample);
        // The gradient of the summed cross-entropy for a slot is the expected number of rivals that it finishes before,
        // minus the actual number.
        let mut by_strength = sample.wins.map(|wins| -wins);
        for_each_pair(sample, seats, |first, second, _| {
            let difference = pass.strengths[first] - pass.strengths[second];
            let chance = chance(difference);
            by_strength[first] += chance;
            by_strength[second] += 1.0 - chance;
        });
        let mut by_second = [0.0; WIDTH];
        for slot in 0..seats {
            let error = by_strength[slot];
            add_times(&mut self.dense.strength[slot], error, &pass.second);
            self.dense.strength_bias[slot] += error;
            add_times(&mut by_second, error, &self.weights.strength[slot]);
        }
        keep_where_positive(&mut by_second, &pass.second);
        add(&mut self.dense.mixing_bias, &by_second);
        let mut by_first = [0.0; WIDTH];
        for unit in 0..WIDTH {
            add_times(&mut self.dense.mixing[unit], pass.first[unit], &by_second);
            add_times(&mut by_first, by_second[unit], &self.mixing_back[unit]);
        }
        keep_where_positive(&mut by_first, &pass.first);
        add(&mut self.dense.bias, &by_first);
        for (kind, drawn) in deck_of(sample.deck.into()).into_iter().enumerate() {
            add(&mut self.dense.deck[kind][drawn], &by_first);
        }
        for slot in 0..seats {
            let mut by_hare = [0.0; WIDTH];
            for unit in 0..WIDTH {
                add_times(&mut self.dense.slots[slot][unit], pass.hares[slot][unit], &by_first);
                add_times(&mut by_hare, by_first[unit], &self.slots_back[slot][unit]);
            }
            let size = dot(&by_hare, &by_hare) / WIDTH as f32;
            let parts = &self.parts[usize::from(sample.features[slot])];
            for (table, &row) in parts.iter().enumerate() {
                let row = usize::from(row);
                let square = &mut self.row_squares[table][row];
                *square += size;
                let step = -SPARSE_RATE * rate / square.sqrt();
                add_times(&mut self.weights.parts[table][row], step, &by_hare);
            }
        }
        self.in_batch += 1;
        if self.in_batch == BATCH {
            self.end_batch(rate);
        }
    }

    /// Discards the gradients of an incomplete batch.
    pub fn end_round(&mut self) {
        self.in_batch = 0;
        self.dense = Dense::zero(self.weights.seats);
    }

    /// The complete state between two rounds, as numbers.
    pub fn state(&mut self) -> impl Iterator<Item = &mut f32> {
        let weights = self.weights.numbers();
        let squares = self.row_squares.iter_mut().flatten();
        let remembered = self.mean.rows().chain(self.square.rows()).flatten();
        weights.chain(squares).chain(remembered).chain([&mut self.batches])
    }

    /// Updates derived data after the numbers of [`Learner::state`] were changed.
    pub fn refresh(&mut self) {
        self.mixing_back = transposed(&self.weights.mixing);
        for (back, slot) in self.slots_back.iter_mut().zip(&self.weights.slots) {
            *back = transposed(slot);
        }
    }

    fn end_batch(&mut self, rate: f32) {
        self.in_batch = 0;
        self.batches = (self.batches + 1.0).min(MAX_BATCHES);
        let correct = |decay: f32| 1.0 - decay.powi(self.batches as i32);
        let mean_scale = 1.0 / correct(MEAN_DECAY);
        let square_scale = 1.0 / correct(SQUARE_DECAY);
        let step = DENSE_RATE * rate * mean_scale;
        let weights = &mut self.weights;
        let mut strength_bias = [0.0; WIDTH];
        strength_bias[..weights.seats].copy_from_slice(&weights.strength_bias);
        let rows = dense_rows!(weights).chain([&mut strength_bias]);
        let remembered = self.mean.rows().zip(self.square.rows());
        for ((row, gradient), (mean, square)) in rows.zip(self.dense.rows()).zip(remembered) {
            for unit in 0..WIDTH {
                let g = gradient[unit] / BATCH as f32;
                gradient[unit] = 0.0;
                mean[unit] += (1.0 - MEAN_DECAY) * (g - mean[unit]);
                square[unit] += (1.0 - SQUARE_DECAY) * (g * g - square[unit]);
                row[unit] -= step * mean[unit] / ((square[unit] * square_scale).sqrt() + TINY);
            }
        }
        weights.strength_bias.copy_from_slice(&strength_bias[..weights.seats]);
        self.refresh();
    }
}

/// Calls `take` with each pair of slots still in the race, and whether the first finished before the second.
#[inline]
pub fn for_each_pair(sample: &Sample, seats: usize, mut take: impl FnMut(usize, usize, bool)) {
    for first in 0..seats {
        for second in first + 1..seats {
            let places = (sample.places[first], sample.places[second]);
            if places.0 != 0 && places.1 != 0 {
                take(first, second, places.0 < places.1);
            }
        }
    }
}

#[inline(always)]
fn add(sum: &mut Row, row: &Row) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

#[inline(always)]
fn add_times(sum: &mut Row, factor: f32, row: &Row) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum = factor.mul_add(x, *sum);
    }
}

/// Dot product, in parallel sums, one for each number of a vector register.
#[inline(always)]
fn dot(first: &Row, second: &Row) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (first, second) = (first.as_chunks::<LANES>().0, second.as_chunks::<LANES>().0);
    for (first, second) in first.iter().zip(second) {
        for lane in 0..LANES {
            sums[lane] = first[lane].mul_add(second[lane], sums[lane]);
        }
    }
    sums.iter().sum()
}

fn transposed(matrix: &[Row; WIDTH]) -> [Row; WIDTH] {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

#[inline(always)]
fn keep_positive(row: &mut Row) {
    for x in row {
        *x = x.max(0.0);
    }
}

#[inline(always)]
fn keep_where_positive(gradient: &mut Row, values: &Row) {
    for (gradient, &value) in gradient.iter_mut().zip(values) {
        *gradient = if value > 0.0 { *gradient } else { 0.0 };
    }
}
