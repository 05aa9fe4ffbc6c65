//! Helpers for several tests.

pub mod games;
pub mod program;
pub mod server;
