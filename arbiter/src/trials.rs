//! Whatever puts an engine to the test without a match: checks of conformance, transcripts, games played once more,
//! openings and moves judged.

pub mod check;
pub mod cost;
pub mod judge;
pub mod openings_suite;
pub mod transcript;
pub mod verify;
