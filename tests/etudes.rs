//! The commands `buxtehude etudes ...` of the real binary, each test with its own files.

mod arguments;
mod folder;
mod judge;
mod lines;
#[cfg(unix)]
mod permissions;
mod tune;
