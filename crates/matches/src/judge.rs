//! An engine as a judge: it evaluates one position after the other, outside of any game.
//!
//! A judge must give estimates.

use std::time::Duration;

use buxtehude::protocol::Command;
use buxtehude::rules::Seat;
use thiserror::Error;

use crate::plan::rules::{Position, Rules};
use crate::plan::{EngineSpec, Opening};
use crate::play::clock::{self, SeatClock};
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
    /// The engine does not answer.
    #[error("engine {engine}, asked about {:?}: {error}{output}{}", ends_of(about), quoted(stderr))]
    Failed {
        engine: String,
        error: AnswerError,
        /// The position, or the description of the task.
        about: String,
        /// Output without an answer, as the end of the sentence.
        output: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    #[error(
        "engine {engine}, asked about {:?}: {found}; expected `estimate` with {seats} shares of 1000 \
         in its `bestmove` or `info`",
        ends_of(line)
    )]
    NoEstimate {
        engine: String,
        /// The answer instead of an estimate.
        found: String,
        /// The position.
        line: String,
        seats: usize,
    },
    #[error(
        "engine {engine}, asked about {:?}: its best move is {found}; expected one of {}",
        ends_of(line),
        expected.join(" ")
    )]
    NoMove {
        engine: String,
        found: String,
        /// The position.
        line: String,
        expected: Vec<String>,
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
        self.line.line(self.position.seats())
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
        Err(JudgeError::NoMove {
            engine: self.spec.name.clone(),
            found,
            line: question.text(),
            expected: legal,
        })
    }

    pub fn dismiss(self) {
        Engine::quit_all(self.running.map(|(engine, _)| engine));
    }

    /// Searches a position.
    fn answer(&mut self, question: Question<'_>) -> Result<Answer, JudgeError> {
        let clocks = vec![SeatClock::new(self.spec.limit, MARGIN); question.position.seats()];
        let searchmoves =
            if self.spec.legal { question.position.legal_actions() } else { Vec::new() };
        let go = Command::Go(clock::go(&clocks, question.mover, searchmoves));
        let line = question.text();
        let request = format!("position {line}\n{go}\n");
        let wait = clocks[question.mover.index()].wait_for_answer(self.stall);
        self.talk(&line, |engine| engine.go(&request, wait.time))
    }

    /// Calls `talk` with the engine, which must be running.
    fn talk<T>(
        &mut self,
        about: &str,
        talk: impl FnOnce(&mut Engine) -> Result<T, AnswerError>,
    ) -> Result<T, JudgeError> {
        let failed = |error, output, stderr| JudgeError::Failed {
            engine: self.spec.name.clone(),
            error,
            about: about.to_string(),
            output,
            stderr,
        };
        let Some((engine, _)) = &mut self.running else {
            return Err(failed(AnswerError::Disconnected, String::new(), Vec::new()));
        };
        talk(engine).map_err(|error| {
            let output = engine.unfinished_answer(error);
            failed(error, output, engine.stderr_tail())
        })
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
        found.map_err(|found| JudgeError::NoEstimate {
            engine: self.spec.name.clone(),
            found,
            line: question.text(),
            seats,
        })
    }
}
