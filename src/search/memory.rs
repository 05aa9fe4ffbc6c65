//! State kept between searches: search memory and evaluators.
//!
//! The transposition table of alpha-beta has values of positions reached earlier in this search, or in an earlier one
//! of the game.
//!
//! An entry is used only at exactly its own depth. So the table changes the speed of a search but never its values.
//! Chance nodes have entries of their own.
//!
//! Threads read and write it concurrently, without locks: an entry is found only under its own key and with intact
//! data. Source: R. Hyatt and T. Mann, "A lockless transposition table implementation for parallel search" (2002).

use std::any::{Any, TypeId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

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
    pub(super) fn forget_if_evaluator_changed<E: Send + Sync + 'static>(
        &mut self,
        evaluator: &Arc<E>,
        noise: Noise,
    ) {
        let of_type = TypeId::of::<E>();
        let is_same = self.evaluator.as_ref().is_some_and(|(known, weak)| {
            // While a weak reference exists, the address is not reused for another evaluator. Zero-sized evaluators
            // have no data and so are all the same.
            let is_same_data =
                size_of::<E>() == 0 || std::ptr::addr_eq(weak.as_ptr(), Arc::as_ptr(evaluator));
            *known == of_type && is_same_data
        });
        if !is_same || self.noise != noise {
            self.forget();
            self.noise = noise;
            let weak: Weak<E> = Arc::downgrade(evaluator);
            self.evaluator = Some((of_type, weak));
        }
    }
}

/// Relation of a stored value to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true value is at least this.
    Lower = 0,
    /// The true value is at most this.
    Upper = 1,
}

/// Table entry of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Bound of the value.
    pub value: i32,
    /// Kind of `value`.
    pub bound: Bound,
    /// Plies searched below the position.
    pub depth: u8,
    /// Best move, as an index among the legal moves; 0 at a chance node.
    pub best: u8,
}

/// A table of fixed size; a newer entry always replaces the one in its slot.
#[derive(Debug)]
pub struct Table {
    /// Each slot is an entry packed into a word, after its key xored with that word. If two threads have each written
    /// one of the words, the key does not match. Allocated by the first search.
    slots: Vec<[AtomicU64; 2]>,
    /// Always a power of two.
    size: usize,
    /// Number of the current game; entries of other games are ignored. Starts at 1, so that an empty slot belongs to
    /// none.
    generation: u8,
}

impl Table {
    /// Creates a table of about `mebibytes` MiB.
    pub fn new(mebibytes: usize) -> Table {
        let slots = (mebibytes << 20) / size_of::<[AtomicU64; 2]>();
        let size = if slots.is_power_of_two() { slots } else { slots.next_power_of_two() / 2 };
        Table { slots: Vec::new(), size: size.max(1), generation: 1 }
    }

    /// Allocates the slots on first use.
    pub fn prepare(&mut self) {
        if self.slots.is_empty() {
            // An empty slot is zero, and the system provides zeroed pages when they are used, so this touches none.
            self.slots = bytemuck::zeroed_vec(self.size);
        }
    }

    /// Forgets all entries.
    pub fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.free();
        }
    }

    /// Forgets all entries and frees their memory.
    pub fn free(&mut self) {
        self.slots = Vec::new();
        self.generation = 1;
    }

    /// Returns the entry of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let [check, word] = &self.slots[self.index(key)];
        let word = word.load(Ordering::Relaxed);
        let stored = check.load(Ordering::Relaxed) ^ word;
        let [generation, depth, best, bound, ..] = word.to_le_bytes();
        if stored != key || generation != self.generation {
            return None;
        }
        let bound = if bound == 0 { Bound::Lower } else { Bound::Upper };
        Some(Entry { value: (word >> 32) as i32, bound, depth, best })
    }

    /// Stores an entry, replacing the one in its slot.
    #[inline]
    pub fn put(&self, key: u64, entry: Entry) {
        let low = [self.generation, entry.depth, entry.best, entry.bound as u8];
        let word = u64::from(u32::from_le_bytes(low)) | u64::from(entry.value as u32) << 32;
        let [check, packed] = &self.slots[self.index(key)];
        check.store(key ^ word, Ordering::Relaxed);
        packed.store(word, Ordering::Relaxed);
    }

    /// Share of slots with an entry, in permille, from a sample.
    pub fn fill_permille(&self) -> u16 {
        let sample = &self.slots[..self.slots.len().min(1000)];
        let is_full =
            |[_, word]: &&[AtomicU64; 2]| word.load(Ordering::Relaxed) as u8 == self.generation;
        let full = sample.iter().filter(is_full).count();
        (1000 * full / sample.len().max(1)) as u16
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.size - 1)
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
        for preset in [Preset::AlphaBeta, Preset::Tree, Preset::AlphaBeta, Preset::Tree] {
            let is_alpha_beta = preset == Preset::AlphaBeta;
            let request = Request { preset, ..Request::new(start, 7) };
            search(&request, &mut memory, &Control::new(None), &mut |_| ()).unwrap();
            assert_eq!(memory.table.fill_permille() > 0, is_alpha_beta);
            assert_eq!(memory.arenas[0].is_empty(), is_alpha_beta);
        }
    }

    #[test]
    fn an_entry_comes_back_whole_until_it_is_forgotten() {
        let mut table = Table::new(1);
        table.prepare();
        for value in [i32::MIN, -1, 0, 1, i32::MAX] {
            for bound in [Bound::Lower, Bound::Upper] {
                let entry = Entry { value, bound, depth: 96, best: 71 };
                table.put(42, entry);
                table.prepare();
                assert_eq!(table.get(42), Some(entry));
            }
        }
        assert_eq!(table.get(43), None);
        assert_eq!(table.get(0), None, "an empty slot");
        assert!(table.fill_permille() > 0);
        for _ in 0..600 {
            table.forget();
            table.prepare();
            assert_eq!(table.get(42), None);
        }
        assert_eq!(table.fill_permille(), 0);
    }

    /// Derives an entry from its key and value, so that a mix of two entries is detected.
    fn entry_of(key: u64, value: i32) -> Entry {
        let sum = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ value as u64;
        Entry {
            value,
            bound: [Bound::Lower, Bound::Upper][(sum % 2) as usize],
            depth: (sum >> 8) as u8,
            best: (sum >> 16) as u8,
        }
    }

    #[test]
    fn threads_at_one_table_find_only_whole_entries() {
        const ROUNDS: u64 = 300_000;
        let mut table = Table::new(1);
        table.prepare();
        let size = table.size as u64;
        let table = &table;
        let found: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..=4_u64)
                .map(|thread| {
                    scope.spawn(move || {
                        let mut random = thread;
                        let mut found = 0;
                        for _ in 0..ROUNDS {
                            random ^= random << 13;
                            random ^= random >> 7;
                            random ^= random << 17;
                            // Uses few slots, and several keys for each.
                            let key = (random % 4) + size * (random >> 8 & 3);
                            table.put(key, entry_of(key, (random >> 32) as i32));
                            let key = (random >> 20 & 3) + size * (random >> 24 & 3);
                            if let Some(entry) = table.get(key) {
                                assert_eq!(entry, entry_of(key, entry.value));
                                found += 1;
                            }
                        }
                        found
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(found > ROUNDS / 10, "{found}");
    }
}
