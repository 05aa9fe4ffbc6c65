//! Standard output, which its reader may close at any time.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;

use thiserror::Error;

use crate::record::printable::printable_lines;

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

/// Columns of explanations where there is no terminal.
const USUAL_COLUMNS: usize = 80;

/// Columns of the terminal on standard output; `None` if it is not a terminal or its size is unknown.
pub fn width() -> Option<usize> {
    columns_of(&io::stdout())
}

/// Columns of the terminal on standard error; `None` if it is not a terminal or its size is unknown.
pub fn error_width() -> Option<usize> {
    columns_of(&io::stderr())
}

fn columns_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Breaks the paragraphs of an explanation, one in each line, between words.
pub fn explanation(text: &str) -> String {
    broken(text, width().unwrap_or(USUAL_COLUMNS))
}

/// Breaks lines that are too long for the terminal between words; other programs get whole lines.
pub fn fitted(text: &str) -> String {
    width().map_or_else(|| text.to_string(), |width| broken(text, width))
}

/// Breaks lines longer than `width` between words.
pub fn broken(text: &str, width: usize) -> String {
    let mut broken = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let mut column = 0;
        for (index, word) in line.split(' ').enumerate() {
            let length = word.trim_end().chars().count();
            match index {
                0 => {}
                _ if column + 1 + length > width && length > 0 => {
                    broken.truncate(broken.trim_end_matches(' ').len());
                    broken.push('\n');
                    column = 0;
                }
                _ => {
                    broken.push(' ');
                    column += 1;
                }
            }
            broken += word;
            column += length;
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "one two three\n  four  five\n\nfourteen-letters x\n";
        assert_eq!(broken(text, 40), text);
        assert_eq!(broken(text, 9), "one two\nthree\n  four\nfive\n\nfourteen-letters\nx\n");
    }
}
