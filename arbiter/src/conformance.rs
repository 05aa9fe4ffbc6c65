//! Tests of one engine or rules program against the protocol, without a match.
//!
//! [`check`] plays the transcripts of the `suite` and runs the `coded` checks. [`transcript`] is the format and the
//! runner of both, and of `arbiter transcript`. `program` is the conversation below it, and `talk` adds what is
//! known of an engine.

pub mod check;
mod coded;
mod laws;
mod output;
mod program;
mod rules;
mod suite;
mod talk;
pub mod transcript;
