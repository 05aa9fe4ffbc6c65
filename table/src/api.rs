//! The operations: each from its request to its answer.

mod analyse;
mod app;
mod engines;
mod limits;
mod rules;
mod search;

pub use analyse::analyse;
pub use app::{App, SearchBounds};
pub use engines::{ai, engines};
pub use rules::{draw, new, play, show, solved};
