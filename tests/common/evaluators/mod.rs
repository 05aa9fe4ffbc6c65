//! Evaluators that tests share, by ruleset and number of seats: to make a net takes some milliseconds.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use buxtehude::eval::net::Net;
use buxtehude::eval::{Evaluate, Evaluators};
use buxtehude::rules::Game;
use buxtehude::rules::hase::Position;
use buxtehude::search::Memory;

static KNOWN: LazyLock<Mutex<HashMap<(&str, usize), Evaluators>>> = LazyLock::new(Mutex::default);

/// The evaluators that have made the net of a position, or are about to.
pub fn evaluators(position: &Position) -> Evaluators {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (position.ruleset().name, position.seats());
    known.entry(key).or_default().clone()
}

/// The net that evaluates a position.
pub fn net(position: &Position) -> Arc<Net> {
    position.evaluator(&evaluators(position))
}

/// The memory of searches of positions with the rules and the number of seats of this one.
pub fn memory(position: &Position, mebibytes: usize) -> Memory {
    Memory::with_evaluators(mebibytes, evaluators(position))
}
