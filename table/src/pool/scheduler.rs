//! The scheduler: assigns questions to slots, and queues those that must wait.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;

use super::question::{Job, Role, SearchError};

/// Limits of the pool.
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

/// Load of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Number of running questions.
    pub running: usize,
    /// Number of waiting questions.
    pub waiting: usize,
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
    waiting: VecDeque<Job>,
    /// Number of assigned questions.
    assigned: u64,
}

/// A thread that runs at most one process.
#[derive(Debug)]
struct Slot {
    jobs: Sender<Job>,
    /// Role of its process, if it has one.
    role: Option<Role>,
    is_busy: bool,
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
            let slot = Slot {
                jobs,
                role: None,
                is_busy: false,
                last: 0,
            };
            (slot, asked)
        };
        let (slots, asked) = (0..bounds.processes.max(1)).map(slot).unzip();
        let state = State {
            slots,
            waiting: VecDeque::new(),
            assigned: 0,
        };
        let scheduler = Scheduler {
            bounds,
            isolation,
            interrupt,
            state: Mutex::new(state),
        };
        (scheduler, asked)
    }

    /// Numbers of running and of waiting questions.
    pub fn load(&self) -> Load {
        let state = self.state();
        Load {
            running: state.slots.iter().filter(|slot| slot.is_busy).count(),
            waiting: state.waiting.len(),
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
        state.assigned += 1;
        let number = state.assigned;
        match state.best_slot(&job.question.role) {
            Some(slot) => {
                slot.is_busy = true;
                slot.last = number;
                // This cannot fail: a slot's thread ends only at the shutdown.
                let _ = slot.jobs.send(job);
            }
            None if waiting < most => {
                // The running search counts, too.
                job.ahead.send_replace(waiting + 1);
                state.waiting.push_back(job);
            }
            None => return Err(SearchError::Busy { waiting, most }),
        }
        Ok(())
    }

    /// Returns the next question for a slot that has answered one; its process now has this role.
    pub fn next(&self, slot: usize, role: Option<Role>) -> Option<Job> {
        let mut state = self.state();
        let next = state.waiting.pop_front();
        state.publish_places();
        state.assigned += 1;
        let number = state.assigned;
        let slot = state.slots.get_mut(slot)?;
        slot.role = role;
        slot.is_busy = next.is_some();
        if let Some(job) = &next {
            slot.last = number;
            job.ahead.send_replace(0);
        }
        next
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
        state
            .waiting
            .retain(|job| !job.stop.load(Ordering::Relaxed));
        if state.waiting.len() < before {
            state.publish_places();
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
        let idle = self.slots.iter_mut().filter(|slot| !slot.is_busy);
        idle.min_by_key(|slot| {
            let change = match &slot.role {
                Some(role) if role == wanted => 0,
                None => 1,
                Some(_) => 2,
            };
            (change, slot.last)
        })
    }

    fn publish_places(&self) {
        for (index, job) in self.waiting.iter().enumerate() {
            job.ahead.send_replace(index + 1);
        }
    }
}
