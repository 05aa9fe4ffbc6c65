//! Engine processes, started on demand and limited in number, and the queue of questions for them.
//!
//! A process belongs to a slot, which is a thread: an engine lives in the thread that started it. An asker gets a
//! [`Permit`]; dropping it stops the search, and the process stays. A failure costs one answer and one process, and
//! affects no other request.

mod entry;
mod failing;
mod permit;
mod scheduler;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;

pub use entry::{Entry, Introduction};
pub use failing::{Busy, Failing};
pub use permit::{Found, Permit, Question};
use scheduler::Scheduler;

/// Limits of the pool.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of processes of all engines, at least 1.
    pub processes: usize,
    /// Maximum number of waiting questions.
    pub queue: usize,
    /// Timeout for `uciok` and `readyok`.
    pub ready: Duration,
    /// Extra time after its limit before an engine times out.
    pub margin: Duration,
    /// Time after which an idle process is quit.
    pub idle: Duration,
}

/// Load of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Number of running questions.
    pub running: usize,
    /// Number of waiting questions.
    pub waiting: usize,
}

/// A pool of engines.
#[derive(Debug)]
pub struct Pool {
    scheduler: Arc<Scheduler>,
}

impl Pool {
    /// Creates a pool, and starts each engine once, concurrently, to get its name and options. An engine that cannot be
    /// started is in the pool nevertheless.
    pub fn new(specs: Vec<EngineSpec>, bounds: Bounds, isolation: Option<Isolation>) -> Pool {
        let interrupt = Interrupt::new();
        let entries: Vec<Entry> = specs.into_iter().map(Entry::new).collect();
        std::thread::scope(|scope| {
            for entry in &entries {
                scope.spawn(|| entry.introduce(isolation, bounds.ready, &interrupt));
            }
        });
        Pool {
            scheduler: Arc::new(Scheduler::new(entries, bounds, isolation, interrupt)),
        }
    }

    /// The engines, in the order of the command line.
    pub fn entries(&self) -> &[Entry] {
        self.scheduler.entries()
    }

    pub fn bounds(&self) -> Bounds {
        self.scheduler.bounds()
    }

    pub fn load(&self) -> Load {
        self.scheduler.load()
    }

    /// Asks an engine as soon as a process is free; with `follows` the permit receives the reports of the search.
    ///
    /// # Errors
    /// [`Busy`] if the queue is full.
    pub fn ask(&self, question: Question, follows: bool) -> Result<Permit, Busy> {
        Scheduler::ask(&self.scheduler, question, follows)
    }

    /// Stops all searches and processes, and waits for their end; later questions are refused.
    pub fn end(&self) {
        self.scheduler.end();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.end();
    }
}
