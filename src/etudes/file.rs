//! A file of etudes: reads its lines, reports invalid ones, and changes a verdict without touching the rest.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::saving;
use crate::rules::hase::{Etude, EtudeError, Ruleset};
use crate::rules::{Game, Rules, Seat, Variant};

/// The contents of a file, byte for byte. Lines end in LF or CRLF; the last one may have no line end.
#[derive(Debug)]
pub struct EtudeFile {
    path: PathBuf,
    bytes: Vec<u8>,
    ruleset: &'static Ruleset,
}

/// A file or one of its lines is invalid. Each message begins with the place.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}: expected a file of etude lines", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Reason.
        reason: io::Error,
    },
    /// The file cannot be saved; it is unchanged.
    #[error(
        "{}: cannot be saved: {reason}: expected a writable file and folder",
        .path.display()
    )]
    Save {
        /// The file.
        path: PathBuf,
        /// Reason.
        reason: io::Error,
    },
    /// A line is not an etude.
    #[error("{place}: {reason}{}", field(.reason))]
    Line {
        /// File and line.
        place: String,
        /// The invalid field and the accepted values.
        reason: EtudeError,
    },
    /// The requested line is empty.
    #[error("{place}: the line is empty: expected an etude")]
    Empty {
        /// File and line.
        place: String,
    },
    /// The requested line does not exist.
    #[error("{}: there is no line {line}: {}", .path.display(), lines_there(*.lines))]
    NoLine {
        /// The file.
        path: PathBuf,
        /// Requested line.
        line: usize,
        /// Number of lines.
        lines: usize,
    },
    /// The verdict names a seat that the etude does not have.
    #[error("{place}: there is no seat {seat}: expected a seat from 1 to {seats}, or - for none")]
    NoSeat {
        /// File and line.
        place: String,
        /// The seat.
        seat: Seat,
        /// Number of seats.
        seats: usize,
    },
    /// The game has no etudes.
    #[error("{}: {variant} has no etudes: expected a variant that has some", .path.display())]
    NoEtudes {
        /// The file.
        path: PathBuf,
        /// The variant.
        variant: &'static str,
    },
    /// No line has a verdict.
    #[error("{}: no etude is judged: expected at least one", .path.display())]
    NothingJudged {
        /// The file.
        path: PathBuf,
    },
}

impl EtudeFile {
    /// Reads a file, without checking its lines.
    ///
    /// # Errors
    /// [`FileError::Read`].
    pub fn read(path: &Path, ruleset: &'static Ruleset) -> Result<EtudeFile, FileError> {
        let bytes = fs::read(path).map_err(|reason| FileError::Read {
            path: path.into(),
            reason,
        })?;
        Ok(EtudeFile {
            path: path.into(),
            bytes,
            ruleset,
        })
    }

    /// Reads a file of etudes of a variant.
    ///
    /// # Errors
    /// [`FileError::Read`], or [`FileError::NoEtudes`] for a game without etudes.
    pub fn of_variant(path: &Path, variant: &Variant) -> Result<EtudeFile, FileError> {
        match variant.rules {
            Rules::Hase(ruleset) => EtudeFile::read(path, ruleset),
            _ => Err(FileError::NoEtudes {
                path: path.into(),
                variant: variant.name,
            }),
        }
    }

    /// Returns the text of a line, counted from 1, as in the file.
    ///
    /// # Errors
    /// [`FileError::NoLine`].
    pub fn text(&self, line: usize) -> Result<String, FileError> {
        let range = self.range_of(line)?;
        Ok(String::from_utf8_lossy(&self.bytes[range]).into_owned())
    }

    /// Texts of all lines, as in the file.
    pub fn texts(&self) -> Vec<String> {
        let text = |range| String::from_utf8_lossy(&self.bytes[range]).into_owned();
        self.lines().map(text).collect()
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
    /// [`FileError::NoLine`], [`FileError::Empty`] or [`FileError::Line`].
    pub fn etude(&self, line: usize) -> Result<Etude, FileError> {
        let etude = self.parse(line, self.range_of(line)?)?;
        etude.ok_or_else(|| FileError::Empty {
            place: self.place(line),
        })
    }

    /// Saves the file with a new verdict in a line, counted from 1; all other bytes stay as they were read. Later
    /// changes to the file by other processes are lost.
    ///
    /// # Returns
    /// The old verdict.
    ///
    /// # Errors
    /// As [`EtudeFile::etude`], and [`FileError::NoSeat`] or [`FileError::Save`]; the file is unchanged.
    pub fn judge(&self, line: usize, winner: Option<Seat>) -> Result<Option<Seat>, FileError> {
        let etude = self.etude(line)?;
        let seats = etude.position.seats();
        if let Some(seat) = winner.filter(|seat| seat.index() >= seats) {
            let place = self.place(line);
            return Err(FileError::NoSeat { place, seat, seats });
        }
        let range = self.range_of(line)?;
        let judged = Etude { winner, ..etude }.to_string();
        let bytes = [
            &self.bytes[..range.start],
            judged.as_bytes(),
            &self.bytes[range.end..],
        ];
        saving::save(&self.path, &bytes.concat()).map_err(|reason| FileError::Save {
            path: self.path.clone(),
            reason,
        })?;
        Ok(etude.winner)
    }

    /// File and line number, for messages.
    pub fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }

    /// Error that no line has a verdict.
    pub fn nothing_judged(&self) -> FileError {
        FileError::NothingJudged {
            path: self.path.clone(),
        }
    }

    /// Byte ranges of all lines, without their ends.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        self.bytes
            .split_inclusive(|&byte| byte == b'\n')
            .map(move |line| {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                let range = start..start + text.len();
                start += line.len();
                range
            })
    }

    fn range_of(&self, line: usize) -> Result<Range<usize>, FileError> {
        let range = line
            .checked_sub(1)
            .and_then(|index| self.lines().nth(index));
        range.ok_or_else(|| FileError::NoLine {
            path: self.path.clone(),
            line,
            lines: self.lines().count(),
        })
    }

    /// Parses the etude of a line; returns `None` if the line is empty.
    fn parse(&self, line: usize, range: Range<usize>) -> Result<Option<Etude>, FileError> {
        // No field accepts the replacement character for bytes that are not UTF-8.
        let text = String::from_utf8_lossy(&self.bytes[range]);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let etude = Etude::parse(self.ruleset, &text).map_err(|reason| FileError::Line {
            place: self.place(line),
            reason,
        })?;
        Ok(Some(etude))
    }
}

/// Number of the invalid field, as a suffix of the message.
fn field(error: &EtudeError) -> String {
    let field = error.field();
    field.map_or(String::new(), |field| format!(" (field {field})"))
}

fn lines_there(lines: usize) -> String {
    match lines {
        0 => "the file is empty".into(),
        _ => format!("expected one from 1 to {lines}"),
    }
}
