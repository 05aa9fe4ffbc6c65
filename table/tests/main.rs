//! All tests of the table but those in a browser as one program: linked once, not once for each file.

mod common;

mod bad_engines;
mod dependencies;
mod document;
mod documents;
mod engines;
mod files;
mod foreign;
mod fuzz;
mod memory;
mod process;
mod refusals;
mod review;
mod rules_agree;
