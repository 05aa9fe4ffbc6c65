//! A file of game records in JSON Lines: each game is appended and flushed when it ends.

use std::collections::HashSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use serde::Serialize;

use super::ArchiveError;
use super::store::{Extent, Store};
use crate::input_file::{self, FileLine};
use crate::own_files;
use crate::record::digest::StoredGame;
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

/// Interval between checks whether to stop waiting for room in a pipe.
const PIPE_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl RecordFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for appending; creates it if it does not exist.
    ///
    /// # Errors
    /// The system refuses to write the file.
    pub fn append_to(path: &Path) -> Result<RecordFile, ArchiveError> {
        let record_file = RecordFile::open(path)?;
        own_files::end_last_line(&record_file.file)
            .map_err(|error| ArchiveError::file(path, error))?;
        Ok(record_file)
    }

    fn open(path: &Path) -> Result<RecordFile, ArchiveError> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = opened.map_err(|error| ArchiveError::file(path, error))?;
        let is_pipe = do_not_block(&file).map_err(|error| ArchiveError::file(path, error))?;
        own_files::add(path);
        Ok(RecordFile { path: path.to_path_buf(), file, is_pipe })
    }

    /// Opens the record of a stored match for appending, after adding the games of the store that it lacks: an arbiter
    /// that was killed had stored them, but not recorded. A line that was cut off then is completed. A pipe or a device
    /// receives only later games, since nothing tells which games it has.
    pub fn complete(path: &Path, store: &Store) -> Result<RecordFile, ArchiveError> {
        let mut record_file = RecordFile::open(path)?;
        let failed = |error| ArchiveError::file(path, error);
        if !record_file.file.metadata().map_err(failed)?.is_file() {
            return Ok(record_file);
        }
        let RecordedGames { digests, cut_off } = RecordedGames::in_file(path)?;
        let is_missing = |game: &StoredGame| !digests.contains(&*game.known_digest());
        if let Some((begin, text)) = cut_off {
            store.for_each_game(Extent::Whole, |game| {
                let is_cut_off = is_missing(&game)
                    && line_of(&game.record).is_ok_and(|line| line.as_bytes().starts_with(&text));
                if is_cut_off { record_file.file.set_len(begin).map_err(failed) } else { Ok(()) }
            })?;
        }
        own_files::end_last_line(&record_file.file).map_err(failed)?;
        store.for_each_game(Extent::Whole, |game| {
            if is_missing(&game) { record_file.write(&game.record, || false) } else { Ok(()) }
        })?;
        Ok(record_file)
    }

    /// Appends a game, a [`GameRecord`](crate::record::GameRecord) that may have more fields, as one line, written at
    /// once. If the file is a full pipe, waits for its reader until `gives_up` returns `true`, and then for one more
    /// second.
    pub fn write(
        &mut self,
        record: &impl Serialize,
        gives_up: impl Fn() -> bool,
    ) -> Result<(), ArchiveError> {
        let written = line_of(record).and_then(|line| {
            if self.is_pipe {
                self.write_to_pipe(line.as_bytes(), gives_up)
            } else {
                self.file.write_all(line.as_bytes())
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
}

/// The games in a record, when its match is resumed.
#[derive(Debug, Default)]
pub struct RecordedGames {
    pub digests: HashSet<String>,
    /// Place and text of a last line without an end that is not a game.
    cut_off: Option<(u64, Vec<u8>)>,
}

impl RecordedGames {
    /// Reads the games of a file; a pipe, a device and a missing file have none.
    pub fn in_file(path: &Path) -> Result<RecordedGames, ArchiveError> {
        let mut games = RecordedGames::default();
        let Some(file) = path.metadata().ok().filter(Metadata::is_file) else {
            return Ok(games);
        };
        let failed = |error| ArchiveError::file(path, error);
        for line in input_file::lines(path).map_err(failed)? {
            let FileLine { begin, text } = line.map_err(failed)?;
            match serde_json::from_slice::<StoredGame>(&text) {
                Ok(game) => drop(games.digests.insert(game.known_digest().into_owned())),
                Err(_) if begin + text.len() as u64 == file.len() => {
                    games.cut_off = Some((begin, text));
                }
                Err(_) => {}
            }
        }
        Ok(games)
    }
}

fn line_of(record: &impl Serialize) -> io::Result<String> {
    let line = serde_json::to_string(record)?;
    Ok(format!("{}\n", printable_json(&line)))
}

/// Makes writes to a full pipe return instead of block; returns whether the file is a pipe.
fn do_not_block(file: &File) -> io::Result<bool> {
    let is_pipe = file.metadata()?.file_type().is_fifo();
    if is_pipe {
        fcntl_setfl(file, fcntl_getfl(file)? | OFlags::NONBLOCK)?;
    }
    Ok(is_pipe)
}
