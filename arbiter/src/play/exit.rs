//! The exit codes of a match, and what is said on standard error.

use std::io::{self, Write};
use std::process::ExitCode;

use arbiter::score::Verdict;
use arbiter::store::StoreError;

/// Exit code where the arguments are wrong or an engine cannot be started.
pub const USAGE: u8 = 2;
/// Exit code where the match or a game of it could not be stored or recorded.
pub const STORAGE: u8 = 3;
/// Exit code of a match that was played, but games of which ended by the fault of an engine, or that could not be
/// played to the end since one was retired.
pub const ENGINE_FAULT: u8 = 4;
/// Exit code of a test that accepts H1.
pub const H1_ACCEPTED: u8 = 10;
/// Exit code of a test that accepts H0.
pub const H0_ACCEPTED: u8 = 11;
/// Exit code of a match that was interrupted.
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

/// Says it on standard error; what nobody hears is lost.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says an error, and returns its exit code.
pub fn fail(code: u8, error: &str) -> ExitCode {
    complain(&format!("error: {error}"));
    ExitCode::from(code)
}
