//! Stopping a running search, by a command or by the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::limits::TimeBudget;

/// Stop flag and time budget of one search, shared with the caller.
#[derive(Clone, Debug)]
pub struct Control {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    stop: AtomicBool,
    /// Nanoseconds from `start` after which no iteration begins.
    soft: AtomicU64,
    /// Nanoseconds from `start` at which the search ends.
    hard: AtomicU64,
}

impl Control {
    /// Creates the control of a search that begins now.
    pub fn new(budget: Option<TimeBudget>) -> Control {
        let control = Control {
            shared: Arc::new(Shared {
                start: Instant::now(),
                stop: AtomicBool::new(false),
                soft: AtomicU64::new(u64::MAX),
                hard: AtomicU64::new(u64::MAX),
            }),
        };
        if let Some(budget) = budget {
            control.limit_from_now(budget);
        }
        control
    }

    /// Sets the stop flag.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Sets a time budget that begins now.
    pub fn limit_from_now(&self, budget: TimeBudget) {
        let nanos = |limit: Duration| (self.elapsed() + limit).as_nanos() as u64;
        let soft = budget.soft.map_or(u64::MAX, nanos);
        self.shared.soft.store(soft, Ordering::Relaxed);
        self.shared.hard.store(nanos(budget.hard), Ordering::Relaxed);
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.shared.start.elapsed()
    }

    /// Time at which the search must end, or `None` without a time limit.
    pub fn deadline(&self) -> Option<Instant> {
        match self.shared.hard.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanos => Some(self.shared.start + Duration::from_nanos(nanos)),
        }
    }

    /// `true` if the search must end now.
    pub fn should_stop(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed) || self.is_after(&self.shared.hard)
    }

    /// `true` if another iteration may begin.
    pub fn may_deepen(&self) -> bool {
        !self.should_stop() && !self.is_after(&self.shared.soft)
    }

    /// Remaining time for starting an iteration; `None` if there is no time limit or the whole time may be used.
    pub fn time_to_begin(&self) -> Option<Duration> {
        match self.shared.soft.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanos => Some(Duration::from_nanos(nanos).saturating_sub(self.elapsed())),
        }
    }

    /// `true` if there is a time limit.
    pub fn is_timed(&self) -> bool {
        self.shared.hard.load(Ordering::Relaxed) != u64::MAX
    }

    fn is_after(&self, limit: &AtomicU64) -> bool {
        let limit = limit.load(Ordering::Relaxed);
        limit != u64::MAX && self.elapsed().as_nanos() as u64 >= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clock_has_time_to_spare() {
        let hard = Duration::from_secs(1000);
        let budget = |soft| Some(TimeBudget { soft, hard });
        assert_eq!(Control::new(None).time_to_begin(), None);
        assert_eq!(Control::new(budget(None)).time_to_begin(), None);
        let clocked = Control::new(budget(Some(hard / 2)));
        let left = clocked.time_to_begin().unwrap();
        assert!(left <= hard / 2 && left > hard / 4, "{left:?}");
        let late = Control::new(budget(Some(Duration::ZERO)));
        assert_eq!(late.time_to_begin(), Some(Duration::ZERO));
    }
}
