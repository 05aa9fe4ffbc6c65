//! Recorded games, from stores and JSON Lines.

mod record;

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path as InPath, Query, State as Shared};
use matches::archive::ArchiveError;
use matches::archive::game_file::{GameFile, GameKey};
use matches::archive::store::{Changes, Extent};
use matches::record::GameRecord;
use serde::Serialize;

use super::files::{Files, FilesError, Part, without_folder};
use crate::body::JsonAnswer;
use crate::clients::Admitted;
use crate::error::ApiError;
pub use record::{Recorded, Summary};

/// Files of games, each with an index that is renewed whenever the file has changed.
#[derive(Debug)]
pub struct GameCatalog {
    files: Files,
    indexes: Vec<Mutex<Option<Index>>>,
}

/// The games of a file in a certain state.
#[derive(Debug)]
struct Index {
    identity: Identity,
    stamp: Stamp,
    /// Numbers of changes, because several may have the same stamp; only of a store.
    changes: Option<Changes>,
    /// Sorted by number if they are from a store.
    games: Vec<Indexed>,
}

/// A game with its location in the file.
#[derive(Debug)]
struct Indexed {
    key: GameKey,
    summary: Summary,
}

/// Device, inode, and time of creation, because the inode of a removed file is used again.
type Identity = (u64, u64, Option<SystemTime>);

/// Lengths and times that reveal a change of a file and of its write-ahead log, where a store keeps new games.
type Stamp = [Option<(u64, SystemTime)>; 2];

/// Answer of `GET /api/games`.
#[derive(Clone, Debug, Serialize)]
pub struct GameFiles {
    /// Always true.
    pub ok: bool,
    /// The files.
    pub files: Vec<GameFileEntry>,
}

/// A file of games.
#[derive(Clone, Debug, Serialize)]
pub struct GameFileEntry {
    /// Its name.
    pub file: String,
    /// Number of games.
    pub games: usize,
}

/// Answer of `GET /api/games/{file}`.
#[derive(Clone, Debug, Serialize)]
pub struct Games {
    /// Always true.
    pub ok: bool,
    /// The name of the file.
    pub file: String,
    /// Number of games in the file.
    pub total: usize,
    /// The requested games.
    pub games: Vec<Summary>,
}

impl GameCatalog {
    /// Opens files of games; of each only the beginning is read.
    ///
    /// # Errors
    /// [`FilesError`] if a file cannot be read.
    pub fn new(paths: &[PathBuf]) -> Result<GameCatalog, FilesError> {
        for path in paths {
            GameFile::open(path)?;
        }
        Ok(GameCatalog {
            files: Files::new("file of games", paths),
            indexes: paths.iter().map(|_| Mutex::default()).collect(),
        })
    }

    /// Calls `read` with the current games of a file, and with its path.
    fn with<T>(
        &self,
        file: &str,
        read: impl FnOnce(&[Indexed], &Path) -> T,
    ) -> Result<T, ApiError> {
        let (number, path) = self.files.find(file)?;
        let Some(index) = self.indexes.get(number) else {
            return Ok(read(&[], path));
        };
        let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
        let current = Index::renewed(index.take(), path);
        let current = index.insert(current.map_err(|error| unreadable(path, &error))?);
        Ok(read(&current.games, path))
    }

    fn all(&self) -> Result<GameFiles, ApiError> {
        let files = self.files.iter().map(|(file, _)| {
            Ok(GameFileEntry {
                file: file.to_string(),
                games: self.with(file, |games, _| games.len())?,
            })
        });
        let files: Result<Vec<GameFileEntry>, ApiError> = files.collect();
        Ok(GameFiles { ok: true, files: files? })
    }

    fn list(&self, file: &str, part: Part) -> Result<Games, ApiError> {
        self.with(file, |games, _| {
            let wanted = part.of(games.iter());
            Games {
                ok: true,
                file: file.to_string(),
                total: games.len(),
                games: wanted.map(|game| game.summary.clone()).collect(),
            }
        })
    }

    /// Returns the first game with a number.
    fn game(&self, file: &str, number: u64) -> Result<Recorded, ApiError> {
        let record = self.with(file, |games, path| {
            let mut games = games.iter();
            let Some(game) = games.find(|game| game.summary.number == number) else {
                return Ok(None);
            };
            let found = GameFile::open(path).and_then(|file| file.find(game.key));
            found.map_err(|error| unreadable(path, &error))
        })??;
        let record = record.ok_or_else(|| {
            let expected = format!("a number that GET /api/games/{file} lists");
            ApiError::not_found("game", &number.to_string(), &expected)
        })?;
        Recorded::of(&record)
    }
}

impl Index {
    /// Returns the index of a file as it is now. Of a store only the games that are new are read.
    fn renewed(known: Option<Index>, path: &Path) -> Result<Index, ArchiveError> {
        // Before the games are read, so that a later change makes the next index.
        let identity = identity(path).map_err(|error| ArchiveError::file(path, error))?;
        let stamp = stamp(path);
        let file = GameFile::open(path)?;
        let changes = match &file {
            GameFile::Store(store) => Some(store.changes()?),
            GameFile::Lines { .. } => None,
        };
        let known = known.filter(|known| known.identity == identity);
        let mut games = Vec::new();
        match (known, &file) {
            (Some(known), _) if (known.stamp, known.changes) == (stamp, changes) => {
                return Ok(known);
            }
            (Some(known), GameFile::Store(store)) if has_grown(known.changes, changes) => {
                let mut old = known.games.into_iter().peekable();
                for number in store.numbers()? {
                    while old.next_if(|game| game.summary.number < number).is_some() {}
                    match old.next_if(|game| game.summary.number == number) {
                        Some(game) => games.push(game),
                        None => store.for_each_game(Extent::Whole, Some(number), |game| {
                            games.push(Indexed::of(GameKey::in_store(number), &game.record));
                            Ok::<(), ArchiveError>(())
                        })?,
                    }
                }
            }
            _ => file.for_each(|place, game| {
                games.extend(game.ok().map(|record| Indexed::of(place.key, &record)));
                Ok::<(), ArchiveError>(())
            })?,
        }
        Ok(Index { identity, stamp, changes, games })
    }
}

impl Indexed {
    fn of(key: GameKey, record: &GameRecord) -> Indexed {
        Indexed { key, summary: Summary::of(record) }
    }
}

/// `true` for a store that has lost no games since.
fn has_grown(before: Option<Changes>, now: Option<Changes>) -> bool {
    before
        .zip(now)
        .is_some_and(|(before, now)| before.removed == now.removed && before.added <= now.added)
}

fn identity(path: &Path) -> io::Result<Identity> {
    let metadata = path.metadata()?;
    Ok((metadata.dev(), metadata.ino(), metadata.created().ok()))
}

fn stamp(path: &Path) -> Stamp {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path, Path::new(&log)].map(|path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    })
}

fn unreadable(path: &Path, error: &ArchiveError) -> ApiError {
    ApiError::internal(without_folder(path, &error.to_string()))
}

/// `GET /api/games`
///
/// # Errors
/// [`ApiError`] if a file can no longer be read.
pub async fn game_files(
    admitted: Admitted,
    Shared(files): Shared<Arc<GameCatalog>>,
) -> Result<JsonAnswer, ApiError> {
    JsonAnswer::by(admitted, move || files.all()).await
}

/// `GET /api/games/{file}`
///
/// # Errors
/// [`ApiError`] if there is no such file, or it can no longer be read.
pub async fn games(
    admitted: Admitted,
    Shared(files): Shared<Arc<GameCatalog>>,
    file: Result<InPath<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<JsonAnswer, ApiError> {
    let (InPath(file), Query(part)) = (file?, part?);
    JsonAnswer::by(admitted, move || files.list(&file, part)).await
}

/// `GET /api/games/{file}/{number}`
///
/// # Errors
/// [`ApiError`] if there is no such game, or it cannot be read.
pub async fn game(
    admitted: Admitted,
    Shared(files): Shared<Arc<GameCatalog>>,
    path: Result<InPath<(String, u64)>, PathRejection>,
) -> Result<JsonAnswer, ApiError> {
    let InPath((file, number)) = path?;
    JsonAnswer::by(admitted, move || files.game(&file, number)).await
}
