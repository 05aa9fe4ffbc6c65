//! The table: a board in the browser. People and engines play at it, analyse, and look at recorded games.
//!
//! A server that keeps nothing of a game: every request has the whole game in it, and every answer says what the rules
//! make of it. What it does keep are engine processes, which are started when they are needed ([`pool`]).
//!
//! | room | has |
//! |---|---|
//! | [`server`] | listening, and ending in order |
//! | [`router`] | which path leads where |
//! | [`api`] | each operation, from its request to its answer |
//! | [`door`] | who is let in, and what is said to those who are not |
//! | [`pool`] | engine processes, and the queue before them |
//! | [`board`] | games, what they look like, and chance |
//! | [`args`] | what is typed |
//! | [`page`], [`rules_page`], [`assets`] | what a browser loads |
//!
//! Nothing that a client or an engine sends may bring it down: whatever could panic is denied here, but in tests.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod api;
pub mod args;
pub mod assets;
pub mod board;
pub mod door;
pub mod page;
pub mod pool;
pub mod router;
pub mod rules_page;
pub mod server;
