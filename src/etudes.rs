//! The commands `buxtehude etudes ...`: show and judge the etudes of a file, positions with a verdict each, and use
//! them to check and to tune the article's evaluation.
//!
//! A line that is not an etude is reported with file, line and field, and the rest is still processed. The commands do
//! not read standard input or use the protocol; [`run`] writes to the given [`Console`].
//!
//! Source: the article "AI in Hase und Igel: minimax for three", on correction factors.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod check;
mod command;
mod factors;
mod file;
mod progress;
mod saving;
mod tune;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use thiserror::Error;

use crate::rules::Seat;
use crate::rules::hase::Etude;
use check::JudgedEtude;
use command::{ArgumentError, Command, Request, Task, USAGE};
use factors::FactorsError;
pub use file::{EtudeFile, FileError};
use progress::Bar;
use tune::Tuning;

/// Runs the command given by the arguments after `etudes`, on standard output and standard error.
pub fn run_stdio(arguments: &[OsString]) -> ExitCode {
    let mut console = Console {
        output: &mut io::stdout(),
        errors: &mut io::stderr(),
        is_terminal: io::stderr().is_terminal(),
    };
    run(arguments, &mut console).into()
}

/// Output streams of a command.
pub struct Console<'a> {
    /// Stream for results.
    pub output: &'a mut dyn Write,
    /// Stream for errors and the progress bar.
    pub errors: &'a mut dyn Write,
    /// `true` if `errors` is a terminal, where a progress bar is drawn.
    pub is_terminal: bool,
}

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success; status 0.
    Fine,
    /// Some lines of the file are invalid, and the rest was done; status 1.
    Faulty,
    /// The arguments or a whole file are invalid, and nothing was done; status 2.
    Refused,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Fine => ExitCode::SUCCESS,
            Exit::Faulty => ExitCode::from(1),
            Exit::Refused => ExitCode::from(2),
        }
    }
}

/// Errors that stop a command.
#[derive(Debug, Error)]
enum Failure {
    #[error("buxtehude: {0}")]
    Arguments(#[from] ArgumentError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Factors(#[from] FactorsError),
    #[error("buxtehude: {0}")]
    Output(#[from] io::Error),
}

/// Runs the command given by the arguments after `etudes`.
pub fn run(arguments: &[OsString], console: &mut Console) -> Exit {
    let carried_out = match command::parse(arguments) {
        Ok(Request::Help) => say(console, USAGE).map(|()| Exit::Fine),
        Ok(Request::Run(task)) => carry_out(&task, console),
        Err(error) => Err(error.into()),
    };
    match carried_out {
        Ok(exit) => exit,
        Err(failure) => {
            complain(console, &failure);
            if let Failure::Arguments(error) = failure
                && error.wants_usage()
            {
                complain(console, &USAGE.trim_end());
            }
            Exit::Refused
        }
    }
}

fn carry_out(task: &Task, console: &mut Console) -> Result<Exit, Failure> {
    let file = EtudeFile::read(&task.file, task.ruleset)?;
    match &task.command {
        Command::Play { line } => {
            let etude = file.etude(*line)?;
            say(console, &format!("position fen {}\n", etude.position))?;
            Ok(Exit::Fine)
        }
        Command::Judge { line, winner } => {
            let old = file.judge(*line, *winner)?;
            let place = file.place(*line);
            let (old, new) = (verdict(old), verdict(*winner));
            say(console, &format!("{place}: verdict {new}, it was {old}\n"))?;
            Ok(Exit::Fine)
        }
        Command::List => with_etudes(&file, console, |etudes, console| {
            say(console, &list(etudes))?;
            Ok(Exit::Fine)
        }),
        Command::Check { factors } => {
            let factors = factors.choose()?;
            with_etudes(&file, console, |etudes, console| {
                say(console, &check::report(etudes, &factors))?;
                Ok(Exit::Fine)
            })
        }
        Command::Tune { save } => {
            let saved_to = save.then(|| factors::path_beside(&task.file)).transpose()?;
            with_etudes(&file, console, |etudes, console| {
                tune(&file, etudes, saved_to.as_deref(), console)
            })
        }
    }
}

/// Reports the invalid lines of a file, and processes the others.
fn with_etudes(
    file: &EtudeFile,
    console: &mut Console,
    work: impl FnOnce(&[(usize, Etude)], &mut Console) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let (etudes, bad) = file.etudes();
    for error in &bad {
        complain(console, error);
    }
    match work(&etudes, console)? {
        Exit::Fine if !bad.is_empty() => Ok(Exit::Faulty),
        exit => Ok(exit),
    }
}

/// Table of the etudes.
fn list(etudes: &[(usize, Etude)]) -> String {
    let row = |line: &str, position: &str, verdict: &str, width| {
        format!("{line:>6}  {position:<width$}  {verdict}\n")
    };
    let texts: Vec<String> = etudes
        .iter()
        .map(|(_, etude)| etude.position.to_string())
        .collect();
    let width = texts.iter().map(String::len).max().unwrap_or(0).max(8);
    let mut table = row("line", "position", "verdict", width);
    for ((line, etude), text) in etudes.iter().zip(&texts) {
        table += &row(&line.to_string(), text, &verdict(etude.winner), width);
    }
    table
}

/// Tunes, prints the result and, if requested, saves it.
fn tune(
    file: &EtudeFile,
    etudes: &[(usize, Etude)],
    saved_to: Option<&Path>,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let judged = JudgedEtude::all(etudes);
    if judged.is_empty() {
        complain(console, &file.nothing_judged());
        return Ok(Exit::Faulty);
    }
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut bar = Bar::default();
    let tuning = Tuning::of(&judged, threads, |done| {
        if console.is_terminal {
            bar.draw(console.errors, done, tune::TRIPLES);
        }
    });
    bar.clear(console.errors);
    say(console, &tuning.report(judged.len()))?;
    if let Some(path) = saved_to {
        factors::save(path, &tuning.nearest())?;
        say(console, &format!("saved to {}\n", path.display()))?;
    }
    Ok(Exit::Fine)
}

/// Formats a verdict as in an etude line.
fn verdict(winner: Option<Seat>) -> String {
    winner.map_or("-".into(), |seat| seat.to_string())
}

/// Writes to the output. If the reader has closed it, the rest of the work is done silently.
fn say(console: &mut Console, text: &str) -> Result<(), Failure> {
    let written = console.output.write_all(text.as_bytes());
    match written.and_then(|()| console.output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn complain(console: &mut Console, problem: &dyn Display) {
    // If this fails too, there is no one left to inform.
    let _ = writeln!(console.errors, "{problem}");
}
