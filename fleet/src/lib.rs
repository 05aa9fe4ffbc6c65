//! One match on many machines: a coordinator that keeps the games in an arbiter's store, workers that play them, and
//! NATS JetStream between them, which holds only work in progress.
//!
//! | module | contents |
//! |---|---|
//! | [`args`] | command line |
//! | [`coordinator`] | `fleet match`, `tournament` and `resume` |
//! | [`worker`] | `fleet work` |
//! | [`status`] | `fleet status` |
//! | [`check`] | validation of results |
//! | [`queue`] | streams, consumers and buckets on the server |
//! | [`message`] | messages, with their versions and size limits |
//! | [`names`] | names of the objects on the server |
//! | [`time_scale`] | time limits scaled by the speed of a machine |
//! | [`units`] | groups of games that are given out together |
//!
//! No input from the network may crash a process, so code that could panic is denied here, except in tests.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod args;
pub mod check;
pub mod coordinator;
pub mod message;
pub mod names;
pub mod plan_file;
pub mod queue;
pub mod status;
pub mod time_scale;
pub mod units;
pub mod worker;
