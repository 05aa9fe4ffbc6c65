//! What the search keeps between searches: its memory of positions, and evaluators.

use super::Table;
use super::puct::Arena;
use crate::eval::Evaluators;

/// The memory of searches, of a size that is given once.
#[derive(Debug)]
pub struct Memory {
    pub(super) table: Table,
    pub(super) arena: Arena,
    pub(super) evaluators: Evaluators,
}

impl Memory {
    /// Room for about as many mebibytes of positions, which is taken when it is needed.
    pub fn new(mebibytes: usize) -> Memory {
        Memory::with_evaluators(mebibytes, Evaluators::default())
    }

    /// The same, with evaluators that are shared.
    pub fn with_evaluators(mebibytes: usize, evaluators: Evaluators) -> Memory {
        Memory {
            table: Table::new(mebibytes),
            arena: Arena::new(mebibytes),
            evaluators,
        }
    }
}
