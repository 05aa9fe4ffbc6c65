//! What an engine gets of the processors: how long it could have run during an answer, and did not.
//!
//! On a busy machine a process waits in the queue of a processor, and an engine that would have answered in time
//! answers late. The kernel counts that time for every thread (`/proc/PID/task/TID/schedstat`). It is subtracted from
//! what an engine took, so that nobody loses by it.
//!
//! An engine could wait on purpose: with more threads than processors each of its threads waits for the others. So it
//! is never said to have waited in time in which it computed: what its busiest thread used of a processor, and what all
//! together used divided by the number of processors, counts as taken in any case.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::family::{self, PROC};

/// A wait that counts: to be put on a processor takes a little on a quiet machine too.
const WORTH_COUNTING: Duration = Duration::from_millis(1);

/// How often an engine's processes are looked for at most: it takes about a millisecond.
const SEARCH_INTERVAL: Duration = Duration::from_millis(200);

/// Measures what a process, with all that it started, gets of the processors.
#[derive(Debug)]
pub struct ProcessorMeter {
    /// The process, and those that it started, as far as they are known.
    processes: Vec<u32>,
    /// When these were looked for.
    found: Option<Instant>,
    /// Processors that it may use.
    processors: u32,
    /// How things were when the measurement began; `None` where nothing is measured.
    begun: Option<Begun>,
    /// What its threads had when it came to rest; `None` where it is not known to rest.
    rest: Option<HashMap<u32, Share>>,
    /// What it used since then when the measurement began.
    used_at_rest: Duration,
}

#[derive(Debug)]
struct Begun {
    at: Instant,
    /// What its threads had.
    threads: HashMap<u32, Share>,
    /// What the arbiter's own thread had.
    own: Share,
}

/// What a thread has had of the processors so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    /// Time on a processor.
    ran: Duration,
    /// Time in which it could have run, and was not on a processor.
    waited: Duration,
}

impl ProcessorMeter {
    /// A meter for a process that may use so many processors.
    pub fn new(process: u32, processors: usize) -> ProcessorMeter {
        ProcessorMeter {
            processes: vec![process],
            found: None,
            processors: u32::try_from(processors).unwrap_or(u32::MAX).max(1),
            begun: None,
            rest: None,
            used_at_rest: Duration::ZERO,
        }
    }

    /// Begins to measure. What is not known to belong to it yet is measured from its own beginning.
    pub fn begin(&mut self) {
        if self
            .found
            .is_none_or(|found| found.elapsed() >= SEARCH_INTERVAL)
        {
            self.processes = family::descendants(self.processes[0]);
            self.found = Some(Instant::now());
        }
        let threads = self.threads();
        self.used_at_rest = match self.rest.take() {
            Some(rest) => used(&rest, &threads),
            None => Duration::ZERO,
        };
        self.begun = Some(Begun {
            at: Instant::now(),
            threads,
            own: own_share(),
        });
    }

    /// Says that the engine has nothing to do until the measurement begins again.
    pub fn rest(&mut self) {
        self.rest = Some(self.threads());
    }

    /// What it used of the processors, all threads together, from its rest to the beginning of the measurement; zero
    /// where it did not rest.
    pub fn used_at_rest(&self) -> Duration {
        self.used_at_rest
    }

    /// For how much of the time from the beginning to `until`, which is not long ago, the engine did not run, or was
    /// not heard, for want of a processor; zero below a millisecond.
    pub fn waited(&self, until: Instant) -> Duration {
        let Some(begun) = &self.begun else {
            return Duration::ZERO;
        };
        let mut sum = Share::default();
        let mut busiest = Duration::ZERO;
        for (thread, now) in self.threads() {
            let before = begun.threads.get(&thread).copied().unwrap_or_default();
            let ran = now.ran.saturating_sub(before.ran);
            busiest = busiest.max(ran);
            sum.ran += ran;
            sum.waited += now.waited.saturating_sub(before.waited);
        }
        // While its answer lay there and the arbiter itself waited, it was nobody's turn.
        let own = own_share().waited.saturating_sub(begun.own.waited);
        let elapsed = until.saturating_duration_since(begun.at);
        let computed = busiest.max(sum.ran / self.processors);
        let waited = (sum.waited + own).min(elapsed.saturating_sub(computed));
        if waited < WORTH_COUNTING {
            Duration::ZERO
        } else {
            waited
        }
    }

    /// All threads of the known processes.
    fn threads(&self) -> HashMap<u32, Share> {
        let mut threads = HashMap::new();
        for process in &self.processes {
            let tasks = Path::new(PROC).join(process.to_string()).join("task");
            // A process that has ended has none.
            for task in fs::read_dir(tasks).into_iter().flatten().flatten() {
                let number = task.file_name().to_str().and_then(|name| name.parse().ok());
                let share = read_share(&task.path().join("schedstat"));
                threads.extend(number.zip(share));
            }
        }
        threads
    }
}

/// For how long the calling thread could have run so far, and was not on a processor.
pub fn own_wait() -> Duration {
    own_share().waited
}

/// What threads have used of the processors since they had what they had before.
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

/// What the calling thread has had.
fn own_share() -> Share {
    read_share(&Path::new(PROC).join("thread-self/schedstat")).unwrap_or_default()
}

/// Reads nanoseconds on a processor and in its queue; `None` where the system does not tell.
fn read_share(path: &Path) -> Option<Share> {
    let text = fs::read_to_string(path).ok()?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    let mut time = || Some(Duration::from_nanos(numbers.next()?.ok()?));
    Some(Share {
        ran: time()?,
        waited: time()?,
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
