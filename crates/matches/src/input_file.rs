//! Input files and their text: regular files only, since a pipe or a device may block or never end.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use buxtehude::protocol::text;
use rustix::fs::{CWD, Mode, OFlags, openat};

/// Maximum length in bytes of a file of text, such as settings or openings.
pub const MAX_BYTES_OF_TEXT: u64 = 1 << 26;

/// Maximum length in bytes of a line of a file that is read line by line; a game of 10,000 plies takes 4 MB.
const MAX_LINE_LENGTH: u64 = 1 << 24;

/// First bytes of every SQLite database, and so of every store.
const STORE_MAGIC: &[u8] = b"SQLite format 3\0";

/// `true` if a regular file is an SQLite database, by its first bytes.
pub fn is_store(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    open(path)?.take(STORE_MAGIC.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning == STORE_MAGIC)
}

/// Opens a regular file for reading.
///
/// # Errors
/// Any error of the system; another kind of file.
pub fn open(path: &Path) -> io::Result<File> {
    // Without waiting for the other end of a pipe.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file"))
    }
}

/// Reads a file of text in UTF-8, which may begin with a byte order mark.
///
/// # Errors
/// As [`open`], and if the file is too long or is not text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(path)?.take(MAX_BYTES_OF_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES_OF_TEXT {
        Err(io::Error::other(format!("expected at most {MAX_BYTES_OF_TEXT} bytes")))
    } else {
        text_of(bytes)
    }
}

/// Returns the text in `bytes`, without its byte order mark.
///
/// # Errors
/// The bytes are not text in UTF-8.
pub fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    text::decode(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    /// Byte offset where it begins.
    pub begin: u64,
    /// Its text, without the newline and a byte order mark.
    pub text: Vec<u8>,
}

/// Iterates over the lines of a file, without reading it into memory.
///
/// # Errors
/// The file cannot be opened, is in another encoding, or is compressed; in the iterator, it cannot be read.
pub fn lines(path: &Path) -> io::Result<impl Iterator<Item = io::Result<FileLine>> + use<>> {
    let mut file = BufReader::new(open(path)?);
    let beginning = file.fill_buf()?;
    text::check_beginning(beginning)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    let mark = beginning.len() - text::without_mark(beginning).len();
    file.consume(mark);
    let mut begin = mark as u64;
    Ok(std::iter::from_fn(move || {
        let text = read_line(&mut file).transpose()?;
        Some(text.map(|text| {
            let line = FileLine { begin, text };
            begin += line.text.len() as u64 + 1;
            line
        }))
    }))
}

/// Returns the next line without its newline; `None` at the end of the file.
fn read_line(file: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    file.take(MAX_LINE_LENGTH).read_until(b'\n', &mut line)?;
    if line.len() as u64 == MAX_LINE_LENGTH && !line.ends_with(b"\n") {
        return Err(io::Error::other(format!("a line has more than {MAX_LINE_LENGTH} bytes")));
    }
    let is_end = line.is_empty();
    line.pop_if(|byte| *byte == b'\n');
    Ok((!is_end).then_some(line))
}
