//! All tests of the engine as one program, which is linked once instead of once per file.

mod common;

mod article;
mod command_line;
mod engine;
mod etude_set;
mod etudes;
mod examples;
mod fox_rules;
mod hunt;
mod illegal_moves;
mod laws;
mod levels;
mod net;
mod perft;
mod pictures;
mod preset;
mod protocol;
mod refusals;
mod rules_agree;
mod rules_server;
mod search;
mod session;
mod session_input;
mod session_random;
mod snapshots;
mod solved;
#[cfg(feature = "ludo")]
mod third_game;
mod threads;
mod tidy;
mod transcripts;
mod ugi;
