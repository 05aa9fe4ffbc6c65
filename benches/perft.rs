//! Speed of the rules: perft leaves per second, on one core, from the start of `hase-und-igel` and, in the module
//! `fox`, of `fox-and-hounds`.
//!
//! Run it with `cargo bench -p buxtehude --bench perft`; an item is a leaf.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

use buxtehude::eval::hase::Net;
use buxtehude::eval::{Evaluate, Evaluators, static_leads};
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{Game, for_each_child, perft, perft_by_playing};

/// Deep enough for millions of leaves.
const DEPTH: u32 = 8;

const PLAYERS: [usize; 3] = [2, 3, 6];

fn main() {
    divan::main();
}

/// Counts the moves of the last ply.
#[divan::bench(args = PLAYERS)]
fn bulk(bencher: Bencher, players: usize) {
    count_in_bulk(bencher, &start(players), DEPTH);
}

/// Plays the moves of the last ply.
#[divan::bench(args = PLAYERS)]
fn playing(bencher: Bencher, players: usize) {
    count_by_playing(bencher, &start(players), DEPTH);
}

/// Plays the moves of the last ply and evaluates each leaf for every seat, even if a card is due.
#[divan::bench(args = PLAYERS)]
fn estimating(bencher: Bencher, players: usize) {
    let start = start(players);
    let evaluator = start.evaluator(&Evaluators::default());
    measure(bencher, &start, DEPTH, |position| estimate_leaves(&evaluator, position, DEPTH));
}

fn start(players: usize) -> Position {
    Position::start(&HASE_UND_IGEL, players).unwrap()
}

/// The same for Rabbits and Wolves.
mod fox {
    use buxtehude::rules::Game;
    use buxtehude::rules::fox::Position;
    use divan::Bencher;

    /// Deep enough for millions of leaves.
    const DEPTH: u32 = 10;

    #[divan::bench]
    fn bulk(bencher: Bencher) {
        super::count_in_bulk(bencher, &start(), DEPTH);
    }

    #[divan::bench]
    fn playing(bencher: Bencher) {
        super::count_by_playing(bencher, &start(), DEPTH);
    }

    fn start() -> Position {
        Position::start(&(), 2).unwrap()
    }
}

fn count_in_bulk<G: Game>(bencher: Bencher, start: &G, depth: u32) {
    let count = |position: &G| perft(position, depth, &mut || false);
    measure(bencher, start, depth, |position| count(position).unwrap());
}

fn count_by_playing<G: Game>(bencher: Bencher, start: &G, depth: u32) {
    let count = |position: &G| perft_by_playing(position, depth, &mut || false);
    measure(bencher, start, depth, |position| count(position).unwrap());
}

fn measure<G: Game>(bencher: Bencher, start: &G, depth: u32, count: impl Fn(&G) -> u64 + Sync) {
    let leaves = perft(start, depth, &mut || false).unwrap();
    bencher.counter(ItemsCount::new(leaves)).bench(|| assert_eq!(count(black_box(start)), leaves));
}

fn estimate_leaves(evaluator: &Net, position: &Position, depth: u32) -> u64 {
    let mut leaves = 0;
    for_each_child(position, |child| {
        leaves += match depth {
            1 => {
                black_box(&static_leads(evaluator, child));
                1
            }
            _ => estimate_leaves(evaluator, child, depth - 1),
        };
    });
    leaves
}
