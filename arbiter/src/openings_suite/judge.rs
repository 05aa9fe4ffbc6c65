//! The engine that judges: asked for its estimate of one position after the other.

use std::time::Duration;

use buxtehude::protocol::Command;
use thiserror::Error;

use super::SuitePlan;
use super::candidates::Candidate;
use crate::clock::{self, SeatClock};
use crate::engine::{Answer, Engine, Failure, Placement, StartError, deadline};
use crate::interrupt::Interrupt;
use crate::log::Log;

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
    #[error("engine {engine}: {failure}, asked about {line:?}{}", quoted(stderr))]
    Failed {
        /// The engine's name.
        engine: String,
        /// What happened.
        failure: Failure,
        /// The opening.
        line: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// It answers without an estimate.
    #[error(
        "engine {engine}: {found}, asked about {line:?}; expected `estimate` with {seats} numbers in its `bestmove` or `info`"
    )]
    NoEstimate {
        /// The engine's name.
        engine: String,
        /// What was there instead.
        found: String,
        /// The opening.
        line: String,
        /// The number of seats.
        seats: usize,
    },
}

/// An engine that is started when it is first asked.
pub struct Judge<'a> {
    plan: &'a SuitePlan,
    interrupt: &'a Interrupt,
    engine: Option<Engine>,
}

impl<'a> Judge<'a> {
    /// The engine of a plan, not yet started.
    pub fn new(plan: &'a SuitePlan, interrupt: &'a Interrupt) -> Judge<'a> {
        Judge {
            plan,
            interrupt,
            engine: None,
        }
    }

    /// The estimate of each seat in permille, for a candidate that the engine judges as if it were its first.
    pub fn estimate(&mut self, number: u64, candidate: &Candidate) -> Result<Vec<u16>, JudgeError> {
        let (plan, interrupt) = (self.plan, self.interrupt);
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => {
                let (place, log) = (Placement::default(), Log::none());
                Engine::start(&plan.engine, plan.variant, place, READY, &log, interrupt)?
            }
        };
        let answer = ask(&mut engine, plan, number, candidate, interrupt);
        let stderr = engine.last_words();
        self.engine = Some(engine);
        let answer = answer.map_err(|failure| JudgeError::Failed {
            engine: plan.engine.name.clone(),
            failure,
            line: candidate.line.clone(),
            stderr,
        })?;
        shares(answer, plan.seats).map_err(|found| JudgeError::NoEstimate {
            engine: plan.engine.name.clone(),
            found,
            line: candidate.line.clone(),
            seats: plan.seats,
        })
    }

    /// Ends the engine in order.
    pub fn dismiss(self) {
        Engine::quit_all(self.engine);
    }
}

fn ask(
    engine: &mut Engine,
    plan: &SuitePlan,
    number: u64,
    candidate: &Candidate,
    interrupt: &Interrupt,
) -> Result<Answer, Failure> {
    let Candidate {
        line,
        position,
        mover,
    } = candidate;
    let ready = deadline(READY);
    engine.begin_game(&format!("candidate {}", number + 1), ready, interrupt)?;
    engine.await_ready(ready, interrupt)?;
    let clocks = vec![SeatClock::new(plan.engine.limit, MARGIN); plan.seats];
    let searchmoves = match plan.engine.legal {
        true => position.legal_actions(),
        false => Vec::new(),
    };
    let go = Command::Go(clock::go(&clocks, *mover, searchmoves));
    let request = format!("position {line}\n{go}\n");
    let wait = clocks[mover.index()].longest_wait(STALL);
    engine.ask(request.as_bytes(), wait, interrupt)
}

/// The estimate of an answer, or else what it says.
fn shares(answer: Answer, seats: usize) -> Result<Vec<u16>, String> {
    let best_move = answer.best_move?;
    let mut given = [best_move.estimate, answer.info.estimate].into_iter();
    let fits = |shares: &Vec<u16>| shares.len() == seats;
    match given.find(fits) {
        Some(shares) => Ok(shares),
        None => Err("it gave no estimate".to_string()),
    }
}

fn quoted(stderr: &[String]) -> String {
    match stderr {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join(" | ")),
    }
}
