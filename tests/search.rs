//! The search, compared with a slow and obvious one and with its guarantees.

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

/// A request for alpha-beta limited only by depth.
fn request(position: &Position, depth: u32) -> Request {
    Request { preset: Preset::AlphaBeta, ..tree_request(position, depth) }
}

/// A request for a tree search limited only by depth.
fn tree_request(position: &Position, depth: u32) -> Request {
    Request { preset: Preset::Tree, ..Request::new(AnyPosition::Hase(*position), depth) }
}

/// Reports and answer of a search with a memory of this size (0: a table of one slot, a tree of very few nodes).
fn run(request: &Request, mebibytes: usize) -> (Vec<Report>, Answer) {
    let AnyPosition::Hase(position) = &request.position else {
        panic!("{request:?} is of another game");
    };
    run_in(&mut memory(position, mebibytes), request)
}

/// Reports and answer of a search with this memory.
fn run_in(memory: &mut Memory, request: &Request) -> (Vec<Report>, Answer) {
    let mut reports = Vec::new();
    let control = Control::new(None);
    let answer = search(request, memory, &control, &mut |report| {
        reports.push(report);
    });
    (reports, answer.expect("a seat is to move"))
}
