//! Measures the computing of an engine, and how long it waited for a processor during an answer.
//!
//! On a busy machine a process waits in the queue of a processor, and an engine that would have answered in time
//! answers late. The kernel counts this time for every thread (`/proc/PID/task/TID/schedstat`). It is subtracted from
//! the engine's time, so that no engine loses because of it.
//!
//! An engine could wait on purpose: with more threads than processors, its threads wait for each other. Therefore only
//! threads that worked earn this credit, at no lower priority than the arbiter's own, and the engine's computing never
//! counts as waiting. Computing includes ended threads and processes: the CPU clock of a process keeps the time of its
//! ended threads, `cutime` and `cstime` keep the time of its reaped children.
//!
//! A control group counts all this without a gap, and also how long its processors did work of others: no wait beyond
//! that and [`SLACK`] earns credit.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use procfs_core::FromRead;
use procfs_core::process::Schedstat;

use super::family::{self, PROC, Priority};
use super::sandbox::Computing;

/// Least wait that counts; scheduling takes some time on an idle machine, too.
const WORTH_COUNTING: Duration = Duration::from_millis(1);

/// Least interval between searches for an engine's processes; a search takes about a millisecond.
const SEARCH_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum age of a sample that is reused, so that fast answers do not need a sample each.
const FRESH: Duration = Duration::from_millis(2);

/// Time on each processor that the kernel may lose from its count of other work: every read of the count drops less
/// than one clock tick, which is 10 ms at most.
const SLACK: Duration = Duration::from_millis(10);

/// Measures processor use and waiting time of a process and all its descendants.
#[derive(Debug)]
pub struct ProcessorMeter {
    /// The process and its known descendants.
    processes: Vec<u32>,
    group: Option<Computing>,
    /// Time of the last search for descendants.
    found: Option<Instant>,
    /// Number of processors that the process may use.
    processors: u32,
    /// Priority of the arbiter when it started the process, which inherited it.
    priority: Option<Priority>,
    /// Start of the measurement; `None` if none is running.
    begun: Option<Begun>,
    newest: Option<Arc<Sample>>,
    /// Whether the engine must be idle after each measurement, until the next.
    rests: bool,
    /// Sample from the moment when the engine became idle, at first from its start; `None` if it need not be idle.
    rest: Option<Arc<Sample>>,
}

/// Result of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// CPU time from the end of the previous measurement, or from the start of the engine, to the start of this one;
    /// zero if the interval was short or the engine need not be idle.
    pub out_of_turn: Duration,
    /// CPU time of all threads, those that have ended included; zero if the measurement was too short.
    pub computed: Duration,
    /// Time that the engine waited for a processor or its answer for the arbiter; zero below a millisecond.
    pub waited: Duration,
}

#[derive(Debug)]
struct Begun {
    at: Instant,
    sample: Arc<Sample>,
    /// Whether the sample was taken at the start of the measurement, not reused.
    is_new: bool,
    out_of_turn: Duration,
}

/// Counters at one point in time.
#[derive(Debug)]
struct Sample {
    at: Instant,
    processes: HashMap<u32, Arc<Usage>>,
    /// CPU time of the control group; zero without one.
    group: Duration,
    /// Time that processors spent on other work while they had work of the group; `None` if it is unknown or was not
    /// read.
    displaced: Option<Duration>,
    /// Counters of the arbiter's own thread.
    own: Share,
}

/// Counters of a process.
#[derive(Debug)]
struct Usage {
    /// CPU time, ended threads included.
    clock: Duration,
    /// CPU time of its ended children and theirs, if it waited for them; rounded down to 10 ms on most systems.
    reaped: Duration,
    threads: HashMap<u32, Share>,
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
    /// Creates a meter for a process that may use `processors` processors and was started by this thread, in a control
    /// group if possible. If it `rests`, it must be idle after each measurement.
    pub fn new(
        process: u32,
        group: Option<Computing>,
        processors: usize,
        rests: bool,
    ) -> ProcessorMeter {
        let start = Sample {
            at: Instant::now(),
            processes: HashMap::new(),
            group: Duration::ZERO,
            displaced: None,
            own: own_share(),
        };
        ProcessorMeter {
            processes: vec![process],
            group,
            found: None,
            processors: u32::try_from(processors).unwrap_or(u32::MAX).max(1),
            priority: Priority::of(std::process::id()),
            begun: None,
            newest: None,
            rests,
            rest: Some(Arc::new(start)),
        }
    }

    /// Starts a measurement. A thread that starts later is measured from its own start.
    pub fn begin(&mut self) {
        let newest = self.newest.clone();
        let fresh = newest.filter(|sample| sample.at.elapsed() < FRESH);
        let is_new = fresh.is_none();
        if is_new {
            self.find_processes();
        }
        let sample = fresh.unwrap_or_else(|| self.sample(self.displaced()));
        let out_of_turn = match &self.rest {
            Some(rest) if is_new => sample.used_since(rest),
            _ => Duration::ZERO,
        };
        self.newest = Some(Arc::clone(&sample));
        self.begun = Some(Begun { at: Instant::now(), sample, is_new, out_of_turn });
    }

    /// Part of the time since the start of the measurement when the engine may have waited for a processor, or its
    /// answer for the arbiter; zero below a millisecond.
    ///
    /// The kernel counts the wait of a thread once it is over. While a thread is runnable, all time without computing
    /// may therefore have been a wait.
    pub fn may_have_waited(&mut self) -> Duration {
        self.find_processes();
        // Reads many milliseconds apart lose little of the kernel's count; this function is called more often.
        let now = self.sample(None);
        let Some(begun) = self.begun.as_ref().filter(|begun| begun.is_long(now.at)) else {
            return Duration::ZERO;
        };
        if self.has_runnable_thread(&now) {
            let computed = Work::between(&begun.sample, &now).longest();
            now.at.saturating_duration_since(begun.at).saturating_sub(computed)
        } else {
            self.credit(begun, &now, now.at)
        }
    }

    /// `true` if a thread at no lower priority than the arbiter runs or waits for a processor.
    fn has_runnable_thread(&self, sample: &Sample) -> bool {
        let mut threads = sample.processes.values().flat_map(|usage| usage.threads.keys());
        threads.any(|&thread| {
            family::state(thread) == Some('R')
                && family::processors(thread, self.priority).is_some()
        })
    }

    /// Searches for the engine's processes: in its group, and unless the last search was a moment ago, its descendants,
    /// which may have left the group.
    fn find_processes(&mut self) {
        let is_due = |found: Instant| found.elapsed() >= SEARCH_INTERVAL;
        if self.found.is_none_or(is_due) {
            self.processes = family::descendants(self.processes[0]);
            self.found = Some(Instant::now());
        }
        for process in self.group.as_ref().map_or(Vec::new(), Computing::processes) {
            if !self.processes.contains(&process) {
                self.processes.push(process);
            }
        }
    }

    /// Ends the measurement at `until`.
    pub fn end(&mut self, until: Instant) -> Spent {
        let begun = self.begun.take();
        let Some(begun) = begun.filter(|begun| begun.is_new || begun.is_long(until)) else {
            self.rest = None;
            return Spent::default();
        };
        let sample = self.sample(self.displaced());
        let spent = Spent {
            out_of_turn: begun.out_of_turn,
            computed: sample.used_since(&begun.sample),
            waited: self.credit(&begun, &sample, until),
        };
        self.rest = self.rests.then(|| Arc::clone(&sample));
        self.newest = Some(sample);
        spent
    }

    /// Time between the start of a measurement and `until` that is credited, by a sample of now.
    fn credit(&self, begun: &Begun, now: &Sample, until: Instant) -> Duration {
        let elapsed = until.saturating_duration_since(begun.at);
        let work = Work::between(&begun.sample, now);
        // While the answer waited for the arbiter, which itself waited for a processor, no engine is charged.
        let own = now.own.since(begun.sample.own).waited;
        let credit = |waits: Duration, computed| {
            let credit = (own + waits).min(elapsed.saturating_sub(computed));
            Some(credit).filter(|credit| *credit >= WORTH_COUNTING)
        };
        let most = work.workers.iter().map(|(_, share)| share.waited).sum();
        if credit(most, work.longest()).is_none() {
            return Duration::ZERO;
        }
        // Threads that share fewer processors than the engine may use do so by its own choice.
        let (mut waits, mut processors) = (Duration::ZERO, self.processors);
        for &(thread, share) in &work.workers {
            if let Some(allowed) = family::processors(thread, self.priority) {
                processors = processors.min(allowed).max(1);
                waits += share.waited;
            }
        }
        if let (Some(displaced), Some(before)) = (now.displaced, begun.sample.displaced) {
            // The kernel's counter is the mean over the processors that have work of the group.
            waits = waits.min((displaced.saturating_sub(before) + SLACK) * self.processors);
        }
        let computed = work.longest().max(work.used / processors);
        credit(waits, computed).unwrap_or_default()
    }

    fn displaced(&self) -> Option<Duration> {
        self.group.as_ref().and_then(Computing::displaced)
    }

    fn sample(&self, displaced: Option<Duration>) -> Arc<Sample> {
        let newest = self.newest.as_ref();
        let usage = |&process: &u32| {
            let before = newest.and_then(|sample| sample.processes.get(&process));
            Some((process, Usage::of(process, before)?))
        };
        Arc::new(Sample {
            at: Instant::now(),
            processes: self.processes.iter().filter_map(usage).collect(),
            group: self.group.as_ref().and_then(Computing::used).unwrap_or_default(),
            displaced,
            own: own_share(),
        })
    }
}

impl Begun {
    /// `true` if enough time has passed for a wait that counts.
    fn is_long(&self, until: Instant) -> bool {
        until.saturating_duration_since(self.at) >= WORTH_COUNTING
    }
}

impl Sample {
    /// CPU time used between an earlier sample and this one.
    fn used_since(&self, before: &Sample) -> Duration {
        let used = |sample: &Sample| -> Duration {
            let processes = sample.processes.values();
            processes.map(|usage| usage.clock + usage.reaped).sum()
        };
        let known = used(self).saturating_sub(used(before));
        known.max(self.group.saturating_sub(before.group))
    }

    /// Counters of a thread; zero if it did not exist.
    fn share(&self, process: u32, thread: u32) -> Share {
        let usage = self.processes.get(&process);
        let share = usage.and_then(|usage| usage.threads.get(&thread));
        share.copied().unwrap_or_default()
    }
}

impl Usage {
    /// Reads the counters of a process; `None` if it has ended. They are those of `before` if it did not run since.
    fn of(process: u32, before: Option<&Arc<Usage>>) -> Option<Arc<Usage>> {
        let clock = family::cpu_time(process)?;
        if let Some(before) = before.filter(|before| before.clock == clock) {
            return Some(Arc::clone(before));
        }
        let tasks = Path::new(PROC).join(process.to_string()).join("task");
        let tasks = fs::read_dir(tasks).into_iter().flatten().flatten();
        let threads = tasks.filter_map(|task| {
            let number = task.file_name().to_str()?.parse().ok()?;
            Some((number, read_share(&task.path().join("schedstat"))?))
        });
        Some(Arc::new(Usage { clock, reaped: family::reaped(process), threads: threads.collect() }))
    }
}

/// Work of an engine between two samples.
#[derive(Debug, Default)]
struct Work {
    /// CPU time.
    used: Duration,
    /// Part of it of threads that still exist.
    alive: Duration,
    /// Threads that worked.
    workers: Vec<(u32, Share)>,
}

impl Work {
    fn between(before: &Sample, now: &Sample) -> Work {
        let mut work = Work { used: now.used_since(before), ..Work::default() };
        for (&process, usage) in &now.processes {
            for (&thread, share) in &usage.threads {
                let share = share.since(before.share(process, thread));
                work.alive += share.ran;
                if !share.ran.is_zero() {
                    work.workers.push((thread, share));
                }
            }
        }
        work
    }

    /// Longest work of one thread. Ended threads and processes may have run one after another, and count in full.
    fn longest(&self) -> Duration {
        let ended = self.used.saturating_sub(self.alive);
        let alive = self.workers.iter().map(|(_, share)| share.ran);
        alive.fold(ended, Duration::max)
    }
}

impl Share {
    fn since(self, before: Share) -> Share {
        Share {
            ran: self.ran.saturating_sub(before.ran),
            waited: self.waited.saturating_sub(before.waited),
        }
    }
}

/// Time that the calling thread has waited for a processor so far.
pub fn own_wait() -> Duration {
    own_share().waited
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use preconditions::needs;

    use super::*;
    use std::process::Command;
    use std::thread;

    use rustix::process::Pid;
    use rustix::thread::CpuSet;

    use crate::play::sandbox::ControlGroup;

    #[test]
    fn who_sleeps_does_not_wait_and_who_computes_is_not_excused() {
        let mut meter = ProcessorMeter::new(std::process::id(), None, 1, false);
        assert_eq!(meter.may_have_waited(), Duration::ZERO);
        meter.begin();
        let (begun, before) = (Instant::now(), own_share().ran);
        while own_share().ran < before + Duration::from_millis(30) {}
        let may_have_waited = meter.may_have_waited();
        let end = Instant::now();
        let (waited, elapsed) = (meter.end(end).waited, end - begun);
        let most = elapsed.saturating_sub(Duration::from_millis(29));
        assert!(waited <= most, "{waited:?} of {elapsed:?}");
        assert!(may_have_waited <= most, "{may_have_waited:?} of {elapsed:?}");
        assert_eq!(meter.end(end), Spent::default());
    }

    #[test]
    fn a_short_wait_counts_though_the_kernel_lost_it() {
        let (process, ms) = (std::process::id(), Duration::from_millis);
        let meter = ProcessorMeter::new(process, None, 1, false);
        let sample = |ran, waited, displaced| {
            let threads = HashMap::from([(process, Share { ran: ms(ran), waited: ms(waited) })]);
            let usage = Usage { clock: ms(ran), reaped: ms(0), threads };
            Sample {
                at: Instant::now(),
                processes: HashMap::from([(process, Arc::new(usage))]),
                group: ms(ran),
                displaced: Some(ms(displaced)),
                own: Share::default(),
            }
        };
        let start = Arc::new(sample(0, 0, 0));
        let begun = Begun { at: start.at, sample: start, is_new: true, out_of_turn: ms(0) };
        let credit = |waited, displaced| {
            meter.credit(&begun, &sample(5, waited, displaced), begun.at + ms(5 + waited))
        };
        assert_eq!(credit(3, 0), ms(3));
        assert_eq!(credit(60, 50), ms(60));
        assert_eq!(credit(60, 20), ms(30));
    }

    #[needs(control_group)]
    #[test]
    fn looking_often_for_a_wait_does_not_shorten_it() {
        let first = rustix::thread::sched_getaffinity(None).unwrap();
        let first = (0..CpuSet::MAX_CPU).find(|&core| first.is_set(core)).unwrap();
        let mut core = CpuSet::new();
        core.set(first);
        let work = || {
            let work = ["-c", "while :; do :; done"];
            let child = Command::new("sh").args(work).spawn().unwrap();
            rustix::thread::sched_setaffinity(Some(Pid::from_child(&child)), &core).unwrap();
            child
        };
        let (mut engine, mut other) = (work(), work());
        let group = ControlGroup::create(None);
        for entrance in group.entrances().unwrap() {
            rustix::io::write(entrance.file, engine.id().to_string().as_bytes()).unwrap();
        }
        let mut meter = ProcessorMeter::new(engine.id(), group.computing(), 1, false);
        meter.begin();
        let begun = Instant::now();
        let share = || read_share(&Path::new(PROC).join(format!("{}/schedstat", engine.id())));
        let before = share().unwrap();
        let waited_so_far = || share().unwrap().since(before).waited;
        while waited_so_far() < Duration::from_millis(150) {
            assert!(begun.elapsed().as_secs() < 60, "{:?}", waited_so_far());
            meter.may_have_waited();
            thread::sleep(Duration::from_millis(1));
        }
        let most = waited_so_far();
        let waited = meter.end(Instant::now()).waited;
        for child in [&mut engine, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(waited >= most * 4 / 5, "{waited:?} of {most:?}");
    }
}
