//! Rabbits and Wolves, the hunting game known as fox and hounds, for two players on the dark squares of a chess board.
//!
//! Seat 1 has one rabbit, which steps diagonally in all four directions and wins on reaching row 8. Seat 2 has four
//! wolves, which step diagonally down the board and win when the rabbit has no step left. Nothing is captured, and a
//! player who cannot move loses. The notation is the same as in other UCI variant engines.

pub mod board;
mod moves;
mod notation;
mod position;
mod scene;
pub mod solved;

use std::convert::Infallible;
use std::{fmt, iter};

use thiserror::Error;

pub use board::{Square, SquareError};
pub use moves::{CardError, Move, MoveError, Moves, NoCard};
pub use position::{Position, RABBIT, WOLVES};

use super::{
    Game, MovePreview, Outcome, PositionError, Refusal, Scene, Seat, Turn, joined, splitmix64,
};
use board::{ROW_8, down_left, down_right, neighbours};
use solved::SOLVED;

impl Game for Position {
    type Rules = ();
    type Move = Move;
    type Card = NoCard;
    type Moves = Moves;
    type Outcomes = iter::Empty<(NoCard, u32)>;
    type IllegalMove = IllegalMove;
    type IllegalCard = Infallible;

    const HAS_CARDS: bool = false;

    fn start(_: &'static (), seats: usize) -> Option<Position> {
        const E1: Square = Square::new(2);
        (seats == 2).then(|| Position::of(E1, ROW_8, RABBIT))
    }

    fn parse(_: &'static (), text: &str) -> Result<Position, PositionError> {
        notation::parse(text)
    }

    #[inline]
    fn seats(&self) -> usize {
        2
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.legal_moves().is_empty() { Turn::Over } else { Turn::Seat(self.mover) }
    }

    #[inline]
    fn place(&self, seat: Seat) -> Option<usize> {
        let winner = self.winner()?;
        Some(if seat == winner { 1 } else { 2 })
    }

    fn turns_home(&self, _: Seat) -> Option<u32> {
        // The rabbit may never get home; games end anyway, since the wolves only move down the board.
        None
    }

    fn solved(&self) -> Option<Outcome> {
        Some(SOLVED.outcome(self))
    }

    #[inline(always)]
    fn legal_moves(&self) -> Moves {
        self.moves()
    }

    #[inline]
    fn outcomes(&self) -> iter::Empty<(NoCard, u32)> {
        iter::empty()
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.legal_moves().any(|legal| legal == mv) {
            return Err(self.illegal_move(mv));
        }
        *self = self.play_unchecked(mv);
        Ok(())
    }

    #[inline(always)]
    fn play_unchecked(&self, mv: Move) -> Position {
        self.after_move(mv)
    }

    fn draw(&mut self, card: NoCard) -> Result<(), Infallible> {
        match card {}
    }

    fn draw_unchecked(&self, card: NoCard) -> Position {
        match card {}
    }

    /// In this game different positions always have different keys.
    #[inline]
    fn key(&self) -> u64 {
        let word = u64::from(self.wolves)
            | u64::from(self.rabbit.number()) << 32
            | u64::from(self.mover.0) << 40;
        splitmix64(word)
    }

    fn picture(&self) -> String {
        scene::picture(self)
    }

    fn scene(&self) -> Scene {
        scene::of(self)
    }

    fn preview(&self, mv: Move) -> MovePreview {
        scene::preview(self, mv)
    }

    fn refusal(&self, square: usize) -> Option<Refusal> {
        scene::refusal(self, square)
    }

    fn card_words(card: NoCard) -> &'static str {
        match card {}
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let wolves = joined(Square::all_in(self.wolves), " ");
        vec![("rabbit", self.rabbit.to_string()), ("wolves", wolves)]
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}\n{}", self.picture())
    }
}

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
    fn illegal_move(&self, mv: Move) -> IllegalMove {
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
