//! Why a move is refused: the one rule that it breaks.

use thiserror::Error;

use super::board::{Square, down_left, down_right, neighbours};
use super::moves::Move;
use super::position::{Position, RABBIT};
use crate::rules::{Game, Turn};

/// Why a move is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// Somebody has won.
    #[error("the game is over")]
    GameOver,
    /// A move of the rabbit from where it is not.
    #[error("seat 1 moves the rabbit, which is on {rabbit}, not on {from}")]
    NotTheRabbit {
        /// Where the rabbit is.
        rabbit: Square,
        /// The square named.
        from: Square,
    },
    /// A move of a wolf from where none is.
    #[error("seat 2 moves the wolves, and none is on {from}")]
    NotAWolf {
        /// The square named.
        from: Square,
    },
    /// A move to elsewhere than a diagonal neighbour.
    #[error("from {from} to {to} is not one diagonal step")]
    NotAStep {
        /// The square named first.
        from: Square,
        /// The square named second.
        to: Square,
    },
    /// A step of a wolf up the board.
    #[error("wolves step down the board only, not from {from} to {to}")]
    Upwards {
        /// Where the wolf is.
        from: Square,
        /// The square above.
        to: Square,
    },
    /// A step onto a square where somebody stands.
    #[error("square {to} is taken")]
    Taken {
        /// The square.
        to: Square,
    },
}

impl Position {
    /// The rule that an illegal move breaks.
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
        // Every other reason was excluded.
        IllegalMove::Taken { to }
    }
}
