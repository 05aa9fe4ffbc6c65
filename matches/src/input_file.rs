//! Input files: regular files only, since a pipe or a device may block or never end.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Maximum length in bytes of a file of text, such as settings or openings.
pub const MOST_BYTES_OF_TEXT: u64 = 1 << 26;

/// Opens a regular file for reading.
///
/// # Errors
/// Any error of the system; another kind of file.
pub fn open(path: &Path) -> io::Result<File> {
    // Without waiting for the other end of a pipe.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, path, flags, Mode::empty())?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file")),
    }
}

/// Reads a file of text.
///
/// # Errors
/// As [`open`], and if the file is too long or not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(MOST_BYTES_OF_TEXT + 1).read_to_string(&mut text)?;
    match text.len() as u64 > MOST_BYTES_OF_TEXT {
        false => Ok(text),
        true => Err(io::Error::other(format!("expected at most {MOST_BYTES_OF_TEXT} bytes"))),
    }
}
