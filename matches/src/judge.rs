//! An engine that judges: asked about one position after the other, beside any game.
//!
//! What it is asked for are estimates; an engine that gives none is no judge.

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

/// The option for how many lines of a search are told; an engine that compares moves has to offer it.
pub const MULTI_PV: &str = "MultiPV";

/// How long the engine has for `uciok` and `readyok`.
const READY: Duration = Duration::from_secs(10);
/// How late it may be: its time does not matter.
const MARGIN: Duration = Duration::from_secs(10);
/// How long it may think where nothing limits its time.
const STALL: Duration = Duration::from_secs(600);

/// Why there is no estimate.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// The engine cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It does not answer.
    #[error("engine {engine}: {failure}, asked about {about:?}{}", quoted(stderr))]
    Failed {
        /// The engine's name.
        engine: String,
        /// What happened.
        failure: Failure,
        /// The position, or what was to begin.
        about: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// It answers without an estimate.
    #[error(
        "engine {engine}: {found}, asked about {line:?}; expected `estimate` with {seats} shares of 1000 \
         in its `bestmove` or `info`"
    )]
    NoEstimate {
        /// The engine's name.
        engine: String,
        /// What was there instead.
        found: String,
        /// The position.
        line: String,
        /// The number of seats.
        seats: usize,
    },
    /// Its best move cannot be played.
    #[error("engine {engine}: its best move is {found}, asked about {line:?}; expected one of {}", expected.join(" "))]
    NoMove {
        /// The engine's name.
        engine: String,
        /// What it gave.
        found: String,
        /// The position.
        line: String,
        /// The legal moves.
        expected: Vec<String>,
    },
}

/// A position that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What follows `position` in the protocol.
    pub line: &'a str,
    /// The position to which it leads.
    pub position: &'a AnyPosition,
    /// Whose turn it is there.
    pub mover: Seat,
}

/// An engine that is started when it is first asked.
#[derive(Debug)]
pub struct Judge<'a> {
    spec: &'a EngineSpec,
    interrupt: &'a Interrupt,
    /// The engine, and what it plays.
    running: Option<(Engine, &'static Variant)>,
    /// Whether it still tells several lines of a search.
    is_wide: bool,
}

impl<'a> Judge<'a> {
    /// An engine with the limit of each of its searches, not yet started.
    pub fn new(spec: &'a EngineSpec, interrupt: &'a Interrupt) -> Judge<'a> {
        Judge {
            spec,
            interrupt,
            running: None,
            is_wide: false,
        }
    }

    /// Has the engine forget what it was asked before: what follows is judged as if it were its first. `what` is
    /// for the log and for errors.
    ///
    /// # Errors
    /// [`JudgeError`] where the engine does not start or does not answer.
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

    /// The estimate of each seat in permille.
    ///
    /// # Errors
    /// [`JudgeError`] where there is none.
    pub fn estimate(&mut self, question: Question<'_>) -> Result<Vec<u16>, JudgeError> {
        let answer = self.answer(question, self.any_move(question))?;
        self.shares(question, answer)
    }

    /// The best move, and the estimate of each seat in permille.
    ///
    /// # Errors
    /// [`JudgeError`] where there is no move that is legal, or no estimate with it.
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

    /// The estimate of each seat in permille after either of two moves, from one search of both. Where the engine
    /// leaves one of them out of that, it is searched alone.
    ///
    /// # Errors
    /// [`JudgeError`] where there are none.
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

    /// Ends the engine in order.
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

    /// What the engine says of each of two moves in a search of these alone.
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

    /// The estimate after a move, of which something may have been said already.
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
                "it gave {found} where only {mv} was to be searched"
            ));
        }
        self.shares(question, answer)
    }

    /// The moves that are sent where any may be played.
    fn any_move(&self, question: Question<'_>) -> Vec<String> {
        match self.spec.legal {
            true => question.position.legal_actions(),
            false => Vec::new(),
        }
    }

    /// The lines that ask about a position, before them that for how many lines are told, and how long the answer
    /// is waited for.
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

    /// Talks with the engine, which has been started by then.
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

    /// The estimate of an answer.
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
