//! The wish to end: set once, by a signal handler or a caller, and seen by every thread that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

/// A flag that all its clones share; once set it stays so.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// What was going on ended because of an [`Interrupt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Interrupt {
    /// A flag that is not set.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the flag: whoever waits for an engine notices within about a tenth of a second.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
