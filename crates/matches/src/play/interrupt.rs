//! A request to stop: set once by a signal handler or a caller, and seen by every waiting thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

/// A flag shared by all its clones; once set, it stays set.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    /// No new game may begin.
    ends: AtomicBool,
    /// Running games must stop at once.
    is_set: AtomicBool,
    /// Engines that sent a signal to the arbiter: process ID and name of the signal.
    signals: Mutex<Vec<(u32, String)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Interrupt {
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// `true` if no new game may begin: after [`Interrupt::finish`], or once the flag is set.
    pub fn ends(&self) -> bool {
        self.is_set() || self.0.ends.load(Ordering::Relaxed)
    }

    /// Records that an engine, or a process that it started, sent a signal to the arbiter; the signal is not obeyed.
    pub fn record_signal(&self, process: u32, signal: String) {
        let mut signals = self.0.signals.lock().unwrap_or_else(PoisonError::into_inner);
        // An engine that sends thousands of signals is recorded once.
        if !signals.iter().any(|(sender, _)| *sender == process) {
            signals.push((process, signal));
        }
    }

    /// Removes and returns the name of the signal that the engine with this process ID sent.
    pub fn take_signal(&self, process: u32) -> Option<String> {
        let mut signals = self.0.signals.lock().unwrap_or_else(PoisonError::into_inner);
        let index = signals.iter().position(|(sender, _)| *sender == process)?;
        Some(signals.swap_remove(index).1)
    }

    /// Lets running games end normally, and prevents new ones.
    pub fn finish(&self) {
        self.0.ends.store(true, Ordering::Relaxed);
    }

    /// Sets the flag; threads that wait for an engine notice it within about 0.1 s.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }
}
