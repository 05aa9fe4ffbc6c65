//! The report as one page for a browser: a single HTML file that needs no network, with tables, curves, and
//! games that can be stepped through.
//!
//! Every game counts in the numbers ([`Page::add`]), so that only sums are kept of it; those that
//! [`Page::wanted`] names are then shown move by move ([`Page::show`]). The markup is made by `maud`, which
//! escapes whatever an engine calls itself or says, and what the page's script reads is JSON in which no `<` is
//! left (`shown_games`). The page forbids itself to load anything.

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
use matches::record::GameRecord;
use matches::record::printable::printable_lines;
use matches::report::Report;
use matches::score::review::Review;
use shown_games::ShownGames;
use time_use::TimeUse;

pub use subject::{EngineEntry, Subject};

/// What a page will say.
#[derive(Debug)]
pub struct Page {
    subject: Subject,
    report: Report,
    /// The most games that are shown move by move.
    most_shown: usize,
    /// The lowest numbers of all games, and of those with a fault, as many as may be shown.
    first: BTreeSet<u64>,
    faulty: BTreeSet<u64>,
    faults: FaultList,
    history: History,
    time_use: TimeUse,
    shown: ShownGames,
}

impl Page {
    /// The page of a match, given its report before the first game, which shows at most so many games move by
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

    /// Counts the games that wait for others, since none will come any more.
    pub fn finish(&mut self) {
        self.report.finish();
        self.history.sample(&self.report);
    }

    /// The numbers of the games that are to be shown: those with a fault, then the first ones.
    pub fn wanted(&self) -> BTreeSet<u64> {
        let others = self.first.difference(&self.faulty);
        let chosen = self.faulty.iter().chain(others).take(self.most_shown);
        chosen.copied().collect()
    }

    /// Shows a game move by move, as far as the rules allow its moves, with its review if there is one.
    pub fn show(&mut self, record: &GameRecord, review: Option<&Review>) {
        self.shown.add(record, review);
    }

    /// Says who reviews the games that are reviewed, and by what limit.
    pub fn set_reviewer(&mut self, reviewer: &str) {
        self.shown.set_reviewer(reviewer);
    }

    /// The report whose numbers the page has.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The whole page, in which characters that are not seen are escapes.
    pub fn html(&self) -> String {
        let html = markup::page(self).into_string();
        printable_lines(&html).into_owned()
    }
}
