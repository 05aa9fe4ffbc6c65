//! Etudes, positions with a verdict, and their files: reads the lines, reports invalid ones, changes a verdict without
//! touching the rest, and saves atomically.
//!
//! The new contents go to a temporary file, which then replaces the old one. A program that changes a part of a file
//! locks it first, so that no change by another process is lost.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". Its example of a line is `45;26;2;f;29;19;0;f;2`: for
//! each player square, carrots, lettuces and whether it misses a turn; at the end, the player judged to be winning.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use same_file::Handle;
use thiserror::Error;

use crate::protocol::text::{check_beginning, without_mark};
use crate::rules::hase::{FINISH, Hare, Position, Ruleset, check_marks, place_hare};
use crate::rules::{Game, PositionError, Seat, Variant, seat_number};

/// A position with seat 1 to move, no card drawn and no seat finished, and the seat judged to be winning it.
///
/// # Examples
/// ```
/// use buxtehude::articles::etudes::Etude;
/// use buxtehude::rules::{Seat, hase::HASE_UND_IGEL};
///
/// let etude = Etude::parse(&HASE_UND_IGEL, "45;26;2;f;29;19;0;f;2")?;
/// assert_eq!(etude.winner, Some(Seat(1)));
/// assert_eq!(etude.to_string(), "45;26;2;f;29;19;0;f;2");
/// # Ok::<(), buxtehude::articles::etudes::EtudeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Etude {
    /// The position.
    pub position: Position,
    /// Seat judged to be winning, or `None` without a verdict.
    pub winner: Option<Seat>,
}

/// The line is not an etude. The message begins with the name of the invalid field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct EtudeError {
    /// Number of the invalid field, from 1; `None` if the number of fields is wrong.
    pub field: Option<usize>,
    problem: String,
}

impl EtudeError {
    /// Error in the field with the number `within` of a seat.
    fn new(seat: Seat, within: usize, problem: String) -> EtudeError {
        EtudeError { field: Some(4 * seat.index() + within), problem }
    }
}

impl From<PositionError> for EtudeError {
    fn from(error: PositionError) -> EtudeError {
        let within = match error.field {
            "square" => 1,
            "carrots" => 2,
            "lettuces" => 3,
            _ => 4,
        };
        let field = error.seat.map(|seat| 4 * seat.index() + within);
        EtudeError { field, problem: error.to_string() }
    }
}

impl Etude {
    /// Parses an etude line under a ruleset.
    ///
    /// # Errors
    /// [`EtudeError`] names the invalid field and the accepted values.
    pub fn parse(ruleset: &'static Ruleset, line: &str) -> Result<Etude, EtudeError> {
        let fields: Vec<&str> = line.split(';').collect();
        let wrong_number = || {
            let found = fields.len();
            let problem = format!(
                "hares: expected 4 fields for each of 2 to 6 players and a verdict, found {found} fields"
            );
            EtudeError { field: None, problem }
        };
        let (hares, &[verdict]) = fields.as_chunks::<4>() else {
            return Err(wrong_number());
        };
        let seats = hares.len();
        let mut position = Position::start(ruleset, seats).ok_or_else(wrong_number)?;
        for (seat, &[square, carrots, lettuces, mark]) in Seat::all(seats).zip(hares) {
            if mark != "t" && mark != "f" {
                let problem = format!("mark: seat {seat}: expected t or f, found {mark:?}");
                return Err(EtudeError::new(seat, 4, problem));
            }
            place_hare(&mut position, seat, [square, carrots, lettuces], mark == "t")?;
            if position.hare(seat).square == FINISH {
                let problem = format!(
                    "finished: seat {seat} is on square 64, no hare has finished in an etude"
                );
                return Err(EtudeError::new(seat, 1, problem));
            }
        }
        check_marks(&position)?;
        let winner = seat_number(verdict, seats);
        if winner.is_none() && verdict != "-" {
            let problem = format!(
                "verdict: expected a player from 1 to {seats}, or `-` for none, found {verdict:?}"
            );
            return Err(EtudeError { field: Some(fields.len()), problem });
        }
        Ok(Etude { position, winner })
    }
}

impl fmt::Display for Etude {
    /// Writes the line that [`Etude::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, hare) in self.position.hares().iter().enumerate() {
            let Hare { square, carrots, lettuces } = hare;
            let marked = self.position.misses_turn(Seat(index as u8));
            let mark = if marked { 't' } else { 'f' };
            write!(f, "{square};{carrots};{lettuces};{mark};")?;
        }
        match self.winner {
            Some(seat) => seat.fmt(f),
            None => f.write_str("-"),
        }
    }
}

/// Maximum length of a file.
const MAX_ETUDES_BYTES: u64 = 1 << 26;

/// The contents of a file, byte for byte. Lines end in LF or CRLF; the last one may have no line end.
#[derive(Debug)]
pub struct EtudeFile {
    path: PathBuf,
    bytes: Vec<u8>,
    ruleset: &'static Ruleset,
}

/// A file or one of its lines is invalid. The message begins with the place.
#[derive(Debug, Error)]
#[error("{}: {problem}", place(path, *line))]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Line number, from 1; `None` for the whole file.
    pub line: Option<usize>,
    /// The problem, with the accepted values.
    pub problem: String,
}

impl FileError {
    pub(super) fn new(path: &Path, line: Option<usize>, problem: impl Into<String>) -> FileError {
        FileError { path: path.into(), line, problem: problem.into() }
    }
}

/// Reads a file, which is expected to be of a certain kind.
pub(super) fn read(path: &Path, expected: &str) -> Result<Vec<u8>, FileError> {
    read_bytes(path).map_err(|reason| {
        FileError::new(path, None, format!("cannot be read: {reason}: expected {expected}"))
    })
}

/// Reads a regular file; a device may never end.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Checked before opening the file, since opening a pipe would block.
    let kind = path.metadata()?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Err(io::Error::other("expected a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_ETUDES_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_ETUDES_BYTES {
        return Err(io::Error::other(format!("expected at most {MAX_ETUDES_BYTES} bytes")));
    }
    check_beginning(&bytes).map(|()| bytes).map_err(io::Error::other)
}

/// File and line, as in error messages.
fn place(path: &Path, line: Option<usize>) -> String {
    let path = path.display();
    line.map_or_else(|| path.to_string(), |line| format!("{path}:{line}"))
}

impl EtudeFile {
    /// Reads a file, without checking its lines.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path, ruleset: &'static Ruleset) -> Result<EtudeFile, FileError> {
        let bytes = read(path, "a file of etude lines")?;
        Ok(EtudeFile { path: path.into(), bytes, ruleset })
    }

    /// Reads a file of etudes of a variant.
    ///
    /// # Errors
    /// The file cannot be read, or the game has no etudes.
    pub fn of_variant(path: &Path, variant: &Variant) -> Result<EtudeFile, FileError> {
        let ruleset = super::ruleset(variant).ok_or_else(|| {
            let name = variant.name;
            let problem = format!("{name} has no etudes: expected a variant that has some");
            FileError::new(path, None, problem)
        })?;
        EtudeFile::read(path, ruleset)
    }

    /// Parses all lines: returns the etudes with their line numbers, and the errors. Empty lines are skipped.
    pub fn etudes(&self) -> (Vec<(usize, Etude)>, Vec<FileError>) {
        let mut etudes = Vec::new();
        let mut bad = Vec::new();
        for (index, range) in self.lines().enumerate() {
            let line = index + 1;
            match self.parse(line, range) {
                Ok(Some(etude)) => etudes.push((line, etude)),
                Ok(None) => (),
                Err(error) => bad.push(error),
            }
        }
        (etudes, bad)
    }

    /// Parses the etude of a line, counted from 1.
    ///
    /// # Errors
    /// There is no such line, or it is not an etude.
    pub fn etude(&self, line: usize) -> Result<Etude, FileError> {
        let etude = self.parse(line, self.range_of(line)?)?;
        etude.ok_or_else(|| self.error(Some(line), "the line is empty: expected an etude"))
    }

    /// Saves a new verdict in a line, counted from 1, of the file as it is now, and changes nothing else. A lock keeps
    /// the changes of other processes. Returns the old verdict.
    ///
    /// # Errors
    /// As [`EtudeFile::etude`]; the etude does not have the seat, or the file cannot be saved. It is unchanged.
    pub fn judge(&self, line: usize, winner: Option<Seat>) -> Result<Option<Seat>, FileError> {
        let _lock = Lock::on(&self.path).map_err(|reason| save_error(&self.path, &reason))?;
        let current = EtudeFile::read(&self.path, self.ruleset)?;
        let old = current.etude(line)?;
        let seats = old.position.seats();
        if let Some(seat) = winner.filter(|seat| seat.index() >= seats) {
            let problem = format!(
                "there is no seat {seat}: expected a seat from 1 to {seats}, or - for none"
            );
            return Err(self.error(Some(line), problem));
        }
        let range = current.range_of(line)?;
        let text = Etude { winner, ..old }.to_string();
        let bytes = [&current.bytes[..range.start], text.as_bytes(), &current.bytes[range.end..]];
        save(&self.path, &bytes.concat())?;
        Ok(old.winner)
    }

    /// File and line number, for messages.
    pub fn place(&self, line: usize) -> String {
        place(&self.path, Some(line))
    }

    /// Error of this file or one of its lines.
    pub fn error(&self, line: Option<usize>, problem: impl Into<String>) -> FileError {
        FileError::new(&self.path, line, problem)
    }

    /// Byte ranges of all lines, without their ends.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = self.bytes.len() - without_mark(&self.bytes).len();
        self.bytes[start..].split_inclusive(|&byte| byte == b'\n').map(move |line| {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let range = start..start + text.len();
            start += line.len();
            range
        })
    }

    fn range_of(&self, line: usize) -> Result<Range<usize>, FileError> {
        let range = line.checked_sub(1).and_then(|index| self.lines().nth(index));
        range.ok_or_else(|| {
            let problem = match self.lines().count() {
                0 => format!("there is no line {line}: the file is empty"),
                lines => format!("there is no line {line}: expected one from 1 to {lines}"),
            };
            self.error(None, problem)
        })
    }

    /// Parses the etude of a line; returns `None` if the line is empty.
    fn parse(&self, line: usize, range: Range<usize>) -> Result<Option<Etude>, FileError> {
        // No field accepts the replacement character for bytes that are not UTF-8.
        let text = String::from_utf8_lossy(&self.bytes[range]);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let etude = Etude::parse(self.ruleset, &text).map_err(|error| {
            let field = error.field.map_or(String::new(), |field| format!(" (field {field})"));
            self.error(Some(line), format!("{error}{field}"))
        })?;
        Ok(Some(etude))
    }
}

/// Time to wait for another process that has locked the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between attempts to lock.
const LOCK_INTERVAL: Duration = Duration::from_millis(2);

/// A lock on a file, held until it is dropped.
///
/// It is a separate file in the same folder: Windows neither replaces an open file nor lets others read a locked one.
struct Lock {
    path: PathBuf,
    _locked: File,
}

impl Lock {
    /// Locks a file before it is read, changed and saved; follows a link.
    ///
    /// # Errors
    /// An error of the system, or another process has not released the lock in time.
    fn on(path: &Path) -> io::Result<Lock> {
        let path = behind_links(path)?;
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".lock");
        let path = path.with_file_name(name);
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            if let Some(lock) = Lock::attempt(&path)? {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                let seconds = LOCK_TIMEOUT.as_secs();
                let message = format!("another process has locked it for {seconds} s");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            thread::sleep(LOCK_INTERVAL);
        }
    }

    /// Creates and locks the file of a lock; returns `None` if another process holds or is just releasing it.
    fn attempt(path: &Path) -> io::Result<Option<Lock>> {
        let mut options = OpenOptions::new();
        let file = match options.write(true).create(true).truncate(false).open(path) {
            // On Windows, a removed file keeps its name until all have closed it.
            Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(None);
            }
            file => file?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The process that held the lock before may have removed the file after it was opened here.
        let opened = Handle::from_file(file.try_clone()?)?;
        let is_current = Handle::from_path(path).is_ok_and(|found| found == opened);
        Ok(is_current.then(|| Lock { path: path.into(), _locked: file }))
    }
}

impl Drop for Lock {
    /// Removes the file while it is still locked.
    fn drop(&mut self) {
        // The file of a lock does no harm if it stays.
        let _ = fs::remove_file(&self.path);
    }
}

/// Replaces the contents of a file, or creates it; follows a link. Keeps its permissions and, if the system allows it,
/// its owner and group.
///
/// The bytes go into a new file in the same folder, which is renamed once it is synced to disk. Whatever fails, even
/// the machine, the path refers either to the complete old file or to the complete new one.
///
/// # Errors
/// An error of the system; the old file is unchanged, and no temporary file is left.
pub(super) fn save(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, bytes).map_err(|reason| save_error(path, &reason))
}

fn save_error(path: &Path, reason: &io::Error) -> FileError {
    let problem = format!("cannot be saved: {reason}: expected a writable file and folder");
    FileError::new(path, None, problem)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = behind_links(path)?;
    let old = metadata_of(&path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let (mut file, aside) = new_file_in(folder)?;
    let saved = write(&mut file, bytes, old.as_ref()).and_then(|()| fs::rename(&aside, &path));
    if saved.is_err() {
        // Reports only the first error.
        let _ = fs::remove_file(&aside);
        return saved;
    }
    // The new file is in place, even if the folder cannot be synced.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Absolute path of the file itself, which need not exist.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            std::path::absolute(path)
        }
        found => found,
    }
}

/// Metadata of a file, or `None` if it does not exist.
///
/// Refuses a file that is not writable, since a rename would ignore that.
fn metadata_of(path: &Path) -> io::Result<Option<Metadata>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(Some(metadata))
}

/// Creates a new file under an unused name.
fn new_file_in(folder: &Path) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = folder.join(format!(".buxtehude-{number}.tmp"));
        match File::create_new(&path) {
            Ok(file) => return Ok((file, path)),
            // Another file is being saved, or was left behind by a crash.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn write(file: &mut File, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        #[cfg(unix)]
        keep_owner(file, old);
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Keeps owner and group if root saves the file; other users are not allowed to change them.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let _ = fchown(file, None, Some(old.gid()));
    let _ = fchown(file, Some(old.uid()), None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Turn;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};
    use rand::rngs::StdRng;
    use rand::seq::IteratorRandom;
    use rand::{RngExt, SeedableRng};

    /// Positions of a random game before any hare has finished, as etudes with random verdicts.
    fn etudes_of_a_game(ruleset: &'static Ruleset, seats: usize, rng: &mut StdRng) -> Vec<Etude> {
        let mut etudes = Vec::new();
        let mut position = Position::start(ruleset, seats).unwrap();
        for _ in 0..60 {
            position = match position.turn() {
                Turn::Card(_) => {
                    position.draw_unchecked(position.outcomes().choose(rng).unwrap().0)
                }
                _ => position.play_unchecked(position.legal_moves().choose(rng).unwrap()),
            };
            if position.finished().len() > 0 {
                break;
            }
            let text = position.to_string();
            let (hares, _) = text.split_once(' ').unwrap();
            let position = Position::parse(ruleset, &format!("{hares} 1 - -")).unwrap();
            let winner = rng.random_range(0..=seats as u8);
            let winner = (usize::from(winner) < seats).then_some(Seat(winner));
            etudes.push(Etude { position, winner });
        }
        etudes
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let mut rng = StdRng::seed_from_u64(4);
        let mut marked = 0;
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for seats in [2, 3, 4, 5, 6].repeat(20) {
                for etude in etudes_of_a_game(ruleset, seats, &mut rng) {
                    let line = etude.to_string();
                    assert_eq!(Etude::parse(ruleset, &line), Ok(etude), "{line}");
                    marked += usize::from(line.contains('t'));
                }
            }
        }
        assert!(marked > 100, "only {marked} lines with a missed turn");
    }

    #[test]
    fn what_is_read_is_printed_again() {
        let mut rng = StdRng::seed_from_u64(5);
        let mut read = 0;
        for _ in 0..5_000 {
            let seats = rng.random_range(2..=6);
            let mut line = String::new();
            for _ in 0..seats {
                let square = rng.random_range(0..=63);
                let carrots = rng.random_range(0..=65535) >> rng.random_range(0..16);
                let lettuces = rng.random_range(0..=3);
                let mark = if rng.random_ratio(1, 8) { 't' } else { 'f' };
                line += &format!("{square};{carrots};{lettuces};{mark};");
            }
            line += &rng.random_range(1..=seats).to_string();
            if let Ok(etude) = Etude::parse(&HASE_UND_IGEL, &line) {
                assert_eq!(etude.to_string(), line);
                read += 1;
            }
        }
        assert!(read > 1_000, "only {read} lines are etudes");
    }

    #[test]
    fn an_error_knows_the_field_at_fault() {
        for (line, field) in [
            ("45;26;2;f;29;19;0;f", None),
            ("65;26;2;f;29;19;0;f;2", Some(1)),
            ("45;26;2;f;29;x;0;f;2", Some(6)),
            ("45;26;4;f;29;19;0;f;2", Some(3)),
            ("45;26;2;f;29;19;0;no;2", Some(8)),
            ("45;26;2;t;29;19;0;f;2", Some(4)),
            ("45;26;2;f;45;19;0;f;2", Some(5)),
            ("45;26;2;f;64;9;0;f;2", Some(5)),
            ("45;26;2;f;29;19;0;f;3", Some(9)),
        ] {
            let error = Etude::parse(&HASE_UND_IGEL, line).unwrap_err();
            assert_eq!(error.field, field, "{line}: {error}");
        }
    }
}
