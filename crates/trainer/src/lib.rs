//! Learning the evaluation of buxtehude from self-play, and measuring the result.
//!
//! A [`course`] takes a net from nothing to weights, in rounds of [`self_play`] by a [`player`]; a [`learner`] learns
//! from the samples. [`measure`] compares a net with [`records`] of games and with another net, and [`endings`] with
//! exact results. [`facts`] are statistics of such games.

pub mod course;
pub mod endings;
pub mod facts;
pub mod learner;
pub mod measure;
pub mod player;
pub mod records;
pub mod self_play;
