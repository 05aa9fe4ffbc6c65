//! Helpers shared by several tests.

/// A script that behaves as its arguments say.
pub const ENGINE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/matches/tests/engines/engine.sh");

pub mod arena;
pub mod mutants;
#[path = "../../crates/matches/tests/common/processes.rs"]
pub mod processes;
pub mod program;
pub mod stepped;
pub mod stored;
