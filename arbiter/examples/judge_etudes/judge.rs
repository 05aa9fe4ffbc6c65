//! What makes a candidate an etude: a screening, and then the games of the verdict.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::ProgressBar;

use crate::candidates::Candidate;
use crate::play::{Memories, Reach, Tally};

/// Games of the screening; a multiple of 2 and of 3, so that each rotation of the seats is as frequent.
const SCREENING_GAMES: u64 = 18;

/// Games of which a verdict is made; likewise.
const VERDICT_GAMES: u64 = 102;

/// The share of first places that is a verdict, in permille.
const VERDICT_SHARE: u16 = 650;

/// The share of first places in the screening with which a candidate is played on, in permille.
const PROMISING_SHARE: u16 = 700;

/// The share of games that have to differ from each other for a verdict, in permille.
const DIFFERENT_SHARE: u16 = 500;

/// Likewise in the screening, where fewer games are played and so fewer are alike.
const PROMISING_DIFFERENT_SHARE: u16 = 750;

/// The number of the first game for a verdict; those of the screening are below it.
const FIRST_VERDICT_GAME: u64 = 1000;

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
        self.candidate.is_leader(self.winner)
    }
}

/// A candidate with the seat that won its screening.
#[derive(Clone, Debug)]
pub struct Promising {
    /// The position.
    pub candidate: Candidate,
    /// The index of the seat.
    pub winner: usize,
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
    pub memories: Memories,
}

impl Judge {
    /// Plays a few games of each and keeps those in which one seat wins most of them.
    pub fn screen(&mut self, candidates: Vec<Candidate>) -> Vec<Promising> {
        self.screened += candidates.len();
        let tallies = self.play("screening", Reach::shallow, &candidates, 0..SCREENING_GAMES);
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
        let tallies = self.play("verdicts", Reach::deep, &candidates, games);
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

    /// Shows how far the set has come, by the number of etudes in each cell.
    pub fn show(&self, counts: &[usize]) {
        self.bar.set_position(counts.iter().sum::<usize>() as u64);
        let (screened, judged) = (self.screened, self.judged);
        self.bar
            .suspend(|| eprintln!("cells {counts:?}; screened {screened}, judged {judged}"));
    }

    fn play(
        &mut self,
        what: &str,
        reach: fn(usize) -> Reach,
        candidates: &[Candidate],
        games: Range<u64>,
    ) -> Vec<Tally> {
        let candidates: Vec<&Candidate> = candidates.iter().collect();
        let all = candidates.len() as u64 * (games.end - games.start);
        let ended = AtomicU64::new(0);
        let bar = &self.bar;
        let seen = || {
            let ended = 1 + ended.fetch_add(1, Ordering::Relaxed);
            bar.set_message(format!("{what}: game {ended} of {all}"));
        };
        self.memories
            .play(&candidates, reach, &games, self.seed, &seen)
    }
}
