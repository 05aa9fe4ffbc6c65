//! Helpers shared by several tests.

/// A script that behaves as its arguments say.
pub const ENGINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/engine.sh");

pub mod processes;
pub mod table;
