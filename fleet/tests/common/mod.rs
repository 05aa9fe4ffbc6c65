//! Helpers of the tests: a server, the processes of a fleet, and the same match on one machine.

pub mod engines;
pub mod fleet;
pub mod keys;
pub mod one_machine;
pub mod proxy;
pub mod server;

pub use fleet::{FLEET, Fleet, MATCH, Process, program, stored};
pub use one_machine::{assert_whole, lines_of, played_on_one_machine};
pub use proxy::Proxy;
pub use server::{Server, with_jetstream};
