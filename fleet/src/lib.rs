//! One match on many machines: a coordinator that keeps the games in an arbiter's store, workers that play them, and
//! NATS JetStream between them, which holds only work in progress.
//!
//! In reading order; each module uses only modules above it:
//!
//! | module | contents |
//! |---|---|
//! | [`signature`] | keys of coordinators and workers, and their signatures |
//! | [`args`] | command line |
//! | [`message`] | messages, with their versions and size limits; units: games that are given out together |
//! | [`queue`] | the server: connection, names, streams and consumers |
//! | [`storage`] | buckets and object stores on the server |
//! | [`check`] | validation of results |
//! | [`time_scale`] | the speed of a machine, and time limits scaled by it |
//! | [`worker`] | `fleet work`: `join` finds matches and `engines` their engines, `unit` plays their units |
//! | [`coordinator`] | `fleet match`, `tournament`, `resume` |
//! | [`status`] | `fleet status` |
//!
//! The way of a unit: `coordinator::unit_schedule` says that it is due, and `coordinator` publishes it. A worker pulls
//! it (`worker::unit`), plays it with the runner of `matches`, and sends each game. `coordinator::collect` checks and
//! counts the game, and stores it through the ledger of `matches`. `coordinator::announce` tells workers of the match,
//! and `worker::join` joins it.
//!
//! No input from the network may crash a process, so code that could panic is denied here, except in tests.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod args;
pub mod check;
pub mod coordinator;
pub mod message;
pub mod queue;
pub mod signature;
pub mod status;
pub mod storage;
pub mod time_scale;
pub mod worker;
