//! The search thread: receives tasks through a channel, runs one at a time, and sends events back.

use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::bench::{self, BenchResult};
use crate::eval::{Evaluate, Evaluators};
use crate::rules::{AnyPosition, Census, Seat, Variant, with_position};
use crate::search::{Answer, Control, Memory, Report, Request, search};

/// Task of the search thread.
#[derive(Debug)]
pub enum Task {
    Search(Request),
    /// Counts the leaves below each move, to a depth of at least 1.
    Perft(AnyPosition, u32),
    /// Searches the fixed positions to a depth.
    Bench(u32),
    /// Counts the positions of each solved game and the wins of each seat.
    Solve,
    /// Replaces the search memory by an empty one. Sends no event.
    Replace(MemorySize),
    /// Clears the search memory. Sends no event.
    Forget,
    /// Builds the tables of the position's game, so that no search has to.
    Prepare(AnyPosition),
}

/// Size of the search memory, and the number of threads that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySize {
    /// MiB for all threads together.
    pub mebibytes: usize,
    /// Number of search threads.
    pub threads: usize,
}

impl MemorySize {
    fn memory(self, evaluators: &Evaluators) -> Memory {
        Memory::for_threads(self.threads, self.mebibytes, evaluators.clone())
    }
}

/// Event from the search thread.
#[derive(Debug)]
pub enum Event {
    /// The requested tables are built.
    Prepared,
    /// An iteration is complete.
    Report(Report),
    /// The search is over; `None` if there was nothing to move.
    Answer(Option<Answer>),
    /// The leaves below each move, or `None` if the count was stopped.
    Perft(Option<Vec<(String, u64)>>),
    /// The bench is over, or `None` if it was stopped.
    Bench(Option<BenchResult>),
    /// The counts of `solve`.
    Solved(Vec<SolvedVariant>),
}

/// A solved variant and its counts.
pub type SolvedVariant = (&'static Variant, Census<AnyPosition>);

/// The search thread. Dropping it stops the task and joins the thread.
#[derive(Debug)]
pub struct Worker {
    tasks: Option<Sender<(Task, Control)>>,
    events: Receiver<Event>,
    thread: Option<JoinHandle<()>>,
    running: Option<Control>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(size: MemorySize, evaluators: Evaluators) -> std::io::Result<Worker> {
        let (task_sender, tasks) = bounded::<(Task, Control)>(1);
        // Unbounded, so that a client that does not read never blocks a search that should stop. A task sends at most
        // one event per iteration.
        let (event_sender, events) = unbounded();
        let thread = thread::Builder::new()
            .name("search".into())
            .spawn(move || {
                let mut memory = size.memory(&evaluators);
                for (task, control) in tasks {
                    if work(task, &control, &mut memory, &evaluators, &event_sender).is_none() {
                        return;
                    }
                }
            })?;
        Ok(Worker {
            tasks: Some(task_sender),
            events,
            thread: Some(thread),
            running: None,
        })
    }

    /// Starts a task; the previous one must have sent its last event.
    pub fn begin(&mut self, task: Task, control: Control) {
        self.running = Some(control.clone());
        if let Some(tasks) = &self.tasks {
            // The thread ends only after the sender is dropped.
            let _ = tasks.send((task, control));
        }
    }

    /// Replaces the search memory by an empty one before the next task.
    pub fn replace_memory(&mut self, size: MemorySize) {
        self.begin(Task::Replace(size), Control::new(None));
    }

    /// Clears the search memory before the next task.
    pub fn forget(&mut self) {
        self.begin(Task::Forget, Control::new(None));
    }

    /// Builds the tables of the position's game before the next task.
    pub fn prepare(&mut self, position: AnyPosition) {
        self.begin(Task::Prepare(position), Control::new(None));
    }

    /// Events from the thread.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(control) = &self.running {
            control.stop();
        }
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Runs a task; returns `None` once the receiver of the events is gone.
fn work(
    task: Task,
    control: &Control,
    memory: &mut Memory,
    evaluators: &Evaluators,
    events: &Sender<Event>,
) -> Option<()> {
    let event = match task {
        Task::Search(request) => {
            let mut observe = |report| {
                // A session that has dropped the receiver has stopped the search too.
                let _ = events.send(Event::Report(report));
            };
            Event::Answer(search(&request, memory, control, &mut observe))
        }
        Task::Perft(position, depth) => {
            Event::Perft(position.perft_by_action(depth, &mut || control.should_stop()))
        }
        Task::Solve => Event::Solved(Variant::solved().collect()),
        Task::Bench(depth) => {
            // The bench signature is defined for one thread and must not depend on the current game.
            let mut own = Memory::with_evaluators(memory.mebibytes(), evaluators.clone());
            Event::Bench(bench::run(depth, &mut own, control))
        }
        Task::Replace(size) => {
            // Frees the old memory first, so that two never exist at the same time.
            *memory = Memory::with_evaluators(1, evaluators.clone());
            *memory = size.memory(evaluators);
            return Some(());
        }
        Task::Forget => {
            memory.forget();
            return Some(());
        }
        Task::Prepare(position) => {
            position.turns_home(Seat(0));
            position.solved();
            with_position!(&position, position => drop(position.evaluator(evaluators)));
            Event::Prepared
        }
    };
    events.send(event).ok()
}
