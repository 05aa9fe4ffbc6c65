//! An engine as a judge: it evaluates one position after the other, outside of any game.
//!
//! A judge must give estimates.

use std::time::Duration;

use buxtehude::protocol::{Command, Info};
use buxtehude::rules::{AnyPosition, Seat, Variant};
use thiserror::Error;

use crate::plan::EngineSpec;
use crate::play::clock::{self, SeatClock};
use crate::play::engine::{Answer, Engine, Failure, Placement, StartError, deadline};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::record::is_estimate;

/// Name of the option for the number of lines of a search; an engine that compares moves must offer it.
pub const MULTI_PV: &str = "MultiPV";

/// Timeout for `uciok` and `readyok`.
const READY: Duration = Duration::from_secs(10);
/// Margin beyond the time limit, generous because the time does not matter.
const MARGIN: Duration = Duration::from_secs(10);
/// Timeout for an answer without a time limit.
const STALL: Duration = Duration::from_secs(600);

/// Errors of a judge.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// The engine cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The engine does not answer.
    #[error("engine {engine}, asked about {about:?}: {failure}{}", quoted(stderr))]
    Failed {
        /// The engine's name.
        engine: String,
        /// Reason for the missing answer.
        failure: Failure,
        /// The position, or the description of the task.
        about: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// The answer contains no estimate.
    #[error(
        "engine {engine}, asked about {line:?}: {found}; expected `estimate` with {seats} shares of 1000 \
         in its `bestmove` or `info`"
    )]
    NoEstimate {
        /// The engine's name.
        engine: String,
        /// The answer instead of an estimate.
        found: String,
        /// The position.
        line: String,
        /// Number of seats.
        seats: usize,
    },
    /// The best move is illegal.
    #[error("engine {engine}, asked about {line:?}: its best move is {found}; expected one of {}", expected.join(" "))]
    NoMove {
        /// The engine's name.
        engine: String,
        /// The engine's move.
        found: String,
        /// The position.
        line: String,
        /// The legal moves.
        expected: Vec<String>,
    },
}

/// A position to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The arguments of the protocol's `position`.
    pub line: &'a str,
    /// The position after the moves of `line`.
    pub position: &'a AnyPosition,
    /// Seat to move.
    pub mover: Seat,
}

/// A judge, whose engine starts with the first request.
#[derive(Debug)]
pub struct Judge<'a> {
    spec: &'a EngineSpec,
    interrupt: &'a Interrupt,
    /// The engine and its variant.
    running: Option<(Engine, &'static Variant)>,
    /// Whether it is still set to search several lines.
    is_wide: bool,
}

impl<'a> Judge<'a> {
    /// Creates a judge; `spec` limits each of its searches.
    pub fn new(spec: &'a EngineSpec, interrupt: &'a Interrupt) -> Judge<'a> {
        Judge {
            spec,
            interrupt,
            running: None,
            is_wide: false,
        }
    }

    /// Makes the engine forget all earlier positions, so that they do not affect later answers. `what` names the task
    /// in the log and in errors.
    ///
    /// # Errors
    /// [`JudgeError`] if the engine does not start or does not answer.
    pub fn begin(&mut self, variant: &'static Variant, what: &str) -> Result<(), JudgeError> {
        let interrupt = self.interrupt;
        if self
            .running
            .as_ref()
            .is_some_and(|(_, plays)| plays.name != variant.name)
        {
            Engine::quit_all(self.running.take().map(|(engine, _)| engine));
        }
        if self.running.is_none() {
            let (place, log) = (Placement::default(), Log::none());
            let engine = Engine::start(self.spec, variant, place, READY, &log, interrupt)?;
            self.running = Some((engine, variant));
            self.is_wide = false;
        }
        self.talk(what, |engine| {
            let ready = deadline(READY);
            engine.begin_game(what, None, ready, interrupt)?;
            engine.await_ready(ready, interrupt)
        })
    }

    /// Returns the estimate of each seat in permille.
    ///
    /// # Errors
    /// [`JudgeError`] if there is none.
    pub fn estimate(&mut self, question: Question<'_>) -> Result<Vec<u16>, JudgeError> {
        let answer = self.answer(question, self.any_move(question))?;
        self.shares(question, answer)
    }

    /// Returns the best move, and the estimate of each seat in permille.
    ///
    /// # Errors
    /// [`JudgeError`] if there is no legal move or no estimate.
    pub fn verdict(&mut self, question: Question<'_>) -> Result<(String, Vec<u16>), JudgeError> {
        let answer = self.answer(question, self.any_move(question))?;
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
            line: question.line.to_string(),
            expected: legal,
        })
    }

    /// Returns the estimates of each seat in permille after either of two moves, from one search of both. If the engine
    /// leaves out one of them, that move is searched alone.
    ///
    /// # Errors
    /// [`JudgeError`] if there are none.
    pub fn compare(
        &mut self,
        question: Question<'_>,
        moves: [&str; 2],
    ) -> Result<[Vec<u16>; 2], JudgeError> {
        let [first, second] = self.search_of(question, moves)?;
        Ok([
            self.shares_or_alone(question, first, moves[0])?,
            self.shares_or_alone(question, second, moves[1])?,
        ])
    }

    /// Quits the engine.
    pub fn dismiss(self) {
        Engine::quit_all(self.running.map(|(engine, _)| engine));
    }

    fn answer(
        &mut self,
        question: Question<'_>,
        searchmoves: Vec<String>,
    ) -> Result<Answer, JudgeError> {
        let lines = std::mem::take(&mut self.is_wide).then_some(1);
        let (request, wait) = self.request(question, searchmoves, lines);
        let interrupt = self.interrupt;
        self.talk(question.line, |engine| {
            engine.ask(request.as_bytes(), wait, interrupt)
        })
    }

    /// Searches only two moves; returns the information about each.
    fn search_of(
        &mut self,
        question: Question<'_>,
        moves: [&str; 2],
    ) -> Result<[Option<Info>; 2], JudgeError> {
        self.is_wide = true;
        let searchmoves = moves.map(String::from).to_vec();
        let (request, wait) = self.request(question, searchmoves, Some(moves.len()));
        let interrupt = self.interrupt;
        self.talk(question.line, |engine| {
            engine.ask_about(request.as_bytes(), moves, wait, interrupt)
        })
    }

    /// Returns the estimate after a move from `said`, or from a search of this move alone.
    fn shares_or_alone(
        &mut self,
        question: Question<'_>,
        said: Option<Info>,
        mv: &str,
    ) -> Result<Vec<u16>, JudgeError> {
        let seats = question.position.seats();
        let said = said.map(|info| info.estimate);
        if let Some(shares) = said.filter(|shares| is_estimate(shares, seats)) {
            return Ok(shares);
        }
        let mut answer = self.answer(question, vec![mv.to_string()])?;
        if let Ok(given) = &answer.best_move
            && given.best.as_deref() != Some(mv)
        {
            let found = given.best.as_deref().unwrap_or("(none)");
            answer.best_move = Err(format!(
                "it gave {found} although `searchmoves` allowed only {mv}"
            ));
        }
        self.shares(question, answer)
    }

    /// Returns the `searchmoves` of an unrestricted search.
    fn any_move(&self, question: Question<'_>) -> Vec<String> {
        match self.spec.legal {
            true => question.position.legal_actions(),
            false => Vec::new(),
        }
    }

    /// Returns the lines of a request: the option for the number of lines, if given, `position` and `go`; and the
    /// timeout for the answer.
    fn request(
        &self,
        question: Question<'_>,
        searchmoves: Vec<String>,
        lines: Option<usize>,
    ) -> (String, Duration) {
        let seats = question.position.seats();
        let clocks = vec![SeatClock::new(self.spec.limit, MARGIN); seats];
        let go = Command::Go(clock::go(&clocks, question.mover, searchmoves));
        let lines = lines.map(|lines| {
            let set = Command::SetOption {
                name: MULTI_PV.to_string(),
                value: Some(lines.to_string()),
            };
            format!("{set}\n")
        });
        let lines = lines.unwrap_or_default();
        let wait = clocks[question.mover.index()].longest_wait(STALL);
        (format!("{lines}position {}\n{go}\n", question.line), wait)
    }

    /// Calls `talk` with the engine, which must be running.
    fn talk<T>(
        &mut self,
        about: &str,
        talk: impl FnOnce(&mut Engine) -> Result<T, Failure>,
    ) -> Result<T, JudgeError> {
        let failed = |failure, stderr| JudgeError::Failed {
            engine: self.spec.name.clone(),
            failure,
            about: about.to_string(),
            stderr,
        };
        let Some((engine, _)) = &mut self.running else {
            return Err(failed(Failure::Disconnected, Vec::new()));
        };
        talk(engine).map_err(|failure| failed(failure, engine.last_words()))
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
        found.map_err(|found| self.no_estimate(question, found))
    }

    fn no_estimate(&self, question: Question<'_>, found: String) -> JudgeError {
        JudgeError::NoEstimate {
            engine: self.spec.name.clone(),
            found,
            line: question.line.to_string(),
            seats: question.position.seats(),
        }
    }
}

fn quoted(stderr: &[String]) -> String {
    match stderr {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join(" | ")),
    }
}
