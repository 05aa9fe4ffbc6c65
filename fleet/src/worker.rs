//! `fleet work`: plays games of all open matches, and holds nothing that another worker could not replace.

mod cache;
mod engines;
mod join;
pub(crate) mod machine;
mod sandbox;
mod unit;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use matches::VERSION;
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::sandbox::shield_arbiter;
use matches::record::printable::printable;
use matches::run::exit::{INTERRUPTED, USAGE, complain, complain_of, fail};
use matches::run::open_log;
use matches::run::signals;
use settings::args::local_engines;
use thiserror::Error;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::args::{ServerArgs, WorkArgs};
use crate::message::Beat;
use crate::names::{self, key_of};
use crate::queue::{Bucket, QueueError, connect, retry};
pub use join::POLL_INTERVAL;
pub use unit::{FAILURE_PAUSE, WAIT, progress_period};

use engines::Fetcher;
use join::{JoinedMatch, Refusal};

/// Interval between heartbeats.
pub const BEAT_INTERVAL: Duration = Duration::from_secs(20);
/// Interval between heartbeats while they fail.
const BEAT_RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// Average pause before a failed call is retried.
const PAUSE: Duration = Duration::from_secs(1);
/// Interval between checks of the stop flag.
const TICK: Duration = Duration::from_millis(100);
/// Timeout for the last messages at exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// State that all parts of a worker share.
pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) args: WorkArgs,
    /// Engines on this machine.
    pub(crate) engines: Vec<EngineSpec>,
    pub(crate) context: Context,
    /// Fetches engines; `None` if they are not accepted.
    pub(crate) fetcher: Option<Fetcher>,
    /// Stop flag.
    pub(crate) interrupt: Interrupt,
    pub(crate) lag: LagMeter,
    /// Log of the engines' input and output.
    pub(crate) log: Log,
    begun: Instant,
    /// Matches that it plays, by id.
    joined: Mutex<BTreeMap<String, Arc<JoinedMatch>>>,
    /// Matches that it is joining.
    joining: Mutex<BTreeSet<String>>,
    /// Signals that one of these has been joined or refused.
    has_joined: Notify,
    /// Matches that it refuses, by id.
    refused: Mutex<BTreeMap<String, Refusal>>,
    /// Signals a new refusal, which is reported at once.
    has_refused: Notify,
    pub(crate) playing: AtomicU64,
    pub(crate) games: AtomicU64,
    /// Positions a second in each slot; 0 if unknown.
    pub(crate) speed: AtomicU64,
}

/// Reasons not to join a match.
#[derive(Debug, Error)]
enum JoinError {
    /// A call to the server failed; it may succeed later.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The worker cannot play it.
    #[error("{0}")]
    Unfit(String),
}

/// Locks a value, even if a thread has panicked while it held the lock.
fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works until interrupted; returns the exit status.
pub async fn work(server: &ServerArgs, args: &WorkArgs) -> ExitCode {
    let name = args.name.as_deref().map(key_of);
    let name = name.unwrap_or_else(names::of_this_process);
    let engines = match local_engines(&args.engine) {
        Ok(engines) => engines,
        Err(error) => return fail(USAGE, error),
    };
    let interrupt = Interrupt::new();
    let stopped = interrupt.clone();
    let on_signal = move || {
        if stopped.is_set() {
            std::process::exit(INTERRUPTED.into());
        }
        stopped.set();
    };
    if let Err(error) = signals::listen(&interrupt, on_signal) {
        return fail(USAGE, format_args!("cannot handle signals: {error}"));
    }
    shield_arbiter();
    let fetcher = match tokio::task::block_in_place(|| Fetcher::of(args, &interrupt)) {
        Ok(fetcher) => fetcher,
        Err(error) => return fail(USAGE, error),
    };
    let log = match open_log(args.log.as_deref()) {
        Ok(log) => log,
        Err(error) => return fail(USAGE, error),
    };
    let connected = retry(&interrupt, QueueError::is_absence, || {
        connect(server, &name)
    });
    let context = match connected.await {
        Ok(context) => context,
        Err(_) if interrupt.is_set() => return ExitCode::from(INTERRUPTED),
        Err(error) => return fail(USAGE, error),
    };
    let slots = args.concurrency;
    let speed = tokio::task::block_in_place(|| machine::measure_speed(slots, &interrupt));
    let Some(speed) = speed else {
        return ExitCode::from(INTERRUPTED);
    };
    complain(format_args!(
        "worker {name} is ready: concurrency {slots}, {speed} positions/s in each slot"
    ));
    let worker = Arc::new(Worker {
        name,
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
        refused: Mutex::default(),
        has_refused: Notify::new(),
        playing: AtomicU64::new(0),
        games: AtomicU64::new(0),
        speed: AtomicU64::new(speed),
    });
    let slots: Vec<_> = (0..worker.args.concurrency)
        .map(|slot| tokio::spawn(unit::play_units(worker.clone(), slot.into())))
        .collect();
    let beats = tokio::spawn(worker.clone().beat());
    let polls = tokio::spawn(worker.clone().poll_matches());
    let stops = tokio::spawn(worker.clone().pass_on_interrupt());
    let idle = worker.clone();
    let measures = tokio::spawn(async move { idle.measure_when_idle().await });
    for slot in slots {
        // Slots end once the stop flag is set.
        let _ = slot.await;
    }
    // Flushes the returned units, so that other workers get them at once; without this, the server notices after its
    // timeout.
    let _ = timeout(EXIT_TIMEOUT, worker.context.client().flush()).await;
    for task in [beats, polls, stops, measures] {
        task.abort();
    }
    ExitCode::SUCCESS
}

impl Worker {
    pub(crate) fn joined(&self) -> Vec<Arc<JoinedMatch>> {
        locked(&self.joined).values().cloned().collect()
    }

    /// Refuses a match with this reason until its coordinator has a new session or some time has passed, and drops it
    /// if it is played.
    pub(crate) fn refuse(&self, id: &str, session: u64, reason: &str) {
        let refusal = Refusal::now(session, reason.to_string());
        let before = locked(&self.refused).insert(id.to_string(), refusal);
        if before.is_none_or(|before| before.reason != reason) {
            let reason = printable(reason);
            complain(format_args!("match {id} is refused: {reason}"));
            self.has_refused.notify_one();
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
                beats = Bucket::find_beats(&self.context).await.unwrap_or(None);
            }
            complain_of(&self.log);
            let beat = self.beat_now();
            let is_published = match &beats {
                Some(beats) => beats.put(&self.name, &beat).await.is_ok(),
                None => false,
            };
            if !is_published {
                // A lost heartbeat is sent again soon; the server may have lost the bucket.
                beats = None;
            }
            let wait = match is_published {
                true => BEAT_INTERVAL,
                false => BEAT_RETRY_INTERVAL,
            };
            // A refusal is reported at once.
            let _ = timeout(wait, self.has_refused.notified()).await;
        }
    }

    fn beat_now(&self) -> Beat {
        let refused = locked(&self.refused);
        let refused = refused.iter();
        let lag = self.lag.recent();
        Beat {
            worker: self.name.clone(),
            arbiter: VERSION.to_string(),
            concurrency: self.args.concurrency,
            playing: self.playing.load(Ordering::Relaxed),
            games: self.games.load(Ordering::Relaxed),
            seconds: self.begun.elapsed().as_secs(),
            lag_micros: lag.median.as_micros() as u64,
            lag_p99_micros: lag.p99.as_micros() as u64,
            speed: self.speed(),
            refused: refused
                .map(|(id, refusal)| (id.clone(), refusal.reason.clone()))
                .collect(),
        }
    }
}
