//! What the search keeps between searches: its memory of positions, and evaluators.

use std::any::{Any, TypeId};
use std::sync::{Arc, Weak};

use super::Table;
use super::puct::Arena;
use crate::eval::{Evaluators, Noise};

/// The memory of the searches of a game, of a size and for a number of threads that are given once.
///
/// What a search has found there the next one knows: with a memory that was used, a search may take fewer positions to
/// a depth, and where it is a tree of walks its value is that of more of them. [`Memory::forget`] begins anew.
#[derive(Debug)]
pub struct Memory {
    pub(super) table: Table,
    /// A tree for each thread.
    pub(super) arenas: Vec<Arena>,
    /// The position at the root of the trees, of whichever game.
    pub(super) root: Option<Box<dyn Any + Send>>,
    pub(super) evaluators: Evaluators,
    /// What evaluated the positions that are remembered.
    evaluator: Option<(TypeId, Weak<dyn Any + Send + Sync>)>,
    /// How much that erred.
    noise: Noise,
    mebibytes: usize,
}

impl Memory {
    /// Room for about as many mebibytes of positions, which is taken when it is needed.
    pub fn new(mebibytes: usize) -> Memory {
        Memory::with_evaluators(mebibytes, Evaluators::default())
    }

    /// The same, with evaluators that are shared.
    pub fn with_evaluators(mebibytes: usize, evaluators: Evaluators) -> Memory {
        Memory::for_threads(1, mebibytes, evaluators)
    }

    /// The same, for searches by so many threads, at least one, which share the room.
    pub fn for_threads(threads: usize, mebibytes: usize, evaluators: Evaluators) -> Memory {
        let threads = threads.max(1);
        Memory {
            table: Table::new(mebibytes),
            arenas: (0..threads)
                .map(|_| Arena::new(mebibytes, threads))
                .collect(),
            root: None,
            evaluators,
            evaluator: None,
            noise: Noise::default(),
            mebibytes,
        }
    }

    /// Mebibytes for which there is room.
    pub fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// Threads that search.
    pub fn threads(&self) -> usize {
        self.arenas.len()
    }

    /// Forgets all positions: the next search is as the first was.
    pub fn forget(&mut self) {
        self.table.forget();
        self.root = None;
    }

    /// Forgets all positions unless they were evaluated by the same evaluator, which knows the rules and the seats,
    /// with the same errors.
    pub(super) fn forget_unless_by<E: Send + Sync + 'static>(
        &mut self,
        evaluator: &Arc<E>,
        noise: Noise,
    ) {
        let of_type = TypeId::of::<E>();
        let is_same = self.evaluator.as_ref().is_some_and(|(known, weak)| {
            // An address is not given to another evaluator as long as there is a reference to it, though one of this
            // kind keeps nothing alive. Evaluators that have nothing to differ in are one.
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
