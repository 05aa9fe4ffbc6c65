//! Indexes of files of games, which are read once and again whenever a file has changed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use matches::archive::ArchiveError;
use matches::archive::game_file::{GameFile, GameKey};
use matches::record::GameRecord;
use matches::record::printable::printable;
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::Refusal;

/// A list entry of a recorded game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Number in the file.
    pub number: u64,
    /// Name of the variant.
    pub variant: String,
    /// Names of the engines, in seat order.
    pub names: Vec<String>,
    /// Place of each seat, from 1.
    pub places: Vec<u32>,
    /// Reason why each seat's game stopped.
    pub endings: Vec<&'static str>,
    /// Number of moves, including the opening's.
    pub plies: usize,
}

/// A game with its location in the file.
#[derive(Clone, Debug)]
pub struct Indexed {
    key: GameKey,
    pub summary: Summary,
}

/// Indexes of all files.
#[derive(Debug)]
pub struct Indexes(Vec<Index>);

#[derive(Debug)]
struct Index {
    path: PathBuf,
    read: Mutex<Option<(Stamp, Vec<Indexed>)>>,
}

/// Lengths and times that reveal a change of a file and of its log.
type Stamp = [Option<(u64, SystemTime)>; 2];

impl Indexes {
    /// Creates indexes; of each file only the beginning is read.
    ///
    /// # Errors
    /// [`ArchiveError`] if a file cannot be opened.
    pub fn new(paths: &[PathBuf]) -> Result<Indexes, ArchiveError> {
        let indexes = paths.iter().map(|path| {
            GameFile::open(path)?;
            Ok(Index {
                path: path.clone(),
                read: Mutex::default(),
            })
        });
        Ok(Indexes(
            indexes.collect::<Result<Vec<Index>, ArchiveError>>()?,
        ))
    }

    /// Calls `look` with the current games of a file.
    ///
    /// # Errors
    /// [`Refusal::Ours`] if it cannot be read.
    pub fn with<T>(&self, file: usize, look: impl FnOnce(&[Indexed]) -> T) -> Result<T, Refusal> {
        let Some(index) = self.0.get(file) else {
            return Ok(look(&[]));
        };
        let mut read = index.read.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(&index.path);
        match &*read {
            Some((known, games)) if *known == stamp => Ok(look(games)),
            _ => {
                let games =
                    games_of(&index.path).map_err(|error| unreadable(&index.path, &error))?;
                let result = look(&games);
                *read = Some((stamp, games));
                Ok(result)
            }
        }
    }

    /// Returns the first game with a number.
    ///
    /// # Errors
    /// [`Refusal::Ours`] if the file cannot be read.
    pub fn find(&self, file: usize, number: u64) -> Result<Option<GameRecord>, Refusal> {
        let key = self.with(file, |games| {
            let mut games = games.iter();
            games
                .find(|game| game.summary.number == number)
                .map(|game| game.key)
        })?;
        let (Some(key), Some(index)) = (key, self.0.get(file)) else {
            return Ok(None);
        };
        let found = GameFile::open(&index.path).and_then(|games| games.find(key));
        found.map_err(|error| unreadable(&index.path, &error))
    }
}

/// Returns all games of a file.
fn games_of(path: &Path) -> Result<Vec<Indexed>, ArchiveError> {
    let mut games = Vec::new();
    GameFile::open(path)?.for_each(|place, game| {
        games.extend(game.ok().map(|record| Indexed {
            key: place.key(),
            summary: Summary::of(&record),
        }));
        Ok::<(), ArchiveError>(())
    })?;
    Ok(games)
}

/// Returns length and time of a file and of its write-ahead log, where a store keeps new games.
fn stamp(path: &Path) -> Stamp {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path, Path::new(&log)].map(|path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    })
}

/// The error of an unreadable file, without its directory, which clients need not know.
fn unreadable(path: &Path, error: &ArchiveError) -> Refusal {
    let folder = path
        .parent()
        .map_or(String::new(), |folder| format!("{}/", folder.display()));
    let reason = match folder.as_str() {
        "" | "/" => error.to_string(),
        folder => error.to_string().replace(folder, ""),
    };
    Refusal::Ours(reason)
}

impl Summary {
    /// Summarizes a game.
    pub fn of(record: &GameRecord) -> Summary {
        Summary {
            number: record.game,
            variant: printable(&record.variant).into_owned(),
            names: record
                .seats
                .iter()
                .map(|name| printable(name).into_owned())
                .collect(),
            places: record.places.clone(),
            endings: record.endings.iter().map(|ending| ending.name()).collect(),
            plies: record.plies(),
        }
    }
}
