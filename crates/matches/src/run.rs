//! A match from its start to its exit status.
//!
//! [`begin`] makes a [`Match`], starts each engine once, and creates the store; [`resume`] opens one. A [`Source`] then
//! plays the missing games: the threads of [`ThisMachine`], or a fleet. Each result goes through the [`Ledger`], which
//! stores, records, counts, shows and streams it, in this order. At the end come one set of tables, one footer and one
//! exit status.

pub mod display;
pub mod events;
pub mod exit;
pub mod ledger;
pub mod past;
pub mod signals;

use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::archive::ArchiveError;
use crate::archive::store::{Store, UserKey};
use crate::luck::{Evaluator, LuckMeter, measure_store};
use crate::output::{fitted, print};
use crate::own_files::NamedFile;
use crate::plan::deck::Seed;
use crate::plan::rules::external::External;
use crate::plan::{EngineSpec, Isolate, LuckBy, Opening, Plan};
use crate::play::interrupt::Interrupt;
use crate::play::lag::{LagMeter, LagSummary};
use crate::play::log::Log;
use crate::play::referee::RerunQuota;
use crate::play::rules;
use crate::play::runner::{
    self, Complete, Event, FirstStart, GameQueue, Programs, RunError, Runner,
};
use crate::play::sandbox::{self, Isolation};
use crate::record::GameRecord;
use crate::report::Report;
use crate::score::Verdict;
use display::{Progress, count, footer, header, luck_bar, print_schedule, unplayed};
use exit::{
    ENGINE_FAULT, ExitError, H0_ACCEPTED, H1_ACCEPTED, INTERRUPTED, RULES_FAULT, STORAGE,
    SettingsFile, USAGE, print_error, report_log_error,
};
use ledger::{Ledger, LedgerError, programs};
pub use ledger::{Outputs, files_of, open_log};
use past::Past;
pub use past::{StoredMatch, resume};

/// A new match: its plan, and settings that are not part of it.
#[derive(Clone, Debug)]
pub struct NewMatch {
    pub plan: Plan,
    /// Remarks on the plan, for the header.
    pub remarks: Vec<String>,
    /// New file that keeps the match; `None` to keep nothing.
    pub store: Option<PathBuf>,
    pub outputs: Outputs,
    /// Files that the match reads, except its engines' files.
    pub inputs: Vec<NamedFile>,
    /// `true` to print the schedule and play nothing.
    pub dry_run: bool,
    /// `true` to play on when the program of an engine is replaced during the match.
    pub changed_engines: bool,
    /// Engine that measures luck, if the plan needs one.
    pub luck_engine: Option<EngineSpec>,
    pub settings_file: Option<SettingsFile>,
}

/// Plays a new match; returns its exit status.
pub fn begin<S: Source>(mut new: NewMatch, source: &mut S) -> ExitCode {
    let file = new.settings_file.take();
    for engine in &mut new.plan.engines {
        engine.unresolved.is_nameless &= !S::KEEPS_NAMES;
    }
    let started = if new.dry_run {
        show_schedule(&new.plan).map(|()| None)
    } else {
        Match::start(new).map(Some)
    };
    match (started, file) {
        (Ok(Some(planned)), _) => planned.play_and_report(source),
        (Ok(None), _) => ExitCode::SUCCESS,
        (Err(Stop::Failed(error)), Some(file)) => file.blame(error).exit(),
        (Err(stop), _) => stop.exit(),
    }
}

fn show_schedule(plan: &Plan) -> Result<(), Stop> {
    connect_rules(plan, true, &Log::none(), &Interrupt::new())?;
    Ok(print_schedule(plan).map_err(ExitError::usage)?)
}

/// A match that is ready to be played.
#[derive(Debug)]
pub struct Match {
    pub plan: Plan,
    /// Destination of all results; includes those of earlier runs.
    pub ledger: Ledger,
    /// Log of all lines exchanged with engines.
    pub log: Log,
    pub past: Past,
    /// The engines, once each has been started.
    pub engines: Engines,
    /// Notes of the header.
    pub remarks: Vec<String>,
    /// Whether the match starts now, rather than being resumed.
    pub is_new: bool,
    /// Evaluator of the luck of its games, if it is measured.
    pub luck: Option<Evaluator>,
    outputs: Outputs,
}

impl Match {
    /// Starts the engines of a new match, and creates its store and files.
    fn start(new: NewMatch) -> Result<Match, Stop> {
        let NewMatch { mut plan, mut remarks, outputs, .. } = new;
        let path = new.store.as_deref();
        let store = path.map(|path| NamedFile::store("--store", path));
        let programs = programs(&plan, new.luck_engine.as_ref());
        outputs.refuse_overwriting(store, &new.inputs, programs)?;
        let luck = Evaluator::of(&plan, new.luck_engine.as_ref()).map_err(ExitError::usage)?;
        if plan.luck.after && luck.is_some() && new.store.is_none() {
            return Err(ExitError::usage("--luck after: expected --store").into());
        }
        let not_created = |error: ArchiveError| ExitError::from(error).about("store");
        // Before the log is overwritten, and long before the store is created.
        path.map_or(Ok(()), Store::refuse_existing).map_err(not_created)?;
        let log = outputs.open_log(false)?;
        let interrupt = Interrupt::new();
        signals::stop_match(&interrupt, outputs.finishes_games)?;
        let changed = new.changed_engines;
        let engines = prepare_engines(&mut plan, true, changed, luck.as_ref(), &log, &interrupt)?;
        remarks.extend_from_slice(&engines.remarks);
        remarks.extend(unplayed(&plan));
        let store = path.map(|path| Store::create(path, &plan)).transpose().map_err(not_created)?;
        if let (Some(_), Err(reason)) = (&store, UserKey::find()) {
            remarks.push(format!(
                "the store bears no mark, so `resume` will need --trust-commands: {reason}"
            ));
        }
        match outputs.open(Report::of(&plan), None, interrupt) {
            Ok(ledger) => Ok(Match {
                past: Past::none(&plan),
                plan,
                ledger: Ledger { store, ..ledger },
                log,
                engines,
                remarks,
                is_new: true,
                luck,
                outputs,
            }),
            Err(error) => {
                if let Some(store) = store {
                    store.discard();
                }
                Err(error.into())
            }
        }
    }
}

/// Engines of a match as found when each was started once; before that, all is empty.
#[derive(Debug, Default)]
pub struct Engines {
    /// Isolation of the engines from each other.
    pub isolation: Option<Isolation>,
    /// Line of the header about the isolation.
    pub isolation_text: String,
    pub programs: Programs,
    /// The `id name` of each engine, in the order of the plan.
    id_names: Vec<Option<String>>,
    /// Notes for the header of a new match.
    remarks: Vec<String>,
}

/// Starts each engine once, and settles the plan by what the engines offer. Tries out the evaluator of luck, too.
fn prepare_engines(
    plan: &mut Plan,
    is_new: bool,
    changed_engines: bool,
    luck: Option<&Evaluator>,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<Engines, Stop> {
    sandbox::shield_arbiter();
    let (isolation, isolation_text) =
        Isolation::of(plan.isolate, &plan.engines).map_err(ExitError::usage)?;
    match connect_rules(plan, is_new, log, interrupt) {
        Err(_) if interrupt.is_set() => return Err(Stop::Interrupted),
        connected => connected?,
    }
    let programs = Programs::of(plan, interrupt);
    let seconds = plan.referee_limits.ready.as_secs_f64();
    let notice = |engine: &str| {
        print_error(format_args!(
            "waiting for engine {engine} to get ready, at most {seconds} s (--ready)"
        ));
    };
    let FirstStart { id_names, mut remarks } =
        match runner::start_engines(plan, isolation, log, interrupt, &notice) {
            Err(_) if interrupt.is_set() => return Err(Stop::Interrupted),
            started => started.map_err(ExitError::usage)?,
        };
    let forecast = match luck.map_or(Ok(None), |luck| luck.try_out(plan, isolation, interrupt)) {
        Err(_) if interrupt.is_set() => return Err(Stop::Interrupted),
        tried => tried.map_err(ExitError::usage)?,
    };
    remarks.extend(forecast);
    Ok(Engines {
        isolation,
        isolation_text,
        programs: if changed_engines {
            programs.that_may_change()
        } else {
            programs.without_changed_arguments()
        },
        id_names,
        remarks,
    })
}

/// Starts the rules program of a plan, if it has one. The number of players and the openings of a new match are checked
/// with it, and errors name the flags.
fn connect_rules(
    plan: &Plan,
    is_new: bool,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<(), ExitError> {
    let Some(game) = plan.rules.program() else {
        return Ok(());
    };
    let started = start_rules(game, plan.isolate, plan.referee_limits.ready, log, interrupt);
    if !is_new {
        return started;
    }
    started.map_err(|error| error.about("rules"))?;
    let start = plan.rules.start(plan.seats);
    start.map_err(|error| ExitError::of_flag_or_rules("players", error))?;
    for opening in &plan.openings {
        opening.position(&plan.rules, plan.seats).map_err(|error| {
            if error.fault_of_rules().is_some() || *opening == Opening::usual(plan.seats) {
                ExitError::of_flag_or_rules("rules", error)
            } else {
                ExitError::of_text("openings", &opening.to_string(), error)
            }
        })?;
    }
    Ok(())
}

/// Starts the program of a game's rules, in isolation if that is possible; `timeout` is for each answer.
///
/// # Errors
/// [`ExitError`] if this machine cannot keep its limits, or the program does not start.
pub fn start_rules(
    game: &External,
    isolate: Isolate,
    timeout: Duration,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<(), ExitError> {
    let isolation = Isolation::of(isolate, slice::from_ref(&game.plan().program));
    let (isolation, _) = isolation.map_err(ExitError::usage)?;
    Ok(rules::connect(game, isolation, timeout, log, interrupt)?)
}

/// Reasons why a match does not start.
enum Stop {
    Interrupted,
    Failed(ExitError),
}

impl Stop {
    fn exit(&self) -> ExitCode {
        match self {
            Stop::Interrupted => ExitCode::from(INTERRUPTED),
            Stop::Failed(error) => error.exit(),
        }
    }
}

impl From<ExitError> for Stop {
    fn from(error: ExitError) -> Stop {
        Stop::Failed(error)
    }
}

impl Match {
    /// Plays the missing games from `source` and reports them; returns the exit status.
    fn play_and_report<S: Source>(mut self, source: &mut S) -> ExitCode {
        let interrupt = self.ledger.interrupt.clone();
        match self.print_header(source) {
            Ok(()) => {}
            Err(Stop::Interrupted) => return ExitCode::from(INTERRUPTED),
            Err(Stop::Failed(error)) => return self.give_up(&error),
        }
        let begun = Instant::now();
        let outcome = self.play_games(source);
        let footer = footer(&self, begun.elapsed(), &outcome, &source.remarks(&self));
        // The match is over, so a closed output no longer matters.
        let _ = print(&format!("\n{}\n{}", self.ledger.report.text(), fitted(&footer)));
        report_log_error(&self.log);
        self.close(&outcome, &interrupt)
    }

    /// Prepares the source and prints the header.
    fn print_header<S: Source>(&mut self, source: &mut S) -> Result<(), Stop> {
        if let Some(store) = &mut self.ledger.store {
            store.set_id_names(&self.engines.id_names).map_err(|error| ExitError {
                message: format!("no game could be stored: {error}"),
                ..ExitError::from(error)
            })?;
        }
        let place = source.prepare(self)?;
        let retired = self.ledger.retired.join(", ");
        if !retired.is_empty() {
            let text =
                format!("{retired}: retired in an earlier run; --forgive lets it play again");
            self.remarks.push(text);
        }
        print(&fitted(&header(&self.plan, &self.engines.id_names, &place, &self.remarks)))
            .map_err(|_| Stop::Interrupted)
    }

    fn play_games<S: Source>(&mut self, source: &mut S) -> Result<(), SourceError> {
        let played = self.past.played.len() as u64;
        if let Some(events) = &mut self.ledger.events {
            let started = events.start(&self.plan, &self.engines.id_names, played);
            started.map_err(LedgerError::Events)?;
        }
        // An engine may have failed to measure earlier games, which a test needs.
        if !self.is_new && !self.plan.luck.after {
            self.measure_luck()?;
        }
        let progress = Progress::new(self.plan.games, played);
        let mut outcome = source.play(self, &progress);
        progress.finish();
        if outcome.is_ok() && self.is_over() {
            outcome = self.measure_luck();
        }
        self.ledger.report.finish();
        outcome
    }

    /// `true` if no game is missing, or the test has decided.
    fn is_over(&self) -> bool {
        is_over(&self.ledger.report, &self.plan)
    }

    /// Measures the luck of stored games that have none, since it is due after the last game or an engine failed, and
    /// reads the report again.
    ///
    /// # Errors
    /// [`SourceError::Source`] if a game cannot be measured.
    fn measure_luck(&mut self) -> Result<(), SourceError> {
        let Ledger { store: Some(store), report, interrupt, .. } = &mut self.ledger else {
            return Ok(());
        };
        // The verdict has set the interrupt of the games.
        let decided = Interrupt::new();
        let interrupt = if report.verdict() == Verdict::Open { &*interrupt } else { &decided };
        let failed = |error: &dyn ToString| SourceError::Source(error.to_string());
        let missing = store.games_without_luck().map_err(|error| failed(&error))?;
        let Some(evaluator) = self.luck.as_ref().filter(|_| !missing.is_empty()) else {
            return Ok(());
        };
        let isolation = Isolation::of(self.plan.isolate, &self.plan.engines);
        let (isolation, _) = isolation.map_err(|error| failed(&error))?;
        let meter = LuckMeter::new(evaluator, isolation, interrupt);
        let bar = luck_bar(missing.len());
        if bar.is_hidden() && matches!(self.plan.luck.by, Some(LuckBy::Engine { .. })) {
            // If standard output is closed, the end of the match finds out.
            let _ =
                print(&format!("measuring the luck of {}\n", count(missing.len() as u64, "game")));
        }
        let on_game = |done, _| bar.set_position(done as u64);
        let measured = measure_store(store, &meter, self.plan.concurrency, &on_game);
        bar.finish_and_clear();
        measured.map_err(|error| failed(&error))?;
        let past = Past::of(store, &self.plan).map_err(|error| failed(&error))?;
        *report = past.report;
        Ok(())
    }

    /// Prints the error, if any, and ends the stream of events; returns the exit status.
    fn close(mut self, outcome: &Result<(), SourceError>, interrupt: &Interrupt) -> ExitCode {
        let (word, status) = self.outcome(outcome, interrupt);
        match outcome {
            Ok(()) | Err(SourceError::Ledger(LedgerError::Output(_))) => {}
            Err(error) => print_error(format_args!("error: {error}")),
        }
        if let Err(SourceError::Ledger(LedgerError::Events(_))) = outcome {
            // The stream is broken and cannot be ended.
            self.ledger.events = None;
        }
        let (games, seed) = (self.ledger.report.played(), self.known_seed());
        let events = self.ledger.events.as_mut();
        if let Some(Err(error)) = events.map(|events| events.finish(word, status, games, seed)) {
            print_error(format_args!("--events: {error}"));
        }
        ExitCode::from(status)
    }

    /// Reports why the match cannot start, and removes a new store, so that the next attempt finds none.
    fn give_up(self, error: &ExitError) -> ExitCode {
        if let Some(store) = self.ledger.store.filter(|_| self.is_new) {
            store.discard();
        }
        error.exit()
    }

    /// Returns the outcome as one word, and the exit status.
    fn outcome(
        &self,
        outcome: &Result<(), SourceError>,
        interrupt: &Interrupt,
    ) -> (&'static str, u8) {
        let report = &self.ledger.report;
        match outcome {
            Err(SourceError::Ledger(LedgerError::Output(_))) => ("interrupted", INTERRUPTED),
            Err(SourceError::Ledger(_)) => ("storage", STORAGE),
            Err(SourceError::Rules(_)) => ("rules fault", RULES_FAULT),
            Err(SourceError::Source(_)) => ("error", USAGE),
            Ok(()) => match report.verdict() {
                Verdict::H1 => ("H1", H1_ACCEPTED),
                Verdict::H0 => ("H0", H0_ACCEPTED),
                // Only a signal ends a match without a verdict or an error.
                Verdict::Open if interrupt.ends() && report.played() < self.plan.games => {
                    ("interrupted", INTERRUPTED)
                }
                Verdict::Open if !self.ledger.retired.is_empty() => ("engine fault", ENGINE_FAULT),
                Verdict::Open if report.faults() > 0 => ("engine fault", ENGINE_FAULT),
                Verdict::Open => ("done", 0),
            },
        }
    }

    /// Returns the seed; `None` while a secret seed still decides later games.
    fn known_seed(&self) -> Option<Seed> {
        let seed = self.plan.seed;
        let is_final = self.ledger.store.is_none() || self.is_over();
        (is_final || !seed.is_secret()).then_some(seed)
    }
}

fn is_over(report: &Report, plan: &Plan) -> bool {
    report.played() >= plan.games || report.verdict() != Verdict::Open
}

/// A source of games: threads on this machine, or a fleet of machines.
pub trait Source {
    /// `true` if others refer to the engines by name, so that their `id name` must not replace it.
    const KEEPS_NAMES: bool = false;

    /// Prepares for the games of a match whose engines have all been started once, and enters those that have retired
    /// in earlier runs in the ledger; returns the header's line on where the games are played.
    ///
    /// # Errors
    /// [`ExitError`] if the match cannot start; a new store is then removed.
    fn prepare(&mut self, planned: &mut Match) -> Result<String, ExitError>;

    /// Plays the missing games and enters each event in the ledger, until the match is over or interrupted.
    ///
    /// # Errors
    /// [`SourceError`] stops the match.
    fn play(&mut self, planned: &mut Match, progress: &Progress) -> Result<(), SourceError>;

    /// Lines below the tables about how far the result can be trusted, each ending with a line feed.
    fn remarks(&self, _ended: &Match) -> String {
        String::new()
    }

    /// Cleans up after a stored match that turns out to be complete.
    fn clean_up(&mut self, _complete: &Match) {}
}

/// Errors that stop a match.
#[derive(Debug, Error)]
pub enum SourceError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A rules program failed.
    #[error("{0}")]
    Rules(String),
    #[error("{0}")]
    Source(String),
}

/// Worker threads of this process, each with its own engine processes.
#[derive(Debug, Default)]
pub struct ThisMachine {
    lag: Option<LagMeter>,
}

impl Source for ThisMachine {
    fn prepare(&mut self, planned: &mut Match) -> Result<String, ExitError> {
        let mut text = planned.engines.isolation_text.clone();
        let plan = &planned.plan;
        let remarks = [sandbox::memory_in_words(plan), sandbox::computing_in_words(plan)];
        for remark in remarks.into_iter().flatten() {
            text += &format!("\n{remark}");
        }
        planned.ledger.retired = planned.past.ends.retirement().retired();
        Ok(text)
    }

    fn play(&mut self, planned: &mut Match, progress: &Progress) -> Result<(), SourceError> {
        let lag = self.lag.insert(LagMeter::start());
        let Match { plan, log, ledger, past, engines, luck, .. } = planned;
        let interrupt = ledger.interrupt.clone();
        let isolation = engines.isolation;
        let evaluator = luck.as_ref().filter(|_| !plan.luck.after);
        let meter = evaluator.map(|evaluator| LuckMeter::new(evaluator, isolation, &interrupt));
        let activity = progress.activity();
        let measure = meter.as_ref().map(|meter| {
            |record: &mut GameRecord| {
                activity.set_prefix(format!("luck of game {}  ", record.game));
                let measured = meter.measure(record).map_err(|error| error.to_string());
                activity.set_prefix("");
                measured
            }
        });
        let next_due = |from| (from..=plan.games).find(|number| !past.played.contains(number));
        let runner = Runner {
            plan,
            games: &GameQueue::new(next_due),
            past: Some(&past.ends),
            reruns: &RerunQuota::new(&plan.engines, &past.reruns),
            log,
            interrupt: &interrupt,
            lag,
            first_core: 0,
            isolation,
            programs: Some(&engines.programs),
            is_followed: ledger.events.is_some(),
            complete: measure.as_ref().map(|measure| measure as &Complete<'_>),
        };
        runner.run(|event| {
            // A game that cannot be stored is neither counted nor shown.
            if let Event::Ended(record) = &event {
                ledger.store(&[record])?;
            }
            ledger.enter(plan, &event, progress)?;
            if ledger.report.verdict() != Verdict::Open {
                interrupt.set();
            }
            Ok::<(), SourceError>(())
        })
    }

    fn remarks(&self, _: &Match) -> String {
        let Some(lag) = &self.lag else {
            return String::new();
        };
        let LagSummary { median, p99, longest } = lag.summary();
        let [median, p99, longest] =
            [median, p99, longest].map(|time| format!("{:.2}", time.as_secs_f64() * 1000.0));
        format!(
            "lag of the arbiter itself: median {median} ms, 99th percentile {p99} ms, maximum {longest} ms\n"
        )
    }
}

impl From<RunError> for SourceError {
    fn from(error: RunError) -> SourceError {
        match error.fault_of_rules() {
            Some(fault) => SourceError::Rules(fault.to_string()),
            None => SourceError::Source(error.to_string()),
        }
    }
}
