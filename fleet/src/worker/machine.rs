//! This machine: its speed with all slots busy, and its entry in the record of each game.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use buxtehude::bench;
use buxtehude::search::{Control, Memory};
use matches::play::interrupt::Interrupt;
use matches::record::Machine;

use super::Worker;
use super::join::JoinedMatch;

/// Duration of a measurement of the speed.
const MEASURED: Duration = Duration::from_millis(500);
/// Idle time before the speed is measured again.
const LONG_IDLE: Duration = Duration::from_secs(600);
/// Interval between checks whether the worker is idle.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// Memory of each measuring search, in MiB.
const MEMORY: usize = 1;

/// Measures the positions a second that the built-in engine visits in each of `slots` slots while all are busy; `None`
/// if interrupted.
pub(crate) fn measure_speed(slots: u16, interrupt: &Interrupt) -> Option<u64> {
    let begun = Instant::now();
    let measure = || {
        let (mut nodes, mut memory) = (0, Memory::new(MEMORY));
        while begun.elapsed() < MEASURED || nodes == 0 {
            if interrupt.is_set() {
                return None;
            }
            let control = Control::new(None);
            nodes += bench::run(bench::DEFAULT_DEPTH, &mut memory, &control)?.nodes;
        }
        Some(nodes as f64 / begun.elapsed().as_secs_f64())
    };
    let speeds: Option<Vec<f64>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..slots).map(|_| scope.spawn(measure)).collect();
        // A panic has printed its own message, and leaves no measurement.
        let speeds = threads.into_iter().map(|thread| thread.join().ok()?);
        speeds.collect()
    });
    let mean = speeds?.iter().sum::<f64>() / f64::from(slots.max(1));
    Some((mean as u64).max(1))
}

impl Worker {
    /// Last measured speed.
    pub(crate) fn speed(&self) -> Option<u64> {
        Some(self.speed.load(Ordering::Relaxed)).filter(|&speed| speed > 0)
    }

    /// Measures the speed again whenever the worker has been idle for long.
    pub(crate) async fn measure_when_idle(self: Arc<Worker>) {
        let mut idle_since = Instant::now();
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if self.playing.load(Ordering::Relaxed) > 0 {
                idle_since = Instant::now();
            }
            if idle_since.elapsed() < LONG_IDLE {
                continue;
            }
            let slots = self.args.concurrency;
            let speed = tokio::task::block_in_place(|| measure_speed(slots, &self.interrupt));
            self.speed.store(speed.unwrap_or(0), Ordering::Relaxed);
            idle_since = Instant::now();
        }
    }

    /// Entry in the record of a game that took this time.
    pub(crate) fn machine(&self, joined: &JoinedMatch, took: Duration) -> Machine {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let lag = self.lag.recent();
        Machine {
            // The coordinator names the worker.
            worker: String::new(),
            slots: self.args.concurrency.into(),
            micros: micros(took),
            lag_median: micros(lag.median),
            lag_p99: micros(lag.p99),
            speed: joined.speed,
            time_scale: joined.time_scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_a_speed_unless_it_is_to_end() {
        let interrupt = Interrupt::new();
        assert!(measure_speed(2, &interrupt).is_some_and(|speed| speed > 10));
        interrupt.set();
        assert_eq!(measure_speed(1, &interrupt), None);
    }
}
