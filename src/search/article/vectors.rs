//! Vector search: each mover takes the vector that its strategy prefers.
//!
//! This is the search of the article "AI in Hase und Igel: minimax for three" for two to six seats, with its options as
//! settings. It searches a [`Model`](crate::eval::Model) of the game to a fixed depth.
//!
//! **Ties.** The result never depends on the order of moves. A mover takes the vector with the larger value by the
//! [`Strategy`]; among equal values, the one that is lexicographically larger when read from the mover's seat onwards;
//! for equal vectors, the lower move. (Two seats under [`Strategy::Relative`] have an order of their own, see
//! `zero_sum`.) So the vector of the root is a function of the tree alone. The only exception is [`Prune::Article`],
//! which follows the article.
//!
//! **Means.** For a card, each component of the mean is rounded down. Below a card every vector is searched in full, so
//! the mean is the same with and without pruning.

mod node;
mod root;
mod settings;
mod strategy;
mod zero_sum;

pub use root::search;
pub use settings::{Caps, CapsError, Prune, VectorSettings};
pub use strategy::Strategy;
