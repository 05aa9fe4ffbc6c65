//! Output: standard output, which its reader may close at any time, and a check that an output file is not an input
//! file.

use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use thiserror::Error;

use crate::record::printable::printable_lines;

/// The reader has closed standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("standard output is closed")]
pub struct OutputClosed;

/// Prints a text with hidden characters escaped, except line feeds and tabs.
///
/// # Errors
/// [`OutputClosed`] if the reader has closed standard output. Other errors, such as a full disk, are ignored, because
/// the match may be recorded elsewhere.
pub fn print(text: &str) -> Result<(), OutputClosed> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(printable_lines(text).as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(OutputClosed),
        _ => Ok(()),
    }
}

/// `true` if both paths lead to the same existing file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Columns of the terminal on standard output; `None` if it is not a terminal or its size is unknown.
pub fn width() -> Option<u16> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}
