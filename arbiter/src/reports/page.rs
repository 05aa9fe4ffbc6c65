//! The report as one page for a browser: a single HTML file that needs no network, with tables, curves, and games to
//! step through.
//!
//! [`Page::add`] counts every game, keeping only sums. [`Page::show`] then adds those of [`Page::wanted`] move by move.
//! `maud` makes the markup and escapes all names and texts of engines; the page's script reads JSON without any `<`
//! (`shown_games`). The page's content security policy forbids loading anything.

mod bars;
mod faults;
mod history;
mod markup;
mod plot;
mod shown_games;
mod shown_review;
mod subject;
mod time_use;

use std::collections::BTreeSet;

use faults::FaultList;
use history::History;
use matches::plan::rules::program::RulesError;
use matches::record::GameRecord;
use matches::record::printable::printable_lines;
use matches::report::Report;
use matches::score::review::Review;
use shown_games::ShownGames;
use time_use::TimeUse;

pub use subject::{EngineEntry, Subject};

#[derive(Debug)]
pub struct Page {
    subject: Subject,
    report: Report,
    /// Maximum number of games shown move by move.
    most_shown: usize,
    /// The lowest game numbers, at most `most_shown`; `faulty` has those of games with a fault.
    first: BTreeSet<u64>,
    faulty: BTreeSet<u64>,
    faults: FaultList,
    history: History,
    time_use: TimeUse,
    shown: ShownGames,
}

impl Page {
    /// Creates the page of a match from its report before the first game; it shows at most `most_shown` games move by
    /// move.
    pub fn new(subject: Subject, report: Report, most_shown: usize) -> Page {
        let engines = report.standings().engines();
        let names = engines.map(|(name, _)| name.to_string()).collect();
        Page {
            subject,
            history: History::default(),
            time_use: TimeUse::new(names),
            report,
            most_shown,
            first: BTreeSet::new(),
            faulty: BTreeSet::new(),
            faults: FaultList::new(most_shown),
            shown: ShownGames::default(),
        }
    }

    /// Counts a game. Games may come in any order, each once.
    pub fn add(&mut self, record: &GameRecord) {
        self.report.add(record);
        self.history.sample(&self.report);
        self.time_use.add(record);
        self.faults.add(record);
        let keep = |numbers: &mut BTreeSet<u64>| {
            numbers.insert(record.game);
            if numbers.len() > self.most_shown {
                numbers.pop_last();
            }
        };
        keep(&mut self.first);
        if record.fault.is_some() {
            keep(&mut self.faulty);
        }
    }

    /// Counts the games that wait for earlier ones, since no more games follow.
    pub fn finish(&mut self) {
        self.report.finish();
        self.history.sample(&self.report);
    }

    /// Numbers of the games to show: those with a fault, then the first ones.
    pub fn wanted(&self) -> BTreeSet<u64> {
        let others = self.first.difference(&self.faulty);
        let chosen = self.faulty.iter().chain(others).take(self.most_shown);
        chosen.copied().collect()
    }

    /// Shows a game move by move, up to its first illegal move, with its review if there is one. Returns the fault of
    /// its rules program if that is why positions are missing.
    pub fn show(&mut self, record: &GameRecord, review: Option<&Review>) -> Option<RulesError> {
        self.shown.add(record, review)
    }

    /// Sets name and limit of the reviewing engine.
    pub fn set_reviewer(&mut self, reviewer: &str) {
        self.shown.reviewer = Some(reviewer.to_string());
    }

    /// The whole page, with invisible characters escaped.
    pub fn html(&self) -> String {
        let html = markup::page(self).into_string();
        printable_lines(&html).into_owned()
    }
}
