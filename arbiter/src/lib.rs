//! The arbiter: starts engines as child processes, referees matches between any number of them, draws
//! the cards, keeps the clocks, enforces the rules, records and reports.
//!
//! Rooms, each of which sees only those that stand below it:
//!
//! | room | has |
//! |---|---|
//! | `commands` (of the binary) | each command, from its arguments to its exit code |
//! | [`settings`] | what is typed or in a file, made into a plan |
//! | [`trials`] | engines put to the test without a match |
//! | [`results`] | what is seen of a match: tables, page, progress, events |
//! | [`play`] | threads, engine processes, the referee of a game |
//! | [`archive`] | games that are kept; it does not see [`play`], nor that it |
//! | [`plan`] | what is to be played, and which game is number n |
//! | [`score`] | numbers from results |
//! | [`record`] | what happened in a game |
//!
//! Nothing that an engine does may bring the arbiter down: whatever could panic is denied here, but in tests.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

/// The version of the arbiter, as `arbiter --version` says it and stores keep it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod archive;
pub mod plan;
pub mod play;
pub mod record;
pub mod results;
pub mod score;
pub mod settings;
pub mod trials;
