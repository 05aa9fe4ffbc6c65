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
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::family::{self, PROC};

/// A wait that counts: to be put on a processor takes a little on a quiet machine too.
const WORTH_COUNTING: Duration = Duration::from_millis(1);

/// How often an engine's processes are looked for at most: it takes about a millisecond.
const SEARCH_INTERVAL: Duration = Duration::from_millis(200);

/// How old a sample may be to serve for now: engines that answer at once are not looked at each time.
const FRESH: Duration = Duration::from_millis(2);

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
    newest: Option<Arc<Sample>>,
    /// How things were when it came to rest; `None` where it is not known to rest.
    rest: Option<Arc<Sample>>,
    /// What it used since then when the measurement began.
    used_at_rest: Duration,
}

#[derive(Debug)]
struct Begun {
    at: Instant,
    sample: Arc<Sample>,
    /// Whether that was taken just then.
    is_new: bool,
}

/// What there was to be known at a time.
#[derive(Debug)]
struct Sample {
    at: Instant,
    /// What the engine's threads had.
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
            newest: None,
            rest: None,
            used_at_rest: Duration::ZERO,
        }
    }

    /// Begins to measure. What is not known to belong to it yet is measured from its own beginning.
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

    /// What it used of the processors, all threads together, since its rest when the measurement began; zero where it
    /// did not rest for long.
    pub fn used_at_rest(&self) -> Duration {
        self.used_at_rest
    }

    /// For how much of the time from the beginning to `until`, which is not long ago, the engine did not run, or was
    /// not heard, for want of a processor; zero below a millisecond.
    pub fn waited(&self, until: Instant) -> Duration {
        match &self.begun {
            Some(begun) if begun.may_have_waited(until) => {
                begun.waited(&self.sample(), until, self.processors)
            }
            _ => Duration::ZERO,
        }
    }

    /// The same of an engine that is done at `until`, and `rests` until the measurement begins again.
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

impl Begun {
    /// Whether so much time has passed that a wait could count.
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
        // While its answer lay there and the arbiter itself waited, it was nobody's turn.
        let own = now.own.waited.saturating_sub(self.sample.own.waited);
        let elapsed = until.saturating_duration_since(self.at);
        let computed = busiest.max(sum.ran / processors);
        let waited = (sum.waited + own).min(elapsed.saturating_sub(computed));
        if waited < WORTH_COUNTING {
            Duration::ZERO
        } else {
            waited
        }
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
