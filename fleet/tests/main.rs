//! All tests of the fleet as one program: real processes, and a real nats-server on a port of its own. Without a
//! nats-server the tests that need one say so, and pass.

mod common;

mod clock;
mod crashes;
mod disk;
mod fetched;
mod full_disk;
mod kept;
mod kills;
mod late;
mod long;
mod machines;
mod messages;
mod network;
mod outputs;
mod refusals;
mod rights;
mod same_games;
mod secure;
mod several;
mod sprt;
