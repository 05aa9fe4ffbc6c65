//! A file of recorded games: a store or a record in JSON Lines.

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

/// Errors of a file of games.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file cannot be read.
    #[error(transparent)]
    Lines(#[from] RecordFileError),
}

/// Place of a game: its file and line.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    file: &'a Path,
    /// Number of the line, from 1; `None` in a store.
    line: Option<usize>,
    key: GameKey,
}

/// Key of a game in its file: its number in a store, the byte offset of its line in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameKey(u64);

impl Place<'_> {
    /// Returns the key of the game.
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
    /// Opens a file for reading; its first bytes determine its kind.
    ///
    /// # Errors
    /// [`GameFileError`] if it cannot be read.
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

    /// Calls `visit` with each game and its place: sorted by number in a store, in the order of the lines in a record.
    /// A line that is not a game is passed as its flaw.
    ///
    /// # Errors
    /// [`GameFileError`] if the file cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each<E: From<GameFileError>>(
        &self,
        mut visit: impl FnMut(Place<'_>, Result<GameRecord, Flaw>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_kept(|place, game| visit(place, game.map(|kept| kept.record)))
    }

    /// Calls `visit` with each game like [`GameFile::for_each`], but with its stored digest and totals.
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

    /// Returns the game with this key; `None` if it no longer exists.
    ///
    /// # Errors
    /// [`GameFileError`] if the file cannot be read.
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

    /// Calls `visit` with each game, sorted by number, and by position in the file for equal numbers. Calls `on_flaw`
    /// with each line that is not a game.
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

/// Reason to stop reading a store.
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
