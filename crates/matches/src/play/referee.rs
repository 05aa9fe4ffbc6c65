//! The referee of one game: asks the engines in turn, judges their answers, and draws the cards.
//!
//! It knows nothing about matches and trusts no engine: it checks every move against the rules and every answer against
//! the clock. The record names each offender and its fault. Start reading at [`Game::play`].

mod game;
mod game_end;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use buxtehude::rules::Seat;
use thiserror::Error;

use crate::plan::rules::PositionError;
use crate::plan::rules::external::RulesError;
use crate::plan::{EngineSpec, MAX_MARGIN, Plan, TimeLimit};
use crate::play::interrupt::Interrupt;
use crate::play::lag::LagMeter;
use crate::record::{GameRecord, Rerun, TurnRecord};
pub use game::Game;

/// Maximum number of reruns of a game.
pub const MAX_OF_A_GAME: usize = 2;
/// Maximum number of reruns for an engine in a match after losses by the arbiter's lag.
pub const MAX_BY_LAG: u32 = 10;
/// The same, counting all reruns, after the end or stop of its process by what may be another process: the engine may
/// have caused it itself, to escape from a lost game.
pub const MAX_BY_INTERFERENCE: u32 = 2;

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
    /// Creates the reason for a loss that may have another cause than the fault of the engine in `seat`. `shares` are
    /// those just before, by the engines' estimates.
    pub fn suspect(engine: &str, seat: Seat, cause: &str, shares: Vec<u16>) -> Abandoned {
        let seat = number(seat);
        Abandoned::Suspect(Rerun {
            seat,
            reason: format!("{engine}, seat {seat}, {cause}"),
            shares,
        })
    }

    /// Creates the reason for an end or stop of the engine's process that another process may have caused.
    pub fn interference(engine: &str, seat: Seat, what: &str, shares: Vec<u16>) -> Abandoned {
        let cause = format!("{what}, possibly sent by another process");
        Abandoned::suspect(engine, seat, &cause, shares)
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
}

/// Number of reruns for each engine of a match, after losses that may be the arbiter's own fault.
///
/// Without a limit, an engine that can delay the arbiter could have every lost game rerun.
#[derive(Debug)]
pub struct RerunQuota {
    /// Number of reruns so far, in the order of the plan.
    counts: Mutex<Vec<u32>>,
}

impl RerunQuota {
    /// Creates the budget after earlier games with `counts` reruns, in the order of the plan; empty for none.
    pub fn new(engines: &[EngineSpec], counts: &[u32]) -> RerunQuota {
        let mut counts = counts.to_vec();
        counts.resize(engines.len(), 0);
        RerunQuota { counts: Mutex::new(counts) }
    }

    /// Raises the counts to those of another process, in the order of the plan.
    pub fn learn(&self, counts: &[u32]) {
        let mut known = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (known, &count) in known.iter_mut().zip(counts) {
            *known = count.max(*known);
        }
    }

    /// Grants and counts one more rerun for an engine, given its index in the plan, if it has had less than `most`.
    pub fn grant(&self, engine: usize, most: u32) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_granted = counts[engine] < most;
        counts[engine] += u32::from(is_granted);
        is_granted
    }
}

/// Converts a seat to its number in records, from 1.
pub fn number(seat: Seat) -> u32 {
    u32::from(seat.0) + 1
}

/// Adds the reruns of a game to `counts`, by engine.
pub fn count_reruns(engines: &[EngineSpec], record: &GameRecord, counts: &mut [u32]) {
    for rerun in &record.reruns {
        let name = record.engine_in(rerun.seat);
        let mut engines = engines.iter();
        let index = engines.position(|engine| Some(engine.name.as_str()) == name);
        if let Some(count) = index.and_then(|index| counts.get_mut(index)) {
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Limit;

    #[test]
    fn each_engine_is_granted_so_many() {
        let engines = ["a", "b"].map(|name| EngineSpec::new(name, "/bin/sh", Limit::depth(1)));
        let reruns = RerunQuota::new(&engines, &[MAX_BY_LAG - 1]);
        let granted = [0, 0, 1].map(|engine| reruns.grant(engine, MAX_BY_LAG));
        assert_eq!(granted, [true, false, true]);
        reruns.learn(&[0, MAX_BY_LAG]);
        assert_eq!([0, 1].map(|engine| reruns.grant(engine, MAX_BY_LAG)), [false, false]);
    }
}
