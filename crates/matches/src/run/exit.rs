//! Exit statuses of all programs that play or read matches, and the errors that they print.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use thiserror::Error;

use crate::archive::ArchiveError;
use crate::plan::rules::PositionError;
use crate::plan::rules::external::RulesError;
use crate::play::log::Log;
use crate::record::printable::printable_lines;
use crate::score::Verdict;

/// An examined object is wrong: a game, a line, an engine's answer.
pub const WRONG: u8 = 1;
/// An argument, a file or a program is unusable.
pub const USAGE: u8 = 2;
/// An output cannot be written.
pub const STORAGE: u8 = 3;
/// The match was played, but an engine lost games by its own fault or was retired.
pub const ENGINE_FAULT: u8 = 4;
/// A rules program failed.
pub const RULES_FAULT: u8 = 5;
pub const H1_ACCEPTED: u8 = 10;
pub const H0_ACCEPTED: u8 = 11;
/// Interrupted, or standard output was closed.
pub const INTERRUPTED: u8 = 130;

/// A message with its exit status. The message of a wrong argument begins with the flag.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ExitError {
    pub status: u8,
    /// The message, without `error: `.
    pub message: String,
}

impl ExitError {
    pub fn usage(error: impl Display) -> ExitError {
        ExitError { status: USAGE, message: error.to_string() }
    }

    /// Creates an error in the value of a flag.
    pub fn of_flag(flag: &str, reason: impl Display) -> ExitError {
        ExitError::usage(format_args!("--{flag}: {reason}"))
    }

    /// Creates an error in the text given to a flag.
    pub fn of_text(flag: &str, text: &str, reason: impl Display) -> ExitError {
        ExitError::usage(format_args!("--{flag} {text:?}: {reason}"))
    }

    /// Creates an error in the value of a flag, or reports the fault of the rules program that shows there.
    pub fn of_flag_or_rules(flag: &str, error: impl Into<PositionError>) -> ExitError {
        match error.into() {
            PositionError::Rules(fault) => ExitError::from(fault).about("rules"),
            error => ExitError::of_flag(flag, error),
        }
    }

    /// Makes this error one in the value of a flag.
    pub fn about(self, flag: &str) -> ExitError {
        ExitError { message: format!("--{flag}: {}", self.message), ..self }
    }

    /// Prints the message; returns the exit status.
    pub fn exit(&self) -> ExitCode {
        fail(self.status, &self.message)
    }
}

/// The settings file of a match, with its keys that no flag replaces.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    pub path: PathBuf,
    pub keys: Vec<String>,
}

impl SettingsFile {
    /// Returns an error about a flag as one about the key of the file, if the file sets it.
    pub fn blame(&self, error: ExitError) -> ExitError {
        let flag = error.message.strip_prefix("--").unwrap_or_default();
        let end = flag.find(|c: char| !(c.is_alphanumeric() || c == '-'));
        if self.keys.iter().any(|key| key == &flag[..end.unwrap_or(flag.len())]) {
            let message = format!("--config: {}: {flag}", self.path.display());
            return ExitError { message, ..error };
        }
        error
    }
}

impl From<ArchiveError> for ExitError {
    fn from(error: ArchiveError) -> ExitError {
        ExitError { status: status_of(&error), message: error.to_string() }
    }
}

impl From<RulesError> for ExitError {
    fn from(error: RulesError) -> ExitError {
        ExitError { status: RULES_FAULT, message: error.to_string() }
    }
}

/// Exit status of a match that is complete.
pub fn exit_of_verdict(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::H1 => ExitCode::from(H1_ACCEPTED),
        Verdict::H0 => ExitCode::from(H0_ACCEPTED),
        Verdict::Open => ExitCode::SUCCESS,
    }
}

/// Exit status of a command whose store cannot be used.
pub fn status_of(error: &ArchiveError) -> u8 {
    if error.is_of_storage() { STORAGE } else { USAGE }
}

/// Prints a message on standard error, with invisible characters escaped.
pub fn print_error(text: impl Display) {
    // Nothing can be done about a closed standard error.
    let _ = writeln!(io::stderr(), "{}", printable_lines(&text.to_string()));
}

/// Reports, once, that the log could not be written to its end.
pub fn report_log_error(log: &Log) {
    if let Some(error) = log.take_error() {
        print_error(format_args!("--log: the log is incomplete: {error}"));
    }
}

/// Prints an error; returns its exit status.
pub fn fail(status: u8, error: impl Display) -> ExitCode {
    print_error(format_args!("error: {error}"));
    ExitCode::from(status)
}
