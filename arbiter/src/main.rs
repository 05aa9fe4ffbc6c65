//! The arbiter as a program.
fn main() {}
