//! Standard output, which whoever reads it may close at any time.

use std::io::{self, ErrorKind, Write};

use thiserror::Error;

/// Whoever read standard output has seen enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("standard output is closed")]
pub struct OutputClosed;

/// Prints a text as it is.
///
/// # Errors
/// [`OutputClosed`] where nobody reads it. Any other trouble, a full disk for one, is passed over: a match
/// may be recorded elsewhere.
pub fn print(text: &str) -> Result<(), OutputClosed> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(OutputClosed),
        _ => Ok(()),
    }
}
