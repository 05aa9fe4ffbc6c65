//! All tests of the fleet as one program: real processes, and a real nats-server on a port of its own. Without a
//! nats-server the tests that need one say so, and pass.

mod common;

mod crashes;
mod fetched;
mod kept;
mod machines;
mod messages;
mod refusals;
mod same_games;
mod sprt;
