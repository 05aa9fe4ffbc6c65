//! The arbiter's own lag: the delay of its threads on a busy machine.
//!
//! A delay that affects a thread waiting for a child's answer also affects a thread waiting for a point in time. The
//! meter's thread sleeps for a short time, over and over, and notes how much too late it wakes up. An engine that loses
//! on time by less than that may have answered in time.
//!
//! Time that the thread waited for a processor does not count here: the engine's own wait is measured separately and is
//! not charged. The remaining lag has other causes, for example that the arbiter was stopped.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::processor;
use crate::record::micros;

/// Duration of each sleep.
const INTERVAL: Duration = Duration::from_millis(5);
/// Least lag that is remembered with its time.
const WORTH_REMEMBERING: Duration = Duration::from_micros(500);
/// Maximum number of remembered lags.
const REMEMBERED: usize = 4096;
/// A lag counts as recent for at least this long, and at most twice as long.
const RECENT: Duration = Duration::from_secs(60);
/// Upper limit of the histogram, in microseconds.
const MAX_LAG_MICROS: u64 = 60 * 60 * 1_000_000;

/// Measures the lag until it is dropped.
#[derive(Debug)]
pub struct LagMeter {
    lags: Arc<Mutex<Lags>>,
    /// Whether the thread could be started; otherwise nothing is measured, and no lag excuses a loss.
    is_measuring: bool,
}

#[derive(Debug)]
struct Lags {
    /// Next time at which the thread should wake up.
    due: Instant,
    /// All lags, in microseconds.
    histogram: Histogram<u64>,
    /// Lags since `since`, and lags of the minute before.
    recent: [Histogram<u64>; 2],
    /// Start of the first recent histogram.
    since: Instant,
    /// Time of each late wake-up, and its lag without the wait for a processor.
    remembered: VecDeque<(Instant, Duration)>,
}

/// Summary of lags, measured every 5 ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagSummary {
    pub median: Duration,
    pub p99: Duration,
    pub longest: Duration,
}

impl LagMeter {
    pub fn start() -> LagMeter {
        let lags = Arc::new(Mutex::new(Lags {
            due: Instant::now() + INTERVAL,
            histogram: histogram(),
            recent: [histogram(), histogram()],
            since: Instant::now(),
            remembered: VecDeque::new(),
        }));
        let measured = Arc::downgrade(&lags);
        let thread = thread::Builder::new().name("lag".to_string());
        let spawned = thread.spawn(move || {
            let mut waited = Duration::ZERO;
            while let Some(lags) = measured.upgrade() {
                measure(&lags, &mut waited);
            }
        });
        LagMeter { lags, is_measuring: spawned.is_ok() }
    }

    /// Longest lag since `when`, without the wait for a processor; includes a lag that has not ended yet.
    pub fn since(&self, when: Instant) -> Duration {
        if !self.is_measuring {
            return Duration::ZERO;
        }
        locked(&self.lags).since(when, Instant::now())
    }

    /// Summary of all lags so far.
    pub fn summary(&self) -> LagSummary {
        LagSummary::of(&locked(&self.lags).histogram)
    }

    /// Summary of the last minute or two.
    pub fn recent(&self) -> LagSummary {
        let lags = locked(&self.lags);
        let [now, before] = &lags.recent;
        let mut both = now.clone();
        // Cannot fail: both have the same bounds.
        let _ = both.add(before);
        LagSummary::of(&both)
    }
}

impl LagSummary {
    fn of(histogram: &Histogram<u64>) -> LagSummary {
        let micros = |quantile| Duration::from_micros(histogram.value_at_quantile(quantile));
        LagSummary {
            median: micros(0.5),
            p99: micros(0.99),
            longest: Duration::from_micros(histogram.max()),
        }
    }
}

fn locked(lags: &Mutex<Lags>) -> MutexGuard<'_, Lags> {
    lags.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sleeps until the thread is due, and notes how much too late it wakes up. `waited` is how long it has waited for a
/// processor so far.
///
/// It is due again an interval after it woke up, so that a stop counts even if it comes between two sleeps.
fn measure(lags: &Mutex<Lags>, waited: &mut Duration) {
    let due = locked(lags).due;
    thread::sleep(due.saturating_duration_since(Instant::now()));
    // Read before the clock: a wait after both belongs to the next lag, like the delay that it causes.
    let before = mem::replace(waited, processor::own_wait());
    let woke = Instant::now();
    let lag = woke.saturating_duration_since(due);
    locked(lags).note(woke, lag, lag.saturating_sub(waited.saturating_sub(before)));
}

impl Lags {
    /// Notes a lag; `unexplained` is the part without the wait for a processor.
    fn note(&mut self, woke: Instant, lag: Duration, unexplained: Duration) {
        self.due = woke + INTERVAL;
        let micros = micros(lag);
        self.histogram.saturating_record(micros);
        if woke.saturating_duration_since(self.since) > RECENT {
            self.since = woke;
            self.recent.swap(0, 1);
            self.recent[0].clear();
        }
        self.recent[0].saturating_record(micros);
        if unexplained >= WORTH_REMEMBERING {
            if self.remembered.len() == REMEMBERED {
                self.remembered.pop_front();
            }
            self.remembered.push_back((woke, unexplained));
        }
    }

    fn since(&self, when: Instant, now: Instant) -> Duration {
        let lasting = now.saturating_duration_since(self.due);
        let late = self.remembered.iter().rev();
        let since = late.take_while(|(woke, _)| *woke >= when);
        since.map(|&(_, lag)| lag).fold(lasting, Duration::max)
    }
}

// Cannot panic: the lowest bound is 1 and the highest at least twice that.
#[allow(clippy::expect_used)]
fn histogram() -> Histogram<u64> {
    Histogram::new_with_max(MAX_LAG_MICROS, 3).expect("the bounds are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lag_counts_while_it_lasts_and_afterwards() {
        let ms = Duration::from_millis;
        let start = Instant::now();
        let mut lags = Lags {
            due: start + ms(100),
            histogram: histogram(),
            recent: [histogram(), histogram()],
            since: start,
            remembered: [(start + ms(10), ms(4)), (start + ms(50), ms(7)), (start + ms(90), ms(2))]
                .into(),
        };
        assert_eq!(lags.since(start, start + ms(95)), ms(7));
        assert_eq!(lags.since(start + ms(60), start + ms(95)), ms(2));
        assert_eq!(lags.since(start + ms(93), start + ms(95)), ms(0));
        assert_eq!(lags.since(start, start + ms(130)), ms(30));
        lags.note(start + ms(130), ms(30), ms(30));
        assert_eq!(lags.since(start + ms(120), start + ms(134)), ms(30));
        assert_eq!(lags.since(start + ms(132), start + ms(140)), ms(5));
        let number = |lags: &Lags| lags.recent.each_ref().map(Histogram::len);
        assert_eq!(number(&lags), [1, 0]);
        lags.note(start + RECENT + ms(1), ms(3), ms(3));
        assert_eq!(number(&lags), [1, 1]);
        lags.note(start + 3 * RECENT, ms(3), ms(3));
        assert_eq!(number(&lags), [1, 1]);
        assert_eq!(lags.histogram.len(), 3);
    }
}
