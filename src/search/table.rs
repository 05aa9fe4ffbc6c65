//! The transposition table: values of positions that were reached before, in this search or an earlier one of the game.
//!
//! An entry is used only for the very depth it was searched to, so that the table changes the speed of a
//! search but never its values. Positions in which a card is due have entries of their own.
//!
//! Threads read and write it at the same time, without locks: what a slot holds is found again only under the key it
//! was written with, and with the very data.
//! Source: R. Hyatt and T. Mann, "A lockless transposition table implementation for parallel search" (2002).

use std::sync::atomic::{AtomicU64, Ordering};

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    Exact = 0,
    /// The value is at least this.
    Lower = 1,
    /// The value is at most this.
    Upper = 2,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value, or a bound of it.
    pub value: i32,
    /// Which of them.
    pub bound: Bound,
    /// Plies searched below the position.
    pub depth: u8,
    /// The best move, as its index among the legal moves; 0 where a card is due.
    pub best: u8,
}

/// A table of fixed size; a slot keeps the entry stored last.
#[derive(Debug)]
pub struct Table {
    /// Allocated with the first search.
    slots: Vec<Slot>,
    /// Always a power of two.
    size: usize,
    /// Counts the games: an entry is of one. From 1, so that a slot without an entry is of none.
    generation: u8,
}

/// An entry packed into a word, and the key with that word xored into it: of an entry of which two threads have written
/// a word each, the key is none that anybody asks for.
#[derive(Debug)]
struct Slot {
    check: AtomicU64,
    word: AtomicU64,
}

impl Table {
    /// A table of about as many mebibytes.
    pub fn new(mebibytes: usize) -> Table {
        let slots = (mebibytes << 20) / size_of::<Slot>();
        let size = if slots.is_power_of_two() {
            slots
        } else {
            slots.next_power_of_two() / 2
        };
        Table {
            slots: Vec::new(),
            size: size.max(1),
            generation: 1,
        }
    }

    /// Makes room where there is none yet.
    pub fn prepare(&mut self) {
        if self.slots.is_empty() {
            // The system gives memory that is zero, and gives it when it is used. Slots are what these words are
            // already, so that none of them is touched.
            let zeros = vec![[0; 2]; self.size];
            let slots = zeros.into_iter().map(|[check, word]| Slot {
                check: AtomicU64::new(check),
                word: AtomicU64::new(word),
            });
            self.slots = slots.collect();
        }
    }

    /// Forgets all entries.
    pub fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots = Vec::new();
            self.generation = 1;
        }
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let slot = &self.slots[self.index(key)];
        let word = slot.word.load(Ordering::Relaxed);
        let stored = slot.check.load(Ordering::Relaxed) ^ word;
        let [generation, depth, best, bound, ..] = word.to_le_bytes();
        if stored != key || generation != self.generation {
            return None;
        }
        let bound = match bound {
            0 => Bound::Exact,
            1 => Bound::Lower,
            _ => Bound::Upper,
        };
        Some(Entry {
            value: (word >> 32) as i32,
            bound,
            depth,
            best,
        })
    }

    /// Keeps an entry, in place of whatever its slot held.
    #[inline]
    pub fn put(&self, key: u64, entry: Entry) {
        let low = [self.generation, entry.depth, entry.best, entry.bound as u8];
        let word = u64::from(u32::from_le_bytes(low)) | u64::from(entry.value as u32) << 32;
        let slot = &self.slots[self.index(key)];
        slot.check.store(key ^ word, Ordering::Relaxed);
        slot.word.store(word, Ordering::Relaxed);
    }

    /// Permille of the slots that hold an entry, by a sample.
    pub fn fill_permille(&self) -> u16 {
        let sample = &self.slots[..self.slots.len().min(1000)];
        let is_full = |slot: &&Slot| slot.word.load(Ordering::Relaxed) as u8 == self.generation;
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

    #[test]
    fn an_entry_comes_back_whole_until_it_is_forgotten() {
        let mut table = Table::new(1);
        table.prepare();
        for value in [i32::MIN, -1, 0, 1, i32::MAX] {
            for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                let entry = Entry {
                    value,
                    bound,
                    depth: 96,
                    best: 71,
                };
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

    /// All that an entry holds follows from its key and its value, so that a mixed one is seen.
    fn entry_of(key: u64, value: i32) -> Entry {
        let sum = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ value as u64;
        Entry {
            value,
            bound: [Bound::Exact, Bound::Lower, Bound::Upper][(sum % 3) as usize],
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
                            // Few slots, and in each of them several keys.
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
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert!(found > ROUNDS / 10, "{found}");
    }
}
