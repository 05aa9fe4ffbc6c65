//! An engine of the pool, and the slots: threads that run one process at a time and answer searches.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use buxtehude::protocol::{Command, OptionKind, OptionOffer, Start};
use buxtehude::rules::{VARIANTS, Variant};
use matches::plan::EngineSpec;
use matches::play::engine::{
    Answer, AnswerError, Engine, Placement, Search, StartError, option_commands, quoted,
};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::sandbox::Isolation;

use super::{Found, Job, Question, Queue, Role, SearchError};

/// Time that an engine has for its answer after `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

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
pub(super) struct Worker {
    queue: Arc<Queue>,
    slot: usize,
    process: Option<Process>,
}

/// A process with its current game and options.
struct Process {
    engine: Engine,
    role: Role,
    start: Option<Start>,
    moves: Vec<String>,
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
    pub(super) fn introduce(
        &self,
        isolation: Option<Isolation>,
        ready: Duration,
        interrupt: &Interrupt,
    ) {
        for variant in VARIANTS {
            match self.start(variant, isolation, ready, interrupt) {
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
    pub(super) fn start(
        &self,
        variant: &'static Variant,
        isolation: Option<Isolation>,
        ready: Duration,
        interrupt: &Interrupt,
    ) -> Result<Engine, StartError> {
        let started = Engine::start(
            &self.spec,
            variant.name,
            Placement::anywhere(isolation),
            ready,
            &Log::none(),
            interrupt,
        );
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
        let configured = self.spec.options.iter();
        let mut configured = configured.filter(|(known, _)| known.eq_ignore_ascii_case(name));
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
    pub(super) fn new(queue: Arc<Queue>, slot: usize) -> Worker {
        Worker { queue, slot, process: None }
    }

    /// Answers questions until the channel closes, then quits its process.
    pub(super) fn work(mut self, jobs: &Receiver<Job>) {
        loop {
            match jobs.recv_timeout(self.queue.bounds.idle) {
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
            Err(SearchError::Ending)
        } else {
            self.answer(&job).inspect_err(|_| self.kill())
        };
        let role = self.process.as_ref().map(|process| process.role.clone());
        // The slot is freed first, so that the asker's next question finds it idle.
        self.queue.free(self.slot, role);
        // This fails if the asker no longer waits.
        let _ = job.answer.send(answer);
    }

    fn answer(&mut self, job: &Job) -> Result<Found, SearchError> {
        self.get_ready(&job.question)?;
        let Some(process) = &mut self.process else {
            return Err(SearchError::Ending);
        };
        let answer = process.search(job, &self.queue)?;
        read(&job.question, answer)
    }

    /// Makes a process ready for the question. If an earlier process has died in the meantime, a new one silently
    /// replaces it.
    fn get_ready(&mut self, question: &Question) -> Result<(), SearchError> {
        let Role { engine, variant } = &question.role;
        let is_another = |process: &Process| {
            process.role != question.role || engine.spec.restart && !process.goes_on(question)
        };
        if self.process.as_ref().is_some_and(is_another) {
            self.quit();
        }
        let queue = &self.queue;
        if let Some(process) = &mut self.process {
            if process.begin(question, queue).is_ok() {
                return Ok(());
            }
            self.kill();
        }
        let queue = &self.queue;
        let process = self.process.insert(Process {
            engine: engine.start(variant, queue.isolation, queue.bounds.ready, &queue.interrupt)?,
            role: question.role.clone(),
            start: None,
            moves: Vec::new(),
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
        self.start.as_ref() == Some(&question.position.start)
            && question.position.moves.starts_with(&self.moves)
    }

    /// Makes it ready for a question, and sends the command for a new game if one begins.
    fn begin(&mut self, question: &Question, queue: &Queue) -> Result<(), SearchError> {
        let ready = queue.bounds.ready;
        let begun = if self.goes_on(question) {
            self.engine.make_ready(ready)
        } else {
            self.engine.begin("a game at the table", None, ready)
        };
        begun.map_err(|failure| self.error(failure))?;
        self.start = Some(question.position.start.clone());
        self.moves.clone_from(&question.position.moves);
        Ok(())
    }

    fn search(&mut self, job: &Job, queue: &Queue) -> Result<Answer, SearchError> {
        let question = &job.question;
        let options = self.options_to_set(&question.options);
        let name = &self.role.engine.spec.name;
        let mut commands = option_commands(name, &options, self.engine.offers())?;
        self.changed.clone_from(&question.options);
        commands.push(Command::Position(question.position.clone()));
        commands.push(Command::Go(question.go.clone()));
        let time = Duration::from_millis(question.go.movetime.unwrap_or_default());
        let search = Search {
            commands: &commands,
            patience: time.saturating_add(queue.bounds.margin),
            stop: &job.stop,
            patience_after_stop: STOP_TIMEOUT,
        };
        let answered = self.engine.search(search, |info| {
            // Reports are dropped if the asker does not read them, or is too slow.
            let _ = job.infos.try_send(info);
        });
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
    fn error(&self, error: AnswerError) -> SearchError {
        let name = &self.role.engine.spec.name;
        let stderr = quoted(&self.engine.stderr_tail());
        match error {
            AnswerError::Interrupted => SearchError::Ending,
            AnswerError::Stalled => {
                SearchError::Timeout(format!("engine {name}: no answer in time{stderr}"))
            }
            error => SearchError::Engine(format!("engine {name}: {error}{stderr}")),
        }
    }
}

/// Validates an answer.
fn read(question: &Question, answer: Answer) -> Result<Found, SearchError> {
    let name = &question.role.engine.spec.name;
    let wrong = |reason: String| SearchError::Engine(format!("engine {name}: {reason}"));
    let best_move = answer.best_move.map_err(wrong)?;
    let mv = best_move.best.unwrap_or_else(|| "(none)".to_string());
    if !question.legal.contains(&mv) {
        let expected = question.legal.join(" ");
        return Err(wrong(format!("its best move is {mv:?}; expected one of {expected}")));
    }
    Ok(Found { mv, estimate: best_move.estimate, info: answer.info })
}
