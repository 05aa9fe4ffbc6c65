//! The budget of reruns after losses that may be the arbiter's own fault.
//!
//! Without a limit, an engine that can delay the arbiter could have every lost game rerun.

use std::sync::{Mutex, PoisonError};

use crate::plan::EngineSpec;
use crate::record::GameRecord;

/// Maximum number of reruns of a game.
pub const MAX_OF_A_GAME: usize = 2;
/// Maximum number of reruns for an engine in a match after losses by the arbiter's lag.
pub const MAX_BY_LAG: u32 = 10;
/// The same, counting all reruns, after the end or stop of its process by what may be another process: the engine may
/// have caused it itself, to escape from a lost game.
pub const MAX_BY_INTERFERENCE: u32 = 2;

/// Number of reruns for each engine of a match.
#[derive(Debug)]
pub struct RerunQuota {
    names: Vec<String>,
    counts: Mutex<Vec<u32>>,
}

impl RerunQuota {
    /// Creates the budget after earlier games with `counts` reruns, in the order of the plan; empty for none.
    pub fn new(engines: &[EngineSpec], counts: &[u32]) -> RerunQuota {
        let mut counts = counts.to_vec();
        counts.resize(engines.len(), 0);
        RerunQuota {
            names: engines.iter().map(|engine| engine.name.clone()).collect(),
            counts: Mutex::new(counts),
        }
    }

    /// Raises the counts to those of another process, in the order of the plan.
    pub fn learn(&self, counts: &[u32]) {
        let mut known = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (known, &count) in known.iter_mut().zip(counts) {
            *known = count.max(*known);
        }
    }

    /// Grants and counts one more rerun for an engine, if it has had less than `most`.
    pub fn grant(&self, engine: &str, most: u32) -> bool {
        let Some(index) = self.names.iter().position(|name| name == engine) else {
            return false;
        };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_granted = counts[index] < most;
        counts[index] += u32::from(is_granted);
        is_granted
    }
}

/// Adds the reruns of a game to `counts`, by engine.
pub fn count_reruns(engines: &[EngineSpec], record: &GameRecord, counts: &mut [u32]) {
    for rerun in &record.reruns {
        let name = record.engine_in(rerun.seat);
        let mut engines = engines.iter();
        let index = engines.position(|engine| Some(engine.name.as_str()) == name);
        if let Some(count) = index.and_then(|index| counts.get_mut(index)) {
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Limit;

    #[test]
    fn each_engine_is_granted_so_many() {
        let engines = ["a", "b"].map(|name| EngineSpec::new(name, "/bin/sh", Limit::depth(1)));
        let reruns = RerunQuota::new(&engines, &[MAX_BY_LAG - 1]);
        assert_eq!(
            ["a", "a", "b", "c"].map(|name| reruns.grant(name, MAX_BY_LAG)),
            [true, false, true, false]
        );
        reruns.learn(&[0, MAX_BY_LAG]);
        assert_eq!(["a", "b"].map(|name| reruns.grant(name, MAX_BY_LAG)), [false, false]);
    }
}
