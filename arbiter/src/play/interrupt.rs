//! The wish to end: set once, by a signal handler or a caller, and seen by every thread that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

/// A flag that all its clones share; once set it stays so.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    /// Nothing new is to be begun.
    ends: AtomicBool,
    /// What goes on is to end at once.
    is_set: AtomicBool,
}

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
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// Whether nothing new is to be begun: after [`Interrupt::finish`], or once the flag is set.
    pub fn ends(&self) -> bool {
        self.is_set() || self.0.ends.load(Ordering::Relaxed)
    }

    /// Lets what goes on come to its end, and nothing new begin.
    pub fn finish(&self) {
        self.0.ends.store(true, Ordering::Relaxed);
    }

    /// Sets the flag: whoever waits for an engine notices within about a tenth of a second.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }
}
