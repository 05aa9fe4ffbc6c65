//! Games in requests, their state under the rules, and their appearance.

mod chance;
mod game;
mod scene;
mod state;

pub use chance::Chance;
pub use game::{Game, GameError, MAX_WORDS, Played};
pub use scene::{Card, Moment, Scene, number};
pub use state::{Drawn, State, Step, Took, steps_of};
