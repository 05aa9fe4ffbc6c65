//! The queue of searches, and the engine processes that answer them.
//!
//! A process belongs to a slot, which is a thread: an engine lives in the thread that started it. An asker gets a
//! [`Permit`]; dropping it stops the search, and the process stays. A failure costs one answer and one process, and
//! affects no other request.

mod engine;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::http::StatusCode;
use buxtehude::protocol::{Go, Info, PositionCommand};
use buxtehude::rules::Variant;
use matches::plan::EngineSpec;
use matches::play::engine::StartError;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;
use serde::Serialize;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot, watch};

use crate::clients::ClientId;
use crate::error::ApiError;
use engine::Worker;
pub use engine::{Entry, Introduction};

/// Capacity for an engine's reports that the asker has not read; further ones are dropped.
const MAX_UNREAD: usize = 1024;

/// Engines, their processes, and the queue of searches for them.
#[derive(Debug)]
pub struct Pool {
    entries: Vec<Arc<Entry>>,
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Clone, Copy, Debug)]
pub struct PoolBounds {
    /// Maximum number of processes of all engines, at least 1.
    pub processes: usize,
    /// Maximum number of waiting searches.
    pub queue: usize,
    /// Timeout for `uciok` and `readyok`.
    pub ready: Duration,
    /// Extra time after its limit before an engine times out.
    pub margin: Duration,
    /// Time after which an idle process is quit.
    pub idle: Duration,
}

/// Number of searches of all engines.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Load {
    pub running: usize,
    pub waiting: usize,
    /// Maximum number of searches that wait.
    pub most: usize,
}

/// An engine, and the variant that its process plays.
#[derive(Clone, Debug)]
pub struct Role {
    pub engine: Arc<Entry>,
    pub variant: &'static Variant,
}

/// A search that a client wants.
#[derive(Clone, Debug)]
pub struct Question {
    pub role: Role,
    /// The position, as a start and moves.
    pub position: PositionCommand,
    /// Legal moves there, at least one.
    pub legal: Vec<String>,
    /// Limits of the search, always with a time.
    pub go: Go,
    /// Options for this question only, with the engine's spelling.
    pub options: Vec<(String, String)>,
}

/// Use of an answer. A game does not wait for analyses of the same client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Move,
    Analysis,
}

/// A valid answer.
#[derive(Clone, Debug)]
pub struct Found {
    /// The legal move.
    pub mv: String,
    /// The estimate in its answer; empty if there is none.
    pub estimate: Vec<u16>,
    /// Last report of the search.
    pub info: Info,
}

#[derive(Debug, Error)]
pub enum SearchError {
    #[error("{0}")]
    Start(#[from] StartError),
    #[error("{0}")]
    Timeout(String),
    /// The engine ended, or its answer is malformed or illegal.
    #[error("{0}")]
    Engine(String),
    #[error(
        "{most} searches are waiting for an engine; expected fewer than {most}: try again later"
    )]
    Busy { most: usize },
    #[error("the server is shutting down")]
    Ending,
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> ApiError {
        let status = match error {
            SearchError::Start(_) | SearchError::Engine(_) => StatusCode::BAD_GATEWAY,
            SearchError::Timeout(_) => StatusCode::GATEWAY_TIMEOUT,
            SearchError::Busy { .. } | SearchError::Ending => StatusCode::SERVICE_UNAVAILABLE,
        };
        ApiError::new(status, error.to_string())
    }
}

/// The permit for an answer. Dropping it early stops the search.
#[derive(Debug)]
pub struct Permit {
    stop: Arc<AtomicBool>,
    queue: Arc<Queue>,
    /// Reports of the running search.
    pub infos: mpsc::Receiver<Info>,
    /// Number of searches before this one; 0 once it runs.
    pub ahead: watch::Receiver<usize>,
    /// The channel closes without an answer if the pool has ended.
    pub answer: oneshot::Receiver<Result<Found, SearchError>>,
}

/// A waiting or running search. Dropping it tells the asker that the server is shutting down.
#[derive(Debug)]
struct Job {
    client: ClientId,
    question: Question,
    purpose: Purpose,
    /// Position in the order of arrival.
    number: u64,
    /// Stop flag: the answer is no longer needed.
    stop: Arc<AtomicBool>,
    infos: mpsc::Sender<Info>,
    /// Number of searches before it while it waits.
    ahead: watch::Sender<usize>,
    answer: oneshot::Sender<Result<Found, SearchError>>,
}

/// The searches that wait, and the slots that run them.
#[derive(Debug)]
struct Queue {
    bounds: PoolBounds,
    isolation: Option<Isolation>,
    /// Set at shutdown.
    interrupt: Interrupt,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The slots; empty after the shutdown.
    slots: Vec<Slot>,
    /// Waiting searches, the next one first.
    waiting: Vec<Job>,
    /// Maximum number of waiting searches.
    most: usize,
    submitted: u64,
}

/// A thread that runs at most one process.
#[derive(Debug)]
struct Slot {
    jobs: Sender<Job>,
    /// Role of its process, if it has one.
    role: Option<Role>,
    /// Client of its current search; `None` if it is idle.
    client: Option<ClientId>,
    /// Number of its last search.
    last: u64,
}

impl PartialEq for Role {
    fn eq(&self, other: &Role) -> bool {
        Arc::ptr_eq(&self.engine, &other.engine) && self.variant.name == other.variant.name
    }
}

impl Pool {
    /// Creates a pool, and starts each engine once, concurrently, to get its name and options. An engine that cannot be
    /// started is in the pool nevertheless.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn new(
        specs: Vec<EngineSpec>,
        bounds: PoolBounds,
        isolation: Option<Isolation>,
    ) -> io::Result<Pool> {
        let interrupt = Interrupt::new();
        let entries = Vec::from_iter(specs.into_iter().map(|spec| Arc::new(Entry::new(spec))));
        thread::scope(|scope| {
            for entry in &entries {
                scope.spawn(|| entry.introduce(isolation, bounds.ready, &interrupt));
            }
        });
        let (slots, jobs): (Vec<Slot>, Vec<_>) = (0..bounds.processes.max(1))
            .map(|_| {
                let (sender, jobs) = channel();
                (Slot { jobs: sender, role: None, client: None, last: 0 }, jobs)
            })
            .unzip();
        let state = State { slots, waiting: Vec::new(), most: bounds.queue, submitted: 0 };
        let queue = Arc::new(Queue { bounds, isolation, interrupt, state: Mutex::new(state) });
        let spawn = |(slot, jobs)| {
            let worker = Worker::new(queue.clone(), slot);
            let thread = thread::Builder::new().name(format!("engine {slot}"));
            thread.spawn(move || worker.work(&jobs))
        };
        let threads: io::Result<Vec<_>> = jobs.into_iter().enumerate().map(spawn).collect();
        Ok(Pool { entries, queue, threads: Mutex::new(threads?) })
    }

    /// The engines, in the order of the command line.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    pub fn bounds(&self) -> PoolBounds {
        self.queue.bounds
    }

    pub fn load(&self) -> Load {
        let state = self.queue.state();
        Load {
            running: state.slots.iter().filter(|slot| slot.client.is_some()).count(),
            waiting: state.waiting.len(),
            most: self.queue.bounds.queue,
        }
    }

    /// Asks an engine as soon as a process is free and it is the client's turn.
    pub fn ask(&self, client: ClientId, question: Question, purpose: Purpose) -> Permit {
        let stop = Arc::new(AtomicBool::new(false));
        let (ahead_sender, ahead) = watch::channel(0);
        let (answer_sender, answer) = oneshot::channel();
        let (infos_sender, infos) = mpsc::channel(MAX_UNREAD);
        self.queue.submit(Job {
            client,
            question,
            purpose,
            number: 0,
            stop: stop.clone(),
            infos: infos_sender,
            ahead: ahead_sender,
            answer: answer_sender,
        });
        Permit { stop, queue: self.queue.clone(), infos, ahead, answer }
    }

    /// Stops all searches and processes, and waits for their end; later questions are refused.
    pub fn end(&self) {
        self.queue.interrupt.set();
        {
            let mut state = self.queue.state();
            state.waiting.clear();
            state.slots.clear();
        }
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.end();
    }
}

impl Permit {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`SearchError`].
    pub async fn wait(mut self) -> Result<Found, SearchError> {
        self.infos.close();
        (&mut self.answer).await.unwrap_or(Err(SearchError::Ending))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut state = self.queue.state();
        state.waiting.retain(|job| !job.stop.load(Ordering::Relaxed));
        state.assign();
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assigns a search to an idle slot, or queues it.
    fn submit(&self, mut job: Job) {
        let mut state = self.state();
        if state.slots.is_empty() {
            return;
        }
        state.submitted += 1;
        job.number = state.submitted;
        state.waiting.push(job);
        state.assign();
    }

    /// Frees a slot that has answered a search; its process now has this role.
    fn free(&self, slot: usize, role: Option<Role>) {
        let mut state = self.state();
        if let Some(slot) = state.slots.get_mut(slot) {
            (slot.role, slot.client) = (role, None);
        }
        state.assign();
    }

    /// Notes that a slot quits its idle process.
    fn note_empty(&self, slot: usize) {
        if let Some(slot) = self.state().slots.get_mut(slot) {
            slot.role = None;
        }
    }
}

impl State {
    /// Gives idle slots to waiting searches in the order of their turns, and publishes the places of the others. If too
    /// many wait, the last ones are refused, which are those of the client with most searches.
    fn assign(&mut self) {
        self.sort();
        while let Some((index, slot)) = self.next() {
            let job = self.waiting.remove(index);
            job.ahead.send_replace(0);
            if let Some(slot) = self.slots.get_mut(slot) {
                slot.client = Some(job.client);
                slot.last = job.number;
                // This cannot fail: a slot's thread ends only at the shutdown.
                let _ = slot.jobs.send(job);
            }
            self.sort();
        }
        for job in self.waiting.drain(self.most.min(self.waiting.len())..) {
            // This fails if the asker no longer waits.
            let _ = job.answer.send(Err(SearchError::Busy { most: self.most }));
        }
        for (index, job) in self.waiting.iter().enumerate() {
            job.ahead.send_if_modified(|ahead| std::mem::replace(ahead, index + 1) != index + 1);
        }
    }

    /// Returns the next search that may run, with the best idle slot for it: one with the right process, else an empty
    /// one, else the least recently used.
    ///
    /// A client runs two searches, or half of the processes allow more, so that others soon have their turn.
    fn next(&self) -> Option<(usize, usize)> {
        let running = |client| self.slots.iter().filter(|slot| slot.client == Some(client)).count();
        let share = (self.slots.len() / 2).max(2);
        let index = self.waiting.iter().position(|job| running(job.client) < share)?;
        let wanted = &self.waiting.get(index)?.question.role;
        let idle = self.slots.iter().enumerate().filter(|(_, slot)| slot.client.is_none());
        let (slot, _) = idle.min_by_key(|(_, slot)| {
            let change = match &slot.role {
                Some(role) if role == wanted => 0,
                None => 1,
                Some(_) => 2,
            };
            (change, slot.last)
        })?;
        Some((index, slot))
    }

    /// Sorts the waiting searches so that clients take turns: by the number of the client's searches that run or come
    /// before, then in the order of arrival. Of one client, moves come first.
    fn sort(&mut self) {
        let mut counts = HashMap::<ClientId, usize>::new();
        for client in self.slots.iter().filter_map(|slot| slot.client) {
            *counts.entry(client).or_default() += 1;
        }
        self.waiting.sort_unstable_by_key(|job| (job.purpose != Purpose::Move, job.number));
        self.waiting.sort_by_cached_key(|job| {
            let count = counts.entry(job.client).or_default();
            *count += 1;
            (*count, job.number)
        });
    }
}
