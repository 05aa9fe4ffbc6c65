//! The wish to end: set once, by a signal handler or a caller, and seen by every thread that waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Engines that sent us a signal, each by its process, with the name of the signal.
    accusations: Mutex<Vec<(u32, String)>>,
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

    /// Notes that an engine, or what it started, sent us a signal: such a wish is none of ours.
    pub fn accuse(&self, process: u32, signal: String) {
        let accusations = self.0.accusations.lock();
        let mut accusations = accusations.unwrap_or_else(PoisonError::into_inner);
        // Whoever sends thousands is accused once.
        if !accusations.iter().any(|(accused, _)| *accused == process) {
            accusations.push((process, signal));
        }
    }

    /// The name of the signal that the engine with this process sent, once.
    pub fn take_accusation(&self, process: u32) -> Option<String> {
        let accusations = self.0.accusations.lock();
        let mut accusations = accusations.unwrap_or_else(PoisonError::into_inner);
        let index = accusations
            .iter()
            .position(|(accused, _)| *accused == process)?;
        Some(accusations.swap_remove(index).1)
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
