//! Tables for a person: who won how much, how games ended, whether a seat is an advantage, and what the
//! engines did wrong.

mod fairness;
mod machines;
mod strength;
mod table;
mod tables;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::archive::replay::Walk;
use crate::archive::store::SetAside;
use crate::plan::Plan;
use crate::record::ending::Ending;
use crate::record::printable::printable;
use crate::record::{GameRecord, Speaker, TurnSums};
use crate::score::{InOrder, Sprt, Standings, Verdict};
use fairness::Fairness;
use machines::Machines;
use strength::TestState;

pub use fairness::LEGEND as FAIRNESS_LEGEND;
pub use machines::{LEGEND as MACHINES_LEGEND, SHARES_LEGEND};
pub use strength::{HeadToHead, RATINGS_LEGEND};
pub use table::{Column, decimals, ordinal, percent, signed, table};
pub use tables::{Rows, engines_by_lead};

/// Faults that are listed; beyond, they are counted.
const LISTED_FAULTS: usize = 10;

/// What the columns mean that do not say it themselves.
const LEGEND: &str = "\
share: part of all points of its games; par: that of equals; ±: 95 % interval over blocks, - if they cannot tell
";

/// What the column of flaws means, which is there where an engine has one.
const FLAWS_LEGEND: &str = "\
flaws: answers with a legal move, which was played, and something malformed or impossible beside it, which is dropped
";

/// Lines of an offender's standard error that are quoted.
const QUOTED_LINES: usize = 3;

/// What is to be said at the end of a match.
#[derive(Clone, Debug)]
pub struct Report {
    standings: Standings,
    fairness: Fairness,
    machines: Machines,
    games_per_block: usize,
    /// Number of faults in all games.
    faults: usize,
    /// Those of the first games with one, described, by the number of the game.
    listed: BTreeMap<u64, String>,
    test: Option<Test>,
}

/// A test, with the games that it cannot count yet.
#[derive(Clone, Debug)]
struct Test {
    state: TestState,
    waiting: InOrder<(GameRecord, Vec<TurnSums>)>,
    /// Games that were given to it.
    played: u64,
}

impl Report {
    /// The report before the first game; see [`Standings::new`].
    pub fn new(names: Vec<String>, seats: usize) -> Report {
        Report {
            fairness: Fairness::new(names.iter().map(String::as_str)),
            machines: Machines::new(names.clone(), seats),
            standings: Standings::new(names, seats),
            games_per_block: seats,
            faults: 0,
            listed: BTreeMap::new(),
            test: None,
        }
    }

    /// The report on a match before its first game.
    pub fn of(plan: &Plan) -> Report {
        let names = plan.engines.iter().map(|engine| engine.name.clone());
        let games = plan.line_ups().games_per_block();
        let report = Report::new(names.collect(), plan.seats).in_blocks_of(games as usize);
        match plan.sprt {
            Some(sprt) => report.with_test(sprt),
            None => report,
        }
    }

    /// The same report before its first game, where a block has so many games; see
    /// [`Standings::in_blocks_of`].
    pub fn in_blocks_of(self, games: usize) -> Report {
        Report {
            standings: self.standings.in_blocks_of(games),
            machines: self.machines.in_blocks_of(games),
            games_per_block: games,
            ..self
        }
    }

    /// The same report, in which the first engine is tested against the second. Now games are counted by
    /// whole blocks in the order of the schedule, and none after the block that brings the verdict: so the
    /// report does not depend on how many games were played at a time.
    pub fn with_test(self, sprt: Sprt) -> Report {
        let state = TestState {
            sprt,
            llr: 0.0,
            verdict: Verdict::Open,
        };
        let test = Test {
            state,
            waiting: InOrder::new(self.games_per_block),
            played: 0,
        };
        Report {
            test: Some(test),
            ..self
        }
    }

    /// Counts a game, under a test only when it is its turn. Games may come in any order, each once.
    pub fn add(&mut self, record: &GameRecord) {
        self.add_summary(record, &record.turn_sums());
    }

    /// Counts a game, given what the turns of each seat add up to: those of the record itself are not looked at.
    pub fn add_summary(&mut self, record: &GameRecord, sums: &[TurnSums]) {
        let Some(test) = &mut self.test else {
            self.count(record, sums);
            return;
        };
        test.played += 1;
        let outline = GameRecord {
            moves: String::new(),
            turns: Vec::new(),
            ..record.clone()
        };
        let game = (outline, sums.to_vec());
        test.waiting.add(record.block, record.game, game);
        while self.verdict() == Verdict::Open {
            let block = self
                .test
                .as_mut()
                .and_then(|test| test.waiting.next_block());
            let Some(block) = block else { break };
            self.count_all(&block);
            self.update_test();
        }
    }

    /// Counts the games that wait for others, since none will come any more. After a verdict none waits.
    pub fn finish(&mut self) {
        if let Some(test) = self
            .test
            .as_mut()
            .filter(|test| test.state.verdict == Verdict::Open)
        {
            let waiting = test.waiting.rest();
            self.count_all(&waiting);
        }
        self.standings.finish();
    }

    /// What the test says; [`Verdict::Open`] where there is none.
    pub fn verdict(&self) -> Verdict {
        let test = self.test.as_ref();
        test.map_or(Verdict::Open, |test| test.state.verdict)
    }

    /// The log likelihood ratio of the test, or `None` where there is none.
    pub fn llr(&self) -> Option<f64> {
        self.test.as_ref().map(|test| test.state.llr)
    }

    /// Games that were played, counted or not.
    pub fn played(&self) -> u64 {
        let test = self.test.as_ref();
        test.map_or(self.standings.games(), |test| test.played)
    }

    /// Games that ended by the fault of an engine.
    pub fn faults(&self) -> usize {
        self.faults
    }

    fn update_test(&mut self) {
        if let Some((test, scores)) = self.test.as_mut().zip(self.standings.head_to_head()) {
            test.state.llr = test.state.sprt.llr(scores);
            test.state.verdict = test.state.sprt.verdict(test.state.llr);
        }
    }

    fn count_all(&mut self, games: &[(GameRecord, Vec<TurnSums>)]) {
        for (record, sums) in games {
            self.count(record, sums);
        }
    }

    fn count(&mut self, record: &GameRecord, sums: &[TurnSums]) {
        self.standings.add_summary(record, sums);
        self.fairness.add(record, sums);
        self.machines.add(record);
        if let Some(described) = describe_fault(record) {
            self.faults += 1;
            self.listed.insert(record.game, described);
            if self.listed.len() > LISTED_FAULTS {
                self.listed.pop_last();
            }
        }
    }

    /// The score.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The test, or `None` where there is none.
    pub fn sprt(&self) -> Option<Sprt> {
        self.test.as_ref().map(|test| test.state.sprt)
    }

    /// The table of engines, the best share before its par first.
    pub fn engines(&self) -> Rows {
        tables::engines(&self.standings)
    }

    /// The table of engines as text, several lines without a newline at the end.
    pub fn engines_text(&self) -> String {
        self.engines().text().trim_end().to_string()
    }

    /// The table of seats, whoever sat there.
    pub fn seats(&self) -> Rows {
        tables::seats(&self.standings)
    }

    /// The table of waits and replays, or `None` where there is nothing to tell.
    pub fn fairness(&self) -> Option<Rows> {
        self.fairness.rows()
    }

    /// Says which machines were set aside, with the games of them that are not counted.
    pub fn set_aside(&mut self, aside: Vec<SetAside>) {
        self.machines.set_aside(aside);
    }

    /// The table of machines, or `None` of a match that was played on one.
    pub fn machines(&self) -> Option<Rows> {
        self.machines.rows()
    }

    /// How each engine fared on each machine, or `None` where there are not two of both.
    pub fn shares_by_machine(&self) -> Option<Rows> {
        self.machines.shares()
    }

    /// What is to be said of machines, a sentence each.
    pub fn machine_remarks(&self) -> Vec<String> {
        self.machines.remarks()
    }

    /// What is to be said aloud: that the machine is too busy for a fair match, and what to do; `None` where it is not.
    pub fn warning(&self) -> Option<String> {
        self.fairness.warning()
    }

    /// Engines for which, or in whose favour, games were played again more often than chance has it, one sentence each.
    pub fn suspects(&self) -> Vec<String> {
        self.fairness.suspects()
    }

    /// How the first engine did against the second, or `None` where there are not two engines.
    pub fn head_to_head(&self) -> Option<HeadToHead> {
        strength::head_to_head(&self.standings, self.test.as_ref().map(|test| test.state))
    }

    /// The table of ratings, the best first, or `None` where pairs of games between two engines say more.
    pub fn ratings(&self) -> Option<Rows> {
        strength::ratings(&self.standings)
    }

    /// What the columns of both tables mean, in lines that end with a newline.
    pub fn legend(&self) -> String {
        let mut legend = LEGEND.to_string();
        if tables::has_flaws(&self.standings) {
            legend += FLAWS_LEGEND;
        }
        legend
    }

    /// The tables and the faults, several lines with a newline at the end.
    pub fn text(&self) -> String {
        let mut text = self.engines().text();
        if self.standings.games() > 0 {
            text.push('\n');
            text += &self.seats().text();
            text += &self.legend();
        }
        let ratings = self.ratings().map(|rows| rows.text() + RATINGS_LEGEND);
        let head_to_head = self.head_to_head().map(|compared| compared.text());
        for part in [head_to_head, ratings].into_iter().flatten() {
            text.push('\n');
            text += &part;
        }
        if let Some(rows) = self.fairness() {
            text.push('\n');
            text += &(rows.text() + FAIRNESS_LEGEND);
        }
        let machines = self.machines().map(|rows| rows.text() + MACHINES_LEGEND);
        let shares = self.shares_by_machine();
        let shares = shares.map(|rows| rows.text() + SHARES_LEGEND);
        for part in [machines, shares].into_iter().flatten() {
            text.push('\n');
            text += &part;
        }
        let machines = self.machine_remarks();
        let remarks = machines.into_iter().chain(self.suspects());
        for line in remarks.chain(self.warning()) {
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
        text
    }
}

/// Where a game ended by an illegal move, the position in which it came, and the moves that were legal; else nothing.
pub fn what_was_legal(record: &GameRecord) -> Vec<String> {
    if !record.endings.contains(&Ending::IllegalMove) {
        return Vec::new();
    }
    // A record whose moves cannot be played has no such position.
    Walk::of(record).map_or(Vec::new(), |walk| {
        vec![
            format!("position: {}", walk.last),
            format!("legal: {}", walk.last.legal_actions().join(" ")),
        ]
    })
}

/// What went wrong in a game, one line and the quotes, or `None` where nothing did.
fn describe_fault(record: &GameRecord) -> Option<String> {
    let fault = record.fault.as_ref()?;
    let seat = (fault.seat as usize).wrapping_sub(1);
    let name = record.seats.get(seat).map_or("?", String::as_str);
    let ending = record.endings.get(seat).map_or("?", |ending| ending.name());
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
    let first = fault.stderr.len().saturating_sub(QUOTED_LINES);
    for line in &fault.stderr[first..] {
        let _ = writeln!(text, "    stderr: {}", printable(line));
    }
    Some(text)
}
