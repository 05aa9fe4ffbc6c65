//! The arbiter: starts engines as child processes, referees matches between any number of them, draws
//! the cards, keeps the clocks, enforces the rules, records and reports.
//!
//! Data flows one way: [`plan`] (what is to be played, validated) -> [`schedule`] (which game is n) ->
//! [`referee`] (one game) -> [`record`] (what happened) -> score and report (numbers and tables).

pub mod ending;
pub mod plan;
pub mod record;
pub mod schedule;
