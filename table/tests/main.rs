//! All tests of the table except the browser's, in one program, so that it is linked only once.

mod common;

mod assets;
mod attacks;
mod bad_engines;
mod dependencies;
mod document;
mod engines;
mod files;
mod foreign;
mod fuzz;
mod memory;
mod process;
mod recording;
mod refusals;
mod review;
mod rules_agree;
