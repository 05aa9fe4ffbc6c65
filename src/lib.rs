//! A headless engine for racing and hunting board games with two to six players.

pub mod protocol;
pub mod rules;
