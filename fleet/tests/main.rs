//! All tests of the fleet in one program, with real processes and a nats-server on its own port. Without a nats-server
//! the tests that need one are ignored.

mod common;

mod attacks;
mod clock;
mod crashes;
mod disk;
mod fetched;
mod kept;
mod late;
mod long;
mod machines;
mod messages;
mod network;
mod outputs;
mod refusals;
mod rights;
mod rules;
mod secure;
mod several;
mod sprt;
