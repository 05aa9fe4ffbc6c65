//! The arbiter's command line: commands, the conformance check and reports.
//!
//! The library [`mod@matches`] plays the matches.
//!
//! | module | content |
//! |---|---|
//! | `commands` (of the binary) | each command, from its arguments to its exit status |
//! | [`args`] | the command line |
//! | [`conformance`] | tests of one engine against the protocol |
//! | [`reports`] | the page of a match, games as text |
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod args;
pub mod conformance;
pub mod reports;
