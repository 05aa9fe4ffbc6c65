//! The referee of one game: asks the engines in turn, judges their answers, draws the cards.
//!
//! It knows nothing of matches. What an engine says is never believed: every move is checked against the
//! rules, every answer against the clock, and whoever breaks either is named in the record with what it
//! did. Read [`Referee::play`], then `Game::play_turn` in `game`.

mod adjudication;
mod game;
mod offence;
mod pondering;
mod request;
mod result;
mod turn_record;

use std::time::Duration;

use thiserror::Error;

use crate::plan::Plan;
use crate::plan::schedule::ScheduledGame;
use crate::play::engine::Engine;
use crate::play::interrupt::{Interrupt, Interrupted};
use crate::play::lag::LagMeter;
use crate::play::replays::Replays;
use crate::record::{GameRecord, Replay, TurnRecord};
use game::Game;
pub use result::{GameEnd, places_and_endings};

/// Referees the games of a plan.
#[derive(Clone, Copy)]
pub struct Referee<'a> {
    /// What is played.
    pub plan: &'a Plan,
    /// Ends the game.
    pub interrupt: &'a Interrupt,
    /// The arbiter's own lag, where it is measured.
    pub lag: Option<&'a LagMeter>,
    /// Whose games may be played again; without it nobody's.
    pub replays: Option<&'a Replays>,
    /// Told of each move and card as it is played, where somebody listens.
    pub listener: Option<&'a dyn Fn(Played<'_>)>,
}

/// A move or a card, played just now.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// The number of the game.
    pub game: u64,
    /// The move, or `None` for a card.
    pub turn: Option<&'a TurnRecord>,
    /// The word of the move or card.
    pub word: &'a str,
}

/// Why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Abandoned {
    /// We were told to end.
    #[error("interrupted")]
    Interrupted,
    /// A loss that may be the fault of the arbiter or of somebody else.
    #[error(transparent)]
    Suspect(Suspicion),
}

/// Why a loss may not be the loser's own fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{engine}, seat {seat}, {cause}")]
pub struct Suspicion {
    /// The engine's name.
    pub engine: String,
    /// Its seat, from 1.
    pub seat: u32,
    /// What happened.
    pub cause: Cause,
    /// Each seat's share in permille just before, as the engines saw it; empty where they did not say.
    pub shares: Vec<u16>,
}

/// Why a loss may be somebody else's fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// It was late by less than the arbiter's own lag during the move.
    #[error(
        "was {:.1} ms too late, where the arbiter itself lagged by {:.1} ms",
        over.as_secs_f64() * 1000.0,
        lag.as_secs_f64() * 1000.0
    )]
    Lag {
        /// By how much it was later than limit and margin allow.
        over: Duration,
        /// The arbiter's lag.
        lag: Duration,
    },
    /// Somebody else may have ended or stopped its process; in words, how.
    #[error("{0}, which somebody else may have sent")]
    Interference(String),
}

impl From<&Suspicion> for Replay {
    fn from(suspicion: &Suspicion) -> Replay {
        Replay {
            seat: suspicion.seat,
            reason: suspicion.to_string(),
            shares: suspicion.shares.clone(),
        }
    }
}

impl From<Interrupted> for Abandoned {
    fn from(_: Interrupted) -> Abandoned {
        Abandoned::Interrupted
    }
}

impl<'a> Referee<'a> {
    /// A referee without listener, who does not know its own lag.
    pub fn new(plan: &'a Plan, interrupt: &'a Interrupt) -> Referee<'a> {
        Referee {
            plan,
            interrupt,
            lag: None,
            replays: None,
            listener: None,
        }
    }

    /// Plays one game to its end, by the rules or by the first fault, and returns what happened.
    ///
    /// `engines` sit in seat order, and belong to the thread that calls; a seat that has finished when the
    /// opening ends needs none, and is asked nothing. Whose fault ended the game has been killed afterwards;
    /// [`Engine::is_usable`] tells. The plies that `plan.patience` allows are the moves
    /// that engines are asked for: neither cards nor the opening count. `turns` of the record has the moves
    /// that were played, in order; an answer that was a fault is only in the `fault`.
    ///
    /// # Errors
    /// [`Abandoned`]: soon after the interrupt was set, where the engine that was thinking cannot be used any
    /// more; or where the loss of a seat may be the fault of the arbiter or of somebody else.
    ///
    /// # Panics
    /// If the start of `game` is refused by the rules or its opening is illegal, if it has not as many
    /// seats as `engines`, or if one is missing: the schedule is made of a validated plan.
    pub fn play(
        &self,
        game: &ScheduledGame,
        engines: &mut [Option<Engine>],
    ) -> Result<GameRecord, Abandoned> {
        assert_eq!(engines.len(), game.seats.len(), "engines and seats");
        let mut state = Game::set_up(game, self);
        let stop = state.play(engines, self.interrupt);
        state.end_pondering(engines, self.interrupt);
        Ok(state.into_record(stop?))
    }
}
