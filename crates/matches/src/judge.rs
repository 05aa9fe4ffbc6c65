//! An engine as a judge: it evaluates one position after the other, outside of any game.
//!
//! A judge must give estimates.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use buxtehude::protocol::Command;
use buxtehude::rules::Seat;
use thiserror::Error;

use crate::plan::rules::{Position, Rules};
use crate::plan::{EngineSpec, Opening};
use crate::play::clock::SeatClock;
use crate::play::engine::{Answer, AnswerError, Engine, Placement, StartError, quoted};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::sandbox::Isolation;
use crate::record::is_estimate;
use crate::record::printable::ends_of;

/// Timeout for `uciok` and `readyok`.
const READY: Duration = Duration::from_secs(30);
/// Margin beyond the time limit, generous because the time does not matter.
const MARGIN: Duration = Duration::from_secs(10);
/// Usual timeout for an answer without a time limit.
pub const STALL: Duration = Duration::from_secs(600);

#[derive(Debug, Error)]
pub enum JudgeError {
    #[error(transparent)]
    Start(#[from] StartError),
    /// The engine gives no answer, or none with a legal move and an estimate.
    #[error("engine {engine}, asked about {:?}: {reason}", ends_of(about))]
    Answer {
        engine: String,
        /// The position, or the description of the task.
        about: String,
        reason: String,
    },
}

/// A position to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Start of the game, with the moves and cards so far.
    pub line: &'a Opening,
    /// The position after them.
    pub position: &'a Position,
    pub mover: Seat,
}

impl Question<'_> {
    /// Returns the arguments of the protocol's `position`.
    pub fn text(&self) -> String {
        self.line.to_string()
    }
}

/// A judge, whose engine starts with the first request.
#[derive(Debug)]
pub struct Judge<'a> {
    spec: &'a EngineSpec,
    stall: Duration,
    isolation: Option<Isolation>,
    interrupt: &'a Interrupt,
    /// The engine and the name of its game.
    running: Option<(Engine, String)>,
}

impl<'a> Judge<'a> {
    /// Creates a judge; `spec` limits each of its searches, and `stall` those without a time limit.
    pub fn new(
        spec: &'a EngineSpec,
        stall: Duration,
        isolation: Option<Isolation>,
        interrupt: &'a Interrupt,
    ) -> Judge<'a> {
        Judge { spec, stall, isolation, interrupt, running: None }
    }

    /// Makes the engine forget all earlier positions, so that they do not affect later answers. `what` names the task
    /// in the log and in errors.
    ///
    /// # Errors
    /// [`JudgeError`] if the engine does not start or does not answer.
    pub fn begin(&mut self, rules: &Rules, what: &str) -> Result<(), JudgeError> {
        let other = self.running.take_if(|(_, plays)| plays != rules.uci_variant());
        Engine::quit_all(other.map(|(engine, _)| engine));
        if self.running.is_none() {
            let (place, log) = (Placement::anywhere(self.isolation), Log::none());
            let mut engine =
                Engine::start(self.spec, rules.uci_variant(), place, READY, &log, self.interrupt)?;
            engine.confirm_options(&self.spec.name, READY)?;
            self.running = Some((engine, rules.uci_variant().to_string()));
        }
        self.talk(what, |engine| engine.new_game(what, None, READY))
    }

    /// Returns the estimate of each seat in permille.
    ///
    /// # Errors
    /// [`JudgeError`] if there is none.
    pub fn estimate(&mut self, question: Question<'_>) -> Result<Vec<u16>, JudgeError> {
        let answer = self.answer(question)?;
        self.shares(question, answer)
    }

    /// Returns the best move, and the estimate of each seat in permille.
    ///
    /// # Errors
    /// [`JudgeError`] if there is no legal move or no estimate.
    pub fn verdict(&mut self, question: Question<'_>) -> Result<(String, Vec<u16>), JudgeError> {
        let answer = self.answer(question)?;
        let found = match &answer.best_move {
            Ok(given) => given.best.clone().unwrap_or_else(|| "(none)".to_string()),
            Err(_) => String::new(),
        };
        let shares = self.shares(question, answer)?;
        let legal = question.position.legal_actions();
        if legal.contains(&found) {
            return Ok((found, shares));
        }
        let expected = legal.join(" ");
        let reason = format!("its best move is {found}; expected one of {expected}");
        Err(self.error(&question.text(), reason))
    }

    pub fn dismiss(self) {
        Engine::quit_all(self.running.map(|(engine, _)| engine));
    }

    /// Searches a position.
    fn answer(&mut self, question: Question<'_>) -> Result<Answer, JudgeError> {
        let clocks = vec![SeatClock::new(self.spec.limit, MARGIN); question.position.seats()];
        let searchmoves =
            if self.spec.legal { question.position.legal_actions() } else { Vec::new() };
        let go = Command::Go(SeatClock::go(&clocks, question.mover, searchmoves));
        let line = question.text();
        let request = format!("position {line}\n{go}\n");
        let wait = clocks[question.mover.index()].wait_for_answer(self.stall);
        self.talk(&line, |engine| engine.go(&request, wait.time, None))
    }

    /// Calls `talk` with the engine, which must be running.
    fn talk<T>(
        &mut self,
        about: &str,
        talk: impl FnOnce(&mut Engine) -> Result<T, AnswerError>,
    ) -> Result<T, JudgeError> {
        let Some((engine, _)) = &mut self.running else {
            return Err(self.error(about, AnswerError::Disconnected.to_string()));
        };
        let reason = match talk(engine) {
            Ok(answer) => return Ok(answer),
            Err(error) => {
                let output = engine.unfinished_answer(error);
                format!("{error}{output}{}", quoted(&engine.stderr_tail()))
            }
        };
        Err(self.error(about, reason))
    }

    fn error(&self, about: &str, reason: String) -> JudgeError {
        JudgeError::Answer { engine: self.spec.name.clone(), about: about.to_string(), reason }
    }

    /// Returns the estimate of an answer.
    fn shares(&self, question: Question<'_>, answer: Answer) -> Result<Vec<u16>, JudgeError> {
        let seats = question.position.seats();
        let found = answer.best_move.and_then(|best_move| {
            let mut given = [best_move.estimate, answer.info.estimate].into_iter();
            let shares = given.find(|shares| is_estimate(shares, seats));
            let nothing = || "it gave no estimate".to_string();
            shares.ok_or_else(|| answer.flaw.unwrap_or_else(nothing))
        });
        found.map_err(|found| {
            let expected =
                format!("`estimate` with {seats} shares of 1000 in its `bestmove` or `info`");
            self.error(&question.text(), format!("{found}; expected {expected}"))
        })
    }
}

/// Messages of a thread.
enum News<T> {
    /// A step of a task is done.
    Step,
    /// A task is done; with its index.
    Done(usize, T),
}

/// Calls `work` for each task, on up to `concurrency` threads with one engine each; passes the results to `take` in the
/// order of the tasks, until `take` returns a break. Each call of `work`'s last argument leads to one of `on_step`.
///
/// An interrupt ends the work with the results known by then. A break sets the interrupt.
pub fn in_order<I, T: Send, B>(
    (engine, isolation, concurrency): (&EngineSpec, Option<Isolation>, usize),
    tasks: impl Iterator<Item = I> + Send,
    interrupt: &Interrupt,
    work: impl Fn(&mut Judge<'_>, I, &mut dyn FnMut()) -> T + Sync,
    mut on_step: impl FnMut(),
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let tasks = Mutex::new(tasks.enumerate());
    let next_task = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = |sender: Sender<News<T>>| {
        let mut judge = Judge::new(engine, STALL, isolation, interrupt);
        while !interrupt.is_set() {
            let Some((index, task)) = next_task() else {
                break;
            };
            // The receiver is gone only after a break.
            let done = work(&mut judge, task, &mut || {
                let _ = sender.send(News::Step);
            });
            if interrupt.is_set() || sender.send(News::Done(index, done)).is_err() {
                break;
            }
        }
        judge.dismiss();
    };
    let mut waiting = BTreeMap::new();
    let mut taken = 0;
    thread::scope(|scope| {
        let (sender, news) = channel();
        for _ in 0..concurrency {
            let (sender, run) = (sender.clone(), &run);
            scope.spawn(move || run(sender));
        }
        drop(sender);
        for news in news {
            match news {
                News::Step => on_step(),
                News::Done(index, done) => {
                    waiting.insert(index, done);
                }
            }
            while let Some(done) = waiting.remove(&taken) {
                taken += 1;
                let flow = take(done);
                if flow.is_break() {
                    interrupt.set();
                    return flow;
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    // After an interrupt, earlier results may never come.
    waiting.into_values().try_for_each(take)
}
