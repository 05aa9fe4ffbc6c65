//! Matches between engines: plans, games, statistics and reports.
//!
//! Each module uses only modules above it in this table:
//!
//! | module | content |
//! |---|---|
//! | [`input_file`] | opening regular files |
//! | [`own_files`] | files of this process that engines must not see |
//! | [`output`] | printing to the terminal |
//! | [`spelling`] | suggestions for misspelt names |
//! | [`record`] | the record of a game |
//! | [`score`] | statistics of results |
//! | [`plan`] | a match before it starts, and the schedule of its games |
//! | [`archive`] | the store and record files; does not see [`play`] |
//! | [`play`] | engine processes, the referee, and the threads that play games |
//! | [`judge`], [`review`] | the value of each move and card of a game, by an engine |
//! | [`report`] | tables of a match |
//! | [`run`] | a match from its start to its exit status |
//!
//! No input may cause a panic: panicking calls are denied outside tests.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

#[cfg(not(unix))]
compile_error!(
    "matches need Linux or macOS; here only the engine builds: cargo build -p buxtehude"
);

/// Version of the workspace, as `arbiter --version` prints it and stores keep it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod archive;
pub mod input_file;
pub mod judge;
pub mod luck;
pub mod output;
pub mod own_files;
pub mod plan;
pub mod play;
pub mod record;
pub mod report;
pub mod review;
pub mod run;
pub mod score;
pub mod spelling;
