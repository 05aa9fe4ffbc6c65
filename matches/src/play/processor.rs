//! Measures how long an engine waited for a processor during an answer.
//!
//! On a busy machine a process waits in the queue of a processor, and an engine that would have answered in time
//! answers late. The kernel counts this time for every thread (`/proc/PID/task/TID/schedstat`). It is subtracted from
//! the engine's time, so that no engine loses because of it.
//!
//! An engine could wait on purpose: with more threads than processors, its threads wait for each other. Therefore the
//! engine's computing time never counts as waiting: the CPU time of its busiest thread, or the CPU time of all threads
//! divided by the number of processors if that is more.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use procfs_core::FromRead;
use procfs_core::process::Schedstat;

use super::family::{self, PROC};

/// Least wait that counts; scheduling takes some time on an idle machine, too.
const WORTH_COUNTING: Duration = Duration::from_millis(1);

/// Least interval between searches for an engine's processes; a search takes about a millisecond.
const SEARCH_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum age of a sample that is reused, so that fast answers do not need a sample each.
const FRESH: Duration = Duration::from_millis(2);

/// Measures processor use and waiting time of a process and all its descendants.
#[derive(Debug)]
pub struct ProcessorMeter {
    /// The process and its known descendants.
    processes: Vec<u32>,
    /// Time of the last search for descendants.
    found: Option<Instant>,
    /// Number of processors that the process may use.
    processors: u32,
    /// Start of the measurement; `None` if none is running.
    begun: Option<Begun>,
    newest: Option<Arc<Sample>>,
    /// Sample from the moment when the engine became idle; `None` if it need not be idle.
    rest: Option<Arc<Sample>>,
    /// CPU time used between that sample and the start of the measurement.
    used_at_rest: Duration,
}

#[derive(Debug)]
struct Begun {
    at: Instant,
    sample: Arc<Sample>,
    /// Whether the sample was taken at the start of the measurement, not reused.
    is_new: bool,
}

/// Counters at one point in time.
#[derive(Debug)]
struct Sample {
    at: Instant,
    /// Counters of the engine's threads.
    threads: HashMap<u32, Share>,
    /// Counters of the arbiter's own thread.
    own: Share,
}

/// Counters of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    /// CPU time.
    ran: Duration,
    /// Time in the queue of a processor.
    waited: Duration,
}

impl ProcessorMeter {
    /// Creates a meter for a process that may use `processors` processors.
    pub fn new(process: u32, processors: usize) -> ProcessorMeter {
        ProcessorMeter {
            processes: vec![process],
            found: None,
            processors: u32::try_from(processors).unwrap_or(u32::MAX).max(1),
            begun: None,
            newest: None,
            rest: None,
            used_at_rest: Duration::ZERO,
        }
    }

    /// Starts a measurement. A thread that starts later is measured from its own start.
    pub fn begin(&mut self) {
        let is_due = |found: Instant| found.elapsed() >= SEARCH_INTERVAL;
        if self.found.is_none_or(is_due) {
            self.processes = family::descendants(self.processes[0]);
            self.found = Some(Instant::now());
        }
        let newest = self.newest.take();
        let fresh = newest.filter(|sample| sample.at.elapsed() < FRESH);
        let is_new = fresh.is_none();
        let sample = fresh.unwrap_or_else(|| Arc::new(self.sample()));
        self.used_at_rest = match self.rest.take() {
            Some(rest) if is_new => used(&rest.threads, &sample.threads),
            _ => Duration::ZERO,
        };
        self.newest = Some(Arc::clone(&sample));
        self.begun = Some(Begun {
            at: Instant::now(),
            sample,
            is_new,
        });
    }

    /// CPU time of all threads from the end of the previous measurement to the start of this one; zero if the interval
    /// was short or the engine need not be idle.
    pub fn used_at_rest(&self) -> Duration {
        self.used_at_rest
    }

    /// Time between the start of the measurement and `until`, which must be recent, where the engine waited for a
    /// processor or its answer waited for the arbiter; zero below a millisecond.
    pub fn waited(&self, until: Instant) -> Duration {
        match &self.begun {
            Some(begun) if begun.may_have_waited(until) => {
                begun.waited(&self.sample(), until, self.processors)
            }
            _ => Duration::ZERO,
        }
    }

    /// Ends the measurement at `until` and returns the time as [`ProcessorMeter::waited`] does. If it `rests`, the
    /// engine must be idle until the next measurement.
    pub fn end(&mut self, until: Instant, rests: bool) -> Duration {
        let begun = self.begun.take();
        let Some(begun) = begun.filter(|begun| begun.is_new || begun.may_have_waited(until)) else {
            return Duration::ZERO;
        };
        let sample = Arc::new(self.sample());
        let waited = begun.waited(&sample, until, self.processors);
        self.rest = rests.then(|| Arc::clone(&sample));
        self.newest = Some(sample);
        waited
    }

    fn sample(&self) -> Sample {
        Sample {
            at: Instant::now(),
            threads: self.threads(),
            own: own_share(),
        }
    }

    /// Counters of all threads of the known processes.
    fn threads(&self) -> HashMap<u32, Share> {
        let mut threads = HashMap::new();
        for process in &self.processes {
            let tasks = Path::new(PROC).join(process.to_string()).join("task");
            // A process that has ended has no threads.
            for task in fs::read_dir(tasks).into_iter().flatten().flatten() {
                let number = task.file_name().to_str().and_then(|name| name.parse().ok());
                let share = read_share(&task.path().join("schedstat"));
                threads.extend(number.zip(share));
            }
        }
        threads
    }
}

impl Begun {
    /// `true` if enough time has passed for a wait that counts.
    fn may_have_waited(&self, until: Instant) -> bool {
        until.saturating_duration_since(self.at) >= WORTH_COUNTING
    }

    fn waited(&self, now: &Sample, until: Instant, processors: u32) -> Duration {
        let mut sum = Share::default();
        let mut busiest = Duration::ZERO;
        for (thread, now) in &now.threads {
            let before = self.sample.threads.get(thread);
            let before = before.copied().unwrap_or_default();
            let ran = now.ran.saturating_sub(before.ran);
            busiest = busiest.max(ran);
            sum.ran += ran;
            sum.waited += now.waited.saturating_sub(before.waited);
        }
        // While the answer waited for the arbiter, which itself waited for a processor, no engine is charged.
        let own = now.own.waited.saturating_sub(self.sample.own.waited);
        let elapsed = until.saturating_duration_since(self.at);
        let computed = busiest.max(sum.ran / processors);
        let waited = (sum.waited + own).min(elapsed.saturating_sub(computed));
        match waited < WORTH_COUNTING {
            true => Duration::ZERO,
            false => waited,
        }
    }
}

/// Time that the calling thread has waited for a processor so far.
pub fn own_wait() -> Duration {
    own_share().waited
}

/// CPU time of threads between two samples.
fn used(before: &HashMap<u32, Share>, now: &HashMap<u32, Share>) -> Duration {
    let ran = |threads: &HashMap<u32, Share>, thread| {
        let share: Option<&Share> = threads.get(thread);
        share.map_or(Duration::ZERO, |share| share.ran)
    };
    let threads = now.keys();
    threads
        .map(|thread| ran(now, thread).saturating_sub(ran(before, thread)))
        .sum()
}

/// Counters of the calling thread.
fn own_share() -> Share {
    read_share(&Path::new(PROC).join("thread-self/schedstat")).unwrap_or_default()
}

/// Reads the counters of a thread; `None` if the system does not provide them.
fn read_share(path: &Path) -> Option<Share> {
    let counters = Schedstat::from_file(path).ok()?;
    Some(Share {
        ran: Duration::from_nanos(counters.sum_exec_runtime),
        waited: Duration::from_nanos(counters.run_delay),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn who_sleeps_does_not_wait_and_who_computes_is_not_excused() {
        let mut meter = ProcessorMeter::new(std::process::id(), 1);
        assert_eq!(meter.waited(Instant::now()), Duration::ZERO);
        meter.begin();
        let (begun, before) = (Instant::now(), own_share().ran);
        while own_share().ran < before + Duration::from_millis(30) {}
        let end = Instant::now();
        let (waited, elapsed) = (meter.waited(end), end - begun);
        let most = elapsed.saturating_sub(Duration::from_millis(29));
        assert!(waited <= most, "{waited:?} of {elapsed:?}");
        assert_eq!(meter.waited(begun), Duration::ZERO);
    }
}
