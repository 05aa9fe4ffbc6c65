//! What is to be done: settings of a file ([`config`]) and arguments as typed, made into a plan ([`args`])
//! and open files ([`outputs`]).

pub mod args;
pub mod config;
pub mod outputs;
