//! Helpers of the tests: a server, the processes of a fleet, and the same match on one machine.

pub mod fleet;
pub mod jetstream;
pub mod keys;
pub mod noted;
pub mod one_machine;
pub mod proxy;
pub mod server;
pub mod small;

pub use fleet::{FLEET, Fleet, Process};
pub use jetstream::with_jetstream;
pub use one_machine::{assert_whole, lines_of, played_on_one_machine};
pub use proxy::Proxy;
pub use server::Server;
