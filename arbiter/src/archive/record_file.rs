//! A file of game records, JSON Lines: a game is appended and flushed when it ends.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::record::GameRecord;
use crate::record::printable::printable_json;

/// Why a file of records cannot be used.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct RecordFileError {
    /// The file.
    pub path: PathBuf,
    /// The system's reason.
    pub reason: io::Error,
}

/// A file to which games are appended.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
}

impl RecordFile {
    /// Opens a file for appending; it is made if there is none.
    ///
    /// # Errors
    /// The system's reason for which it cannot be written.
    pub fn append_to(path: &Path) -> Result<RecordFile, RecordFileError> {
        let opened = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path);
        let mut record_file = RecordFile {
            path: path.to_path_buf(),
            file: opened.map_err(|reason| error(path, reason))?,
        };
        record_file
            .end_last_line()
            .map_err(|reason| error(path, reason))?;
        Ok(record_file)
    }

    /// Appends a game: one line, written at once.
    ///
    /// # Errors
    /// The system's reason for which it cannot be written.
    pub fn write(&mut self, record: &GameRecord) -> Result<(), RecordFileError> {
        let line = serde_json::to_string(record).map_err(io::Error::from);
        let written = line.and_then(|line| {
            let line = format!("{}\n", printable_json(&line));
            self.file.write_all(line.as_bytes())
        });
        written.map_err(|reason| error(&self.path, reason))
    }

    /// Ends a line that was cut off when an arbiter was killed while writing it, so that it spoils no other.
    fn end_last_line(&mut self) -> io::Result<()> {
        // Devices and pipes have no last line.
        if !self.file.metadata()?.is_file() || self.file.metadata()?.len() == 0 {
            return Ok(());
        }
        let mut last = [0];
        self.file.seek(SeekFrom::End(-1))?;
        self.file.read_exact(&mut last)?;
        if last == [b'\n'] {
            return Ok(());
        }
        self.file.write_all(b"\n")
    }
}

/// The lines of a file, one after the other, without their newlines; the file is never in memory as a whole.
///
/// # Errors
/// The system's reason for which it cannot be opened, and in the iterator, read.
pub fn lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Vec<u8>, RecordFileError>> + use<>, RecordFileError> {
    let path = path.to_path_buf();
    let file = File::open(&path).map_err(|reason| error(&path, reason))?;
    let lines = BufReader::new(file).split(b'\n');
    Ok(lines.map(move |line| line.map_err(|reason| error(&path, reason))))
}

fn error(path: &Path, reason: io::Error) -> RecordFileError {
    RecordFileError {
        path: path.to_path_buf(),
        reason,
    }
}
