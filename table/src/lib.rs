//! The table: a board in the browser, where people and engines play, analyse, and look at recorded games.
//!
//! The server stores no games: every request contains the whole game, and every answer its state under the rules. It
//! keeps only engine processes, which are started on demand ([`pool`]).
//!
//! | module | contents |
//! |---|---|
//! | [`server`] | listening and shutting down |
//! | [`router`] | routes |
//! | [`api`] | operations: requests and answers |
//! | [`access`] | access control |
//! | [`clients`] | clients, and how much each may use |
//! | [`body`] | bodies of requests and answers |
//! | [`error`] | errors for clients |
//! | [`pool`] | engine processes and their queue |
//! | [`board`] | games, their appearance, and cards |
//! | [`args`] | command line |
//! | [`page`], [`rules_page`], [`assets`] | pages for the browser |
//!
//! No input from clients or engines may crash the server, so code that could panic is denied here, except in tests.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod access;
pub mod api;
pub mod args;
pub mod assets;
pub mod board;
pub mod body;
pub mod clients;
pub mod error;
pub mod page;
pub mod pool;
pub mod router;
pub mod rules_page;
pub mod server;
