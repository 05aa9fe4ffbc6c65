//! State kept between searches: search memory and evaluators.

use std::any::{Any, TypeId};
use std::sync::{Arc, Weak};

use super::Table;
use super::puct::Arena;
use crate::eval::{Evaluators, Noise};

/// Search memory, with a fixed size and number of threads: trees, or the table of alpha-beta. Each takes the whole
/// size, so a search frees the memory of the other kind.
///
/// Searches reuse what earlier ones have found. So a search with a used memory may visit fewer positions to reach a
/// depth, and the value of a tree search is based on more walks. [`Memory::forget`] clears it.
#[derive(Debug)]
pub struct Memory {
    pub(super) table: Table,
    /// One tree per thread.
    pub(super) arenas: Vec<Arena>,
    /// Position at the root of the trees, of any game.
    pub(super) root: Option<Box<dyn Any + Send>>,
    pub(super) evaluators: Evaluators,
    /// Evaluator of the stored positions.
    evaluator: Option<(TypeId, Weak<dyn Any + Send + Sync>)>,
    /// Evaluation errors of the stored positions.
    noise: Noise,
    mebibytes: usize,
}

impl Memory {
    /// Creates a memory of about `mebibytes` MiB, allocated on first use.
    pub fn new(mebibytes: usize) -> Memory {
        Memory::for_threads(1, mebibytes, Evaluators::default())
    }

    /// [`Memory::new`] with shared evaluators, for searches by `threads` threads, at least one, which share the memory.
    pub fn for_threads(threads: usize, mebibytes: usize, evaluators: Evaluators) -> Memory {
        let threads = threads.max(1);
        Memory {
            table: Table::new(mebibytes),
            arenas: (0..threads).map(|_| Arena::new(mebibytes, threads)).collect(),
            root: None,
            evaluators,
            evaluator: None,
            noise: Noise::default(),
            mebibytes,
        }
    }

    /// Size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.arenas.len()
    }

    /// Forgets all positions: the next search starts from scratch.
    pub fn forget(&mut self) {
        self.table.forget();
        self.root = None;
    }

    /// The table of alpha-beta.
    pub(super) fn use_table(&mut self) -> &Table {
        self.arenas.iter_mut().for_each(Arena::free);
        self.root = None;
        self.table.prepare();
        &self.table
    }

    /// The trees, one for each thread.
    pub(super) fn use_trees(&mut self) -> &mut [Arena] {
        self.table.free();
        &mut self.arenas
    }

    /// Forgets all positions unless they were evaluated by the same evaluator, which depends on the rules and the
    /// seats, with the same errors.
    pub(super) fn forget_unless_by<E: Send + Sync + 'static>(
        &mut self,
        evaluator: &Arc<E>,
        noise: Noise,
    ) {
        let of_type = TypeId::of::<E>();
        let is_same = self.evaluator.as_ref().is_some_and(|(known, weak)| {
            // While a weak reference exists, the address is not reused for another evaluator. Zero-sized evaluators
            // have no data and so are all the same.
            let is_one =
                size_of::<E>() == 0 || std::ptr::addr_eq(weak.as_ptr(), Arc::as_ptr(evaluator));
            *known == of_type && is_one
        });
        if !is_same || self.noise != noise {
            self.forget();
            self.noise = noise;
            let weak: Weak<E> = Arc::downgrade(evaluator);
            self.evaluator = Some((of_type, weak));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::VARIANTS;
    use crate::search::{Control, Preset, Request, search};

    #[test]
    fn a_search_frees_the_memory_of_the_other_kind() {
        let start = VARIANTS[0].start(2).unwrap();
        let mut memory = Memory::new(1);
        for preset in [Preset::Search, Preset::Default, Preset::Search, Preset::Default] {
            let is_alpha_beta = preset == Preset::Search;
            let request = Request { preset, ..Request::new(start, 7) };
            search(&request, &mut memory, &Control::new(None), &mut |_| ()).unwrap();
            assert_eq!(memory.table.fill_permille() > 0, is_alpha_beta);
            assert_eq!(memory.arenas[0].is_empty(), is_alpha_beta);
        }
    }
}
