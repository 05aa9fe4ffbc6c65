//! Tests of one engine or rules program against the protocol, without a match.
//!
//! [`check`] plays the transcripts of the `suite`; only the `soak` and the random games of `rules` are code.
//! [`transcript`] is the format and the runner, of `arbiter transcript`, too. `program` is the conversation below it,
//! and `talk` adds what an engine has said of itself.

pub mod check;
mod laws;
mod output;
mod program;
mod rules;
mod soak;
mod suite;
mod talk;
pub mod transcript;
