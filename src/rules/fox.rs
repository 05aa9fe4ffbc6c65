//! Rabbits and Wolves, the hunting game known as fox and hounds, for two players on the dark squares of a chess board.
//!
//! Seat 1 has one rabbit, which steps diagonally in all four directions and wins on reaching row 8. Seat 2 has four
//! wolves, which step diagonally down the board and win when the rabbit has no step left. Nothing is captured, and a
//! player who cannot move loses. The notation is the same as in other UCI variant engines.

pub mod board;
mod moves;
mod notation;
mod picture;
mod position;
mod refusal;
mod scene;
pub mod solved;

pub use board::{NotASquare, Square};
pub use moves::{Move, Moves, NotAMove};
pub use notation::PositionError;
pub use position::{Position, RABBIT, WOLVES};
pub use refusal::IllegalMove;
