//! Errors of illegal moves: the rule that the move breaks.

use thiserror::Error;

use super::board::{Square, down_left, down_right, neighbours};
use super::moves::Move;
use super::position::{Position, RABBIT};
use crate::rules::{Game, Turn};

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// A move of the rabbit from a square where it is not.
    #[error("seat 1 moves the rabbit, which is on {rabbit}, not on {from}")]
    NotTheRabbit {
        /// Square of the rabbit.
        rabbit: Square,
        /// Origin square of the move.
        from: Square,
    },
    /// A move of a wolf from a square without a wolf.
    #[error("seat 2 moves the wolves, and none is on {from}")]
    NotAWolf {
        /// Origin square of the move.
        from: Square,
    },
    /// The destination is not a diagonal neighbour.
    #[error("from {from} to {to} is not one diagonal step")]
    NotAStep {
        /// Origin square of the move.
        from: Square,
        /// Destination of the move.
        to: Square,
    },
    /// A step of a wolf up the board.
    #[error("wolves step down the board only, not from {from} to {to}")]
    Upwards {
        /// Square of the wolf.
        from: Square,
        /// The square above.
        to: Square,
    },
    /// The destination is not free.
    #[error("square {to} is taken")]
    Taken {
        /// Destination of the move.
        to: Square,
    },
}

impl Position {
    /// Returns the rule that an illegal move breaks.
    pub(super) fn refusal(&self, mv: Move) -> IllegalMove {
        let Move { from, to } = mv;
        let Turn::Seat(mover) = self.turn() else {
            return IllegalMove::GameOver;
        };
        let is_rabbit = mover == RABBIT;
        if is_rabbit && from != self.rabbit() {
            let rabbit = self.rabbit();
            return IllegalMove::NotTheRabbit { rabbit, from };
        }
        if !is_rabbit && self.wolves() & from.bit() == 0 {
            return IllegalMove::NotAWolf { from };
        }
        if neighbours(from.bit()) & to.bit() == 0 {
            return IllegalMove::NotAStep { from, to };
        }
        let below = down_left(from.bit()) | down_right(from.bit());
        if !is_rabbit && below & to.bit() == 0 {
            return IllegalMove::Upwards { from, to };
        }
        // All other rules have been checked.
        IllegalMove::Taken { to }
    }
}
