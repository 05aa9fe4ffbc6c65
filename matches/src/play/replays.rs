//! How often games may be played again: losses on time that may be the arbiter's own fault, within bounds.
//!
//! An engine that can hold up the arbiter could otherwise have every game that it is losing played once more.

use std::sync::{Mutex, PoisonError};

use crate::plan::EngineSpec;
use crate::record::GameRecord;

/// How often a game is played again.
pub const MOST_OF_A_GAME: usize = 2;
/// How often games are played again for one engine in a match, where it lost by the arbiter's lag.
pub const MOST_BY_LAG: u32 = 10;
/// The same, all replays counted, where its process fell by what somebody else may have done: it may have done that
/// itself, to escape from a game that it loses.
pub const MOST_BY_INTERFERENCE: u32 = 2;

/// For whom games of a match have been played again.
#[derive(Debug)]
pub struct Replays {
    names: Vec<String>,
    counts: Mutex<Vec<u32>>,
}

impl Replays {
    /// The replays of the games so far, engine by engine in the order of the plan; none where nothing is known.
    pub fn new(engines: &[EngineSpec], counts: &[u32]) -> Replays {
        let mut counts = counts.to_vec();
        counts.resize(engines.len(), 0);
        Replays {
            names: engines.iter().map(|engine| engine.name.clone()).collect(),
            counts: Mutex::new(counts),
        }
    }

    /// Takes in what somebody else has counted, in the order of the plan: what is more than is known here holds.
    pub fn learn(&self, counts: &[u32]) {
        let mut known = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (known, &count) in known.iter_mut().zip(counts) {
            *known = count.max(*known);
        }
    }

    /// Whether one more game may be played again for an engine, of so many at most; it counts if so.
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

/// Counts in `counts`, engine by engine, the replays that led to a game.
pub fn count_replays(engines: &[EngineSpec], record: &GameRecord, counts: &mut [u32]) {
    for replay in &record.replays {
        let name = record.seats.get((replay.seat as usize).wrapping_sub(1));
        let index = engines.iter().position(|engine| Some(&engine.name) == name);
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
        let replays = Replays::new(&engines, &[MOST_BY_LAG - 1]);
        assert_eq!(
            ["a", "a", "b", "c"].map(|name| replays.grant(name, MOST_BY_LAG)),
            [true, false, true, false]
        );
        replays.learn(&[0, MOST_BY_LAG]);
        assert_eq!(
            ["a", "b"].map(|name| replays.grant(name, MOST_BY_LAG)),
            [false, false]
        );
    }
}
