//! Whatever puts an engine to the test without a match: checks of conformance, transcripts, games played once more,
//! openings, moves and whole games judged.

mod added_up;
pub mod check;
pub mod cost;
mod each_game;
pub mod judge;
pub mod openings_suite;
pub mod review;
pub mod transcript;
pub mod verify;
