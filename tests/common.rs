//! What several tests share.

pub mod answers;
pub mod client;
pub mod evaluators;
pub mod positions;
pub mod reference;
