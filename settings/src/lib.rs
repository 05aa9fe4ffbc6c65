//! The flags and the settings file of a match, shared by all programs that play one.
//!
//! `arbiter` and `fleet` take the flags of a match, `table` those of an engine. [`args`] has the flags as typed and
//! makes a plan of them, [`config`] reads them from a file.
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod args;
pub mod config;
