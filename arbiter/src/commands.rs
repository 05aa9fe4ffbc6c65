//! The commands of the program, each from its arguments to its exit status.

pub mod check;
pub mod explain;
pub mod export;
pub mod openings;
pub mod replay;
pub mod report;
pub mod review;
pub mod verify;

use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use arbiter::args::{Cli, CompletionsArgs, FileArgs, ManArgs};
use clap::CommandFactory;
use clap_mangen::Man;
use indicatif::ProgressBar;
use matches::archive::store::Store;
use matches::judge::JudgeError;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::plan::rules::Rules;
use matches::plan::rules::external::RulesError;
use matches::plan::{EngineSpec, Isolate, Limit};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::runner::RunError;
use matches::play::sandbox::{self, Isolation};
use matches::review::ReviewError;
use matches::run;
use matches::run::display::{count, progress_style};
use matches::run::exit::ExitError;
use matches::run::signals;

pub use matches::run::exit;

/// Limit of each search of a judging engine if the user sets none. A node limit makes the results reproducible.
const JUDGE_LIMIT: Limit = Limit::nodes(10_000);

/// Timeout for each answer of a rules program outside a match.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// An error that stops a command, to be printed.
type CommandError = Box<dyn Error>;

/// Opens a file of games. If they need a rules program, starts the given one, or the store's if this user made the
/// store or `is_trusted`.
///
/// # Errors
/// The file cannot be read, or the program does not start.
fn open(args: &FileArgs, is_trusted: bool) -> Result<Store, CommandError> {
    let name = args.file.display().to_string();
    refuse_overwriting(&[NamedFile::games(name, &args.file)]).map_err(ExitError::usage)?;
    let typed = args.rules.clone().map(Rules::external);
    let store = Store::open_or_import(&args.file)?;
    // Without trust in the program, the games are read without the rules. A record names no program.
    let of_store = || store.trusted_plan(is_trusted).ok().map(|plan| plan.rules);
    if let Some(rules) = typed.or_else(of_store) {
        start_rules(&rules, None, Isolate::Auto, ANSWER_TIMEOUT)?;
    }
    Ok(store)
}

/// Starts the program of the rules, if they have one, and checks that the game allows the number of players, if any is
/// given; `timeout` is for each answer.
///
/// # Errors
/// [`ExitError`] about `--rules` or `--players`.
fn start_rules(
    rules: &Rules,
    players: Option<usize>,
    isolate: Isolate,
    timeout: Duration,
) -> Result<(), ExitError> {
    if let Some(game) = rules.program() {
        run::start_rules(game, isolate, timeout, &Log::none(), &Interrupt::new())
            .map_err(|error| error.about("rules"))?;
    }
    let started = players.map_or(Ok(()), |players| rules.start(players).map(drop));
    started.map_err(|error| ExitError::of_flag_or_rules("players", error))
}

/// Prints the error of a command; returns its exit status. An error of the system is one of standard output.
fn fail(error: &CommandError) -> ExitCode {
    match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        // A closed pipe is not an error.
        Some(ErrorKind::BrokenPipe) => return ExitCode::SUCCESS,
        Some(_) => return exit::fail(exit::STORAGE, format_args!("standard output: {error}")),
        None => {}
    }
    let run = error.downcast_ref::<RunError>().and_then(RunError::fault_of_rules);
    let review =
        error.downcast_ref::<ReviewError<JudgeError>>().and_then(ReviewError::fault_of_rules);
    let is_of_rules = error.is::<RulesError>() || run.or(review).is_some();
    let status = match error.downcast_ref::<ExitError>() {
        Some(error) => error.status,
        None if is_of_rules => exit::RULES_FAULT,
        None => exit::USAGE,
    };
    exit::fail(status, error)
}

/// Prints bytes to standard output; its reader may close it at any time, which is not an error.
///
/// # Errors
/// The reason if standard output cannot be written.
fn print_all(bytes: &[u8]) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// End of a sentence about games whose luck another program measured.
fn luck_unchecked(games: u64) -> String {
    match games {
        0 => String::new(),
        _ => format!("; luck of {} not checked", count(games, "game")),
    }
}

fn stop_on_signals(interrupt: &Interrupt) -> Result<(), ExitError> {
    let flag = interrupt.clone();
    signals::listen(interrupt, move || flag.set())
}

/// Returns the isolation for engines; prints the reason if it is wanted but not available.
fn isolate(isolate: Isolate, engines: &[EngineSpec]) -> Result<Option<Isolation>, CommandError> {
    sandbox::shield_arbiter();
    let (isolation, text) = Isolation::of(isolate, engines)?;
    if isolation.is_none() && isolate != Isolate::Off {
        exit::print_error(text);
    }
    Ok(isolation)
}

/// Progress bar followed by `text`; hidden unless standard error is a terminal.
fn progress(length: u64, text: &str) -> ProgressBar {
    ProgressBar::new(length).with_style(progress_style(&format!("{{bar:30}} {text}")))
}

pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arbiter", &mut script);
    exit_of(print_all(&script))
}

/// Prints the manual page, or writes all of them.
pub fn man(args: &ManArgs) -> ExitCode {
    let Some(directory) = &args.output else {
        let mut page = Vec::new();
        // Cannot fail in memory.
        let _ = Man::new(Cli::command()).render(&mut page);
        return exit_of(print_all(&page));
    };
    let written = write_pages(directory);
    exit_of(written.map_err(|error| format!("--output: {}: {error}", directory.display())))
}

fn write_pages(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)
}

fn exit_of(written: Result<(), String>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::fail(exit::STORAGE, error),
    }
}
