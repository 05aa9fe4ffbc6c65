//! One match on many machines: a coordinator that keeps the truth in the arbiter's own store, workers that play, and
//! NATS JetStream between them, which holds nothing but work in flight.
//!
//! | module | has |
//! |---|---|
//! | [`args`] | the command line |
//! | [`coordinator`] | `fleet match`, `tournament` and `resume` |
//! | [`worker`] | `fleet work` |
//! | [`status`] | `fleet status` |
//! | [`check`] | what a game has to be to count |
//! | [`queue`] | streams, consumers and buckets on the server |
//! | [`message`] | what is sent, with its versions and bounds |
//! | [`names`] | what things are called on the server |
//! | [`time_scale`] | limits of time by the speed of a machine |
//! | [`units`] | which games are given out together |
//!
//! Nothing that comes over the network may bring a process down: whatever could panic is denied here, but in tests.
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
