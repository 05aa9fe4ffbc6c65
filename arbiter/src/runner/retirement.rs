//! Engines that fail again and again play no more.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::plan::Plan;
use crate::record::GameRecord;
use crate::schedule::ScheduledGame;

/// Who has failed how often in a row.
pub struct Retirement {
    /// Failures in a row after which an engine is retired; 0 for never.
    patience: u32,
    engines: Vec<Engine>,
}

#[derive(Default)]
struct Engine {
    failures: AtomicU32,
    has_retired: AtomicBool,
}

impl Retirement {
    /// Nobody has failed yet.
    pub fn new(plan: &Plan) -> Retirement {
        Retirement {
            patience: plan.patience.failures,
            engines: plan.engines.iter().map(|_| Engine::default()).collect(),
        }
    }

    /// Whether an engine of the plan plays no more.
    pub fn has_retired(&self, engine: usize) -> bool {
        self.engines[engine].has_retired.load(Ordering::Relaxed)
    }

    /// Notes who failed in a game and who did not; returns the engine that is retired for it just now, with the
    /// number of its failures in a row.
    pub fn note(&self, game: &ScheduledGame, record: &GameRecord) -> Option<(usize, u32)> {
        let offender = record.fault.as_ref().map(|fault| fault.seat as usize);
        let offender = offender.and_then(|seat| game.seats.get(seat.wrapping_sub(1)));
        let offender = offender.map(|seated| seated.engine);
        let seated: BTreeSet<usize> = game.seats.iter().map(|seated| seated.engine).collect();
        for engine in seated
            .into_iter()
            .filter(|&engine| Some(engine) != offender)
        {
            self.engines[engine].failures.store(0, Ordering::Relaxed);
        }
        let engine = offender?;
        let failures = 1 + self.engines[engine]
            .failures
            .fetch_add(1, Ordering::Relaxed);
        if self.patience == 0 || failures < self.patience {
            return None;
        }
        let had_retired = &self.engines[engine].has_retired;
        (!had_retired.swap(true, Ordering::Relaxed)).then_some((engine, failures))
    }
}
