//! The scheduler: assigns questions to slots, and queues those that must wait.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;
use serde::Serialize;

use super::question::{Job, Role, SearchError};
use crate::client::ClientId;

#[derive(Clone, Copy, Debug)]
pub struct PoolBounds {
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

/// Load of the engines.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Load {
    /// Number of running searches.
    pub running: usize,
    /// Number of searches that wait for a process.
    pub waiting: usize,
    /// Maximum number of searches that wait.
    pub most: usize,
}

/// State that all slots share.
#[derive(Debug)]
pub struct Scheduler {
    pub bounds: PoolBounds,
    pub isolation: Option<Isolation>,
    /// Set at shutdown.
    pub interrupt: Interrupt,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The slots; empty after the shutdown.
    slots: Vec<Slot>,
    /// Waiting questions, the next one first.
    waiting: Vec<Waiting>,
    submitted: u64,
}

#[derive(Debug)]
struct Waiting {
    job: Job,
    /// Number of the question.
    number: u64,
}

/// A thread that runs at most one process.
#[derive(Debug)]
struct Slot {
    jobs: Sender<Job>,
    /// Role of its process, if it has one.
    role: Option<Role>,
    /// Client of its current question; `None` if it is idle.
    client: Option<ClientId>,
    /// Number of its last question.
    last: u64,
}

impl Scheduler {
    /// A scheduler, and the questions of each slot.
    pub fn new(
        bounds: PoolBounds,
        isolation: Option<Isolation>,
        interrupt: Interrupt,
    ) -> (Scheduler, Vec<Receiver<Job>>) {
        let slot = |_| {
            let (jobs, asked) = channel();
            let slot = Slot { jobs, role: None, client: None, last: 0 };
            (slot, asked)
        };
        let (slots, asked) = (0..bounds.processes.max(1)).map(slot).unzip();
        let state = State { slots, waiting: Vec::new(), submitted: 0 };
        let scheduler = Scheduler { bounds, isolation, interrupt, state: Mutex::new(state) };
        (scheduler, asked)
    }

    pub fn load(&self) -> Load {
        let state = self.state();
        Load {
            running: state.slots.iter().filter(|slot| slot.client.is_some()).count(),
            waiting: state.waiting.len(),
            most: self.bounds.queue,
        }
    }

    /// Assigns a question to an idle slot, or queues it.
    ///
    /// # Errors
    /// [`SearchError::Busy`] if the queue is full, [`SearchError::Ending`] after the shutdown.
    pub fn submit(&self, job: Job) -> Result<(), SearchError> {
        let mut state = self.state();
        if state.slots.is_empty() {
            return Err(SearchError::Ending);
        }
        let (waiting, most) = (state.waiting.len(), self.bounds.queue);
        state.submitted += 1;
        let number = state.submitted;
        match state.best_slot(&job.question.role) {
            Some(slot) => {
                slot.client = Some(job.client);
                slot.last = number;
                // This cannot fail: a slot's thread ends only at the shutdown.
                let _ = slot.jobs.send(job);
            }
            None if waiting < most => {
                state.waiting.push(Waiting { job, number });
                state.sort();
            }
            None => return Err(SearchError::Busy { waiting, most }),
        }
        Ok(())
    }

    /// Returns the next question for a slot that has answered one; its process now has this role.
    pub fn next(&self, slot: usize, role: Option<Role>) -> Option<Job> {
        let mut state = self.state();
        let answered = state.slots.get_mut(slot)?;
        answered.role = role;
        answered.client = None;
        state.sort();
        let Waiting { job, number } =
            if state.waiting.is_empty() { return None } else { state.waiting.remove(0) };
        job.ahead.send_replace(0);
        let slot = state.slots.get_mut(slot)?;
        slot.client = Some(job.client);
        slot.last = number;
        state.sort();
        Some(job)
    }

    /// Notes that a slot has quit its idle process.
    pub fn emptied(&self, slot: usize) {
        if let Some(slot) = self.state().slots.get_mut(slot) {
            slot.role = None;
        }
    }

    /// Removes questions from the queue whose answers are no longer needed.
    pub fn remove_stopped(&self) {
        let mut state = self.state();
        let before = state.waiting.len();
        state.waiting.retain(|waiting| !waiting.job.stop.load(Ordering::Relaxed));
        if state.waiting.len() < before {
            state.sort();
        }
    }

    /// Stops all searches and the threads of all slots, which quit their processes.
    pub fn end(&self) {
        self.interrupt.set();
        let mut state = self.state();
        state.waiting.clear();
        state.slots.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the best idle slot: one with the right process, else an empty one, else the least recently used.
    fn best_slot(&mut self, wanted: &Role) -> Option<&mut Slot> {
        let idle = self.slots.iter_mut().filter(|slot| slot.client.is_none());
        idle.min_by_key(|slot| {
            let change = match &slot.role {
                Some(role) if role == wanted => 0,
                None => 1,
                Some(_) => 2,
            };
            (change, slot.last)
        })
    }

    /// Sorts the waiting questions so that clients take turns: by the number of the client's questions that are running
    /// or came before, then in the order of arrival. Publishes their places; the running search counts, too.
    fn sort(&mut self) {
        let mut counts = HashMap::<ClientId, usize>::new();
        for client in self.slots.iter().filter_map(|slot| slot.client) {
            *counts.entry(client).or_default() += 1;
        }
        self.waiting.sort_unstable_by_key(|waiting| waiting.number);
        self.waiting.sort_by_cached_key(|waiting| {
            let count = counts.entry(waiting.job.client).or_default();
            *count += 1;
            *count
        });
        for (index, waiting) in self.waiting.iter().enumerate() {
            waiting.job.ahead.send_replace(index + 1);
        }
    }
}
