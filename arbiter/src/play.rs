//! `arbiter match` and `arbiter resume`: a plan made of the arguments, or found in a store, played, and
//! reported.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arbiter::args::{MatchArgs, ResumeArgs, validate};
use arbiter::interrupt::Interrupt;
use arbiter::log::Log;
use arbiter::output::print;
use arbiter::plan::{EngineSpec, Limit, Plan};
use arbiter::progress::{Progress, duration};
use arbiter::record_file::RecordFile;
use arbiter::report::Report;
use arbiter::runner::{self, RunError};
use arbiter::score::Verdict;
use arbiter::store::{Store, StoreError};

/// Exit code where the arguments are wrong or an engine cannot be started.
const USAGE: u8 = 2;
/// Exit code where the match or a game of it could not be stored or recorded.
const STORAGE: u8 = 3;
/// Exit code of a test that accepts H1.
const H1_ACCEPTED: u8 = 10;
/// Exit code of a test that accepts H0.
const H0_ACCEPTED: u8 = 11;
/// Exit code of a match that was interrupted.
const INTERRUPTED: u8 = 130;
/// The time left after a second signal: enough for ending the engines with all that they started.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Plays a match; the exit code says how it went.
pub fn play(args: &MatchArgs) -> ExitCode {
    let (plan, remarks) = match validate::plan(args) {
        Ok(planned) => planned,
        Err(error) => return fail(USAGE, &error.to_string()),
    };
    let log = match plan.log.as_deref().map(|path| (path, Log::create(path))) {
        None => Log::none(),
        Some((_, Ok(log))) => log,
        Some((path, Err(error))) => {
            return fail(USAGE, &format!("--log: {}: {error}", path.display()));
        }
    };
    let record_file = match plan
        .record
        .as_deref()
        .map(RecordFile::append_to)
        .transpose()
    {
        Ok(record_file) => record_file,
        Err(error) => return fail(USAGE, &format!("--record: {error}")),
    };
    let create = |path: &PathBuf| Store::create(path, &plan);
    let store = match args.store.as_ref().map(create).transpose() {
        Ok(store) => store,
        Err(error) => return fail(code_of(&error), &format!("--store: {error}")),
    };
    let planned = Match {
        report: Report::of(&plan),
        plan,
        remarks,
        log,
        record_file,
        store,
        is_new: true,
        played: HashSet::new(),
    };
    planned.play()
}

/// Goes on with a match that was stored; the exit code says how it went.
pub fn resume(args: &ResumeArgs) -> ExitCode {
    let ready = match stored_match(args) {
        Ok(ready) => ready,
        Err(error) => return fail(code_of(&error), &error.to_string()),
    };
    let games = ready.played.len() as u64;
    let verdict = ready.report.verdict();
    if games >= ready.plan.games || verdict != Verdict::Open {
        let (text, path) = (ready.report.text(), args.file.display());
        let _ = print(&format!(
            "{text}\n{}, all stored in {path}\n",
            count(games, "game")
        ));
        return code_of_verdict(verdict);
    }
    let changed = ready.store.as_ref().map(Store::changed_engines).transpose();
    match changed.map(Option::unwrap_or_default) {
        Err(error) => fail(code_of(&error), &error.to_string()),
        Ok(changed) if !changed.is_empty() && !args.changed_engines => {
            let changed: Vec<String> = changed.iter().map(ToString::to_string).collect();
            let accepted = "expected the programs of the start, or --changed-engines";
            fail(USAGE, &format!("{}; {accepted}", changed.join("; ")))
        }
        Ok(_) => ready.play(),
    }
}

/// The match in a store, with its games counted.
fn stored_match(args: &ResumeArgs) -> Result<Match, StoreError> {
    let store = Store::resume(&args.file)?;
    let mut plan = store.plan()?;
    plan.concurrency = args.concurrency.unwrap_or(plan.concurrency);
    let mut report = Report::of(&plan);
    let mut played = HashSet::new();
    store.for_each_outline(|record| {
        report.add(&record);
        played.insert(record.game);
        Ok::<(), StoreError>(())
    })?;
    Ok(Match {
        remarks: vec![format!(
            "{} of {} stored before",
            played.len(),
            count(plan.games, "game")
        )],
        plan,
        log: Log::none(),
        record_file: None,
        store: Some(store),
        is_new: false,
        played,
        report,
    })
}

/// A match that is about to be played.
struct Match {
    plan: Plan,
    /// What is said of it at the start.
    remarks: Vec<String>,
    log: Log,
    record_file: Option<RecordFile>,
    store: Option<Store>,
    /// Whether it begins now, and is not resumed.
    is_new: bool,
    /// Games that have been played before.
    played: HashSet<u64>,
    /// The report, in which these are counted.
    report: Report,
}

impl Match {
    /// Plays the match and reports it; the exit code says how it went.
    fn play(mut self) -> ExitCode {
        let interrupt = Interrupt::new();
        if let Err(error) = stop_on_signals(&interrupt) {
            return fail(USAGE, &format!("signals cannot be handled: {error}"));
        }
        let id_names = match runner::check_engines(&self.plan, &self.log, &interrupt) {
            Ok(id_names) => id_names,
            Err(_) if interrupt.is_set() => return ExitCode::from(INTERRUPTED),
            Err(error) => {
                // A match that cannot begin leaves no file in the way of the next attempt.
                if let Some(store) = self.store.filter(|_| self.is_new) {
                    store.discard();
                }
                return fail(USAGE, &error.to_string());
            }
        };
        if let Some(Err(error)) = self
            .store
            .as_mut()
            .map(|store| store.set_id_names(&id_names))
        {
            return fail(
                code_of(&error),
                &format!("no game could be stored: {error}"),
            );
        }
        if print(&header(&self.plan, &id_names, &self.remarks)).is_err() {
            return ExitCode::from(INTERRUPTED);
        }
        let outcome = self.play_games(&interrupt);
        if let Some(error) = self.log.take_error() {
            complain(&format!("--log: the log is not complete: {error}"));
        }
        match outcome {
            Ok(()) => match self.report.verdict() {
                Verdict::Open if self.report.played() < self.plan.games => {
                    ExitCode::from(INTERRUPTED)
                }
                verdict => code_of_verdict(verdict),
            },
            Err(RunError::Output(_)) => ExitCode::from(INTERRUPTED),
            Err(error @ RunError::Record { .. }) => fail(STORAGE, &format!("--record: {error}")),
            Err(error @ RunError::Store { .. }) => fail(STORAGE, &error.to_string()),
            Err(error) => fail(USAGE, &error.to_string()),
        }
    }

    /// Plays the games that are missing: each is stored and recorded, then counted, then shown. Ends with the
    /// tables.
    fn play_games(&mut self, interrupt: &Interrupt) -> Result<(), RunError> {
        let Match {
            plan,
            log,
            record_file,
            store,
            played,
            report,
            ..
        } = self;
        let progress = Progress::new(plan.games, played.len() as u64);
        let start = Instant::now();
        let outcome = runner::run(plan, played, log, interrupt, |record| {
            let game = record.game;
            if let Some(store) = store {
                let stored = store.add(&record);
                stored.map_err(|reason| RunError::Store { game, reason })?;
            }
            if let Some(file) = record_file {
                let written = file.write(&record);
                written.map_err(|reason| RunError::Record { game, reason })?;
            }
            report.add(&record);
            if report.verdict() != Verdict::Open {
                interrupt.set();
            }
            Ok(progress.game(&record, report)?)
        });
        progress.finish();
        report.add_waiting();
        let footer = self.footer(start.elapsed(), &outcome);
        // It makes no difference any more whether somebody reads it.
        let _ = print(&format!("\n{}\n{footer}\n", self.report.text()));
        outcome
    }

    /// How much was played, in what time, and where it is kept.
    fn footer(&self, elapsed: Duration, outcome: &Result<(), RunError>) -> String {
        let (all, time) = (self.plan.games, duration(elapsed));
        let games = self.report.standings().games();
        let before = match self.played.len() {
            0 => String::new(),
            before => format!(", {before} of them before"),
        };
        let mut text = match outcome {
            Ok(()) if self.report.verdict() != Verdict::Open => {
                let mut text = format!(
                    "{} in {time}{before}, ended by the test",
                    count(games, "game")
                );
                let more = self.report.played() - games;
                if more > 0 {
                    text += &format!(", {more} more played and not counted");
                }
                text
            }
            Ok(()) if games == all => format!("{} in {time}{before}", count(games, "game")),
            Ok(()) => format!("{games} of {all} games in {time}{before} (interrupted)"),
            Err(_) => format!("{games} of {all} games in {time}{before}"),
        };
        if let Some(path) = self.plan.record.as_ref().filter(|_| games > 0) {
            text += &format!(", recorded in {}", path.display());
        }
        if let Some(store) = &self.store {
            let path = store.path().display();
            text += &format!(", stored in {path}");
            if games < all && self.report.verdict() == Verdict::Open {
                text += &format!("; `arbiter resume {path}` goes on");
            }
        }
        text
    }
}

/// The exit code of a match that came to its end.
fn code_of_verdict(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::H1 => ExitCode::from(H1_ACCEPTED),
        Verdict::H0 => ExitCode::from(H0_ACCEPTED),
        Verdict::Open => ExitCode::SUCCESS,
    }
}

/// The exit code of a match whose store cannot be used.
fn code_of(error: &StoreError) -> u8 {
    if error.is_of_storage() {
        STORAGE
    } else {
        USAGE
    }
}

/// The first signal ends the match in order, the second one soon, whatever holds it up.
fn stop_on_signals(interrupt: &Interrupt) -> Result<(), ctrlc::Error> {
    let interrupt = interrupt.clone();
    ctrlc::set_handler(move || {
        if interrupt.is_set() {
            std::thread::sleep(LAST_GRACE);
            std::process::exit(INTERRUPTED.into());
        }
        interrupt.set();
        complain("stopping; once more to stop without waiting");
    })
}

/// What is played, by whom, with which limits.
fn header(plan: &Plan, id_names: &[Option<String>], remarks: &[String]) -> String {
    let blocks = plan.games / plan.seats as u64;
    let at_most = plan.sprt.map_or("", |_| "at most ");
    let mut text = format!(
        "{}, {} seats, {at_most}{} in {} of {}, seed {}\n",
        plan.variant.name,
        plan.seats,
        count(plan.games, "game"),
        count(blocks, "block"),
        plan.seats,
        plan.seed,
    );
    if let Some(sprt) = plan.sprt {
        text += &format!("test: {sprt}\n");
    }
    for remark in remarks {
        text += &format!("note: {remark}\n");
    }
    let widths = plan
        .engines
        .iter()
        .map(|engine| engine.name.chars().count());
    let width = widths.max().unwrap_or(0);
    for (engine, id_name) in plan.engines.iter().zip(id_names) {
        text += &format!(
            "  {:width$}  {}\n",
            engine.name,
            settings(engine, id_name.as_deref())
        );
    }
    text
}

fn settings(engine: &EngineSpec, id_name: Option<&str>) -> String {
    let mut words = vec![limit(engine.limit)];
    if engine.legal {
        words.push("legal=on".to_string());
    }
    words.extend(
        engine
            .options
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    words.extend(id_name.map(|name| format!("({name})")));
    words.join("  ")
}

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Movetime(time) => format!("{} ms a move", time.as_millis()),
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Nodes(nodes) => count(nodes, "node"),
        Limit::Clock { time, increment } => {
            format!("clock {}+{} s", time.as_secs_f64(), increment.as_secs_f64())
        }
    }
}

fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn fail(code: u8, error: &str) -> ExitCode {
    complain(&format!("error: {error}"));
    ExitCode::from(code)
}
