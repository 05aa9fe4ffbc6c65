//! All tests of the arbiter as one program: linked once, not once for each file.

mod common;

mod adjudication;
mod bad_engines;
mod check;
mod cli;
mod config;
mod cost;
mod documents;
mod ends;
mod etude_set;
mod fairness;
mod faults;
mod hidden_text;
mod killed;
mod lag;
mod ledger;
mod matches;
mod openings;
mod outputs;
mod page;
mod plain_uci;
mod pondering;
mod protocol_rows;
mod random_mover;
mod rating;
mod referee;
mod replay;
mod report;
mod retirement;
mod review;
mod runner;
mod schedule;
mod score;
mod secret_seed;
mod shell_blocks;
mod sprt;
mod sprt_error_rates;
mod sprt_match;
mod store;
#[cfg(feature = "ludo")]
mod third_game;
mod tournament;
mod transcript;
mod verify;
mod walls;
