//! Engine processes, as few as are needed and never more than are allowed, and the queue before them.
//!
//! A process belongs to a slot, a thread of ours: an engine lives in the thread that started it. Whoever asks gets a
//! [`Ticket`]; dropping it ends the search, and the process lives on. What fails costs one answer and one process, and
//! disturbs nobody else.

mod desk;
mod entry;
mod failing;
mod ticket;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::walls::Isolation;

use desk::Desk;
pub use entry::{Entry, Introduction};
pub use failing::{Busy, Failing};
pub use ticket::{Found, Question, Ticket};

/// What the pool may use.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Processes of all engines at a time, at least 1.
    pub processes: usize,
    /// Questions that may wait for one.
    pub queue: usize,
    /// How long an engine has for `uciok` and `readyok`.
    pub ready: Duration,
    /// How far beyond its limit of time it may answer.
    pub margin: Duration,
    /// How long a process is kept that nobody asks.
    pub idle: Duration,
}

/// How busy a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Questions that are being answered.
    pub running: usize,
    /// Questions that wait.
    pub waiting: usize,
}

/// The engines that can be asked.
#[derive(Debug)]
pub struct Pool {
    desk: Arc<Desk>,
}

impl Pool {
    /// A pool of these engines, none of which is running. Each is started once to hear how it introduces itself, all at
    /// the same time; one that cannot be started is in the pool nevertheless.
    pub fn new(specs: Vec<EngineSpec>, bounds: Bounds, isolation: Option<Isolation>) -> Pool {
        let interrupt = Interrupt::new();
        let entries: Vec<Entry> = specs.into_iter().map(Entry::new).collect();
        std::thread::scope(|scope| {
            for entry in &entries {
                scope.spawn(|| entry.introduce(isolation, bounds.ready, &interrupt));
            }
        });
        Pool {
            desk: Arc::new(Desk::new(entries, bounds, isolation, interrupt)),
        }
    }

    /// The engines, in the order in which they were named.
    pub fn entries(&self) -> &[Entry] {
        self.desk.entries()
    }

    /// What the pool may use.
    pub fn bounds(&self) -> Bounds {
        self.desk.bounds()
    }

    /// How busy it is.
    pub fn load(&self) -> Load {
        self.desk.load()
    }

    /// Asks an engine, as soon as a process is free; `follows` says whether what it says on the way is wanted.
    ///
    /// # Errors
    /// [`Busy`] where too many wait already.
    pub fn ask(&self, question: Question, follows: bool) -> Result<Ticket, Busy> {
        Desk::ask(&self.desk, question, follows)
    }

    /// Ends all searches and processes, and waits for that; nothing is answered any more.
    pub fn end(&self) {
        self.desk.end();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.end();
    }
}
