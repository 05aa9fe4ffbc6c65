//! What a file of games has in it, read once and again whenever the file has changed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use matches::archive::game_file::{GameFile, GameFileError, GameKey};
use matches::record::GameRecord;
use matches::record::printable::printable;
use schemars::JsonSchema;
use serde::Serialize;

use crate::door::Refusal;

/// A game in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Its number in the file.
    pub number: u64,
    /// The name of the variant.
    pub variant: String,
    /// The names of the engines, in seat order.
    pub names: Vec<String>,
    /// The place of each seat, from 1.
    pub places: Vec<u32>,
    /// Why each seat's game stopped.
    pub endings: Vec<&'static str>,
    /// How many moves were played, those of the opening too.
    pub plies: usize,
}

/// A game, and where it is.
#[derive(Clone, Debug)]
pub struct Indexed {
    key: GameKey,
    /// What a list says of it.
    pub summary: Summary,
}

/// The indexes of all files.
#[derive(Debug)]
pub struct Indexes(Vec<Index>);

#[derive(Debug)]
struct Index {
    path: PathBuf,
    read: Mutex<Option<(Stamp, Vec<Indexed>)>>,
}

/// What changes with a file.
type Stamp = [Option<(u64, SystemTime)>; 2];

impl Indexes {
    /// Indexes of files, none of which has been read but for its beginning.
    ///
    /// # Errors
    /// [`GameFileError`] where one of them cannot be opened.
    pub fn new(paths: &[PathBuf]) -> Result<Indexes, GameFileError> {
        let indexes = paths.iter().map(|path| {
            GameFile::open(path)?;
            Ok(Index {
                path: path.clone(),
                read: Mutex::default(),
            })
        });
        Ok(Indexes(
            indexes.collect::<Result<Vec<Index>, GameFileError>>()?,
        ))
    }

    /// Hands the games of a file, as it is now, to `look`.
    ///
    /// # Errors
    /// [`Refusal::Ours`] where it cannot be read.
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

    /// The game of a number; of several the first.
    ///
    /// # Errors
    /// [`Refusal::Ours`] where the file cannot be read.
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

/// All that is a game.
fn games_of(path: &Path) -> Result<Vec<Indexed>, GameFileError> {
    let mut games = Vec::new();
    GameFile::open(path)?.for_each(|place, game| {
        games.extend(game.ok().map(|record| Indexed {
            key: place.key(),
            summary: Summary::of(&record),
        }));
        Ok::<(), GameFileError>(())
    })?;
    Ok(games)
}

/// Sizes and times of a file, and of the log in which a store keeps what is new.
fn stamp(path: &Path) -> Stamp {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path, Path::new(&log)].map(|path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    })
}

/// What is said of a file that cannot be read; where it is, is nothing that a client has to know.
fn unreadable(path: &Path, error: &GameFileError) -> Refusal {
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
    /// What a list says of a game.
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
