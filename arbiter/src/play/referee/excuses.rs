//! Games that are played once more since somebody else may have ended or stopped an engine.
//!
//! An engine may also have done it itself, to escape from a game that it loses. So each is excused only a few times.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often an engine is excused.
const MOST_EXCUSES: u32 = 2;

/// How often each engine of a plan has been excused.
#[derive(Debug)]
pub struct Excuses(Vec<AtomicU32>);

impl Excuses {
    /// Nobody of so many engines has been excused yet.
    pub fn new(engines: usize) -> Excuses {
        Excuses((0..engines).map(|_| AtomicU32::new(0)).collect())
    }

    /// Excuses an engine, by its number in the plan, unless that was done twice before; returns whether it is excused.
    pub fn excuse(&self, engine: usize) -> bool {
        self.0[engine].fetch_add(1, Ordering::Relaxed) < MOST_EXCUSES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_excused_twice() {
        let excuses = Excuses::new(2);
        let first = [0; 4].map(|engine| excuses.excuse(engine));
        assert_eq!(first, [true, true, false, false]);
        assert!(excuses.excuse(1));
    }
}
