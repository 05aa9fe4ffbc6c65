//! The searches of the articles: [`vectors`] for Hase und Igel, [`minimax`] for Rabbits and Wolves. Both search a model
//! of the game to a fixed depth, without a transposition table, and share the iterative deepening.

mod deepening;
pub mod minimax;
pub mod vectors;

pub use deepening::{Extent, Line, Observer};
