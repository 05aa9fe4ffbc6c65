//! The report as one page for a browser: a single HTML file that needs no network, with tables, curves, and games to
//! step through.
//!
//! [`Page::add`] counts every game, keeping only sums. [`Page::show`] then adds those of [`Page::wanted`] move by move.
//! `maud` makes the markup and escapes all names and texts of engines; the page's script reads JSON without any `<`
//! (`shown_games`). The page's content security policy forbids loading anything.

mod markup;
mod plots;
mod shown_games;

use std::collections::{BTreeMap, BTreeSet};

use buxtehude::protocol::Start;
use matches::archive::store::Circumstances;
use matches::plan::rules::external::RulesError;
use matches::plan::{Adjudication, EngineSpec, Plan};
use matches::record::printable::printable_lines;
use matches::record::{Fault, GameRecord};
use matches::report::Report;
use matches::review::Review;
use plots::{History, TimeUse};
use shown_games::ShownGames;

#[derive(Debug)]
pub struct Page {
    subject: Subject,
    report: Report,
    /// Maximum number of games shown move by move.
    most_shown: usize,
    /// The lowest game numbers, at most `most_shown`.
    first: BTreeSet<u64>,
    /// The faults of the first games that have one, at most `most_shown`.
    faults: BTreeMap<u64, FaultEntry>,
    /// Number of faults in all games.
    fault_count: usize,
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
            faults: BTreeMap::new(),
            fault_count: 0,
            shown: ShownGames::default(),
        }
    }

    /// Counts a game. Games may come in any order, each once.
    pub fn add(&mut self, record: &GameRecord) {
        self.report.add(record);
        self.history.sample(&self.report);
        self.time_use.add(record);
        self.first.insert(record.game);
        if self.first.len() > self.most_shown {
            self.first.pop_last();
        }
        if let Some((fault, engine, ending)) = record.named_fault() {
            let entry = FaultEntry { engine: engine.to_string(), ending, fault: fault.clone() };
            self.fault_count += 1;
            self.faults.insert(record.game, entry);
            if self.faults.len() > self.most_shown {
                self.faults.pop_last();
            }
        }
    }

    /// Counts the games that wait for earlier ones, since no more games follow.
    pub fn finish(&mut self) {
        self.report.finish();
        self.history.sample(&self.report);
    }

    /// Numbers of the games to show: those with a fault, then the first ones.
    pub fn wanted(&self) -> BTreeSet<u64> {
        let others = self.first.iter().filter(|number| !self.faults.contains_key(number));
        let chosen = self.faults.keys().chain(others).take(self.most_shown);
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

#[derive(Clone, Debug)]
pub struct FaultEntry {
    pub engine: String,
    pub ending: &'static str,
    /// Seat, reason and standard error.
    pub fault: Fault,
}

#[derive(Clone, Debug)]
pub struct Subject {
    /// Heading of the page.
    pub title: String,
    pub settings: Vec<(&'static str, String)>,
    /// The engines, if the file has their settings.
    pub engines: Vec<EngineEntry>,
}

/// An engine of a stored match.
#[derive(Clone, Debug)]
pub struct EngineEntry {
    pub spec: EngineSpec,
    /// The engine's own name, from `id name`.
    pub id_name: Option<String>,
    /// SHA-256 of the program.
    pub sha256: Option<String>,
}

impl Subject {
    /// Describes a stored match, given its engines' own names and its circumstances.
    pub fn of_match(
        plan: &Plan,
        id_names: &[Option<String>],
        circumstances: &Circumstances,
    ) -> Subject {
        let engines = plan.engines.iter().enumerate().map(|(index, spec)| EngineEntry {
            spec: spec.clone(),
            id_name: id_names.get(index).cloned().flatten(),
            sha256: circumstances.programs.get(index).cloned().flatten(),
        });
        let limits = &plan.referee_limits;
        let mut settings = vec![
            ("variant", plan.rules.name().to_string()),
            ("format", plan.format.to_string()),
            ("seats", plan.seats.to_string()),
            ("games planned", plan.games.to_string()),
            ("seed", plan.seed.to_string()),
            ("openings", openings(plan)),
            ("random plies", plan.random_plies.to_string()),
            ("stall", format!("{} s", limits.stall.as_secs_f64())),
            ("most plies", limits.max_plies.to_string()),
        ];
        let Adjudication { resign, solved } = plan.adjudication;
        settings.extend(resign.map(|resign| ("resign", resign.to_string())));
        settings.extend(
            solved.then(|| ("solved", "games end where the rules know the outcome".to_string())),
        );
        settings.extend(plan.sprt.map(|sprt| ("test", sprt.to_string())));
        settings.extend(played(circumstances));
        Subject {
            title: title(plan.rules.name(), plan.seats),
            settings,
            engines: engines.collect(),
        }
    }

    /// Describes the match of a recorded game, as far as the record tells.
    pub fn of_record(game: &GameRecord) -> Subject {
        let settings = [
            ("variant", game.variant.clone()),
            ("seats", game.seats.len().to_string()),
            ("seed", game.seed.to_string()),
        ];
        Subject {
            title: title(&game.variant, game.seats.len()),
            settings: settings.into(),
            engines: Vec::new(),
        }
    }
}

fn title(variant: &str, seats: usize) -> String {
    format!("{variant}, {seats} seats")
}

fn openings(plan: &Plan) -> String {
    match plan.openings.as_slice() {
        [only] => {
            let start = match &only.start {
                Start::Startpos { .. } => "the start",
                Start::Fen(text) => text,
            };
            [&[start.to_string()], only.moves.as_slice()].concat().join(" ")
        }
        several => format!("{} in turn", several.len()),
    }
}

/// Start, duration, machine and version of the arbiter, as far as the file has them.
fn played(circumstances: &Circumstances) -> impl Iterator<Item = (&'static str, String)> {
    let known = circumstances.clone();
    let took = known.seconds.map(|seconds| {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("{hours}:{minutes:02}:{:02} h", seconds % 60)
    });
    let facts = [
        ("started", known.begun),
        ("duration", took),
        ("machine", known.machine),
        ("arbiter", known.arbiter),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?)))
}
