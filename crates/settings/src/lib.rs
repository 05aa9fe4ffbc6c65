//! The flags and the settings file of a match, shared by all programs that play one.
//!
//! `arbiter` and `fleet` use all flags of a match, `table` only those of an engine. [`args`] defines the flags and
//! converts them to a plan; [`config`] reads them from a file.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod args;
pub mod config;
