//! Playing the games: worker threads, engine processes, and the referee, with their sandbox, clock, lag meter and log.

pub mod clock;
pub mod engine;
pub mod family;
pub mod interrupt;
pub mod lag;
pub mod log;
mod processor;
pub mod referee;
pub mod rules;
pub mod runner;
pub mod sandbox;
