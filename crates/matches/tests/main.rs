//! All tests of the library as one program, which is linked once instead of once per file.

mod common;

mod adjudication;
mod faults;
mod head_to_head;
mod intervals;
mod ledger;
mod pondering;
mod rating;
mod referee;
mod review;
mod runner;
mod schedule;
mod score;
mod sprt;
mod sprt_error_rates;
