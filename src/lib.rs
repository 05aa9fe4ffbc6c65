//! A headless engine for racing and hunting board games with two to six players.
#![warn(missing_docs)]

pub mod bench;
pub mod etudes;
pub mod eval;
pub mod limits;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod session;
