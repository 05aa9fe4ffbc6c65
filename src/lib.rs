//! A headless engine for racing and hunting board games with two to six players.
//!
//! An [`Engine`] finds moves; a [`CurrentGame`] plays them and remembers its past:
//! ```
//! use buxtehude::{Engine, Limits, rules::Variant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let variant = Variant::by_name("hase-und-igel")?;
//! let position = variant.start(3)?;
//! let answer = Engine::new(variant).level(5)?.best_move(&position, Limits::movetime(100))?;
//! println!("{} of {:?}: shares {:?}", answer.best, position.legal_actions(), answer.shares());
//! # Ok(())
//! # }
//! ```
//! `examples/play_game.rs` plays a whole game. Below the facade:
//!
//! - [`rules`]: positions, moves and cards of all games; [`pictures`] draws them;
//! - [`search`]: a search with reports, limits, a stop flag and any preset;
//! - [`eval`]: what a position is worth to each seat;
//! - [`articles`]: the programs of two articles about the games;
//! - [`protocol`]: parses and prints both directions; [`session`]: serves a client.
//!
//! # Speed
//! The library counts and scans bits, which a build for any x86-64 processor does without the instructions for it. The
//! workspace's own programs are built for `x86-64-v3`; a program that depends on the library says so itself, in its
//! `.cargo/config.toml`:
//! ```toml
//! [target.'cfg(target_arch = "x86_64")']
//! rustflags = ["-C", "target-cpu=x86-64-v3"] # or native
//! ```
#![warn(missing_docs)]

pub mod articles;
pub mod bench;
mod engine;
pub mod eval;
pub mod pictures;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod session;

pub use engine::{CurrentGame, Engine, EngineError};
pub use search::Limits;
