//! Signals that ask a match to stop, and signals that engines send.

use std::io;
use std::thread;
use std::time::Duration;

use super::OnInterrupt;
use super::exit::{INTERRUPTED, complain};
use crate::play::interrupt::Interrupt;
use crate::play::signals;

/// Time after the last signal: enough to end the engines with all their children.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Calls `on_signal` for each signal from outside, and reports each engine that sends one.
///
/// # Errors
/// The system's error if signals cannot be handled.
pub fn listen(interrupt: &Interrupt, on_signal: impl FnMut() + Send + 'static) -> io::Result<()> {
    signals::listen(interrupt, on_signal, |process, signal| {
        complain(format_args!(
            "the engine with process {process} sent {signal} to the arbiter, which is a fault"
        ));
    })
}

/// Stops a match on signals: the first one in order, the next without waiting for games, the last one the process.
///
/// # Errors
/// The system's error if signals cannot be handled.
pub fn stop_match(interrupt: &Interrupt, choice: OnInterrupt) -> io::Result<()> {
    let stopped = interrupt.clone();
    listen(interrupt, move || {
        if stopped.is_set() {
            thread::sleep(LAST_GRACE);
            std::process::exit(INTERRUPTED.into());
        }
        if choice == OnInterrupt::Finish && !stopped.ends() {
            stopped.finish();
            complain("stopping after the running games; interrupt again to drop them");
        } else {
            stopped.set();
            complain("stopping; interrupt again to stop at once");
        }
    })
}
