//! `arbiter match`: a plan made of the arguments, played, and reported.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arbiter::args::{MatchArgs, validate};
use arbiter::interrupt::Interrupt;
use arbiter::log::Log;
use arbiter::output::print;
use arbiter::plan::{EngineSpec, Limit, Plan};
use arbiter::progress::{Progress, duration};
use arbiter::record_file::RecordFile;
use arbiter::report::Report;
use arbiter::runner::{self, RunError};
use arbiter::score::Verdict;

/// Exit code where the arguments are wrong or an engine cannot be started.
const USAGE: u8 = 2;
/// Exit code where a game could not be recorded.
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
    let mut record_file = match plan
        .record
        .as_deref()
        .map(RecordFile::append_to)
        .transpose()
    {
        Ok(record_file) => record_file,
        Err(error) => return fail(USAGE, &format!("--record: {error}")),
    };
    let interrupt = Interrupt::new();
    if let Err(error) = stop_on_signals(&interrupt) {
        return fail(USAGE, &format!("signals cannot be handled: {error}"));
    }
    let id_names = match runner::check_engines(&plan, &log, &interrupt) {
        Ok(id_names) => id_names,
        Err(_) if interrupt.is_set() => return ExitCode::from(INTERRUPTED),
        Err(error) => return fail(USAGE, &error.to_string()),
    };
    if print(&header(&plan, &id_names, &remarks)).is_err() {
        return ExitCode::from(INTERRUPTED);
    }

    let mut report = Report::of(&plan);
    let progress = Progress::new(plan.games);
    let start = Instant::now();
    let outcome = runner::run(&plan, &log, &interrupt, |record| {
        if let Some(file) = &mut record_file {
            file.write(&record).map_err(|reason| RunError::Record {
                game: record.game,
                reason,
            })?;
        }
        report.add(&record);
        if report.verdict() != Verdict::Open {
            interrupt.set();
        }
        Ok(progress.game(&record, &report)?)
    });
    progress.finish();
    report.add_waiting();
    let footer = footer(&plan, &report, start.elapsed(), &outcome);
    // It makes no difference any more whether somebody reads it.
    let _ = print(&format!("\n{}\n{footer}\n", report.text()));
    if let Some(error) = log.take_error() {
        complain(&format!("--log: the log is not complete: {error}"));
    }
    match outcome {
        Ok(()) => match report.verdict() {
            Verdict::H1 => ExitCode::from(H1_ACCEPTED),
            Verdict::H0 => ExitCode::from(H0_ACCEPTED),
            Verdict::Open if report.played() < plan.games => ExitCode::from(INTERRUPTED),
            Verdict::Open => ExitCode::SUCCESS,
        },
        Err(RunError::Output(_)) => ExitCode::from(INTERRUPTED),
        Err(error @ RunError::Record { .. }) => fail(STORAGE, &format!("--record: {error}")),
        Err(error) => fail(USAGE, &error.to_string()),
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

/// How much was played, in what time, and where it is recorded.
fn footer(
    plan: &Plan,
    report: &Report,
    elapsed: Duration,
    outcome: &Result<(), RunError>,
) -> String {
    let time = duration(elapsed);
    let games = report.standings().games();
    let mut text = match outcome {
        Ok(()) if report.verdict() != Verdict::Open => {
            let mut text = format!("{} in {time}, ended by the test", count(games, "game"));
            let more = report.played() - games;
            if more > 0 {
                text += &format!(", {more} more played and not counted");
            }
            text
        }
        Ok(()) if games == plan.games => format!("{} in {time}", count(games, "game")),
        Ok(()) => format!("{games} of {} games in {time} (interrupted)", plan.games),
        Err(_) => format!("{games} of {} games in {time}", plan.games),
    };
    if let Some(path) = plan.record.as_ref().filter(|_| games > 0) {
        text += &format!(", recorded in {}", path.display());
    }
    text
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
