//! The `position` command: the game that it describes.

use thiserror::Error;

use crate::engine::CurrentGame;
use crate::protocol::{PositionCommand, Start};
use crate::rules::{ActionError, AnyPosition, SetupError, Turn, Variant};

/// Default number of players.
const DEFAULT_PLAYERS: usize = 2;

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

/// Starts a game of a variant.
pub fn start_of(variant: &Variant) -> CurrentGame {
    #[expect(clippy::expect_used, reason = "every variant can be played by two")]
    let position = variant.start(DEFAULT_PLAYERS).expect("a game for two");
    position.into()
}

/// Returns the game of a variant that a `position` command describes.
///
/// # Errors
/// [`PositionError`] names the invalid field or word of the move list.
pub fn game_of(variant: &Variant, command: &PositionCommand) -> Result<CurrentGame, PositionError> {
    let mut game = CurrentGame::from(first_position(variant, &command.start)?);
    for (number, word) in (1..).zip(&command.moves) {
        game.play(word).map_err(|reason| refusal(number, reason, game.position()))?;
    }
    Ok(game)
}

/// Returns the position before the first word of a move list.
///
/// # Errors
/// [`SetupError`] names the invalid field.
pub fn first_position(variant: &Variant, start: &Start) -> Result<AnyPosition, SetupError> {
    match start {
        Start::Startpos { players } => {
            variant.start(players.map_or(DEFAULT_PLAYERS, |players| players as usize))
        }
        Start::Fen(text) => variant.parse(text),
    }
}

/// The error of a word of the move list, which `position` refused.
pub fn refusal(number: usize, reason: ActionError, position: &AnyPosition) -> PositionError {
    PositionError::Move {
        number,
        expected: match reason {
            ActionError::Unreadable { .. } => String::new(),
            ActionError::Illegal { .. } => expected_in(position),
        },
        reason,
    }
}

fn expected_in(position: &AnyPosition) -> String {
    match position.turn() {
        Turn::Over => ", expected the end of the list".into(),
        _ => format!(", expected {}", position.legal_actions().join(" ")),
    }
}
