//! The position that a client has set, and the way that led there.

use thiserror::Error;

use crate::protocol::{PositionCommand, Start};
use crate::rules::{ActionError, AnyPosition, SetupError, Turn, Variant};
use crate::search::Past;

/// Players where nobody says how many.
const DEFAULT_PLAYERS: usize = 2;

/// A variant, a position of it, and the positions before.
#[derive(Clone, Debug)]
pub struct Game {
    variant: &'static Variant,
    position: AnyPosition,
    /// The positions that a seat has moved from, in order; the present one is not among them.
    past: Vec<Past>,
}

/// Why a `position` is refused.
#[derive(Debug, Error)]
pub enum PositionRefusal {
    /// The start is refused.
    #[error(transparent)]
    Start(#[from] SetupError),
    /// A word of the move list is refused.
    #[error("move {number} of the list: {reason}{expected}")]
    Move {
        /// Its place in the list, from 1.
        number: usize,
        /// Why.
        reason: ActionError,
        /// What would have been legal there, where `reason` does not say it.
        expected: String,
    },
}

impl Game {
    /// The start of a variant.
    pub fn start_of(variant: &'static Variant) -> Game {
        #[expect(clippy::expect_used, reason = "every variant can be played by two")]
        let position = variant.start(DEFAULT_PLAYERS).expect("a game for two");
        Game {
            variant,
            position,
            past: Vec::new(),
        }
    }

    /// The position.
    pub fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// The positions before this one.
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// The game that a `position` command asks for, of the same variant.
    ///
    /// # Errors
    /// [`PositionRefusal`] names the field, or the word of the move list, that is wrong.
    pub fn after(&self, command: &PositionCommand) -> Result<Game, PositionRefusal> {
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
            position
                .play(word)
                .map_err(|reason| PositionRefusal::Move {
                    number: index + 1,
                    expected: match reason {
                        ActionError::Unreadable { .. } => String::new(),
                        ActionError::Illegal { .. } => expected_in(&position),
                    },
                    reason,
                })?;
        }
        Ok(Game {
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
