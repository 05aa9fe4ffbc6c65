//! One match on many machines: a coordinator that keeps the games in an arbiter's store, workers that play them, and
//! NATS JetStream between them, which holds only work in progress.
//!
//! In reading order; each module uses only modules above it:
//!
//! | module | contents |
//! |---|---|
//! | [`names`] | names of the objects on the server |
//! | [`signature`] | keys of coordinators and workers, and their signatures |
//! | [`args`] | command line |
//! | [`message`] | messages, with their versions and size limits |
//! | [`units`] | groups of games that are given out together: a block, or a part of a long one |
//! | [`plan_file`] | the plan of a match as bytes |
//! | [`queue`] | streams, consumers, buckets and object stores on the server |
//! | [`check`] | validation of results |
//! | [`time_scale`] | time limits scaled by the speed of a machine |
//! | [`worker`] | `fleet work`: `join` finds matches and `engines` their engines, `unit` plays their units |
//! | [`coordinator`] | `fleet match`, `tournament`, `resume`: the loop `drive` calls `dispatch` and `collect` |
//! | [`status`] | `fleet status` |
//!
//! No input from the network may crash a process, so code that could panic is denied here, except in tests.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod args;
pub mod check;
pub mod coordinator;
pub mod message;
pub mod names;
pub mod plan_file;
pub mod queue;
pub mod signature;
pub mod status;
pub mod time_scale;
pub mod units;
pub mod worker;
