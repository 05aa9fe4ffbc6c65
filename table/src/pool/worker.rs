//! A slot: a thread that runs one engine process at a time and answers questions.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use buxtehude::protocol::{Command, Start};
use matches::play::engine::{Answer, AnswerError, Engine, Search, option_commands};

use super::permit::Job;
use super::scheduler::{Held, Scheduler};
use super::{Entry, Failing, Found, Question};

/// Time that an engine has for its answer after `stop`.
const PATIENCE_AFTER_STOP: Duration = Duration::from_secs(2);

pub struct Worker {
    scheduler: Arc<Scheduler>,
    number: usize,
    process: Option<Process>,
}

/// A process with its current game and options.
struct Process {
    engine: Engine,
    held: Held,
    start: Option<Start>,
    moves: Vec<String>,
    /// Options that differ from their usual values.
    changed: Vec<(String, String)>,
}

impl Worker {
    /// A slot without a process.
    pub fn new(scheduler: Arc<Scheduler>, number: usize) -> Worker {
        Worker {
            scheduler,
            number,
            process: None,
        }
    }

    /// Answers questions until the channel closes, then quits its process.
    pub fn work(mut self, asked: &Receiver<Job>) {
        loop {
            match asked.recv_timeout(self.scheduler.bounds().idle) {
                Ok(job) => {
                    let mut next = Some(job);
                    while let Some(job) = next {
                        next = self.serve(job);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.process.is_some() {
                        self.scheduler.emptied(self.number);
                        self.quit();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.quit(),
            }
        }
    }

    /// Answers one question; returns the next one.
    fn serve(&mut self, job: Job) -> Option<Job> {
        let answer = match job.stop.load(Ordering::Relaxed) {
            true => Err(Failing::Ending),
            false => self.answer(&job),
        };
        let held = self.process.as_ref().map(|process| process.held);
        // The slot is freed first, so that the asker's next question finds it idle.
        let next = self.scheduler.next(self.number, held);
        // This fails if the asker no longer waits.
        let _ = job.answer.send(answer);
        next
    }

    fn answer(&mut self, job: &Job) -> Result<Found, Failing> {
        let scheduler = self.scheduler.clone();
        let question = &job.question;
        let Some(entry) = scheduler.entries().get(question.engine) else {
            return Err(Failing::Ending);
        };
        self.get_ready(entry, question)?;
        let Some(process) = &mut self.process else {
            return Err(Failing::Ending);
        };
        let answered = process.ask(entry, job, &scheduler);
        let found = answered.and_then(|answer| read(entry, question, answer));
        if found.is_err() {
            self.dismiss();
        }
        found
    }

    /// Makes a process ready for the question. If an earlier process has died in the meantime, a new one silently
    /// replaces it.
    fn get_ready(&mut self, entry: &Entry, question: &Question) -> Result<(), Failing> {
        let wanted = Held::wanted(question);
        let is_another = |process: &Process| {
            process.held != wanted || entry.spec.restart && !process.goes_on(question)
        };
        if self.process.as_ref().is_some_and(is_another) {
            self.quit();
        }
        if let Some(process) = &mut self.process {
            if process.begin(entry, question, &self.scheduler).is_ok() {
                return Ok(());
            }
            self.dismiss();
        }
        let (ready, interrupt) = (self.scheduler.bounds().ready, self.scheduler.interrupt());
        let isolation = self.scheduler.isolation();
        let engine = entry.start(question.variant, isolation, ready, interrupt)?;
        let mut process = Process {
            engine,
            held: wanted,
            start: None,
            moves: Vec::new(),
            changed: Vec::new(),
        };
        let begun = process.begin(entry, question, &self.scheduler);
        self.process = Some(process);
        begun.inspect_err(|_| self.dismiss())
    }

    /// Quits the process with `quit`.
    fn quit(&mut self) {
        Engine::quit_all(self.process.take().map(|process| process.engine));
    }

    /// Kills the process.
    fn dismiss(&mut self) {
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
    fn begin(
        &mut self,
        entry: &Entry,
        question: &Question,
        scheduler: &Scheduler,
    ) -> Result<(), Failing> {
        let ready = scheduler.bounds().ready;
        let begun = match self.goes_on(question) {
            true => self.engine.make_ready(ready),
            false => self.engine.begin("a game at the table", ready),
        };
        begun.map_err(|error| self.failing(entry, error))?;
        self.start = Some(question.position.start.clone());
        self.moves.clone_from(&question.position.moves);
        Ok(())
    }

    fn ask(&mut self, entry: &Entry, job: &Job, scheduler: &Scheduler) -> Result<Answer, Failing> {
        let question = &job.question;
        let options = self.options_to_set(entry, &question.options);
        let mut commands = option_commands(&entry.spec.name, &options, self.engine.offers())?;
        self.changed.clone_from(&question.options);
        commands.push(Command::Position(question.position.clone()));
        commands.push(Command::Go(question.go.clone()));
        let time = Duration::from_millis(question.go.movetime.unwrap_or_default());
        let search = Search {
            commands: &commands,
            patience: time.saturating_add(scheduler.bounds().margin),
            stop: &job.stop,
            patience_after_stop: PATIENCE_AFTER_STOP,
        };
        let answered = self.engine.search(search, |info| {
            if let Some(infos) = &job.infos {
                // Reports are dropped if the asker is gone or too slow.
                let _ = infos.try_send(info);
            }
        });
        answered.map_err(|error| self.failing(entry, error))
    }

    /// Options to set so that the question's options apply, and all others have their usual values.
    fn options_to_set(&self, entry: &Entry, wanted: &[(String, String)]) -> Vec<(String, String)> {
        let is_wanted = |name: &String| wanted.iter().any(|(wanted, _)| wanted == name);
        let changed = self.changed.iter().filter(|(name, _)| !is_wanted(name));
        let back = changed.filter_map(|(name, _)| Some((name.clone(), entry.usual(name)?)));
        let new = wanted
            .iter()
            .filter(|option| !self.changed.contains(option));
        back.chain(new.cloned()).collect()
    }

    fn failing(&self, entry: &Entry, error: AnswerError) -> Failing {
        let engine = entry.spec.name.clone();
        let stderr = self.engine.stderr_tail();
        match error {
            AnswerError::Interrupted => Failing::Ending,
            AnswerError::Stalled => Failing::TooLate { engine, stderr },
            error => Failing::Failed {
                engine,
                error,
                stderr,
            },
        }
    }
}

/// Validates an answer.
fn read(entry: &Entry, question: &Question, answer: Answer) -> Result<Found, Failing> {
    let engine = || entry.spec.name.clone();
    let best_move = answer.best_move.map_err(|reason| Failing::Unreadable {
        engine: engine(),
        reason,
    })?;
    let mv = best_move.best.unwrap_or_else(|| "(none)".to_string());
    if !question.legal.contains(&mv) {
        return Err(Failing::Illegal {
            engine: engine(),
            found: mv,
            expected: question.legal.clone(),
        });
    }
    Ok(Found {
        mv,
        estimate: best_move.estimate,
        info: answer.info,
    })
}
