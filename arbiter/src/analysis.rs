//! Analysis of recorded games and of openings, with an engine as the judge.

mod in_order;
pub mod openings_suite;
pub mod review;
pub mod review_text;
pub mod verify;
