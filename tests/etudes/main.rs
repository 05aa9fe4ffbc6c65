//! The commands `buxtehude etudes ...` of the real binary, on files of its own for each test.

#[path = "../client/mod.rs"]
mod client;

mod arguments;
mod folder;
mod judge;
mod lines;
mod tune;
