//! Retirement of engines that fail repeatedly.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

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
    failures: Mutex<Vec<u32>>,
    has_retired: Vec<AtomicBool>,
    /// Line-ups of the format.
    line_ups: LineUps,
    /// Whether every line-up contains a retired engine.
    leaves_nothing: AtomicBool,
}

impl<'a> Retirement<'a> {
    /// Creates the state before the first game, with the consecutive failures so far in the order of the plan.
    pub fn new(plan: &'a Plan, failures: &[u32]) -> Retirement<'a> {
        let mut failures = failures.to_vec();
        failures.resize(plan.engines.len(), 0);
        let has_retired = failures
            .iter()
            .map(|&failures| plan.patience.retires(failures));
        let retirement = Retirement {
            engines: &plan.engines,
            patience: &plan.patience,
            has_retired: has_retired.map(AtomicBool::new).collect(),
            failures: Mutex::new(failures),
            line_ups: plan.line_ups(),
            leaves_nothing: AtomicBool::new(false),
        };
        retirement.look_ahead();
        retirement
    }

    /// `true` if no line-up without a retired engine is left.
    pub fn leaves_nothing(&self) -> bool {
        self.leaves_nothing.load(Ordering::Relaxed)
    }

    fn look_ahead(&self) {
        if !(0..self.engines.len()).any(|engine| self.has_retired(engine)) {
            return;
        }
        let is_out = |block| {
            let seats = self.line_ups.seating(block, 0);
            seats.iter().any(|seated| self.has_retired(seated.engine))
        };
        let leaves_nothing = (0..self.line_ups.count()).all(is_out);
        self.leaves_nothing.store(leaves_nothing, Ordering::Relaxed);
    }

    /// `true` if the engine has retired.
    pub fn has_retired(&self, engine: usize) -> bool {
        self.has_retired[engine].load(Ordering::Relaxed)
    }

    /// Counts the failures of a game; returns the engine that retires because of it, with its number of consecutive
    /// failures.
    pub fn note(&self, record: &GameRecord) -> Option<(usize, u32)> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        count_failures(self.engines, record, &mut failures);
        let is_new =
            |&engine: &usize| self.patience.retires(failures[engine]) && !self.has_retired(engine);
        let engine = (0..self.engines.len()).find(is_new)?;
        self.has_retired[engine].store(true, Ordering::Relaxed);
        self.look_ahead();
        Some((engine, failures[engine]))
    }
}
