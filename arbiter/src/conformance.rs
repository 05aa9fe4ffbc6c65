//! Tests of one engine against the protocol, without a match.

pub mod check;
pub mod transcript;
