//! Access control, and errors for clients.

mod guard;
mod refusal;
mod request;

pub use guard::{Hosts, guard};
pub use refusal::Refusal;
pub use request::{MOST_BODY_BYTES, Wanted, quoted};
