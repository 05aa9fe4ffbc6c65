//! `arbiter match`, `arbiter tournament` and `arbiter resume`: a plan made of the arguments, or found in a
//! store, played, and reported.

mod footer;

use std::collections::HashSet;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::exit::{
    ENGINE_FAULT, H0_ACCEPTED, H1_ACCEPTED, INTERRUPTED, STORAGE, USAGE, code_of, code_of_verdict,
    complain, complain_of, fail,
};
use super::signals;
use matches::archive::store::{Store, StoreError};
use matches::output::print;
use matches::plan::Plan;
use matches::play::interrupt::Interrupt;
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::replays::Replays;
use matches::play::runner::{self, InOrder, Programs, RunError};
use matches::play::walls::{self, Isolation};
use matches::report::Report;
use matches::run::announcement::{self, count, header};
use matches::run::ledger::{Ledger, LedgerError};
use matches::run::past::Past;
use matches::run::progress::Progress;
use matches::score::Verdict;
use settings::args::validate::{self, ArgsError};
use settings::args::{GameArgs, MatchArgs, OnInterrupt, OutputArgs, ResumeArgs, TournamentArgs};
use settings::outputs;
use thiserror::Error;

/// The time left after a second signal: enough for ending the engines with all that they started.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Plays a match; the exit code says how it went.
pub fn play(args: &MatchArgs) -> ExitCode {
    begin(validate::plan(args), &args.common)
}

/// Plays a tournament; the exit code says how it went.
pub fn play_tournament(args: &TournamentArgs) -> ExitCode {
    begin(validate::tournament(args), args.common())
}

/// Plays what was planned for the first time.
fn begin(planned: Result<(Plan, Vec<String>), ArgsError>, args: &GameArgs) -> ExitCode {
    let (plan, remarks) = match planned {
        Ok(planned) => planned,
        Err(error) => return fail(USAGE, error),
    };
    if args.dry_run {
        return match announcement::print_schedule(&plan) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(USAGE, error),
        };
    }
    match Match::new(plan, remarks, args) {
        Ok(planned) => planned.play(),
        Err((code, error)) => fail(code, &error),
    }
}

/// Goes on with a match that was stored; the exit code says how it went.
pub fn resume(args: &ResumeArgs) -> ExitCode {
    let ready = match stored_match(args) {
        Ok(ready) => ready,
        Err((code, error)) => return fail(code, &error),
    };
    let games = ready.played.len() as u64;
    let ledger = &ready.ledger;
    let verdict = ledger.report.verdict();
    if games >= ready.plan.games || verdict != Verdict::Open {
        let (text, path) = (ledger.report.text(), args.file.display());
        let _ = print(&format!(
            "{text}\n{}, all stored in {path}\n",
            count(games, "game")
        ));
        return code_of_verdict(verdict);
    }
    let changed = ledger
        .store
        .as_ref()
        .map(Store::changed_engines)
        .transpose();
    match changed.map(Option::unwrap_or_default) {
        Err(error) => fail(code_of(&error), error),
        Ok(changed) if !changed.is_empty() && !args.changed_engines => {
            let changed: Vec<String> = changed.iter().map(ToString::to_string).collect();
            let accepted = "expected the original programs, or --changed-engines";
            fail(USAGE, format_args!("{}; {accepted}", changed.join("; ")))
        }
        Ok(_) => ready.play(),
    }
}

/// The match in a store, with its games counted; the error comes with its exit code.
fn stored_match(args: &ResumeArgs) -> Result<Match, (u8, String)> {
    let failed = |error: StoreError| (code_of(&error), error.to_string());
    let store = Store::resume(&args.file).map_err(failed)?;
    let mut plan = store.plan().map_err(failed)?;
    plan.concurrency = args.concurrency.unwrap_or(plan.concurrency);
    plan.record.clone_from(&args.output.record);
    let mut past = Past::of(&store, &plan).map_err(failed)?;
    let remark = format!(
        "{} of {} stored before",
        past.played.len(),
        count(plan.games, "game")
    );
    let mut remarks = vec![remark];
    if args.forgive {
        past.failures.clear();
    }
    let retired = past.retired(&plan);
    if !retired.is_empty() {
        let names = retired.join(", ");
        remarks.push(format!(
            "{names}: retired before; --forgive lets it play again"
        ));
    }
    let mut resumed = Match::of(plan, past.report, &args.output, Some(&args.file))?;
    resumed.ledger.store = Some(store);
    resumed.ledger.retired = retired;
    Ok(Match {
        changed_engines: args.changed_engines,
        remarks,
        played: past.played,
        failures: past.failures,
        replays: past.replays,
        ..resumed
    })
}

/// A match that is about to be played.
struct Match {
    /// Where its games go, and those that have been played before.
    ledger: Ledger,
    on_interrupt: OnInterrupt,
    plan: Plan,
    /// What is said of it at the start.
    remarks: Vec<String>,
    log: Log,
    /// Whether it begins now, and is not resumed.
    is_new: bool,
    /// Games that have been played before.
    played: HashSet<u64>,
    /// How often each engine has failed in a row in them.
    failures: Vec<u32>,
    /// How often games have been played again for each engine.
    replays: Vec<u32>,
    /// Whether engines may change while the match is played.
    changed_engines: bool,
}

/// Why a match breaks off.
#[derive(Debug, Error)]
enum MatchError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Match {
    /// A match that has not begun; the error comes with its exit code.
    fn new(plan: Plan, remarks: Vec<String>, args: &GameArgs) -> Result<Match, (u8, String)> {
        let create = |path: &PathBuf| Store::create(path, &plan);
        let store = args.store.as_ref().map(create).transpose();
        let store = store.map_err(|error| (code_of(&error), format!("--store: {error}")))?;
        let report = Report::of(&plan);
        match Match::of(plan, report, &args.output, args.store.as_deref()) {
            Ok(mut planned) => {
                planned.ledger.store = store;
                Ok(Match {
                    is_new: true,
                    changed_engines: args.changed_engines,
                    remarks,
                    ..planned
                })
            }
            Err(error) => {
                if let Some(store) = store {
                    store.discard();
                }
                Err(error)
            }
        }
    }

    /// A match with its outputs open, none of which is the file `store`; the error comes with its exit code.
    fn of(
        plan: Plan,
        report: Report,
        output: &OutputArgs,
        store: Option<&Path>,
    ) -> Result<Match, (u8, String)> {
        let opened = outputs::open(report, output, store);
        let (ledger, log) = opened.map_err(|error| (USAGE, error.to_string()))?;
        Ok(Match {
            log,
            ledger,
            on_interrupt: output.on_interrupt,
            plan,
            remarks: Vec::new(),
            is_new: false,
            played: HashSet::new(),
            failures: Vec::new(),
            replays: Vec::new(),
            changed_engines: false,
        })
    }

    /// Plays the match and reports it; the exit code says how it went.
    fn play(mut self) -> ExitCode {
        let interrupt = self.ledger.interrupt.clone();
        if let Err(error) = stop_on_signals(&interrupt, self.on_interrupt) {
            return fail(USAGE, format_args!("cannot handle signals: {error}"));
        }
        walls::shield_arbiter();
        let (isolation, mut walls) = match Isolation::of_plan(&self.plan) {
            Ok(isolation) => isolation,
            Err(error) => return self.give_up(error),
        };
        if let Some(line) = walls::memory_in_words(&self.plan) {
            walls += &format!("\n{line}");
        }
        let programs = (!self.changed_engines).then(|| Programs::of(&self.plan));
        let checked = runner::check_engines(&self.plan, isolation, &self.log, &interrupt);
        let id_names = match checked {
            Ok((id_names, remarks)) => {
                self.remarks.extend(remarks);
                id_names
            }
            Err(_) if interrupt.is_set() => return ExitCode::from(INTERRUPTED),
            Err(error) => return self.give_up(error),
        };
        let programs = programs.map(Programs::without_changed_arguments);
        if let Some(Err(error)) = self
            .ledger
            .store
            .as_mut()
            .map(|store| store.set_id_names(&id_names))
        {
            return fail(
                code_of(&error),
                format_args!("no game could be stored: {error}"),
            );
        }
        if print(&header(&self.plan, &id_names, &walls, &self.remarks)).is_err() {
            return ExitCode::from(INTERRUPTED);
        }
        let lag = LagMeter::start();
        let outcome = self.play_games(&id_names, &interrupt, &lag, isolation, programs.as_ref());
        complain_of(&self.log);
        if let Err(MatchError::Ledger(LedgerError::Events(_))) = outcome {
            // The stream has broken off, and takes no end.
            self.ledger.events = None;
        }
        let (word, code) = self.outcome(&outcome, &interrupt);
        match outcome {
            Ok(()) | Err(MatchError::Ledger(LedgerError::Output(_))) => {}
            Err(MatchError::Ledger(error @ LedgerError::Record { .. })) => {
                complain(format_args!("error: --record: {error}"));
            }
            Err(error) => complain(format_args!("error: {error}")),
        }
        let (games, seed) = (self.ledger.report.played(), self.known_seed());
        let events = self.ledger.events.as_mut();
        if let Some(Err(error)) = events.map(|events| events.finish(word, code, games, seed)) {
            complain(format_args!("--events: {error}"));
        }
        ExitCode::from(code)
    }

    /// Says why the match cannot begin, and leaves no file in the way of the next attempt.
    fn give_up(self, error: impl Display) -> ExitCode {
        if let Some(store) = self.ledger.store.filter(|_| self.is_new) {
            store.discard();
        }
        fail(USAGE, error)
    }

    /// How it went: a word, and the exit code.
    fn outcome(
        &self,
        outcome: &Result<(), MatchError>,
        interrupt: &Interrupt,
    ) -> (&'static str, u8) {
        let report = &self.ledger.report;
        match outcome {
            Err(MatchError::Ledger(LedgerError::Output(_))) => ("interrupted", INTERRUPTED),
            Err(MatchError::Ledger(_)) => ("storage", STORAGE),
            Err(MatchError::Run(_)) => ("error", USAGE),
            Ok(()) => match report.verdict() {
                Verdict::H1 => ("H1", H1_ACCEPTED),
                Verdict::H0 => ("H0", H0_ACCEPTED),
                // Only a signal ends a match without verdict or error.
                Verdict::Open if interrupt.ends() && report.played() < self.plan.games => {
                    ("interrupted", INTERRUPTED)
                }
                Verdict::Open if !self.ledger.retired.is_empty() => ("engine fault", ENGINE_FAULT),
                Verdict::Open if report.faults() > 0 => ("engine fault", ENGINE_FAULT),
                Verdict::Open => ("done", 0),
            },
        }
    }

    /// Plays the games that are missing, and ends with the tables.
    fn play_games(
        &mut self,
        id_names: &[Option<String>],
        interrupt: &Interrupt,
        lag: &LagMeter,
        isolation: Option<Isolation>,
        programs: Option<&Programs>,
    ) -> Result<(), MatchError> {
        let Match {
            plan,
            log,
            ledger,
            played,
            failures,
            replays,
            ..
        } = self;
        if let Some(events) = &mut ledger.events {
            let started = events.start(plan, id_names, played.len() as u64);
            started.map_err(LedgerError::from)?;
        }
        let progress = Progress::new(plan.games, played.len() as u64);
        let start = Instant::now();
        let next_due = |from| (from..=plan.games).find(|number| !played.contains(number));
        let games = InOrder::new(next_due);
        let replays = Replays::new(&plan.engines, replays);
        let planned = runner::Match {
            plan,
            games: &games,
            failures,
            replays: &replays,
            log,
            interrupt,
            lag,
            first_core: 0,
            isolation,
            programs,
            is_followed: ledger.events.is_some(),
        };
        let outcome = runner::run(planned, |news| {
            ledger.enter(plan, &news, &progress)?;
            if ledger.report.verdict() != Verdict::Open {
                interrupt.set();
            }
            Ok::<(), MatchError>(())
        });
        progress.finish();
        ledger.report.finish();
        let footer =
            self.footer(start.elapsed(), &outcome, interrupt) + &self.remarks_at_the_end(lag);
        // It makes no difference any more whether somebody reads it.
        let _ = print(&format!("\n{}\n{footer}\n", self.ledger.report.text()));
        outcome
    }
}

/// The first signal ends the match in order, the next one without waiting for games, and the last one soon,
/// whatever holds it up.
fn stop_on_signals(interrupt: &Interrupt, choice: OnInterrupt) -> io::Result<()> {
    let stopped = interrupt.clone();
    signals::listen(interrupt, move || {
        let interrupt = &stopped;
        if interrupt.is_set() {
            std::thread::sleep(LAST_GRACE);
            std::process::exit(INTERRUPTED.into());
        }
        if choice == OnInterrupt::Finish && !interrupt.ends() {
            interrupt.finish();
            complain("stopping after the running games; interrupt again to drop them");
        } else {
            interrupt.set();
            complain("stopping; interrupt again to stop at once");
        }
    })
}
