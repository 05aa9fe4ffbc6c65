//! The arbiter: starts engines as child processes, referees matches between any number of them, draws
//! the cards, keeps the clocks, enforces the rules, records and reports.
//!
//! Data flows one way: [`config`] (settings of a file) and [`args`] (as typed) -> [`plan`] (what is to be
//! played, validated) -> [`schedule`] (which game is n) -> [`runner`] (threads and processes) -> [`referee`]
//! (one game) -> [`record`] (what happened) -> [`store`] (kept) -> [`score`], [`report`] and [`page`]
//! (numbers, tables, a page for a browser). [`replay`] goes the way back: it takes a record and asks the rules whether it can be so;
//! [`verify`] has it played once more, [`cost`] has an engine judge its moves.
//! [`openings_suite`], [`transcript`] and [`check`] stand alone: the first has a [`judge`] look at openings, the
//! others run a script of lines, or a walk of conformance, against any program.
//!
//! Nothing that an engine does may bring the arbiter down: whatever could panic is denied here, but in tests.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod args;
pub mod check;
pub mod clock;
pub mod config;
pub mod cost;
pub mod deck;
pub mod ending;
pub mod engine;
pub mod events;
pub mod explain;
pub mod game_file;
pub mod interrupt;
pub mod judge;
pub mod lag;
pub mod log;
pub mod openings;
pub mod openings_suite;
pub mod output;
pub mod page;
pub mod plan;
pub mod progress;
pub mod record;
pub mod record_file;
pub mod referee;
pub mod replay;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod score;
pub mod store;
pub mod transcript;
pub mod verify;
