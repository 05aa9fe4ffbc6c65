//! The searches of the articles: [`vectors`] for Hase und Igel, [`minimax`] for Rabbits and Wolves. Both walk a model
//! of the game to a fixed depth, without a memory, and deepen alike.

mod deepening;
pub mod minimax;
pub mod vectors;

pub use deepening::{Extent, Line, Observer};
