//! The referee of one game: asks the engines in turn, judges their answers, and draws the cards.
//!
//! It knows nothing about matches and trusts no engine: it checks every move against the rules and every answer against
//! the clock. The record names each offender and its fault. Start reading at [`Referee::play`], then `Game::play_turn`
//! in `game`.

mod adjudication;
mod fault;
mod game;
mod pondering;
mod request;
mod result;
mod turn_record;

use std::time::Duration;

use buxtehude::rules::Seat;
use thiserror::Error;

use crate::plan::rules::PositionError;
use crate::plan::rules::program::RulesError;
use crate::plan::schedule::ScheduledGame;
use crate::plan::{EngineSpec, MAX_MARGIN, Plan, TimeLimit};
use crate::play::engine::{Engine, StartError};
use crate::play::interrupt::{Interrupt, Interrupted};
use crate::play::lag::LagMeter;
use crate::play::reruns::RerunQuota;
use crate::record::{GameRecord, Rerun, TurnRecord};
use game::Game;
use result::GameEnd;

#[derive(Clone, Copy)]
pub struct Referee<'a> {
    pub plan: &'a Plan,
    /// Stops the game.
    pub interrupt: &'a Interrupt,
    pub lag: Option<&'a LagMeter>,
    /// Budget of reruns; `None` for no reruns.
    pub reruns: Option<&'a RerunQuota>,
    /// Callback for each move and card as it is played.
    pub listener: Option<&'a dyn Fn(Played)>,
}

/// A move or card that was just played.
#[derive(Clone, Debug)]
pub struct Played {
    pub game: u64,
    /// The move; `None` for a card.
    pub turn: Option<TurnRecord>,
    /// The move or card as text.
    pub word: String,
}

/// Reasons why a game has no result.
#[derive(Debug, Error)]
pub enum Abandoned {
    #[error("interrupted")]
    Interrupted,
    /// The loss may not be the loser's own fault.
    #[error("{}", .0.reason)]
    Suspect(Rerun),
    /// The start or the opening is illegal.
    #[error(transparent)]
    Position(PositionError),
}

impl Abandoned {
    /// Creates the reason for a loss that may have another cause than the fault of the engine in `seat`, from 1.
    /// `shares` are those just before, by the engines' estimates.
    pub fn suspect(engine: &str, seat: u32, cause: &str, shares: Vec<u16>) -> Abandoned {
        Abandoned::Suspect(Rerun {
            seat,
            reason: format!("{engine}, seat {seat}, {cause}"),
            shares,
        })
    }

    /// Creates the reason for an end or stop of the engine's process that another process may have caused.
    pub fn interference(engine: &str, seat: u32, what: &str, shares: Vec<u16>) -> Abandoned {
        let cause = format!("{what}, possibly sent by another process");
        Abandoned::suspect(engine, seat, &cause, shares)
    }
}

impl From<Interrupted> for Abandoned {
    fn from(_: Interrupted) -> Abandoned {
        Abandoned::Interrupted
    }
}

impl From<PositionError> for Abandoned {
    fn from(error: PositionError) -> Abandoned {
        match error {
            PositionError::Rules(RulesError::Interrupted) => Abandoned::Interrupted,
            error => Abandoned::Position(error),
        }
    }
}

impl<'a> Referee<'a> {
    /// Creates a referee without a callback, lag meter or reruns.
    pub fn new(plan: &'a Plan, interrupt: &'a Interrupt) -> Referee<'a> {
        Referee { plan, interrupt, lag: None, reruns: None, listener: None }
    }

    /// Allowed time of an engine's answers beyond its time limit: the default grows with the arbiter's own lag, because
    /// an answer may be read that much later.
    fn margin(&self, spec: &EngineSpec) -> Duration {
        let by_default = |time: TimeLimit| {
            let lag = self.lag.map_or(Duration::ZERO, |lag| lag.recent().p99);
            time.margin().max(lag).min(MAX_MARGIN)
        };
        let margin = spec.margin.or_else(|| spec.limit.time.map(by_default));
        margin.unwrap_or_default()
    }

    /// Plays one game to its end, by the rules or by the first fault, and returns its record.
    ///
    /// `engines` are in seat order and belong to the calling thread. A seat that has finished by the end of the opening
    /// needs no engine. The engine whose fault ended the game has been killed; see [`Engine::is_usable`]. The maximum
    /// number of plies in `plan.patience` counts the moves of engines, neither cards nor the opening. `turns` of the
    /// record contains the moves that were played, in order; an answer that was a fault is only in `fault`.
    ///
    /// # Errors
    /// [`Abandoned`]: the interrupt was set, and the engine that was searching can no longer be used; the loss of a
    /// seat may be the fault of the arbiter or of another process; or the start or the opening is illegal.
    ///
    /// # Panics
    /// If the number of seats differs from that of `engines`, or an engine is missing.
    pub fn play(
        &self,
        game: &ScheduledGame,
        engines: &mut [Option<Engine>],
    ) -> Result<GameRecord, Abandoned> {
        assert_eq!(engines.len(), game.seats.len(), "engines and seats");
        let mut state = Game::set_up(game, *self)?;
        let end = state.play(engines);
        state.end_pondering(engines);
        Ok(state.into_record(end?))
    }

    /// Returns the record of a game that cannot begin, because the engine in `seat` could not be started: it is last,
    /// and the others share the places before it.
    ///
    /// # Errors
    /// [`Abandoned::Position`] if the start or the opening of `game` is illegal.
    pub fn walkover(
        &self,
        game: &ScheduledGame,
        seat: Seat,
        error: StartError,
    ) -> Result<GameRecord, Abandoned> {
        let end = GameEnd::not_started(seat, error);
        Ok(Game::set_up(game, *self)?.into_record(end))
    }
}
