//! Evaluators shared by tests, by ruleset and number of seats, since making a net takes several milliseconds.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use buxtehude::eval::hase::Net;
use buxtehude::eval::{Evaluate, Evaluators};
use buxtehude::rules::Game;
use buxtehude::rules::hase::Position;
use buxtehude::search::Memory;

static KNOWN: LazyLock<Mutex<HashMap<(&str, usize), Evaluators>>> = LazyLock::new(Mutex::default);

/// The shared evaluators for a position, which make its net on first use.
pub fn evaluators(position: &Position) -> Evaluators {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (position.ruleset().name, position.seats());
    known.entry(key).or_default().clone()
}

/// The net that evaluates a position.
pub fn net(position: &Position) -> Arc<Net> {
    position.evaluator(&evaluators(position))
}

/// A search memory for the rules and the number of seats of a position.
pub fn memory(position: &Position, mebibytes: usize) -> Memory {
    Memory::for_threads(1, mebibytes, evaluators(position))
}
