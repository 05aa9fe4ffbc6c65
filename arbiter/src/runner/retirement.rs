//! Engines that fail again and again play no more.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::plan::Plan;
use crate::record::GameRecord;
use crate::schedule::{LineUps, ScheduledGame};

/// Who has failed how often in a row.
pub struct Retirement {
    /// Failures in a row after which an engine is retired; 0 for never.
    patience: u32,
    engines: Vec<Engine>,
    /// Who meets in the line-ups of the format.
    line_ups: LineUps,
    /// Whether somebody retired is in every line-up.
    leaves_nothing: AtomicBool,
}

struct Engine {
    failures: AtomicU32,
    has_retired: AtomicBool,
}

impl Retirement {
    /// Who has failed so often in a row, by the order of the plan, before the first game is played.
    pub fn new(plan: &Plan, failures: &[u32]) -> Retirement {
        let patience = plan.patience.failures;
        let failures = failures.iter().copied().chain(std::iter::repeat(0));
        let engine = |(_, failures): (_, u32)| Engine {
            failures: AtomicU32::new(failures),
            has_retired: AtomicBool::new(patience > 0 && failures >= patience),
        };
        let retirement = Retirement {
            patience,
            engines: plan.engines.iter().zip(failures).map(engine).collect(),
            line_ups: plan.line_ups(),
            leaves_nothing: AtomicBool::new(false),
        };
        retirement.look_ahead();
        retirement
    }

    /// Whether no game is left for those who have not retired.
    pub fn leaves_nothing(&self) -> bool {
        self.leaves_nothing.load(Ordering::Relaxed)
    }

    fn look_ahead(&self) {
        let has_retired = |engine: usize| self.has_retired(engine);
        if self
            .engines
            .iter()
            .all(|engine| !engine.has_retired.load(Ordering::Relaxed))
        {
            return;
        }
        let is_out = |block| {
            let seats = self.line_ups.seating(block, 0);
            seats.iter().any(|seated| has_retired(seated.engine))
        };
        let leaves_nothing = (0..self.line_ups.count()).all(is_out);
        self.leaves_nothing.store(leaves_nothing, Ordering::Relaxed);
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
        if had_retired.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.look_ahead();
        Some((engine, failures))
    }
}
