//! The report of a match: which of its games count, and what is known of them; `text` writes it for people.

mod fairness;
mod repeats;
mod table;
mod text;

use std::collections::BTreeMap;

use crate::plan::Plan;
use crate::record::ending::Ending;
use crate::record::{GameRecord, TurnSums};
use crate::score::{Sprt, Standings, Summary, Verdict};
use repeats::{Identity, Repeats};

pub use fairness::{FAIRNESS_LEGEND, Fairness};
pub use table::{Column, Rows, decimals, ordinal, percent, signed, table};
use text::describe_fault;
pub use text::{HeadToHead, RATINGS_LEGEND, engines_by_lead, explained, what_was_legal};

/// Maximum number of listed faults; the others are only counted.
const LISTED_FAULTS: usize = 10;

/// The report of a match. Its figures cover one set of games: complete blocks that are no mere repeats. Until the
/// first is complete, the tables show single games. Faults and disturbances cover all games.
#[derive(Clone, Debug)]
pub struct Report {
    /// Standings of the counted blocks; of all games on their own until a block counts.
    standings: Standings,
    /// Standings without a game, for the first block that counts; `None` afterwards.
    empty: Option<Standings>,
    pub fairness: Fairness,
    /// Games that wait for the rest of their block or, with a test, for earlier blocks.
    waiting: InOrder<Waiting>,
    repeats: Repeats<Waiting>,
    /// Number of games so far, counted or not.
    played: u64,
    /// Number of games that were still waiting at the end.
    left_out: u64,
    /// Number of games, and of those among them that `--max-plies` ended.
    lengths: [u64; 2],
    /// Number of games whose luck was measured, and of those among them where it is 0 for all seats.
    luck: [u64; 2],
    /// Number of faults in all games.
    faults: usize,
    /// Descriptions of the first faults, by number of the game.
    listed: BTreeMap<u64, String>,
    test: Option<Test>,
}

#[derive(Clone, Debug)]
struct Test {
    sprt: Sprt,
    /// Log likelihood ratio of the counted blocks.
    llr: f64,
    verdict: Verdict,
}

/// A game without its moves and turns.
#[derive(Clone, Debug)]
struct Waiting {
    outline: GameRecord,
    sums: Vec<TurnSums>,
    identity: Identity,
    /// Description of its fault, which depends on the moves.
    fault: Option<String>,
}

impl Report {
    /// Creates an empty report; see [`Standings::new`].
    pub fn new(names: Vec<String>, seats: usize, games_per_block: usize) -> Report {
        let fairness = Fairness::new(&names);
        let standings = Standings::new(names, seats, games_per_block);
        Report {
            fairness,
            empty: Some(standings.clone()),
            standings,
            waiting: InOrder::new(games_per_block),
            repeats: Repeats::default(),
            played: 0,
            left_out: 0,
            lengths: [0; 2],
            luck: [0; 2],
            faults: 0,
            listed: BTreeMap::new(),
            test: None,
        }
    }

    /// Creates an empty report of a match.
    pub fn of(plan: &Plan) -> Report {
        let names = plan.engines.iter().map(|engine| engine.name.clone());
        let games = plan.line_ups().games_per_block();
        let report = Report::new(names.collect(), plan.seats, games as usize);
        match plan.sprt {
            Some(sprt) => report.with_test(sprt),
            None => report,
        }
    }

    /// Adds a test of the first engine against the second. From now on blocks count in the order of the schedule, and
    /// not after the one that decides the test, so that the report does not depend on the number of games played at a
    /// time.
    pub fn with_test(self, sprt: Sprt) -> Report {
        let test = Test { sprt, llr: 0.0, verdict: Verdict::Open };
        Report { test: Some(test), ..self }
    }

    /// Adds a game, whose result counts once its block is complete and, with a test, due. Games may come in any order,
    /// but each only once.
    pub fn add(&mut self, record: &GameRecord) {
        self.add_summary(record, &record.turn_sums());
    }

    /// Adds a game with the given totals of each seat's turns instead of the record's own turns.
    pub fn add_summary(&mut self, record: &GameRecord, sums: &[TurnSums]) {
        self.played += 1;
        let game = Waiting {
            identity: Identity::of(record, sums),
            fault: describe_fault(record),
            outline: GameRecord { moves: String::new(), turns: Vec::new(), ..record.clone() },
            sums: sums.to_vec(),
        };
        if self.empty.is_some() {
            self.standings.add(game.summary());
        }
        if self.test.is_none() {
            self.note(&game);
        }
        self.waiting.add(record.block, record.game, game);
        if self.test.is_none() {
            let block = self.waiting.whole_block(record.block);
            block.into_iter().for_each(|block| self.count(block));
        }
        while self.test.is_some()
            && self.verdict() == Verdict::Open
            && let Some(block) = self.waiting.next_block()
        {
            block.iter().for_each(|game| self.note(game));
            self.count(block);
            self.update_test();
        }
    }

    /// Takes in the games that still wait for others, unless the test has decided. Their results do not count, unless
    /// there are no others.
    pub fn finish(&mut self) {
        if self.verdict() != Verdict::Open {
            return;
        }
        let rest = self.waiting.rest();
        if self.test.is_some() {
            rest.iter().for_each(|game| self.note(game));
        }
        if self.empty.is_none() {
            self.left_out += rest.len() as u64;
        }
    }

    /// Result of the test; [`Verdict::Open`] without a test.
    pub fn verdict(&self) -> Verdict {
        let test = self.test.as_ref();
        test.map_or(Verdict::Open, |test| test.verdict)
    }

    /// Log likelihood ratio of the test; `None` without a test.
    pub fn llr(&self) -> Option<f64> {
        self.test.as_ref().map(|test| test.llr)
    }

    /// Number of games played, counted or not.
    pub fn played(&self) -> u64 {
        self.played
    }

    /// Number of games in complete blocks that were taken into account, including those that repeat earlier ones.
    pub fn judged(&self) -> u64 {
        self.repeats.games()
    }

    /// Number of games that repeat earlier ones.
    pub fn repeated(&self) -> u64 {
        self.repeats.repeated()
    }

    /// Sentence on the games that repeat earlier ones, with a remedy; `None` if there are none.
    pub fn repeats(&self) -> Option<String> {
        self.repeats.in_words()
    }

    /// Number of games that ended by an engine's fault.
    pub fn faults(&self) -> usize {
        self.faults
    }

    fn update_test(&mut self) {
        let Some(test) = &mut self.test else {
            return;
        };
        let sprt = test.sprt;
        let llr = if sprt.uses_luck() {
            self.standings.adjusted().map(|scores| sprt.adjusted_llr(scores))
        } else {
            self.standings.head_to_head().map(|scores| sprt.llr(scores))
        };
        if let Some(llr) = llr {
            test.llr = llr;
            test.verdict = sprt.verdict(llr);
        }
    }

    /// Counts a complete block, unless it repeats an earlier one.
    fn count(&mut self, block: Vec<Waiting>) {
        let identities: Vec<Identity> = block.iter().map(|game| game.identity).collect();
        if let Some(empty) = self.empty.take() {
            self.standings = empty;
        }
        for block in self.repeats.add(identities, block) {
            let games: Vec<Summary> = block.iter().map(Waiting::summary).collect();
            self.standings.add_block(&games);
        }
    }

    /// Takes in everything about a game but its result.
    fn note(&mut self, game: &Waiting) {
        let (record, sums) = game.summary();
        self.fairness.add(record, sums);
        let is_cut = record.endings.contains(&Ending::MaxPlies);
        self.lengths = [self.lengths[0] + 1, self.lengths[1] + u64::from(is_cut)];
        if let Some(luck) = record.luck.as_ref().filter(|_| record.reruns.is_empty()) {
            let is_none = luck.shares.iter().all(|share| *share == 0.0);
            self.luck = [self.luck[0] + 1, self.luck[1] + u64::from(is_none)];
        }
        if let Some(described) = &game.fault {
            self.faults += 1;
            self.listed.insert(record.game, described.clone());
            if self.listed.len() > LISTED_FAULTS {
                self.listed.pop_last();
            }
        }
    }

    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    pub fn sprt(&self) -> Option<Sprt> {
        self.test.as_ref().map(|test| test.sprt)
    }
}

impl Waiting {
    fn summary(&self) -> Summary<'_> {
        (&self.outline, &self.sums)
    }
}

/// Puts finished games into complete blocks, and these into the order of the schedule, so that statistics do not depend
/// on the number of games played at a time.
#[derive(Clone, Debug)]
struct InOrder<T> {
    games_per_block: usize,
    /// Number of the next block, from 1.
    next: u64,
    /// Waiting games by block and by number.
    waiting: BTreeMap<u64, BTreeMap<u64, T>>,
}

impl<T> InOrder<T> {
    fn new(games_per_block: usize) -> InOrder<T> {
        InOrder { games_per_block, next: 1, waiting: BTreeMap::new() }
    }

    /// Adds a game, given the number of its block and its own; ignores a game that was added already.
    fn add(&mut self, block: u64, game: u64, value: T) {
        if block >= self.next {
            let games = self.waiting.entry(block).or_default();
            games.entry(game).or_insert(value);
        }
    }

    /// Takes the games of the next block, in order, if the block is complete.
    fn next_block(&mut self) -> Option<Vec<T>> {
        let games = self.whole_block(self.next)?;
        self.next += 1;
        Some(games)
    }

    /// Takes the games of a block, in order, if it is complete, although earlier blocks may not be.
    fn whole_block(&mut self, block: u64) -> Option<Vec<T>> {
        self.waiting.get(&block).filter(|games| games.len() >= self.games_per_block)?;
        Some(self.waiting.remove(&block)?.into_values().collect())
    }

    /// Takes all waiting games, in order.
    fn rest(&mut self) -> Vec<T> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().flat_map(BTreeMap::into_values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_whole_and_in_order() {
        let mut games = InOrder::new(2);
        let mut out = Vec::new();
        for game in [4u64, 1, 3, 6, 2, 2, 5, 1] {
            games.add(game.div_ceil(2), game, game);
            while let Some(block) = games.next_block() {
                out.push((game, block));
            }
        }
        let expected = [(2, vec![1, 2]), (2, vec![3, 4]), (5, vec![5, 6])];
        assert_eq!(out, expected);
    }

    #[test]
    fn whole_blocks_need_not_wait_for_earlier_ones() {
        let mut games = InOrder::new(2);
        for game in [8u64, 7, 4, 6, 5, 1] {
            games.add(game.div_ceil(2), game, game);
        }
        assert_eq!(games.next_block(), None);
        let whole: Vec<_> = (1..=4).filter_map(|block| games.whole_block(block)).collect();
        assert_eq!(whole, [[5, 6], [7, 8]]);
        assert_eq!(games.rest(), [1, 4]);
    }
}
