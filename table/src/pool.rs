//! Engine processes, limited in number, and the queue of questions for them.
//!
//! A process belongs to a slot, which is a thread: an engine lives in the thread that started it. An asker gets a
//! [`Permit`]; dropping it stops the search, and the process stays. A failure costs one answer and one process, and
//! affects no other request.

mod entry;
mod question;
mod scheduler;
mod worker;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use buxtehude::protocol::Info;
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;
use tokio::sync::{mpsc, oneshot, watch};

use crate::client::ClientId;
pub use entry::{Entry, Introduction};
use question::Job;
pub use question::{Found, Question, Role, SearchError};
use scheduler::Scheduler;
pub use scheduler::{Load, PoolBounds};
use worker::Worker;

/// Capacity for an engine's reports that the asker has not read; further ones are dropped.
const MAX_UNTAKEN: usize = 1024;

#[derive(Debug)]
pub struct Pool {
    entries: Vec<Arc<Entry>>,
    scheduler: Arc<Scheduler>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// The permit for an answer. Dropping it early stops the search.
#[derive(Debug)]
pub struct Permit {
    stop: Arc<AtomicBool>,
    scheduler: Arc<Scheduler>,
    /// Reports of the running search; `None` if they are not requested.
    pub infos: Option<mpsc::Receiver<Info>>,
    /// Number of questions before this one; 0 once it runs.
    pub ahead: watch::Receiver<usize>,
    /// The channel closes without an answer if the pool has ended.
    pub answer: oneshot::Receiver<Result<Found, SearchError>>,
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
        let (scheduler, slots) = Scheduler::new(bounds, isolation, interrupt);
        let scheduler = Arc::new(scheduler);
        let spawn = |(slot, jobs)| {
            let worker = Worker::new(scheduler.clone(), slot);
            let thread = thread::Builder::new().name(format!("engine {slot}"));
            thread.spawn(move || worker.work(&jobs))
        };
        let threads: io::Result<Vec<_>> = slots.into_iter().enumerate().map(spawn).collect();
        Ok(Pool { entries, scheduler, threads: Mutex::new(threads?) })
    }

    /// The engines, in the order of the command line.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    pub fn bounds(&self) -> PoolBounds {
        self.scheduler.bounds
    }

    pub fn load(&self) -> Load {
        self.scheduler.load()
    }

    /// Asks an engine as soon as a process is free; with `follows` the permit receives the reports of the search.
    ///
    /// # Errors
    /// [`SearchError`] if the queue is full, or the pool has ended.
    pub fn ask(
        &self,
        client: ClientId,
        question: Question,
        follows: bool,
    ) -> Result<Permit, SearchError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (ahead_sender, ahead) = watch::channel(0);
        let (answer_sender, answer) = oneshot::channel();
        let (infos_sender, infos) = follows.then(|| mpsc::channel(MAX_UNTAKEN)).unzip();
        self.scheduler.submit(Job {
            client,
            question,
            stop: stop.clone(),
            infos: infos_sender,
            ahead: ahead_sender,
            answer: answer_sender,
        })?;
        Ok(Permit { stop, scheduler: self.scheduler.clone(), infos, ahead, answer })
    }

    /// Stops all searches and processes, and waits for their end; later questions are refused.
    pub fn end(&self) {
        self.scheduler.end();
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
        (&mut self.answer).await.unwrap_or(Err(SearchError::Ending))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.scheduler.remove_stopped();
    }
}
