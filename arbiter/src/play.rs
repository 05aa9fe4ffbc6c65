//! Playing: worker threads, engine processes, and the referee of a game, with their walls, clock, lag and log.

pub mod clock;
pub mod engine;
pub mod interrupt;
pub mod lag;
pub mod log;
pub mod referee;
pub mod runner;
pub mod walls;
