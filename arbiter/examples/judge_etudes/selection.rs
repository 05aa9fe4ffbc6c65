//! Who is judged, and what of the judged is taken.

use std::collections::{BTreeMap, HashSet};

use crate::candidates::{Block, Candidate, Cell};
use crate::judge::{Etude, Promising};

/// Candidates of a cell that are screened at once, where any are: at least and at most.
const SCREENED_AT_ONCE: (usize, usize) = (4, 10);

/// What is taken of a cell.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// Etudes by the seat that wins.
    by_winner: [usize; 3],
    /// Etudes that the leader wins.
    by_leader: usize,
}

impl Taken {
    fn all(&self) -> usize {
        self.by_winner.iter().sum()
    }
}

/// Which etudes a set may still take: a number for each cell, and within it a most for each kind of verdict.
#[derive(Clone, Debug)]
struct Places {
    per_cell: usize,
    cells: BTreeMap<Cell, Taken>,
    blocks: HashSet<Block>,
}

impl Places {
    fn new(per_cell: usize) -> Places {
        Places {
            per_cell,
            cells: BTreeMap::new(),
            blocks: HashSet::new(),
        }
    }

    /// Etudes that a cell has.
    fn taken(&self, cell: Cell) -> usize {
        self.cells.get(&cell).map_or(0, Taken::all)
    }

    /// Etudes that a cell lacks.
    fn free(&self, cell: Cell) -> usize {
        self.per_cell - self.taken(cell)
    }

    /// Takes a candidate with its winner if there is a place for it.
    fn take(&mut self, candidate: &Candidate, winner: usize) -> bool {
        let cell = candidate.cell();
        let is_easy = candidate.is_leader(winner);
        // A fifth more than an equal part each, so that a cell fills where one seat wins seldom.
        let most_of_winner = (6 * self.per_cell).div_ceil(5 * cell.seats);
        let most_of_leader = (5 * self.per_cell).div_ceil(8);
        let is_open = self.free(cell) > 0 && !self.blocks.contains(&candidate.block);
        let taken = self.cells.entry(cell).or_default();
        let is_welcome = taken.by_winner[winner] < most_of_winner
            && !(is_easy && taken.by_leader >= most_of_leader);
        if !is_open || !is_welcome {
            return false;
        }
        taken.by_winner[winner] += 1;
        taken.by_leader += usize::from(is_easy);
        self.blocks.insert(candidate.block)
    }
}

/// The set that is being made.
#[derive(Debug)]
pub struct Shelf {
    places: Places,
    etudes: Vec<Etude>,
}

impl Shelf {
    /// An empty set, for so many etudes in each cell.
    pub fn new(per_cell: usize) -> Shelf {
        Shelf {
            places: Places::new(per_cell),
            etudes: Vec::new(),
        }
    }

    /// Takes the next candidates to be screened out of `untried`: about as many for each cell as it has
    /// places for which nobody in `promising` waits.
    pub fn next_to_screen(
        &self,
        untried: &mut Vec<Candidate>,
        promising: &[Promising],
    ) -> Vec<Candidate> {
        let mut wanted: BTreeMap<Cell, usize> = BTreeMap::new();
        for cell in Cell::ALL {
            let of_cell = |found: &&Promising| found.candidate.cell() == cell;
            let waiting = promising.iter().filter(of_cell).count();
            let free = self.places.free(cell);
            if free > waiting {
                let (least, most) = SCREENED_AT_ONCE;
                wanted.insert(cell, (free - waiting).clamp(least, most));
            }
        }
        let blocks = &self.places.blocks;
        let is_next = |candidate: &mut Candidate| match wanted.get_mut(&candidate.cell()) {
            Some(left) if *left > 0 && !blocks.contains(&candidate.block) => {
                *left -= 1;
                true
            }
            _ => false,
        };
        untried.extract_if(.., is_next).collect()
    }

    /// Takes those out of `promising` for which there are places if their verdicts are as their screening
    /// says, and drops those that the set will not need any more.
    pub fn next_to_judge(&self, promising: &mut Vec<Promising>) -> Vec<Candidate> {
        promising.retain(|found| self.places.clone().take(&found.candidate, found.winner));
        let mut places = self.places.clone();
        let admitted =
            promising.extract_if(.., |found| places.take(&found.candidate, found.winner));
        admitted.map(|found| found.candidate).collect()
    }

    /// Takes an etude if there is a place for it.
    pub fn put(&mut self, etude: Etude) {
        if self.places.take(&etude.candidate, etude.winner) {
            self.etudes.push(etude);
        }
    }

    /// Etudes in each cell, in the order of [`Cell::ALL`].
    pub fn counts(&self) -> [usize; Cell::ALL.len()] {
        Cell::ALL.map(|cell| self.places.taken(cell))
    }

    /// The etudes, in the order in which they came.
    pub fn etudes(&self) -> &[Etude] {
        &self.etudes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::candidate_of_line;

    /// The candidate of a line, of a block of its own.
    fn candidate(line: &str, block: u64) -> Candidate {
        Candidate {
            block: (0, block),
            number: block,
            ..candidate_of_line(line)
        }
    }

    /// A late position in which the first hare leads.
    fn late(block: u64) -> Candidate {
        candidate("55;20;0;f;49;42;0;f;-", block)
    }

    #[test]
    fn a_cell_is_filled_with_all_kinds_of_verdicts() {
        let mut places = Places::new(16);
        let mut taken = [0, 0];
        for winner in [0, 1] {
            for block in 0..20 {
                let block = 20 * winner as u64 + block;
                taken[winner] += usize::from(places.take(&late(block), winner));
            }
        }
        // 10 of 16 is the most for each seat and for the leader, and the second seat gets what is left.
        assert_eq!(taken, [10, 6]);
        assert_eq!(places.free(late(0).cell()), 0);
    }

    #[test]
    fn the_leader_wins_only_some_of_a_cell() {
        let mut places = Places::new(16);
        let behind = |block: u64| candidate("48;20;0;f;55;42;0;f;-", block);
        let mut leaders = 0;
        for block in 0..8 {
            leaders += usize::from(places.take(&late(block), 0));
            leaders += usize::from(places.take(&behind(100 + block), 1));
        }
        assert_eq!(leaders, 10);
        assert!(places.take(&behind(300), 0), "the leader is beaten");
    }

    #[test]
    fn a_block_gives_one_etude() {
        let mut places = Places::new(8);
        assert!(places.take(&late(3), 0));
        assert!(!places.take(&candidate("12;40;3;f;9;60;3;f;-", 3), 1));
        assert!(places.take(&candidate("12;40;3;f;9;60;3;f;-", 4), 1));
    }

    #[test]
    fn as_many_are_screened_as_there_are_places_for() {
        let mut shelf = Shelf::new(8);
        let mut untried: Vec<Candidate> = (0..30).map(late).collect();
        let winner = 0;
        let mut promising: Vec<Promising> = shelf
            .next_to_screen(&mut untried, &[])
            .into_iter()
            .map(|candidate| Promising { candidate, winner })
            .collect();
        assert_eq!((promising.len(), untried.len()), (8, 22));
        assert_eq!(shelf.next_to_screen(&mut untried, &promising), []);

        // 5 of 8 is the most for a seat: the other 3 wait in case of verdicts other than foreseen.
        let admitted = shelf.next_to_judge(&mut promising);
        assert_eq!((admitted.len(), promising.len()), (5, 3));
        for candidate in admitted {
            shelf.put(Etude {
                candidate,
                winner,
                games: 100,
                shares: vec![700, 300],
                different: 1000,
            });
        }
        assert!(shelf.next_to_judge(&mut promising).is_empty());
        assert!(promising.is_empty(), "{promising:?}");
        let next = shelf.next_to_screen(&mut untried, &promising);
        assert_eq!(next.len(), SCREENED_AT_ONCE.0);
        assert_eq!(shelf.etudes().len(), 5);
    }
}
