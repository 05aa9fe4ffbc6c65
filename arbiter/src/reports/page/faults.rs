//! Faults in games, with the standard error of the engines.

use std::collections::BTreeMap;

use matches::record::{Fault, GameRecord};

/// The total number of faults, and a list of the first ones.
#[derive(Clone, Debug)]
pub struct FaultList {
    /// Number of faults in all games.
    pub count: usize,
    /// Listed faults, by game number.
    pub listed: BTreeMap<u64, FaultEntry>,
    most: usize,
}

#[derive(Clone, Debug)]
pub struct FaultEntry {
    pub engine: String,
    pub ending: &'static str,
    /// Seat, reason and standard error.
    pub fault: Fault,
}

impl FaultList {
    /// Creates an empty list of at most `most` faults.
    pub fn new(most: usize) -> FaultList {
        FaultList { count: 0, listed: BTreeMap::new(), most }
    }

    /// Adds the fault of a game, if it has one.
    pub fn add(&mut self, record: &GameRecord) {
        let Some((fault, engine, ending)) = record.named_fault() else {
            return;
        };
        let entry = FaultEntry { engine: engine.to_string(), ending, fault: fault.clone() };
        self.count += 1;
        self.listed.insert(record.game, entry);
        if self.listed.len() > self.most {
            self.listed.pop_last();
        }
    }
}
