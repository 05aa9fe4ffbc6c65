//! Recorded games in a file, be it a store or a record in JSON Lines.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::archive::record_file::{self, RecordFileError};
use crate::archive::replay::{self, Flaw};
use crate::archive::store::{Store, StoreError};
use crate::record::GameRecord;
use crate::record::digest::KeptGame;

/// A file of games.
#[derive(Debug)]
pub enum GameFile {
    /// A store.
    Store(Store),
    /// JSON Lines.
    Lines(PathBuf),
}

/// Why a file of games cannot be read.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// It is a store and cannot be read as one.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be read at all.
    #[error(transparent)]
    Lines(#[from] RecordFileError),
}

/// Where a game was found.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    file: &'a Path,
    /// The number of the line, from 1.
    line: Option<usize>,
    key: GameKey,
}

/// By what a game is found again in its file: its number in a store, the byte at which its line begins in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameKey(u64);

impl Place<'_> {
    /// By what the game is found again.
    pub fn key(&self) -> GameKey {
        self.key
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file.display()),
            None => write!(f, "{}", self.file.display()),
        }
    }
}

impl GameFile {
    /// Opens a file for reading; how it begins tells its kind.
    ///
    /// # Errors
    /// [`GameFileError`] where it cannot be read.
    pub fn open(path: &Path) -> Result<GameFile, GameFileError> {
        let unreadable = |reason: io::Error| RecordFileError {
            path: path.to_path_buf(),
            reason,
        };
        if Store::is_store(path).map_err(unreadable)? {
            return Ok(GameFile::Store(Store::open(path)?));
        }
        Ok(GameFile::Lines(path.to_path_buf()))
    }

    /// Calls `visit` with each game and its place: of a store sorted by number, of lines in their order. Lines
    /// that are no game come as the flaw that they have.
    ///
    /// # Errors
    /// [`GameFileError`] where the file cannot be read, and the first error of `visit`, which ends the reading.
    pub fn for_each<E: From<GameFileError>>(
        &self,
        mut visit: impl FnMut(Place<'_>, Result<GameRecord, Flaw>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_kept(|place, game| visit(place, game.map(|kept| kept.record)))
    }

    /// Calls `visit` with each game as [`GameFile::for_each`] does, and with its digest.
    ///
    /// # Errors
    /// As [`GameFile::for_each`].
    pub fn for_each_kept<E: From<GameFileError>>(
        &self,
        mut visit: impl FnMut(Place<'_>, Result<KeptGame, Flaw>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            GameFile::Store(store) => {
                let visited = store.for_each_kept(None, |kept| {
                    let place = Place {
                        file: store.path(),
                        line: None,
                        key: GameKey(kept.record.game),
                    };
                    visit(place, Ok(kept)).map_err(Stop::Visitor)
                });
                visited.map_err(Stop::into_error)
            }
            GameFile::Lines(path) => {
                let lines = record_file::lines(path).map_err(GameFileError::from)?;
                let mut begin = 0;
                for (index, line) in lines.enumerate() {
                    let line = line.map_err(GameFileError::from)?;
                    let place = Place {
                        file: path,
                        line: Some(index + 1),
                        key: GameKey(begin),
                    };
                    begin += line.len() as u64 + 1;
                    if !line.trim_ascii().is_empty() {
                        visit(place, replay::read_kept(&line))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// The game that was found by a key before; `None` where it is not there any more.
    ///
    /// # Errors
    /// [`GameFileError`] where the file cannot be read.
    pub fn find(&self, key: GameKey) -> Result<Option<GameRecord>, GameFileError> {
        match self {
            GameFile::Store(store) => {
                let mut found = None;
                store.for_each_game(Some(key.0), |record| {
                    found = Some(record);
                    Ok::<(), StoreError>(())
                })?;
                Ok(found)
            }
            GameFile::Lines(path) => Ok(replay::read(record_file::line_at(path, key.0)?).ok()),
        }
    }

    /// Calls `visit` with each game, sorted by number, those with one number in the order of the file; what is
    /// no game is handed to `on_flaw`.
    ///
    /// # Errors
    /// As [`GameFile::for_each`].
    pub fn for_each_sorted<E: From<GameFileError>>(
        &self,
        mut on_flaw: impl FnMut(Place<'_>, Flaw),
        mut visit: impl FnMut(KeptGame) -> Result<(), E>,
    ) -> Result<(), E> {
        if let GameFile::Store(_) = self {
            return self.for_each_kept(|place, game| match game {
                Ok(kept) => visit(kept),
                Err(flaw) => {
                    on_flaw(place, flaw);
                    Ok(())
                }
            });
        }
        let mut games = Vec::new();
        self.for_each_kept(|place, game| {
            match game {
                Ok(kept) => games.push(kept),
                Err(flaw) => on_flaw(place, flaw),
            }
            Ok::<(), E>(())
        })?;
        games.sort_by_key(|kept| kept.record.game);
        games.into_iter().try_for_each(visit)
    }
}

/// Why no more games of a store are read.
enum Stop<E> {
    Store(StoreError),
    Visitor(E),
}

impl<E> From<StoreError> for Stop<E> {
    fn from(error: StoreError) -> Stop<E> {
        Stop::Store(error)
    }
}

impl<E: From<GameFileError>> Stop<E> {
    fn into_error(self) -> E {
        match self {
            Stop::Store(error) => GameFileError::from(error).into(),
            Stop::Visitor(error) => error,
        }
    }
}
