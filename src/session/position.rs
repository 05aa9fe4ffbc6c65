//! The position that the client has set, and the positions before it.

use thiserror::Error;

use crate::protocol::{PositionCommand, Start};
use crate::rules::{ActionError, AnyPosition, SetupError, Turn, Variant};
use crate::search::Past;

/// Default number of players.
const DEFAULT_PLAYERS: usize = 2;

/// A variant, the current position, and the positions before it.
#[derive(Clone, Debug)]
pub struct CurrentGame {
    variant: &'static Variant,
    position: AnyPosition,
    /// Positions that a seat has moved from, in order, without the current one.
    past: Vec<Past>,
}

/// Errors of `position`.
#[derive(Debug, Error)]
pub enum PositionError {
    /// The start is invalid.
    #[error(transparent)]
    Start(#[from] SetupError),
    /// A word of the move list is invalid or illegal.
    #[error("move {number} of the list: {reason}{expected}")]
    Move {
        /// Place in the list, from 1.
        number: usize,
        reason: ActionError,
        /// Legal moves at this point, unless `reason` names them.
        expected: String,
    },
}

impl CurrentGame {
    /// Starts a game of a variant.
    pub fn start_of(variant: &'static Variant) -> CurrentGame {
        #[expect(clippy::expect_used, reason = "every variant can be played by two")]
        let position = variant.start(DEFAULT_PLAYERS).expect("a game for two");
        CurrentGame {
            variant,
            position,
            past: Vec::new(),
        }
    }

    pub fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// Positions before the current one.
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// Returns the game that a `position` command describes, of the same variant.
    ///
    /// # Errors
    /// [`PositionError`] names the invalid field or word of the move list.
    pub fn after(&self, command: &PositionCommand) -> Result<CurrentGame, PositionError> {
        let mut position = match &command.start {
            Start::Startpos { players } => {
                let players = players.map_or(DEFAULT_PLAYERS, |players| players as usize);
                self.variant.start(players)?
            }
            Start::Fen(text) => self.variant.parse(text)?,
            Start::Etude(line) => self.variant.parse_etude(line)?,
        };
        let mut past = Vec::with_capacity(command.moves.len());
        for (index, word) in command.moves.iter().enumerate() {
            if let Turn::Seat(mover) = position.turn() {
                let turns_home = position.turns_home(mover);
                past.push(Past {
                    key: position.key(),
                    mover,
                    turns_home,
                });
            }
            position.play(word).map_err(|reason| PositionError::Move {
                number: index + 1,
                expected: match reason {
                    ActionError::Unreadable { .. } => String::new(),
                    ActionError::Illegal { .. } => expected_in(&position),
                },
                reason,
            })?;
        }
        Ok(CurrentGame {
            variant: self.variant,
            position,
            past,
        })
    }
}

fn expected_in(position: &AnyPosition) -> String {
    match position.turn() {
        Turn::Over => ", expected the end of the list".into(),
        _ => format!(", expected {}", position.legal_actions().join(" ")),
    }
}
