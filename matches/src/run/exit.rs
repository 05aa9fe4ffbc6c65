//! The exit codes of all commands, and how a command says that it fails.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::archive::store::StoreError;
use crate::play::log::Log;
use crate::record::printable::printable_lines;
use crate::score::Verdict;

/// Something that was looked at is not as it should be: a game, a line, an engine's answer.
pub const WRONG: u8 = 1;
/// An argument, a file or a program that was named is no good.
pub const USAGE: u8 = 2;
/// What was asked for cannot be written.
pub const STORAGE: u8 = 3;
/// A match was played, but games of it ended by the fault of an engine, or could not be played since one was
/// retired.
pub const ENGINE_FAULT: u8 = 4;
/// A test accepts H1.
pub const H1_ACCEPTED: u8 = 10;
/// A test accepts H0.
pub const H0_ACCEPTED: u8 = 11;
/// Interrupted, or nobody read the output any more.
pub const INTERRUPTED: u8 = 130;

/// The exit code of a match that came to its end.
pub fn code_of_verdict(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::H1 => ExitCode::from(H1_ACCEPTED),
        Verdict::H0 => ExitCode::from(H0_ACCEPTED),
        Verdict::Open => ExitCode::SUCCESS,
    }
}

/// The exit code of a match whose store cannot be used.
pub fn code_of(error: &StoreError) -> u8 {
    if error.is_of_storage() {
        STORAGE
    } else {
        USAGE
    }
}

/// Says it on standard error, characters that are not seen as escapes; what nobody hears is lost.
pub fn complain(text: impl Display) {
    let text = text.to_string();
    let _ = writeln!(io::stderr(), "{}", printable_lines(&text));
}

/// Says, once, that a log could not be written to its end.
pub fn complain_of(log: &Log) {
    if let Some(error) = log.take_error() {
        complain(format_args!("--log: the log is incomplete: {error}"));
    }
}

/// Says that an engine sent the arbiter a signal.
pub fn accuse_aloud(process: u32, signal: &str) {
    complain(format_args!(
        "the engine with process {process} sent {signal}, which is its fault"
    ));
}

/// Says an error, and returns its exit code.
pub fn fail(code: u8, error: impl Display) -> ExitCode {
    complain(format_args!("error: {error}"));
    ExitCode::from(code)
}
