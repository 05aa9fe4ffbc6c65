//! All tests of the arbiter as one program, which is linked once instead of once per file.

mod common;

mod bad_engines;
mod bounds;
mod check;
mod check_rules;
mod cli;
mod config;
mod documents;
mod ends;
mod fairness;
mod first_start;
mod hidden_text;
mod inputs;
mod isolation;
mod killed;
mod lag;
mod luck;
mod machines;
mod matches;
mod openings;
mod outputs;
mod page;
mod plain_uci;
mod protocol_rows;
mod random_mover;
mod replay;
mod report;
mod retirement;
mod review_command;
mod rules;
mod sandbox;
mod secret_seed;
mod shell_blocks;
mod sprt_match;
mod store;
#[cfg(feature = "ludo")]
mod third_game;
mod tournament;
mod transcript;
mod trust;
mod verify;
