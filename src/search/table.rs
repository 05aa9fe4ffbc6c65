//! The transposition table: values of positions that were reached before, in this search.
//!
//! An entry is used only for the very depth it was searched to, so that the table changes the speed of a
//! search but never its values; entries of earlier searches are not seen, so that every search of a
//! position is the same. Positions in which a card is due have entries of their own.

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
    /// A slot is a key and an entry packed into a word; allocated with the first entry.
    slots: Vec<[u64; 2]>,
    /// Always a power of two.
    size: usize,
    generation: u8,
}

impl Table {
    /// A table of about as many mebibytes.
    pub fn new(mebibytes: usize) -> Table {
        let slots = (mebibytes << 20) / size_of::<[u64; 2]>();
        let size = if slots.is_power_of_two() {
            slots
        } else {
            slots.next_power_of_two() / 2
        };
        Table {
            slots: Vec::new(),
            size: size.max(1),
            generation: 0,
        }
    }

    /// Begins a search: entries made before are not seen any more.
    pub fn begin_search(&mut self) {
        if self.slots.is_empty() {
            self.slots = vec![[0; 2]; self.size];
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill([0; 2]);
            self.generation = 1;
        }
    }

    /// What this search knows of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let [stored, word] = self.slots[self.index(key)];
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
    pub fn put(&mut self, key: u64, entry: Entry) {
        let low = [self.generation, entry.depth, entry.best, entry.bound as u8];
        let word = u64::from(u32::from_le_bytes(low)) | u64::from(entry.value as u32) << 32;
        let index = self.index(key);
        self.slots[index] = [key, word];
    }

    /// Permille of the slots that hold an entry of this search, by a sample.
    pub fn fill_permille(&self) -> u16 {
        let sample = &self.slots[..self.slots.len().min(1000)];
        let of_this_search = |slot: &&[u64; 2]| slot[1] as u8 == self.generation;
        let full = sample.iter().filter(of_this_search).count();
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
    fn an_entry_comes_back_whole_until_the_next_search() {
        let mut table = Table::new(1);
        table.begin_search();
        for value in [i32::MIN, -1, 0, 1, i32::MAX] {
            for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                let entry = Entry {
                    value,
                    bound,
                    depth: 96,
                    best: 71,
                };
                table.put(42, entry);
                assert_eq!(table.get(42), Some(entry));
            }
        }
        assert_eq!(table.get(43), None);
        assert!(table.fill_permille() > 0);
        for _ in 0..600 {
            table.begin_search();
            assert_eq!(table.get(42), None);
        }
        assert_eq!(table.fill_permille(), 0);
    }
}
