//! Round robin: each combination of candidates plays blocks of games.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use buxtehude::eval::lookahead::Lookahead;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::game::{self, Outcome};

/// Parameters of a tournament.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Seats per game.
    pub seats: usize,
    /// Search depth in plies.
    pub depth: u32,
    /// Blocks per combination.
    pub blocks: usize,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Results of a candidate.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Share of the points in each block.
    pub shares: Vec<f64>,
    /// Lengths of its games, in moves of all seats.
    pub lengths: Vec<usize>,
    /// Number of stopped games.
    pub stopped: usize,
}

impl Tally {
    /// Mean share of the points, 0 to 1.
    pub fn share(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len() as f64
    }

    /// Half-width of the 95 % interval of the share, over blocks.
    pub fn error(&self) -> f64 {
        let (mean, count) = (self.share(), self.shares.len() as f64);
        let squares: f64 = self.shares.iter().map(|share| (share - mean).powi(2)).sum();
        1.96 * (squares / (count - 1.0) / count).sqrt()
    }

    /// Median length of its games.
    pub fn median_length(&self) -> usize {
        let mut lengths = self.lengths.clone();
        lengths.sort_unstable();
        lengths[lengths.len() / 2]
    }

    /// Share of stopped games, 0 to 1.
    pub fn part_stopped(&self) -> f64 {
        self.stopped as f64 / self.lengths.len() as f64
    }
}

/// Plays every combination of `plan.seats` different candidates, and adds up the results of each. A block is one
/// opening and one deck, played in every rotation of the seats.
pub fn play(candidates: &[Lookahead], plan: Plan) -> Vec<Tally> {
    let tables = combinations(candidates.len(), plan.seats);
    let number = tables.len() * plan.blocks;
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let block = next.fetch_add(1, Ordering::Relaxed);
                    if block >= number {
                        break;
                    }
                    // Openings and decks are the same for all combinations.
                    let games = play_block(
                        candidates,
                        &tables[block / plan.blocks],
                        &plan,
                        block % plan.blocks,
                    );
                    // No code that holds the lock can panic.
                    done.lock().expect("no panic").push((block, games));
                }
            });
        }
    });
    let mut blocks = done.into_inner().expect("no panic");
    blocks.sort_by_key(|(block, _)| *block);
    let mut tallies = vec![Tally::default(); candidates.len()];
    for (block, games) in blocks {
        for (at, &candidate) in tables[block / plan.blocks].iter().enumerate() {
            let tally = &mut tallies[candidate];
            // In rotation r the candidate at index n of the combination has seat n + r.
            let seats = |rotation| (at + rotation) % plan.seats;
            let shares = games.iter().enumerate();
            let sum: f64 = shares.map(|(r, game)| game.shares[seats(r)]).sum();
            tally.shares.push(sum / games.len() as f64);
            tally.lengths.extend(games.iter().map(|game| game.moves));
            tally.stopped += games.iter().filter(|game| game.was_stopped).count();
        }
    }
    tallies
}

fn play_block(
    candidates: &[Lookahead],
    table: &[usize],
    plan: &Plan,
    block: usize,
) -> Vec<Outcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
    rng.set_stream(block as u64);
    let opening = game::opening(plan.seats, &mut rng);
    let deck = rng.random();
    let rotations = 0..plan.seats;
    rotations
        .map(|rotation| {
            let seat = |seat| &candidates[table[(seat + plan.seats - rotation) % plan.seats]];
            let models: Vec<&Lookahead> = (0..plan.seats).map(seat).collect();
            game::play(opening, &models, plan.depth, deck)
        })
        .collect()
}

/// All combinations of `size` numbers below `count`, each ascending.
fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in size - 1..count {
        for mut fewer in combinations(last, size - 1) {
            fewer.push(last);
            all.push(fewer);
        }
    }
    all
}
