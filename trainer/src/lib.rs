//! Learning the evaluation of buxtehude from games against itself, and measuring what was learned.
//!
//! [`course`] is the way of a net from nothing to weights: rounds of [`self_play`] by a [`player`] from [`openings`],
//! from whose samples a [`learner`] learns. [`measure`] holds a net against [`records`] of games, and [`comparison`]
//! against another net, and [`endings`] against what is certain.

pub mod carrying_over;
pub mod comparison;
pub mod course;
pub mod endings;
pub mod facts;
pub mod learner;
pub mod measure;
pub mod openings;
pub mod player;
pub mod plot;
pub mod records;
pub mod self_play;
