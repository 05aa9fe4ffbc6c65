//! A slot: a thread that runs one engine process at a time and answers questions.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use buxtehude::protocol::{Command, Start};
use matches::play::engine::{Answer, AnswerError, Engine, Search, option_commands, quoted};

use super::question::{Found, Job, Question, Role, SearchError};
use super::scheduler::Scheduler;

/// Time that an engine has for its answer after `stop`.
const PATIENCE_AFTER_STOP: Duration = Duration::from_secs(2);

pub struct Worker {
    scheduler: Arc<Scheduler>,
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

impl Worker {
    pub fn new(scheduler: Arc<Scheduler>, slot: usize) -> Worker {
        Worker { scheduler, slot, process: None }
    }

    /// Answers questions until the channel closes, then quits its process.
    pub fn work(mut self, jobs: &Receiver<Job>) {
        loop {
            match jobs.recv_timeout(self.scheduler.bounds.idle) {
                Ok(job) => {
                    let mut next = Some(job);
                    while let Some(job) = next {
                        next = self.serve(job);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.process.is_some() {
                        self.scheduler.emptied(self.slot);
                        self.quit();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.quit(),
            }
        }
    }

    /// Answers one question; returns the next one.
    fn serve(&mut self, job: Job) -> Option<Job> {
        let answer = if job.stop.load(Ordering::Relaxed) {
            Err(SearchError::Ending)
        } else {
            self.answer(&job).inspect_err(|_| self.kill())
        };
        let role = self.process.as_ref().map(|process| process.role.clone());
        // The slot is freed first, so that the asker's next question finds it idle.
        let next = self.scheduler.next(self.slot, role);
        // This fails if the asker no longer waits.
        let _ = job.answer.send(answer);
        next
    }

    fn answer(&mut self, job: &Job) -> Result<Found, SearchError> {
        self.get_ready(&job.question)?;
        let Some(process) = &mut self.process else {
            return Err(SearchError::Ending);
        };
        let answer = process.search(job, &self.scheduler)?;
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
        let scheduler = &self.scheduler;
        if let Some(process) = &mut self.process {
            if process.begin(question, scheduler).is_ok() {
                return Ok(());
            }
            self.kill();
        }
        let scheduler = &self.scheduler;
        let process = self.process.insert(Process {
            engine: engine.start(
                variant, scheduler.isolation, scheduler.bounds.ready, &scheduler.interrupt,
            )?,
            role: question.role.clone(),
            start: None,
            moves: Vec::new(),
            changed: Vec::new(),
        });
        process.begin(question, scheduler)
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
    fn begin(&mut self, question: &Question, scheduler: &Scheduler) -> Result<(), SearchError> {
        let ready = scheduler.bounds.ready;
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

    fn search(&mut self, job: &Job, scheduler: &Scheduler) -> Result<Answer, SearchError> {
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
            patience: time.saturating_add(scheduler.bounds.margin),
            stop: &job.stop,
            patience_after_stop: PATIENCE_AFTER_STOP,
        };
        let answered = self.engine.search(search, |info| {
            if let Some(infos) = &job.infos {
                // Reports are dropped if the asker is gone or too slow.
                let _ = infos.try_send(info);
            }
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
