//! The search for vectors: each mover takes the vector that is best for itself, by a strategy.
//!
//! This is the search of the article "AI in Hase und Igel: minimax for three" for two to six seats, with
//! its choices as settings. It walks a [`Model`](crate::eval::Model) of the game, to a fixed depth.
//!
//! **Ties.** What is best never depends on the order in which moves are looked at: of two vectors the mover
//! takes the one with the larger value by the [`Strategy`], of equal values the one that is lexicographically
//! larger when read from the mover's seat onward, and for equal vectors the lower move. (Two seats under
//! [`Strategy::Relative`] have an order of their own, see `zero_sum`.) So the vector of the root is a function
//! of the tree alone. [`Prune::Article`] alone breaks this, for it does as the article says.
//!
//! **Means.** Where a card is drawn, each component of the mean is rounded down. Below a card every vector is
//! worked out in full, so the mean is the same with pruning and without.

mod node;
mod root;
mod settings;
mod strategy;
mod zero_sum;

pub use root::search;
pub use settings::{Caps, CapsError, Prune, VectorSettings};
pub use strategy::Strategy;
