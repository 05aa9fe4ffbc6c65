//! Retirement of engines that fail repeatedly.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::plan::schedule::LineUps;
use crate::plan::{EngineSpec, Patience, Plan};
use crate::record::GameRecord;

/// Updates `failures`, the number of consecutive failures by engine, after one more game.
pub fn count_failures(engines: &[EngineSpec], record: &GameRecord, failures: &mut [u32]) {
    let offender = record.fault.as_ref();
    let offender = offender.and_then(|fault| record.engine_in(fault.seat));
    for (engine, failures) in engines.iter().zip(failures) {
        if offender == Some(engine.name.as_str()) {
            *failures += 1;
        } else if record.seats.contains(&engine.name) {
            *failures = 0;
        }
    }
}

/// Consecutive failures of each engine.
#[derive(Debug)]
pub struct Retirement<'a> {
    engines: &'a [EngineSpec],
    patience: &'a Patience,
    /// Line-ups of the format.
    line_ups: LineUps,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    failures: Vec<u32>,
    has_retired: Vec<bool>,
    /// Whether every line-up contains a retired engine.
    leaves_nothing: bool,
}

impl<'a> Retirement<'a> {
    /// Creates the state before the first game, with the consecutive failures so far in the order of the plan.
    pub fn new(plan: &'a Plan, failures: &[u32]) -> Retirement<'a> {
        let mut failures = failures.to_vec();
        failures.resize(plan.engines.len(), 0);
        let has_retired = failures.iter().map(|&failures| plan.patience.retires(failures));
        let mut state =
            State { has_retired: has_retired.collect(), failures, leaves_nothing: false };
        let line_ups = plan.line_ups();
        state.look_ahead(&line_ups);
        Retirement {
            engines: &plan.engines,
            patience: &plan.patience,
            line_ups,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `true` if no line-up without a retired engine is left.
    pub fn leaves_nothing(&self) -> bool {
        self.state().leaves_nothing
    }

    /// `true` if the engine has retired.
    pub fn has_retired(&self, engine: usize) -> bool {
        self.state().has_retired[engine]
    }

    /// Counts the failures of a game; returns the engine that retires because of it, with its number of consecutive
    /// failures.
    pub fn note(&self, record: &GameRecord) -> Option<(usize, u32)> {
        let mut state = self.state();
        count_failures(self.engines, record, &mut state.failures);
        let is_new = |&engine: &usize| {
            self.patience.retires(state.failures[engine]) && !state.has_retired[engine]
        };
        let engine = (0..self.engines.len()).find(is_new)?;
        state.has_retired[engine] = true;
        state.look_ahead(&self.line_ups);
        Some((engine, state.failures[engine]))
    }
}

impl State {
    fn look_ahead(&mut self, line_ups: &LineUps) {
        let is_out = |block| {
            let seats = line_ups.seating(block, 0);
            seats.iter().any(|seated| self.has_retired[seated.engine])
        };
        self.leaves_nothing = self.has_retired.contains(&true) && (0..line_ups.count()).all(is_out);
    }
}
