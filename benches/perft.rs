//! Speed of the rules: leaves of perft a second, on one core, from the start of `hase-und-igel`.
//!
//! Run it with `cargo bench --bench perft`; an item is a leaf.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

use buxtehude::eval::{Evaluate, estimate_of_open};
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{Game, for_each_child, perft, perft_by_playing};

/// Deep enough for millions of leaves.
const DEPTH: u32 = 8;

const PLAYERS: [usize; 3] = [2, 3, 6];

fn main() {
    divan::main();
}

/// The last ply is counted.
#[divan::bench(args = PLAYERS)]
fn bulk(bencher: Bencher, players: usize) {
    let count = |position: &Position| perft(position, DEPTH, &mut || false);
    measure(bencher, players, |position| count(position).unwrap());
}

/// The last ply is played.
#[divan::bench(args = PLAYERS)]
fn playing(bencher: Bencher, players: usize) {
    let count = |position: &Position| perft_by_playing(position, DEPTH, &mut || false);
    measure(bencher, players, |position| count(position).unwrap());
}

/// The last ply is played and each leaf estimated for every seat, as it stands even if a card is due.
#[divan::bench(args = PLAYERS)]
fn estimating(bencher: Bencher, players: usize) {
    measure(bencher, players, |position| {
        estimate_leaves(position, DEPTH)
    });
}

fn measure(bencher: Bencher, players: usize, count: impl Fn(&Position) -> u64 + Sync) {
    let start = Position::start(&HASE_UND_IGEL, players).unwrap();
    let leaves = perft(&start, DEPTH, &mut || false).unwrap();
    bencher
        .counter(ItemsCount::new(leaves))
        .bench(|| assert_eq!(count(black_box(&start)), leaves));
}

fn estimate_leaves<G: Evaluate>(position: &G, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth > 1 {
        for_each_child(position, |child| {
            leaves += estimate_leaves(child, depth - 1);
        });
    } else {
        for_each_child(position, |leaf| {
            black_box(&estimate_of_open(leaf));
            leaves += 1;
        });
    }
    leaves
}
