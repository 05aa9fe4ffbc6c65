//! The commands of the program, each from its arguments to its exit status.

pub mod check;
pub mod cost;
pub mod documents;
pub mod explain;
pub mod export;
pub mod openings;
pub mod play;
mod recorded_games;
pub mod replay;
pub mod report;
pub mod review;
pub mod transcript;
pub mod verify;

pub use matches::run::exit;
