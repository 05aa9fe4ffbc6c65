//! Who is judged, and what of the judged is taken.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::ProgressBar;

use crate::candidates::{Block, Candidate, Cell};
use crate::play::{Tables, Tally};
use crate::{SCREENING_GAMES, VERDICT_GAMES};

/// The share of first places that is a verdict, in permille.
pub const VERDICT_SHARE: u16 = 650;

/// The share of first places in the screening with which a candidate is played on, in permille.
const PROMISING_SHARE: u16 = 700;

/// The share of games that have to differ from each other for a verdict, in permille.
const DIFFERENT_SHARE: u16 = 500;

/// Likewise in the screening, where fewer games are played and so fewer are alike.
const PROMISING_DIFFERENT_SHARE: u16 = 750;

/// The number of the first game for a verdict; those of the screening are below it.
const FIRST_VERDICT_GAME: u64 = 1000;

/// Candidates of a cell that are screened at once, where any are: few are left to waste when it is full.
const LEAST_SCREENED: usize = 4;

/// A judged candidate.
#[derive(Clone, Debug)]
pub struct Etude {
    /// The position.
    pub candidate: Candidate,
    /// The index of the seat that wins it.
    pub winner: usize,
    /// Games played for the verdict.
    pub games: u32,
    /// Each seat's first places in permille of these games.
    pub shares: Vec<u16>,
    /// Games that differ from each other, in permille of these games.
    pub different: u16,
}

impl Etude {
    /// Whether the verdict goes to the hare in the lead on the track.
    pub fn is_won_by_leader(&self) -> bool {
        is_leader(&self.candidate, self.winner)
    }
}

fn is_leader(candidate: &Candidate, seat: usize) -> bool {
    candidate.hares[seat].0.square == candidate.leading_square()
}

/// A candidate with the seat that won its screening.
#[derive(Clone, Debug)]
pub struct Promising {
    candidate: Candidate,
    winner: usize,
}

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

    /// Etudes that a cell lacks.
    fn free(&self, cell: Cell) -> usize {
        let taken = self.cells.get(&cell).map_or(0, Taken::all);
        self.per_cell - taken
    }

    /// Takes a candidate with its winner if there is a place for it.
    fn take(&mut self, candidate: &Candidate, winner: usize) -> bool {
        let cell = candidate.cell();
        let is_easy = is_leader(candidate, winner);
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

    /// Takes the next candidates to be screened out of `untried`: as many for each cell as it has places
    /// for which nobody in `promising` waits.
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
                wanted.insert(cell, LEAST_SCREENED.max(free - waiting));
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

    /// The etudes, in the order in which they came.
    pub fn into_etudes(self) -> Vec<Etude> {
        self.etudes
    }
}

/// Who plays the candidates out.
pub struct Judge {
    /// What the games are seeded by.
    pub seed: u64,
    /// Candidates screened, and candidates played on to a verdict or none.
    pub screened: usize,
    pub judged: usize,
    /// What is seen meanwhile.
    pub bar: ProgressBar,
    /// What the searches use.
    pub tables: Tables,
}

impl Judge {
    /// Plays a few games of each and keeps those in which one seat wins most of them.
    pub fn screen(&mut self, candidates: Vec<Candidate>) -> Vec<Promising> {
        self.screened += candidates.len();
        let tallies = self.play("screening", &candidates, 0..SCREENING_GAMES);
        let tallied = candidates.into_iter().zip(tallies);
        let promising = tallied.filter_map(|(candidate, tally)| {
            let (winner, share) = tally.best();
            let is_kept =
                share >= PROMISING_SHARE && tally.different() >= PROMISING_DIFFERENT_SHARE;
            is_kept.then_some(Promising { candidate, winner })
        });
        promising.collect()
    }

    /// Plays fresh games of each and keeps those that end in a verdict.
    pub fn verdicts(&mut self, candidates: Vec<Candidate>) -> Vec<Etude> {
        self.judged += candidates.len();
        let games = FIRST_VERDICT_GAME..FIRST_VERDICT_GAME + VERDICT_GAMES;
        let tallies = self.play("verdicts", &candidates, games);
        let tallied = candidates.into_iter().zip(tallies);
        let etudes = tallied.filter_map(|(candidate, tally)| {
            let (winner, share) = tally.best();
            let is_verdict = share >= VERDICT_SHARE && tally.different() >= DIFFERENT_SHARE;
            is_verdict.then(|| Etude {
                candidate,
                winner,
                games: tally.games,
                shares: tally.shares(),
                different: tally.different(),
            })
        });
        etudes.collect()
    }

    /// Shows how far the set has come.
    pub fn show(&self, shelf: &Shelf) {
        self.bar.set_position(shelf.etudes.len() as u64);
        let counts =
            Cell::ALL.map(|cell| (shelf.places.per_cell - shelf.places.free(cell)).to_string());
        let (counts, screened, judged) = (counts.join(" "), self.screened, self.judged);
        self.bar
            .suspend(|| eprintln!("cells {counts}; screened {screened}, judged {judged}"));
    }

    fn play(&mut self, what: &str, candidates: &[Candidate], games: Range<u64>) -> Vec<Tally> {
        let candidates: Vec<&Candidate> = candidates.iter().collect();
        let all = candidates.len() as u64 * (games.end - games.start);
        let ended = AtomicU64::new(0);
        let bar = &self.bar;
        let seen = || {
            let ended = 1 + ended.fetch_add(1, Ordering::Relaxed);
            bar.set_message(format!("{what}: game {ended} of {all}"));
        };
        self.tables.play(&candidates, &games, self.seed, &seen)
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
        assert_eq!(next.len(), LEAST_SCREENED);
        assert_eq!(shelf.into_etudes().len(), 5);
    }
}
