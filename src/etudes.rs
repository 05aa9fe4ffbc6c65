//! The commands `buxtehude etudes ...`: show and judge the etudes of a file, positions with a verdict each, and use
//! them to check and to tune the article's evaluation.
//!
//! A line that is not an etude is reported with file, line and field, and the rest is still processed. The commands do
//! not read standard input or use the protocol.
//!
//! Source: the article "AI in Hase und Igel: minimax for three", on correction factors.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod check;
mod command;
mod factors;
mod file;
mod saving;
mod tune;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use thiserror::Error;

use crate::rules::Seat;
pub use crate::rules::hase::Etude;
use check::JudgedEtude;
use command::{Command, Task, USAGE};
pub use file::{EtudeFile, FileError, Problem, Verdict};
use tune::Tuning;

/// Exit status if some lines of the file are invalid, and the rest was done.
const FAULTY: u8 = 1;

/// Exit status if the arguments or a whole file are invalid, and nothing was done.
const REFUSED: u8 = 2;

/// Errors that stop a command.
#[derive(Debug, Error)]
enum Failure {
    #[error("buxtehude: {0}")]
    Arguments(String),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("buxtehude: {0}")]
    Output(#[from] io::Error),
}

/// Runs the command given by the arguments after `etudes`, on standard output and standard error.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let status = match command::parse(arguments) {
        Ok(None) => say(USAGE).map(|()| 0),
        Ok(Some(task)) => carry_out(&task),
        Err(error) => Err(Failure::Arguments(error)),
    };
    status.map_or_else(
        |failure| {
            complain(&failure);
            ExitCode::from(REFUSED)
        },
        ExitCode::from,
    )
}

/// Carries out a command; returns the exit status.
fn carry_out(task: &Task) -> Result<u8, Failure> {
    let file = EtudeFile::read(&task.file, task.ruleset)?;
    match &task.command {
        Command::Play { line } => {
            let etude = file.etude(*line)?;
            say(&format!("position fen {}\n", etude.position))?;
            Ok(0)
        }
        Command::Judge { line, winner } => {
            let saved = file.judge(*line, None, *winner)?;
            let place = file.place(*line);
            let (old, new) = (verdict(saved.old), verdict(*winner));
            say(&format!("{place}: verdict {new}, it was {old}\n"))?;
            Ok(0)
        }
        Command::List => {
            let (etudes, status) = valid_etudes(&file);
            say(&list(&etudes))?;
            Ok(status)
        }
        Command::Check { factors } => {
            let factors = factors.choose()?;
            let (etudes, status) = valid_etudes(&file);
            say(&check::report(&etudes, &factors))?;
            Ok(status)
        }
        Command::Tune { save } => {
            let saved_to = save.then(|| factors::path_beside(&task.file)).transpose()?;
            let (etudes, status) = valid_etudes(&file);
            let judged = JudgedEtude::all(&etudes);
            if judged.is_empty() {
                complain(&file.error(None, Problem::NothingJudged));
                return Ok(FAULTY);
            }
            let tuning = Tuning::of(&judged);
            say(&tuning.report(judged.len()))?;
            if let Some(path) = saved_to {
                factors::save(&path, &tuning.nearest())?;
                say(&format!("saved to {}\n", path.display()))?;
            }
            Ok(status)
        }
    }
}

/// Returns the valid lines of a file, and the exit status; reports the invalid lines.
fn valid_etudes(file: &EtudeFile) -> (Vec<(usize, Etude)>, u8) {
    let (etudes, bad) = file.etudes();
    for error in &bad {
        complain(error);
    }
    (etudes, if bad.is_empty() { 0 } else { FAULTY })
}

/// Table of the etudes.
fn list(etudes: &[(usize, Etude)]) -> String {
    let row = |line: &str, position: &str, verdict: &str, width| {
        format!("{line:>6}  {position:<width$}  {verdict}\n")
    };
    let texts: Vec<String> = etudes.iter().map(|(_, etude)| etude.position.to_string()).collect();
    let width = texts.iter().map(String::len).max().unwrap_or(0).max(8);
    let mut table = row("line", "position", "verdict", width);
    for ((line, etude), text) in etudes.iter().zip(&texts) {
        table += &row(&line.to_string(), text, &verdict(etude.winner), width);
    }
    table
}

/// Formats a verdict as in an etude line.
fn verdict(winner: Option<Seat>) -> String {
    winner.map_or("-".into(), |seat| seat.to_string())
}

/// Writes to standard output. If the reader has closed it, the rest of the work is done silently.
fn say(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn complain(problem: &dyn Display) {
    // If this fails too, there is no one left to inform.
    let _ = writeln!(io::stderr(), "{problem}");
}
