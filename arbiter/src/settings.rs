//! What is to be done: settings of a file ([`config`]) and arguments as typed, made into a plan ([`args`]).

pub mod args;
pub mod config;
