//! Hase und Igel (Hare and Tortoise), the board game by David Parlett, for two to six players.
//!
//! A [`Ruleset`] defines a variant: track, starting carrots, lettuces and deck. A [`Position`] is a state of the race
//! under a ruleset; [`Move`]s and [`Card`]s change it.

mod cards;
mod effects;
mod etude;
mod moves;
mod notation;
mod picture;
mod position;
mod position_error;
mod preview;
mod refusal;
mod ruleset;
mod scene;
mod track;
mod turns_home;

pub use cards::{Card, Outcomes};
pub use etude::{Etude, EtudeError};
pub use moves::{Move, Moves};
pub use position::{Hare, Position};
pub use position_error::PositionError;
pub use refusal::{IllegalCard, IllegalMove};
pub use ruleset::{HARE_AND_TORTOISE, HASE_UND_IGEL, Ruleset};
pub use track::{FINISH, Square, Track};
pub use turns_home::TurnsHome;

/// Cost in carrots of `steps` squares forward: 1 + 2 + ... + `steps`.
pub const fn cost(steps: u16) -> u16 {
    steps * (steps + 1) / 2
}
