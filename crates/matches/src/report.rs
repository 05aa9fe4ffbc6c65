//! Tables for people: scores, endings, the advantage of each seat, and the engines' faults.

mod fairness;
mod repeats;
mod standings;
mod table;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::archive::replay::Replay;
use crate::output;
use crate::plan::Plan;
use crate::record::ending::Ending;
use crate::record::printable::{ends_of, first_and_last, printable};
use crate::record::{GameRecord, Speaker, TurnSums};
use crate::score::{InOrder, Sprt, Standings, Summary, Verdict};
use repeats::{Identity, Repeats};

pub use fairness::{Fairness, LEGEND as FAIRNESS_LEGEND};
pub use standings::{HeadToHead, RATINGS_LEGEND, engines_by_lead};
pub use table::{Column, Rows, decimals, ordinal, percent, signed, table};

/// Maximum number of listed faults; the others are only counted.
const LISTED_FAULTS: usize = 10;

/// Explanation of the columns that are not self-explanatory.
const LEGEND: &str = "\
share: fraction of all points of its games; par: the share of equals; ±: 95 % interval over blocks, - if unknown
";

/// Explanation of the score of one engine against another, which with two seats is the share.
const SCORE_LEGEND: &str = "\
score: part of the comparisons that it wins, each of a seat of one engine with a seat of the other
";

/// Explanation of the luck-adjusted columns, which are shown only if luck was measured.
const LUCK_LEGEND: &str = "\
adjusted: less the luck of the cards, whose mean is 0; no gain: it would be less precise than the share
";

/// Instead of a luck-adjusted figure that is less precise than the raw one.
const NO_GAIN: &str = "no gain";

/// Explanation of the winnings, which are shown only if the game has a stake.
const WINNINGS_LEGEND: &str = "\
winnings: mean sum of its seats in a game that was played to its end
";

/// Explanation of the column of flaws, which is shown only if an engine has one.
const FLAWS_LEGEND: &str = "\
flaws: answers whose legal move was played, but with another part that was malformed or impossible, and was dropped
";

/// Games ended by `--max-plies` are many if they are more than one in this number.
const MANY_CUT: u64 = 10;

/// Least number of games without any luck that is no chance.
const TELLING_GAMES: u64 = 4;

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

    /// Sentences on the games that do not count.
    pub fn uncounted(&self) -> Vec<String> {
        let (is_tested, games) = (self.test.is_some(), self.left_out);
        let left_out = match (games, is_tested) {
            (0, _) => None,
            (1, _) => Some("1 game is not counted: its block is not complete".to_string()),
            (_, false) => {
                Some(format!("{games} games are not counted: their blocks are not complete"))
            }
            (_, true) => Some(format!(
                "{games} games are not counted: their blocks, or earlier ones, are not complete"
            )),
        };
        self.repeats().into_iter().chain(left_out).collect()
    }

    /// Returns a line about games that ended before the rules ended them, if they are many, and one about values that
    /// never depend on a draw.
    pub fn remarks(&self) -> Vec<String> {
        let [games, cut] = self.lengths;
        let of_length = (cut * MANY_CUT > games).then(|| {
            format!(
                "{cut} of {games} games were ended by the limit of their length, and their seats share places: \
                 see --max-plies"
            )
        });
        let [measured, without] = self.luck;
        let of_luck = (measured >= TELLING_GAMES && without == measured).then(|| {
            format!(
                "luck is 0 in all {measured} games: the values never depend on what is drawn, or there was no time to \
                 ask for them"
            )
        });
        of_length.into_iter().chain(of_luck).collect()
    }

    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    pub fn sprt(&self) -> Option<Sprt> {
        self.test.as_ref().map(|test| test.sprt)
    }

    /// Explanation of the columns of both tables, in lines that end with a newline.
    pub fn legend(&self) -> String {
        let mut legend = LEGEND.to_string();
        if standings::has_luck(&self.standings) {
            legend += LUCK_LEGEND;
        }
        if standings::has_winnings(&self.standings) {
            legend += WINNINGS_LEGEND;
        }
        if standings::has_flaws(&self.standings) {
            legend += FLAWS_LEGEND;
        }
        if self.standings.seats().len() > 2 && self.standings.head_to_head().is_some() {
            legend += SCORE_LEGEND;
        }
        legend
    }

    /// Returns the tables and the faults as text, with a newline at the end.
    pub fn text(&self) -> String {
        let mut text = self.engines().text();
        if self.standings.games() > 0 {
            text.push('\n');
            text += &self.seats().text();
            text += &output::explanation(&self.legend());
        }
        let uncounted: Vec<String> =
            self.uncounted().into_iter().map(|sentence| sentence + "\n").collect();
        let fairness = &self.fairness;
        let parts = [
            (!uncounted.is_empty()).then(|| uncounted.concat()),
            self.head_to_head().map(|compared| compared.text()),
            self.ratings().map(|rows| explained(rows, RATINGS_LEGEND)),
            fairness.rows().map(|rows| explained(rows, FAIRNESS_LEGEND)),
            self.summary().map(|summary| summary + "\n"),
            self.adjusted_summary().map(|summary| summary + "\n"),
        ];
        for part in parts.into_iter().flatten() {
            text.push('\n');
            text += &part;
        }
        let remarks = fairness.suspects().into_iter().chain(self.remarks());
        for line in remarks.chain(fairness.warning()) {
            text += &format!("\n{line}\n");
        }
        if self.faults > 0 {
            // Writing to a string never fails.
            let _ = writeln!(text, "\nFaults: {}", self.faults);
            for described in self.listed.values() {
                text.push_str(described);
            }
            let more = self.faults - self.listed.len();
            if more > 0 {
                let _ = writeln!(text, "  and {more} more");
            }
        }
        output::fitted(&text)
    }
}

impl Waiting {
    fn summary(&self) -> Summary<'_> {
        (&self.outline, &self.sums)
    }
}

/// A table with the explanation of its columns below.
pub fn explained(rows: Rows, legend: &str) -> String {
    rows.text() + &output::explanation(legend)
}

/// If a game ended by an illegal move, returns the position and the legal moves; otherwise nothing.
pub fn what_was_legal(record: &GameRecord) -> Vec<String> {
    if !record.endings.contains(&Ending::IllegalMove) {
        return Vec::new();
    }
    // A record whose moves cannot be replayed has no such position.
    Replay::of(record).map_or(Vec::new(), |replay| {
        vec![
            format!("position: {}", ends_of(&replay.last.to_string())),
            format!("legal: {}", replay.last.legal_actions().join(" ")),
        ]
    })
}

/// Describes the fault of a game in one line, with quotes; `None` if there was none.
fn describe_fault(record: &GameRecord) -> Option<String> {
    let (fault, name, ending) = record.named_fault()?;
    let mut text = format!(
        "  game {}, seat {}, {}: {ending}: {}\n",
        record.game,
        fault.seat,
        printable(name),
        printable(&fault.reason)
    );
    let said = fault.evidence.iter().flat_map(|evidence| &evidence.lines);
    let last = said.rev().find(|line| line.from == Speaker::Engine);
    if let Some(line) = last {
        let _ = writeln!(text, "    last said: {}", printable(&line.text));
    }
    for line in what_was_legal(record) {
        let _ = writeln!(text, "    {line}");
    }
    for line in first_and_last(&fault.stderr) {
        let _ = writeln!(text, "    stderr: {}", printable(&line));
    }
    Some(text)
}
