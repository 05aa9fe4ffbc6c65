//! The search, held against a slow and obvious one, and against what it promises.

mod behaviour;
mod lines;
mod mates;
mod proof;
mod slow;
mod tree;
mod values;

use buxtehude::rules::AnyPosition;
use buxtehude::rules::hase::Position;
use buxtehude::search::{Answer, Control, Memory, Preset, Report, Request, search};

use crate::common::{evaluators, positions};
use evaluators::memory;

/// A request without limits but the depth, of alpha-beta where there are two seats.
fn request(position: &Position, depth: u32) -> Request {
    Request {
        preset: Preset::Search,
        ..tree_request(position, depth)
    }
}

/// A request of a tree search without limits but the depth.
fn tree_request(position: &Position, depth: u32) -> Request {
    Request::new(AnyPosition::Hase(*position), depth)
}

/// The reports and the answer of a search with a memory of so many mebibytes (0: a table of one slot, a tree of
/// very few nodes).
fn run(request: &Request, mebibytes: usize) -> (Vec<Report>, Answer) {
    let AnyPosition::Hase(position) = &request.position else {
        panic!("{request:?} is of another game");
    };
    run_in(&mut memory(position, mebibytes), request)
}

/// The reports and the answer of a search with this memory.
fn run_in(memory: &mut Memory, request: &Request) -> (Vec<Report>, Answer) {
    let mut reports = Vec::new();
    let control = Control::new(None);
    let answer = search(request, memory, &control, &mut |report| {
        reports.push(report);
    });
    (reports, answer.expect("a seat is to move"))
}
