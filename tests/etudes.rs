//! The commands `buxtehude etudes ...` of the real binary, on files of its own for each test.

mod arguments;
mod folder;
mod judge;
mod lines;
mod tune;
