//! Helpers shared by several tests.

pub mod answers;
pub mod client;
pub mod evaluators;
pub mod positions;
pub mod reference;
