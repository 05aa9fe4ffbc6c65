//! The table: a board in the browser, where people and engines play, analyse, and look at recorded games.
//!
//! The server stores no games: every request contains the whole game, and every answer its state under the rules. It
//! keeps only engine processes, which are started on demand ([`pool`]).
//!
//! | module | contents |
//! |---|---|
//! | [`server`] | listening, all routes, shutting down |
//! | [`api`] | operations: requests and answers |
//! | [`access`] | access control |
//! | [`requests`], [`error`] | requests in progress: clients, how much each may use, bodies; errors for clients |
//! | [`pool`] | the queue of searches, and engine processes |
//! | [`game`] | games in requests and their cards; games in answers and their appearance |
//! | [`args`] | command line |
//! | [`pages`] | pages for the browser |
//!
//! No input from clients or engines may crash the server, so code that could panic is denied here, except in tests.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod access;
pub mod api;
pub mod args;
pub mod error;
pub mod game;
pub mod pages;
pub mod pool;
pub mod requests;
pub mod server;
