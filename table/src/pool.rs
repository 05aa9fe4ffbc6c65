//! The queue of searches, and the engine processes that answer them.
//!
//! [`Pool::ask`] puts a question into the queue. The thread of a free slot takes the one whose turn it is, and its
//! process answers.
//!
//! A process belongs to a slot, which is a thread: an engine lives in the thread that started it. An asker gets a
//! [`Pending`] answer; dropping it stops the search, and the process stays. A failure costs one answer and one process,
//! and affects no other request.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::http::StatusCode;
use buxtehude::protocol::{Command, Go, Info, OptionKind, OptionOffer, PositionCommand};
use buxtehude::rules::{VARIANTS, Variant};
use matches::plan::EngineSpec;
use matches::play::engine::{
    Answer, AnswerError, Engine, Follower, Placement, StartError, lines, option_commands, quoted,
};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::sandbox::Isolation;
use tokio::sync::{mpsc, oneshot, watch};

use crate::args::SearchLimits;
use crate::error::ApiError;
use crate::requests::ClientId;

/// Capacity for an engine's reports that the asker has not read; further ones are dropped.
const MAX_UNREAD: usize = 1024;
/// Time that an engine has for its answer after `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Engines, their processes, and the queue of searches for them.
#[derive(Debug)]
pub struct Pool {
    entries: Vec<Arc<Entry>>,
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
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

/// An answer that is pending. Dropping it early stops the search.
#[derive(Debug)]
pub struct Pending {
    stop: Arc<AtomicBool>,
    queue: Arc<Queue>,
    /// Reports of the running search.
    pub infos: mpsc::Receiver<Info>,
    /// Number of searches before this one; 0 once it runs.
    pub ahead: watch::Receiver<usize>,
    /// The channel closes without an answer if the pool has ended.
    pub answer: oneshot::Receiver<Result<Found, ApiError>>,
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
    answer: oneshot::Sender<Result<Found, ApiError>>,
}

/// The searches that wait, and the slots that run them.
#[derive(Debug)]
struct Queue {
    limits: SearchLimits,
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
        limits: SearchLimits,
        isolation: Option<Isolation>,
    ) -> io::Result<Pool> {
        let entries = Vec::from_iter(specs.into_iter().map(|spec| Arc::new(Entry::new(spec))));
        let (slots, jobs): (Vec<Slot>, Vec<_>) = (0..limits.processes())
            .map(|_| {
                let (sender, jobs) = channel();
                (Slot { jobs: sender, role: None, client: None, last: 0 }, jobs)
            })
            .unzip();
        let state = State { slots, waiting: Vec::new(), most: limits.queue.into(), submitted: 0 };
        let (interrupt, state) = (Interrupt::new(), Mutex::new(state));
        let queue = Arc::new(Queue { limits, isolation, interrupt, state });
        thread::scope(|scope| {
            for entry in &entries {
                scope.spawn(|| entry.introduce(&queue));
            }
        });
        let spawn = |(slot, jobs)| {
            let worker = Worker { queue: queue.clone(), slot, process: None };
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

    /// Numbers of searches that run, and that wait.
    pub fn load(&self) -> (usize, usize) {
        let state = self.queue.state();
        let running = state.slots.iter().filter(|slot| slot.client.is_some()).count();
        (running, state.waiting.len())
    }

    /// Asks an engine as soon as a process is free and it is the client's turn.
    pub fn ask(&self, client: ClientId, question: Question, purpose: Purpose) -> Pending {
        let stop = Arc::new(AtomicBool::new(false));
        let (ahead_sender, ahead) = watch::channel(0);
        let (answer_sender, answer) = oneshot::channel();
        let (infos_sender, infos) = mpsc::channel(MAX_UNREAD);
        let mut state = self.queue.state();
        // After the shutdown there is no job, which its asker learns from the closed channel.
        if !state.slots.is_empty() {
            state.submitted += 1;
            let number = state.submitted;
            state.waiting.push(Job {
                client,
                question,
                purpose,
                number,
                stop: stop.clone(),
                infos: infos_sender,
                ahead: ahead_sender,
                answer: answer_sender,
            });
            state.assign();
        }
        drop(state);
        Pending { stop, queue: self.queue.clone(), infos, ahead, answer }
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

impl Pending {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`ApiError`] if the engine fails, too many searches wait, or the server ends.
    pub async fn wait(mut self) -> Result<Found, ApiError> {
        self.infos.close();
        (&mut self.answer).await.unwrap_or_else(|_| Err(ApiError::ending()))
    }
}

impl Drop for Pending {
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
            let most = self.most;
            let message = format!(
                "{most} searches are waiting for an engine; expected fewer than {most}: try again later"
            );
            let refusal = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message);
            // This fails if the asker no longer waits.
            let _ = job.answer.send(Err(refusal));
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

// --- Engines and their processes ---

/// An engine's report about itself.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// Its name.
    pub id: Option<String>,
    pub offers: Vec<OptionOffer>,
    /// Reason why it could not be started; `None` if it could.
    pub error: Option<String>,
}

/// An engine of the pool.
#[derive(Debug)]
pub struct Entry {
    pub spec: EngineSpec,
    introduction: Mutex<Introduction>,
}

/// The thread of a slot.
struct Worker {
    queue: Arc<Queue>,
    slot: usize,
    process: Option<Process>,
}

/// A process with its current game and options.
struct Process {
    engine: Engine,
    role: Role,
    /// Position of the last question.
    position: Option<PositionCommand>,
    /// Options that differ from their usual values.
    changed: Vec<(String, String)>,
}

impl Entry {
    /// An engine that has not been started yet.
    pub fn new(spec: EngineSpec) -> Entry {
        Entry { spec, introduction: Mutex::default() }
    }

    /// Its last report about itself.
    pub fn introduction(&self) -> Introduction {
        self.introduced().clone()
    }

    fn introduced(&self) -> MutexGuard<'_, Introduction> {
        self.introduction.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it once, for the first variant that it plays, to get its report.
    fn introduce(&self, queue: &Queue) {
        for variant in VARIANTS {
            match self.start(variant, queue) {
                Ok(engine) => return Engine::quit_all([engine]),
                Err(StartError::UnknownVariant { .. }) => {}
                Err(_) => return,
            }
        }
    }

    /// Starts a process.
    ///
    /// # Errors
    /// [`StartError`], which is also kept in the introduction.
    fn start(&self, variant: &Variant, queue: &Queue) -> Result<Engine, StartError> {
        let placement = Placement::anywhere(queue.isolation);
        let (ready, interrupt) = (queue.limits.ready, &queue.interrupt);
        let started =
            Engine::start(&self.spec, variant.name, placement, ready, &Log::none(), interrupt);
        let mut introduction = self.introduced();
        match &started {
            Ok(engine) => {
                *introduction = Introduction {
                    id: engine.id_name().map(String::from),
                    offers: engine.offers().readable.clone(),
                    error: None,
                };
            }
            Err(error) => introduction.error = Some(error.to_string()),
        }
        started
    }

    /// Returns the value of an option unless a request sets another: the configured one, or the engine's default.
    /// `None` for a button, and for an unknown option.
    pub fn usual(&self, name: &str) -> Option<String> {
        let mut configured =
            self.spec.options.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((_, value)) = configured.next_back() {
            return Some(value.clone());
        }
        let introduction = self.introduced();
        let offer = introduction.offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name));
        match &offer?.kind {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::Combo { default, .. } | OptionKind::String { default } => {
                Some(default.clone())
            }
            OptionKind::Button => None,
        }
    }
}

impl Worker {
    /// Answers questions until the channel closes, then quits its process.
    fn work(mut self, jobs: &Receiver<Job>) {
        loop {
            match jobs.recv_timeout(self.queue.limits.idle) {
                Ok(job) => self.serve(job),
                Err(RecvTimeoutError::Timeout) => {
                    if self.process.is_some() {
                        self.queue.note_empty(self.slot);
                        self.quit();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.quit(),
            }
        }
    }

    fn serve(&mut self, job: Job) {
        let answer = if job.stop.load(Ordering::Relaxed) {
            Err(ApiError::ending())
        } else {
            self.answer(&job).inspect_err(|_| self.kill())
        };
        let role = self.process.as_ref().map(|process| process.role.clone());
        // The slot is freed first, so that the asker's next question finds it idle.
        self.queue.free(self.slot, role);
        // This fails if the asker no longer waits.
        let _ = job.answer.send(answer);
    }

    fn answer(&mut self, job: &Job) -> Result<Found, ApiError> {
        self.get_ready(&job.question)?;
        let Some(process) = &mut self.process else {
            return Err(ApiError::ending());
        };
        let answer = process.search(job, &self.queue)?;
        read(&job.question, answer)
    }

    /// Makes a process ready for the question. If an earlier process has died in the meantime, a new one silently
    /// replaces it.
    fn get_ready(&mut self, question: &Question) -> Result<(), ApiError> {
        let Role { engine, variant } = &question.role;
        let is_another = |process: &Process| {
            process.role != question.role || engine.spec.restart && !process.goes_on(question)
        };
        if self.process.as_ref().is_some_and(is_another) {
            self.quit();
        }
        let queue = &self.queue;
        let can_begin = |process: &mut Process| process.begin(question, queue).is_ok();
        if self.process.as_mut().is_some_and(can_begin) {
            return Ok(());
        }
        self.kill();
        let queue = &self.queue;
        let process = self.process.insert(Process {
            engine: engine.start(variant, queue)?,
            role: question.role.clone(),
            position: None,
            changed: Vec::new(),
        });
        process.begin(question, queue)
    }

    fn quit(&mut self) {
        Engine::quit_all(self.process.take().map(|process| process.engine));
    }

    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.engine.dismiss();
        }
    }
}

impl Process {
    /// Whether a question continues the game of the last one.
    fn goes_on(&self, question: &Question) -> bool {
        let PositionCommand { start, moves } = &question.position;
        let last = self.position.as_ref();
        last.is_some_and(|last| last.start == *start && moves.starts_with(&last.moves))
    }

    /// Makes it ready for a question, and sends the command for a new game if one begins.
    fn begin(&mut self, question: &Question, queue: &Queue) -> Result<(), ApiError> {
        let ready = queue.limits.ready;
        let begun = if self.goes_on(question) {
            self.engine.make_ready(ready)
        } else {
            self.engine.new_game("a game at the table", None, ready)
        };
        begun.map_err(|failure| self.error(failure))?;
        self.position = Some(question.position.clone());
        Ok(())
    }

    fn search(&mut self, job: &Job, queue: &Queue) -> Result<Answer, ApiError> {
        let question = &job.question;
        let options = self.options_to_set(&question.options);
        let name = &self.role.engine.spec.name;
        let mut commands = option_commands(name, &options, self.engine.offers())?;
        self.changed.clone_from(&question.options);
        commands.push(Command::Position(question.position.clone()));
        commands.push(Command::Go(question.go.clone()));
        let time = Duration::from_millis(question.go.movetime.unwrap_or_default());
        let timeout = time.saturating_add(queue.limits.margin);
        let follower = Follower {
            stop: &job.stop,
            patience_after_stop: STOP_TIMEOUT,
            // Reports are dropped if the asker does not read them, or is too slow.
            on_info: &mut |info| drop(job.infos.try_send(info)),
        };
        let answered = self.engine.go(&lines(&commands), timeout, Some(follower));
        answered.map_err(|failure| self.error(failure))
    }

    /// Options to set so that the question's options apply, and all others have their usual values.
    fn options_to_set(&self, wanted: &[(String, String)]) -> Vec<(String, String)> {
        let is_wanted = |name: &String| wanted.iter().any(|(wanted, _)| wanted == name);
        let changed = self.changed.iter().filter(|(name, _)| !is_wanted(name));
        let usual = |name: &String| self.role.engine.usual(name);
        let back = changed.filter_map(|(name, _)| Some((name.clone(), usual(name)?)));
        let new = wanted.iter().filter(|option| !self.changed.contains(option));
        back.chain(new.cloned()).collect()
    }

    /// Describes a failure, with the last lines of the engine's standard error.
    fn error(&self, error: AnswerError) -> ApiError {
        let name = &self.role.engine.spec.name;
        let stderr = quoted(&self.engine.stderr_tail());
        match error {
            AnswerError::Interrupted => ApiError::ending(),
            AnswerError::Stalled => {
                let message = format!("engine {name}: no answer in time{stderr}");
                ApiError::new(StatusCode::GATEWAY_TIMEOUT, message)
            }
            error => ApiError::bad_gateway(format!("engine {name}: {error}{stderr}")),
        }
    }
}

/// Validates an answer.
fn read(question: &Question, answer: Answer) -> Result<Found, ApiError> {
    let name = &question.role.engine.spec.name;
    let wrong = |reason: String| ApiError::bad_gateway(format!("engine {name}: {reason}"));
    let best_move = answer.best_move.map_err(wrong)?;
    let mv = best_move.best.unwrap_or_else(|| "(none)".to_string());
    if !question.legal.contains(&mv) {
        let expected = question.legal.join(" ");
        return Err(wrong(format!("its best move is {mv:?}; expected one of {expected}")));
    }
    Ok(Found { mv, estimate: best_move.estimate, info: answer.info })
}
