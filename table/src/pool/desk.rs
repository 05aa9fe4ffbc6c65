//! The desk: who is asked next, by which slot, and who waits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use matches::play::interrupt::Interrupt;
use matches::play::walls::Isolation;

use super::ticket::{Asked, Job};
use super::worker::Worker;
use super::{Bounds, Busy, Entry, Load, Question, Ticket};

/// What slots share.
#[derive(Debug)]
pub struct Desk {
    entries: Vec<Entry>,
    bounds: Bounds,
    isolation: Option<Isolation>,
    /// Set when all ends.
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

/// A thread with room for one process.
#[derive(Debug, Default)]
struct Slot {
    /// Where its questions are put; `None` until it is first needed.
    questions: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// Whose process it has.
    holds: Option<Held>,
    is_busy: bool,
    /// The number of the question that it answered last.
    last: u64,
}

/// The engine of a process, and what it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The number of the engine.
    pub engine: usize,
    /// The name of the variant.
    pub variant: &'static str,
}

impl Held {
    /// What a question needs.
    pub fn wanted(question: &Question) -> Held {
        Held {
            engine: question.engine,
            variant: question.variant.name,
        }
    }
}

impl Desk {
    /// A desk with no process.
    pub fn new(
        entries: Vec<Entry>,
        bounds: Bounds,
        isolation: Option<Isolation>,
        interrupt: Interrupt,
    ) -> Desk {
        let slots = (0..bounds.processes.max(1)).map(|_| Slot::default());
        let state = State {
            slots: slots.collect(),
            waiting: VecDeque::new(),
            has_ended: false,
        };
        Desk {
            entries,
            bounds,
            isolation,
            interrupt,
            number: AtomicU64::new(1),
            state: Mutex::new(state),
        }
    }

    /// The engines.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What may be used.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether engines are isolated.
    pub fn isolation(&self) -> Option<Isolation> {
        self.isolation
    }

    /// Set when all ends.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// How many questions are answered, and wait.
    pub fn load(&self) -> Load {
        let state = self.state();
        Load {
            running: state.slots.iter().filter(|slot| slot.is_busy).count(),
            waiting: state.waiting.len(),
        }
    }

    /// Hands a question to a slot, or has it wait.
    pub fn ask(desk: &Arc<Desk>, question: Question, follows: bool) -> Asked {
        let number = desk.number.fetch_add(1, Ordering::Relaxed);
        let mut state = desk.state();
        let waiting = state.waiting.len();
        let slot = state.best_slot(Held::wanted(&question));
        if slot.is_none() && waiting >= desk.bounds.queue {
            return Err(Busy {
                waiting,
                most: desk.bounds.queue,
            });
        }
        let (job, ticket) = Ticket::issue(desk, number, question, follows);
        match slot {
            _ if state.has_ended => job.refuse(),
            Some(slot) => desk.clone().hand_over(&mut state, slot, job),
            None => {
                // The one that runs is before the first that waits.
                job.ahead.send_replace(waiting + 1);
                state.waiting.push_back(job);
            }
        }
        drop(state);
        Ok(ticket)
    }

    fn hand_over(self: Arc<Desk>, state: &mut State, number: usize, job: Job) {
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
            // A thread ends with the desk alone.
            let _ = questions.send(job);
        }
    }

    /// What a slot that has answered is to do next; it now has the process `holds`.
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

    /// Notes that a slot has ended its process, as nobody needed it.
    pub fn emptied(&self, number: usize) {
        if let Some(slot) = self.state().slots.get_mut(number) {
            slot.holds = None;
        }
    }

    /// Takes a question out of the queue, if it waits there.
    pub fn forget(&self, number: u64) {
        let mut state = self.state();
        let before = state.waiting.len();
        state.waiting.retain(|job| job.number != number);
        if state.waiting.len() < before {
            state.tell_waiting();
        }
    }

    /// Ends all.
    pub fn end(&self) {
        self.interrupt.set();
        let mut state = self.state();
        state.has_ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        let slots = std::mem::take(&mut state.slots);
        drop(state);
        waiting.into_iter().for_each(Job::refuse);
        // Without their senders the threads end, and with them their processes.
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
    /// The idle slot that suits best: one with such a process, else an empty one, else the one not needed for longest.
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
