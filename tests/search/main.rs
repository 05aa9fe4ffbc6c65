//! The search, held against a slow and obvious one, and against what it promises.

mod behaviour;
mod lines;
mod mates;
#[path = "../positions/mod.rs"]
mod positions;
mod slow;
mod values;

use buxtehude::rules::AnyPosition;
use buxtehude::rules::hase::Position;
use buxtehude::search::{Answer, Control, Report, Request, Table, search};

/// A request without limits but the depth.
fn request(position: &Position, depth: u32) -> Request {
    Request::new(AnyPosition::Hase(*position), depth)
}

/// The reports and the answer of a search with a table of so many mebibytes (0: of one slot).
fn run(request: &Request, mebibytes: usize) -> (Vec<Report>, Answer) {
    let mut reports = Vec::new();
    let mut table = Table::new(mebibytes);
    let control = Control::new(None);
    let answer = search(request, &mut table, &control, &mut |report| {
        reports.push(report);
    });
    (reports, answer.expect("a seat is to move"))
}
