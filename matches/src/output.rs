//! Where output goes: standard output, which whoever reads it may close at any time, and files, which are not to
//! be those that are read.

use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use thiserror::Error;

use crate::record::printable::printable_lines;

/// Whoever read standard output has seen enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("standard output is closed")]
pub struct OutputClosed;

/// Prints a text; characters that are not seen, but for its line feeds and tabs, as escapes.
///
/// # Errors
/// [`OutputClosed`] where nobody reads it. Any other trouble, a full disk for one, is passed over: a match
/// may be recorded elsewhere.
pub fn print(text: &str) -> Result<(), OutputClosed> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(printable_lines(text).as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(OutputClosed),
        _ => Ok(()),
    }
}

/// Whether two paths lead to one file that exists.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Columns of the terminal on standard output; `None` where it is none, or does not tell.
pub fn width() -> Option<u16> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}
