//! The arbiter: starts engines as child processes, referees matches between any number of them, draws
//! the cards, keeps the clocks, enforces the rules, records and reports.
//!
//! Data flows one way: [`plan`] (what is to be played, validated) -> [`schedule`] (which game is n) ->
//! [`referee`] (one game) -> [`record`] (what happened) -> score and report (numbers and tables).
//!
//! Nothing that an engine does may bring the arbiter down: whatever could panic is denied here, but in tests.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod clock;
pub mod deck;
pub mod ending;
pub mod engine;
pub mod interrupt;
pub mod log;
pub mod plan;
pub mod record;
pub mod referee;
pub mod schedule;
