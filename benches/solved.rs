//! How long it takes to solve Rabbits and Wolves, on one core, and to use the table.
//!
//! Run it with `cargo bench --bench solved`.

use divan::{Bencher, black_box};

use buxtehude::rules::fox::solved::{Position, SOLVED, Solved, resistance};

fn main() {
    divan::main();
}

/// The exact outcome of all 2,013,760 positions.
#[divan::bench]
fn solve() -> Solved {
    Solved::new()
}

/// The counts over all positions, and what is reachable from the starts.
#[divan::bench]
fn statistics(bencher: Bencher) {
    let solved = &*SOLVED;
    bencher.bench(|| solved.statistics());
}

/// Perfect play from the start on e1 to the end, 44 plies.
#[divan::bench]
fn principal_variation(bencher: Bencher) {
    let solved = &*SOLVED;
    bencher.bench(|| resistance::principal_variation(solved, black_box(Position::start(2))));
}
