//! `fleet work`: plays games of all open matches, and holds nothing that another worker could not replace.

mod engines;
mod join;
pub(crate) mod unit;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use matches::VERSION;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::sandbox::shield_arbiter;
use matches::record::Machine;
use matches::record::printable::printable;
use matches::run::exit::{ExitError, INTERRUPTED, print_error, report_log_error};
use matches::run::signals;
use matches::run::{files_of, open_log};
use settings::args::local_engines;
use thiserror::Error;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::args::{ServerArgs, WorkArgs};
use crate::message::Beat;
use crate::queue::{BEATS, QueueError, connect, is_local, retry};
use crate::signature::{FileError, Signer, label_of, of_this_machine};
use crate::storage::Bucket;
use crate::time_scale::measure_speed;
pub use join::POLL_INTERVAL;
pub use unit::{FAILURE_PAUSE, UNIT_WAIT, progress_period};

use engines::Fetcher;
use join::{JoinedMatch, Refusal};

pub const BEAT_INTERVAL: Duration = Duration::from_secs(20);
const BEAT_RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// Average pause before a failed call is retried.
const JOIN_PAUSE: Duration = Duration::from_secs(1);
/// Interval between checks of the stop flag.
const TICK: Duration = Duration::from_millis(100);
/// Idle time before the speed is measured again.
const LONG_IDLE: Duration = Duration::from_secs(600);
/// Interval between checks whether the worker is idle.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// Timeout for the last messages at exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// State that all parts of a worker share.
pub(crate) struct Worker {
    pub(crate) label: String,
    pub(crate) signer: Signer,
    pub(crate) args: WorkArgs,
    /// Engines on this machine.
    pub(crate) engines: Vec<EngineSpec>,
    pub(crate) context: Context,
    /// Fetches engines; `None` if they are not accepted.
    pub(crate) fetcher: Option<Fetcher>,
    pub(crate) interrupt: Interrupt,
    pub(crate) lag: LagMeter,
    /// Log of the engines' input and output.
    pub(crate) log: Log,
    begun: Instant,
    /// Matches that it plays, by id.
    joined: Mutex<BTreeMap<String, Arc<JoinedMatch>>>,
    joining: Mutex<BTreeSet<String>>,
    /// Signals that one of these has been joined or refused.
    has_joined: Notify,
    /// Session and revision of the last state of each match.
    states: Mutex<HashMap<String, (u64, u64)>>,
    /// Matches that it refuses, by id.
    refused: Mutex<BTreeMap<String, Refusal>>,
    /// Signals a change that is reported at once.
    has_news: Notify,
    pub(crate) playing: AtomicU64,
    pub(crate) games: AtomicU64,
    /// Positions a second in each slot; 0 if unknown.
    pub(crate) speed: AtomicU64,
}

#[derive(Debug, Error)]
enum JoinError {
    /// A call to the server failed; it may succeed later.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The reason why this worker cannot play the match.
    #[error("{0}")]
    Unfit(String),
}

impl From<String> for JoinError {
    fn from(reason: String) -> JoinError {
        JoinError::Unfit(reason)
    }
}

/// Locks a value, even if a thread has panicked while it held the lock.
fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works until interrupted; returns the exit status.
pub async fn work(server: &ServerArgs, args: &WorkArgs) -> ExitCode {
    let worker = match prepare(server, args).await {
        Ok(Some(worker)) => Arc::new(worker),
        Ok(None) => return ExitCode::from(INTERRUPTED),
        Err(error) => return error.exit(),
    };
    let slots: Vec<_> = (0..worker.args.concurrency)
        .map(|slot| tokio::spawn(unit::play_units(worker.clone(), slot.into())))
        .collect();
    // Aborted once they are dropped, at the end.
    let mut tasks = JoinSet::new();
    tasks.spawn(worker.clone().beat());
    tasks.spawn(worker.clone().poll_matches());
    tasks.spawn(worker.clone().receive_assigned());
    tasks.spawn(worker.clone().pass_on_interrupt());
    tasks.spawn(worker.clone().measure_when_idle());
    for slot in slots {
        // Slots end once the stop flag is set.
        let _ = slot.await;
    }
    // Flushes the returned units, so that other workers get them at once; without this, the server notices after its
    // timeout.
    let _ = timeout(EXIT_TIMEOUT, worker.context.client().flush()).await;
    ExitCode::SUCCESS
}

/// Checks the arguments, connects to the server, and measures the speed; returns `None` if interrupted.
async fn prepare(server: &ServerArgs, args: &WorkArgs) -> Result<Option<Worker>, ExitError> {
    let label = args.name.as_deref().map_or_else(of_this_machine, label_of);
    let signer = signer(server, &label).map_err(ExitError::usage)?;
    if args.coordinator.is_empty() && !args.trust_any_coordinator && !is_local(&server.nats) {
        return Err(ExitError::usage(
            "the server is on another machine, and anybody there could have this one run engines; expected \
             --coordinator KEY, which `fleet match` prints, or --trust-any-coordinator",
        ));
    }
    let engines = local_engines(&args.engine).map_err(ExitError::usage)?;
    let interrupt = Interrupt::new();
    let stopped = interrupt.clone();
    let on_signal = move || {
        if stopped.is_set() {
            std::process::exit(INTERRUPTED.into());
        }
        stopped.set();
    };
    signals::listen(&interrupt, on_signal)?;
    shield_arbiter();
    let fetcher =
        tokio::task::block_in_place(|| Fetcher::of(args, &interrupt)).map_err(ExitError::usage)?;
    let mut files = server.files();
    files.extend(args.log.as_deref().map(|path| NamedFile::output("--log", path)));
    files.extend(engines.iter().flat_map(files_of));
    refuse_overwriting(&files).map_err(ExitError::usage)?;
    let log = open_log(args.log.as_deref(), false)?;
    let connected =
        retry(&interrupt, QueueError::is_absence, || connect(server, &label, Some(signer.key())));
    let context = match connected.await {
        Ok(context) => context,
        Err(_) if interrupt.is_set() => return Ok(None),
        Err(error) => return Err(ExitError::usage(error)),
    };
    let slots = args.concurrency;
    let speed = tokio::task::block_in_place(|| measure_speed(slots, &interrupt));
    let Some(speed) = speed else {
        return Ok(None);
    };
    print_error(format_args!(
        "worker {label} is ready: concurrency {slots}, {speed} positions/s in each slot, key {}",
        signer.key()
    ));
    Ok(Some(Worker {
        label,
        signer,
        args: args.clone(),
        engines,
        context,
        fetcher,
        interrupt,
        lag: LagMeter::start(),
        log,
        begun: Instant::now(),
        joined: Mutex::default(),
        joining: Mutex::default(),
        has_joined: Notify::new(),
        states: Mutex::default(),
        refused: Mutex::default(),
        has_news: Notify::new(),
        playing: AtomicU64::new(0),
        games: AtomicU64::new(0),
        speed: AtomicU64::new(speed),
    }))
}

/// The key that a worker authenticates with, or one that this user keeps for its label.
fn signer(server: &ServerArgs, label: &str) -> Result<Signer, FileError> {
    match (&server.nkey, &server.creds) {
        (Some(path), _) => Signer::read("--nkey", path),
        (None, Some(path)) => Signer::read("--creds", path),
        (None, None) => Signer::kept_alone(&format!("worker-{label}")),
    }
}

impl Worker {
    pub(crate) fn joined(&self) -> Vec<Arc<JoinedMatch>> {
        locked(&self.joined).values().cloned().collect()
    }

    /// Refuses a match with this reason until its coordinator has a new session or some time has passed, and drops it
    /// if it is played.
    pub(crate) fn refuse(&self, id: &str, session: u64, reason: &str) {
        let before = self.note_refusal(id, session, reason.to_string());
        if before.is_none_or(|before| before.reason != reason) {
            let reason = printable(reason);
            print_error(format_args!("match {id} is refused: {reason}"));
            self.has_news.notify_one();
        }
        self.drop_match(id);
    }

    fn drop_match(&self, id: &str) {
        if let Some(joined) = locked(&self.joined).remove(id) {
            joined.interrupt.set();
        }
    }

    /// Stops all games once the stop flag is set.
    async fn pass_on_interrupt(self: Arc<Worker>) {
        while !self.interrupt.is_set() {
            tokio::time::sleep(TICK).await;
        }
        for joined in self.joined() {
            joined.interrupt.set();
        }
    }

    /// Publishes heartbeats, forever.
    async fn beat(self: Arc<Worker>) {
        let mut beats = None;
        loop {
            if beats.is_none() {
                beats = Bucket::find(&self.context, BEATS).await.unwrap_or(None);
            }
            report_log_error(&self.log);
            let beat = self.beat_now();
            let is_published = match &beats {
                Some(beats) => {
                    beats.put(self.signer.key().as_str(), &beat, &self.signer).await.is_ok()
                }
                None => false,
            };
            if !is_published {
                // A lost heartbeat is sent again soon; the server may have lost the bucket.
                beats = None;
            }
            let wait = if is_published { BEAT_INTERVAL } else { BEAT_RETRY_INTERVAL };
            // News are reported at once.
            let _ = timeout(wait, self.has_news.notified()).await;
        }
    }

    fn beat_now(&self) -> Beat {
        let joined = self.joined();
        let ids = joined.iter().map(|joined| joined.names.id().to_string());
        let refused = locked(&self.refused);
        let lag = self.lag.recent();
        Beat {
            label: self.label.clone(),
            arbiter: VERSION.to_string(),
            concurrency: self.args.concurrency,
            playing: self.playing.load(Ordering::Relaxed),
            games: self.games.load(Ordering::Relaxed),
            seconds: self.begun.elapsed().as_secs(),
            lag_micros: lag.median.as_micros() as u64,
            lag_p99_micros: lag.p99.as_micros() as u64,
            speed: self.speed(),
            joined: ids.collect(),
            assigned: joined.iter().flat_map(|joined| joined.assigned()).collect(),
            refused: refused
                .iter()
                .map(|(id, refusal)| (id.clone(), refusal.reason.clone()))
                .collect(),
        }
    }

    /// Last measured speed.
    pub(crate) fn speed(&self) -> Option<u64> {
        Some(self.speed.load(Ordering::Relaxed)).filter(|&speed| speed > 0)
    }

    /// Measures the speed again whenever the worker has been idle for long.
    async fn measure_when_idle(self: Arc<Worker>) {
        let mut idle_since = Instant::now();
        loop {
            tokio::time::sleep(IDLE_CHECK_INTERVAL).await;
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
