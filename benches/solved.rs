//! Time to solve Rabbits and Wolves, on one core, and to use the table.
//!
//! Run it with `cargo bench -p buxtehude --bench solved`.

use buxtehude::rules::fox::Position;
use buxtehude::rules::fox::solved::Solved;
use buxtehude::rules::{AnyPosition, Game};
use buxtehude::search::{Answer, Control, Memory, Request, search};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Exact results of all 2,013,760 positions.
#[divan::bench]
fn solve() -> Solved {
    Solved::new()
}

/// The answer to `go` at the start: perfect play to the end, 44 plies.
#[divan::bench]
fn go(bencher: Bencher) {
    let start = Position::start(&(), 2).unwrap();
    let request = Request::new(AnyPosition::Fox(start), 1);
    let mut memory = Memory::new(1);
    let control = Control::new(None);
    bencher.bench_local(|| -> Option<Answer> {
        search(black_box(&request), &mut memory, &control, &mut |_| {})
    });
}
