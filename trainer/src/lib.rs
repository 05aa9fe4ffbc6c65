//! Learning the evaluation of buxtehude from games against itself.

pub mod learner;
pub mod openings;
pub mod self_play;
