//! What the tests share: a server, the processes of a fleet, and the same match on one machine.

pub mod fleet;
pub mod noted;
pub mod one_machine;
pub mod server;
pub mod small;

pub use fleet::{FLEET, Fleet, Process};
pub use one_machine::{lines_of, played_on_one_machine};
pub use server::Server;
