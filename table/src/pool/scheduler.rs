//! The scheduler: assigns questions to slots, and queues those that must wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;

use super::permit::{Asked, Job};
use super::worker::Worker;
use super::{Bounds, Busy, Entry, Load, Permit, Question};

/// State that all slots share.
#[derive(Debug)]
pub struct Scheduler {
    entries: Vec<Entry>,
    bounds: Bounds,
    isolation: Option<Isolation>,
    /// Set at shutdown.
    interrupt: Interrupt,
    number: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    slots: Vec<Slot>,
    waiting: VecDeque<Job>,
    has_ended: bool,
}

/// A thread that runs at most one process.
#[derive(Debug, Default)]
struct Slot {
    /// Channel for its questions; `None` until it is first needed.
    questions: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// Its process, if any.
    holds: Option<Held>,
    is_busy: bool,
    /// Number of its last question.
    last: u64,
}

/// Engine and variant of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Index of the engine.
    pub engine: usize,
    /// Name of the variant.
    pub variant: &'static str,
}

impl Held {
    /// Returns the process that a question needs.
    pub fn wanted(question: &Question) -> Held {
        Held {
            engine: question.engine,
            variant: question.variant.name,
        }
    }
}

impl Scheduler {
    /// A scheduler without processes.
    pub fn new(
        entries: Vec<Entry>,
        bounds: Bounds,
        isolation: Option<Isolation>,
        interrupt: Interrupt,
    ) -> Scheduler {
        let slots = (0..bounds.processes.max(1)).map(|_| Slot::default());
        let state = State {
            slots: slots.collect(),
            waiting: VecDeque::new(),
            has_ended: false,
        };
        Scheduler {
            entries,
            bounds,
            isolation,
            interrupt,
            number: AtomicU64::new(1),
            state: Mutex::new(state),
        }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub fn isolation(&self) -> Option<Isolation> {
        self.isolation
    }

    /// Flag that is set at shutdown.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
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
    pub fn ask(scheduler: &Arc<Scheduler>, question: Question, follows: bool) -> Asked {
        let number = scheduler.number.fetch_add(1, Ordering::Relaxed);
        let mut state = scheduler.state();
        let waiting = state.waiting.len();
        let slot = state.best_slot(Held::wanted(&question));
        if slot.is_none() && waiting >= scheduler.bounds.queue {
            return Err(Busy {
                waiting,
                most: scheduler.bounds.queue,
            });
        }
        let (job, permit) = Permit::issue(scheduler, number, question, follows);
        match slot {
            _ if state.has_ended => job.refuse(),
            Some(slot) => scheduler.clone().hand_over(&mut state, slot, job),
            None => {
                // The running search counts, too.
                job.ahead.send_replace(waiting + 1);
                state.waiting.push_back(job);
            }
        }
        drop(state);
        Ok(permit)
    }

    fn hand_over(self: Arc<Scheduler>, state: &mut State, number: usize, job: Job) {
        let Some(slot) = state.slots.get_mut(number) else {
            return job.refuse();
        };
        if slot.questions.is_none() {
            let (questions, asked) = channel();
            let worker = Worker::new(self, number);
            let thread = thread::Builder::new().name(format!("engine {number}"));
            match thread.spawn(move || worker.work(&asked)) {
                Ok(thread) => slot.thread = Some(thread),
                Err(_) => return job.refuse(),
            }
            slot.questions = Some(questions);
        }
        slot.is_busy = true;
        slot.last = job.number;
        if let Some(questions) = &slot.questions {
            // This cannot fail: a thread ends only with the scheduler.
            let _ = questions.send(job);
        }
    }

    /// Returns the next question for a slot that has answered one; the slot now has the process `holds`.
    pub fn next(&self, number: usize, holds: Option<Held>) -> Option<Job> {
        let mut state = self.state();
        let next = state.waiting.pop_front();
        state.tell_waiting();
        let slot = state.slots.get_mut(number)?;
        slot.holds = holds;
        slot.is_busy = next.is_some();
        if let Some(job) = &next {
            slot.last = job.number;
            job.ahead.send_replace(0);
        }
        next
    }

    /// Notes that a slot has quit its idle process.
    pub fn emptied(&self, number: usize) {
        if let Some(slot) = self.state().slots.get_mut(number) {
            slot.holds = None;
        }
    }

    /// Removes a question from the queue, if it is there.
    pub fn forget(&self, number: u64) {
        let mut state = self.state();
        let before = state.waiting.len();
        state.waiting.retain(|job| job.number != number);
        if state.waiting.len() < before {
            state.tell_waiting();
        }
    }

    /// Stops all searches, processes and threads.
    pub fn end(&self) {
        self.interrupt.set();
        let mut state = self.state();
        state.has_ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        let slots = std::mem::take(&mut state.slots);
        drop(state);
        waiting.into_iter().for_each(Job::refuse);
        // Dropping the senders has ended the threads, which quit their processes.
        let threads = slots.into_iter().filter_map(|slot| slot.thread);
        for thread in Vec::from_iter(threads) {
            let _ = thread.join();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the best idle slot: one with the right process, else an empty one, else the least recently used.
    fn best_slot(&self, wanted: Held) -> Option<usize> {
        let idle = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| !slot.is_busy);
        let best = idle.min_by_key(|(_, slot)| {
            let change = match slot.holds {
                Some(held) if held == wanted => 0,
                None => 1,
                Some(_) => 2,
            };
            (change, slot.last)
        });
        best.map(|(number, _)| number)
    }

    fn tell_waiting(&self) {
        for (index, job) in self.waiting.iter().enumerate() {
            job.ahead.send_replace(index + 1);
        }
    }
}
