//! What went wrong in games, with what the offender said.

use std::collections::BTreeMap;

use matches::record::{Fault, GameRecord};

/// The faults of the first games with one, and their number in all.
#[derive(Clone, Debug)]
pub struct FaultList {
    /// Faults in all games.
    pub count: usize,
    /// Those that are listed, by the number of the game.
    pub listed: BTreeMap<u64, FaultEntry>,
    most: usize,
}

/// A fault, and whose it is.
#[derive(Clone, Debug)]
pub struct FaultEntry {
    /// The name of the engine.
    pub engine: String,
    /// How its game ended.
    pub ending: &'static str,
    /// Seat, reason and standard error.
    pub fault: Fault,
}

impl FaultList {
    /// An empty list, which will be at most so long.
    pub fn new(most: usize) -> FaultList {
        FaultList {
            count: 0,
            listed: BTreeMap::new(),
            most,
        }
    }

    /// Lists the fault of a game, if it has one.
    pub fn add(&mut self, record: &GameRecord) {
        let Some(fault) = &record.fault else { return };
        let seat = (fault.seat as usize).wrapping_sub(1);
        let entry = FaultEntry {
            engine: record.seats.get(seat).map_or("?".into(), String::clone),
            ending: record.endings.get(seat).map_or("?", |ending| ending.name()),
            fault: fault.clone(),
        };
        self.count += 1;
        self.listed.insert(record.game, entry);
        if self.listed.len() > self.most {
            self.listed.pop_last();
        }
    }
}
