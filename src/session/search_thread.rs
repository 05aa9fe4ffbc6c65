//! The search thread: receives tasks through a channel, runs one at a time, and sends events back. A second thread
//! builds the tables for a position that arrives meanwhile.

use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::answers;
use crate::bench;
use crate::eval::{Evaluate, Evaluators};
use crate::rules::{AnyPosition, Seat, with_position};
use crate::search::{Answer, Control, Memory, Report, Request, search};

/// Task of the search thread.
#[derive(Debug)]
pub enum Task {
    Search(Request),
    /// Counts the leaves below each move, to a depth of at least 1.
    Perft(AnyPosition, u32),
    /// Searches the fixed positions to a depth.
    Bench(u32),
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
    /// Any other work is over.
    Finished {
        /// Name of the work.
        name: &'static str,
        /// Its output, or `None` if it was stopped.
        output: Option<String>,
    },
    /// A thread has panicked, and sends nothing more.
    Panicked,
}

/// The search thread. Dropping it stops the task and joins the thread.
#[derive(Debug)]
pub struct SearchThread {
    tasks: Option<Sender<(Task, Control)>>,
    /// Sends positions to the thread that builds their tables.
    positions: Sender<AnyPosition>,
    events: Receiver<Event>,
    thread: Option<JoinHandle<()>>,
    running: Option<Control>,
}

impl SearchThread {
    /// Starts the threads.
    ///
    /// # Errors
    /// A thread could not be started.
    pub fn start(size: MemorySize, evaluators: Evaluators) -> std::io::Result<SearchThread> {
        let (task_sender, tasks) = bounded::<(Task, Control)>(1);
        // Unbounded, so that a client that does not read never blocks a search that should stop. A task sends at most
        // one event per iteration.
        let (event_sender, events) = unbounded();
        // Unbounded, so that tables never hold back the session. A client's last position is the one to search.
        let (positions, to_prepare) = unbounded::<AnyPosition>();
        let (builder_events, tables) = (event_sender.clone(), evaluators.clone());
        thread::Builder::new().name("tables".into()).spawn(move || {
            let events = Events(builder_events);
            for position in &to_prepare {
                if to_prepare.is_empty() {
                    build_tables(&position, &tables);
                }
                if events.0.send(Event::Prepared).is_err() {
                    return;
                }
            }
        })?;
        let thread = thread::Builder::new().name("search".into()).spawn(move || {
            let events = Events(event_sender);
            let mut memory = size.memory(&evaluators);
            for (task, control) in tasks {
                if work(task, &control, &mut memory, &evaluators, &events.0).is_none() {
                    return;
                }
            }
        })?;
        let (tasks, thread) = (Some(task_sender), Some(thread));
        Ok(SearchThread { tasks, positions, events, thread, running: None })
    }

    /// Starts a task; the previous one must have sent its last event.
    pub fn begin(&mut self, task: Task, control: Control) {
        self.running = Some(control.clone());
        if let Some(tasks) = &self.tasks {
            // The thread ends only after the sender is dropped, or by a panic, which it reports.
            let _ = tasks.send((task, control));
        }
    }

    /// Builds the tables of the position's game while a task is running, unless another position follows at once.
    pub fn prepare_meanwhile(&self, position: AnyPosition) {
        // As for tasks.
        let _ = self.positions.send(position);
    }

    /// Starts a task that nothing stops.
    pub fn queue(&mut self, task: Task) {
        self.begin(task, Control::new(None));
    }

    /// Events from the thread.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }
}

impl Drop for SearchThread {
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

/// The sender of a thread, which reports the thread's panic.
struct Events(Sender<Event>);

impl Drop for Events {
    fn drop(&mut self) {
        if thread::panicking() {
            // Without a receiver, the session has ended.
            let _ = self.0.send(Event::Panicked);
        }
    }
}

fn build_tables(position: &AnyPosition, evaluators: &Evaluators) {
    position.turns_home(Seat(0));
    position.solved();
    with_position!(position, position => drop(position.evaluator(evaluators)));
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
            let counts = position.perft_by_action(depth, &mut || control.should_stop());
            Event::Finished { name: "perft", output: counts.map(|counts| answers::perft(&counts)) }
        }
        Task::Bench(depth) => {
            // The signature must depend neither on options nor on the current game.
            let mut own = Memory::for_threads(1, bench::MEBIBYTES, evaluators.clone());
            let result = bench::run(depth, &mut own, control);
            Event::Finished { name: "bench", output: result.map(|result| answers::bench(&result)) }
        }
        Task::Replace(size) => {
            // Frees the old memory first, so that two never exist at the same time.
            *memory = Memory::for_threads(1, 1, evaluators.clone());
            *memory = size.memory(evaluators);
            return Some(());
        }
        Task::Forget => {
            memory.forget();
            return Some(());
        }
        Task::Prepare(position) => {
            build_tables(&position, evaluators);
            Event::Prepared
        }
    };
    events.send(event).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rules::VARIANTS;

    #[test]
    fn positions_never_wait_for_the_tables_of_those_before() {
        const POSITIONS: usize = 40;
        let size = MemorySize { mebibytes: 1, threads: 1 };
        let threads = SearchThread::start(size, Evaluators::default()).unwrap();
        let variant = &VARIANTS[0];
        for seats in (3..=6).cycle().take(POSITIONS) {
            threads.prepare_meanwhile(variant.start(seats).unwrap());
        }
        let prepared = threads.events().len();
        assert!(prepared < POSITIONS / 2, "{prepared} were prepared first");
        for _ in 0..POSITIONS {
            let event = threads.events().recv_timeout(Duration::from_secs(60)).unwrap();
            assert!(matches!(event, Event::Prepared), "{event:?}");
        }
        assert!(threads.events().is_empty());
    }
}
