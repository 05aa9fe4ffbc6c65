//! Who is let in, and what is said to those who are not.

mod guard;
mod refusal;
mod request;

pub use guard::{Hosts, guard};
pub use refusal::Refusal;
pub use request::{MOST_BODY_BYTES, Wanted, quoted};
