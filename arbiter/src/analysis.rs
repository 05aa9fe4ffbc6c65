//! Analysis of recorded games and of openings, with an engine as the judge.

mod added_up;
pub mod cost;
mod each_game;
pub mod openings_suite;
pub mod review_games;
pub mod review_text;
pub mod verify;
