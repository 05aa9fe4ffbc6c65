//! Tests of one engine or rules program against the protocol, without a match.

pub mod check;
pub mod transcript;
