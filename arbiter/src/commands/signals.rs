//! Signals that ask the arbiter to end; those that engines send are said aloud.

use std::io;

use matches::play::interrupt::Interrupt;
use matches::play::signals;

use super::exit::accuse_aloud;

/// Calls `on_signal` as [`signals::listen`] does, and says which engine sent one.
///
/// # Errors
/// The system's reason for which signals cannot be handled.
pub fn listen(interrupt: &Interrupt, on_signal: impl FnMut() + Send + 'static) -> io::Result<()> {
    signals::listen(interrupt, on_signal, accuse_aloud)
}
