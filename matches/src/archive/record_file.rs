//! A file of game records in JSON Lines: each game is appended and flushed when it ends.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use serde::Serialize;

use super::error::ArchiveError;
use crate::input_file;
use crate::own_files;
use crate::record::printable::printable_json;

/// A file open for appending games.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// Whether it is a pipe, opened in non-blocking mode.
    is_pipe: bool,
}

/// Time to wait for room in a pipe after the match has ended, so that a slow reader still receives its records.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Maximum length of a line in bytes; a game of 10,000 plies takes 4 MB.
const LONGEST_LINE: u64 = 1 << 24;

/// Interval between checks whether to stop waiting for room in a pipe.
const PIPE_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl RecordFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for appending; creates it if it does not exist.
    ///
    /// # Errors
    /// The system refuses to write the file.
    pub fn append_to(path: &Path) -> Result<RecordFile, ArchiveError> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = opened.map_err(|error| ArchiveError::file(path, error))?;
        let is_pipe = do_not_block(&file).map_err(|error| ArchiveError::file(path, error))?;
        let mut record_file = RecordFile { path: path.to_path_buf(), file, is_pipe };
        own_files::add(path);
        record_file.end_last_line().map_err(|error| ArchiveError::file(path, error))?;
        Ok(record_file)
    }

    /// Appends a game, a [`GameRecord`](crate::record::GameRecord) that may have more fields, as one line, written at
    /// once. If the file is a full pipe, waits for its reader until `gives_up` returns `true`, and then for one more
    /// second.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(
        &mut self,
        record: &impl Serialize,
        gives_up: impl Fn() -> bool,
    ) -> Result<(), ArchiveError> {
        let line = serde_json::to_string(record).map_err(io::Error::from);
        let written = line.and_then(|line| {
            let line = format!("{}\n", printable_json(&line));
            match self.is_pipe {
                true => self.write_to_pipe(line.as_bytes(), gives_up),
                false => self.file.write_all(line.as_bytes()),
            }
        });
        written.map_err(|error| ArchiveError::file(&self.path, error))
    }

    fn write_to_pipe(&mut self, mut rest: &[u8], gives_up: impl Fn() -> bool) -> io::Result<()> {
        let mut written_at = Instant::now();
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(written) => {
                    rest = &rest[written..];
                    written_at = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if gives_up() && written_at.elapsed() > LAST_WAIT {
                        return Err(io::Error::other("its reader has stopped reading"));
                    }
                    let mut room = [PollFd::new(&self.file, PollFlags::OUT)];
                    match poll(&mut room, Some(&PIPE_WAIT)) {
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends a line that was cut off when an arbiter was killed, so that the next record starts on its own line.
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

/// Makes writes to a full pipe return instead of block; returns whether the file is a pipe.
fn do_not_block(file: &File) -> io::Result<bool> {
    let is_pipe = file.metadata()?.file_type().is_fifo();
    if is_pipe {
        fcntl_setfl(file, fcntl_getfl(file)? | OFlags::NONBLOCK)?;
    }
    Ok(is_pipe)
}

/// Iterates over the lines of a file, without their newlines and without reading the whole file into memory.
///
/// # Errors
/// The file cannot be opened or, in the iterator, read.
pub fn lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Vec<u8>, ArchiveError>> + use<>, ArchiveError> {
    let path = path.to_path_buf();
    let file = input_file::open(&path).map_err(|error| ArchiveError::file(&path, error))?;
    let mut file = BufReader::new(file);
    Ok(std::iter::from_fn(move || {
        let line = read_line(&mut file).transpose()?;
        Some(line.map_err(|error| ArchiveError::file(&path, error)))
    }))
}

/// Returns the line of a file that begins at a byte offset, without its newline.
///
/// # Errors
/// The file cannot be read.
pub fn line_at(path: &Path, begin: u64) -> Result<Vec<u8>, ArchiveError> {
    let read = || {
        let mut file = input_file::open(path)?;
        file.seek(SeekFrom::Start(begin))?;
        Ok(read_line(&mut BufReader::new(file))?.unwrap_or_default())
    };
    read().map_err(|error| ArchiveError::file(path, error))
}

/// Returns the next line without its newline; `None` at the end of the file.
fn read_line(file: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    file.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        return Err(io::Error::other(format!("a line has more than {LONGEST_LINE} bytes")));
    }
    let is_end = line.is_empty();
    line.pop_if(|byte| *byte == b'\n');
    Ok((!is_end).then_some(line))
}
