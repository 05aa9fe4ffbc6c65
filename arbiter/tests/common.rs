//! Helpers shared by several tests.

pub mod arena;
pub mod mutants;
pub mod processes;
pub mod program;
pub mod stepped;
pub mod stored;
pub mod table;
