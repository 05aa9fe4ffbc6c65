//! A file of recorded games: a store or a record in JSON Lines.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use super::error::{ArchiveError, Reason};
use super::replay::{self, Flaw};
use super::store::{Extent, Store};
use crate::input_file::{self, FileLine};
use crate::own_files;
use crate::plan::MAX_ENGINES;
use crate::record::GameRecord;
use crate::record::digest::StoredGame;

#[derive(Debug)]
pub enum GameFile {
    Store(Store),
    /// JSON Lines.
    Lines {
        path: PathBuf,
        /// The only kind of games to read; `None` to read all.
        kind: Option<Kind>,
    },
}

/// Variant and number of seats of a game. All games of a match are of one kind; people may record several in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub variant: String,
    pub seats: usize,
}

impl Kind {
    pub fn of(game: &GameRecord) -> Kind {
        Kind { variant: game.variant.clone(), seats: game.seats.len() }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    file: &'a Path,
    /// Number of the line, from 1; `None` in a store.
    line: Option<usize>,
    pub key: GameKey,
}

/// Key of a game in its file: its number in a store, the byte offset of its line in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameKey(u64);

impl GameKey {
    pub fn in_store(number: u64) -> GameKey {
        GameKey(number)
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
    /// [`ArchiveError`] if it cannot be read.
    pub fn open(path: &Path) -> Result<GameFile, ArchiveError> {
        if input_file::is_store(path).map_err(|error| ArchiveError::file(path, error))? {
            return Ok(GameFile::Store(Store::open(path)?));
        }
        own_files::add(path);
        Ok(GameFile::Lines { path: path.to_path_buf(), kind: None })
    }

    /// Calls `visit` with each game and its place: sorted by number in a store, in the order of the lines in a record.
    /// A line that is not a game is passed as its flaw.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each<E: From<ArchiveError>>(
        &self,
        mut visit: impl FnMut(Place<'_>, Result<GameRecord, Flaw>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_stored(|place, game| visit(place, game.map(|game| game.record)))
    }

    /// Calls `visit` with each game like [`GameFile::for_each`], but with its stored digest and totals.
    ///
    /// # Errors
    /// As [`GameFile::for_each`].
    pub fn for_each_stored<E: From<ArchiveError>>(
        &self,
        mut visit: impl FnMut(Place<'_>, Result<StoredGame, Flaw>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            GameFile::Store(store) => store.for_each_game(Extent::Whole, None, |game| {
                let place =
                    Place { file: store.path(), line: None, key: GameKey(game.record.game) };
                visit(place, Ok(game))
            }),
            GameFile::Lines { path, kind } => {
                let is_other =
                    |game: &GameRecord| kind.as_ref().is_some_and(|kind| *kind != Kind::of(game));
                let mut names = HashSet::new();
                let failed = |error| ArchiveError::file(path, error);
                for (index, line) in input_file::lines(path).map_err(failed)?.enumerate() {
                    let FileLine { begin, text: line } = line.map_err(failed)?;
                    let place = Place { file: path, line: Some(index + 1), key: GameKey(begin) };
                    if line.trim_ascii().is_empty() {
                        continue;
                    }
                    let game: Result<StoredGame, Flaw> =
                        serde_json::from_slice(&line).map_err(Flaw::from);
                    if game.as_ref().is_ok_and(|game| is_other(&game.record)) {
                        continue;
                    }
                    names.extend(game.iter().flat_map(|game| game.record.seats.iter().cloned()));
                    if names.len() > MAX_ENGINES {
                        let expected = format!("expected at most {MAX_ENGINES}");
                        return Err(Reason::content("engines", &expected).about(path).into());
                    }
                    visit(place, game)?;
                }
                Ok(())
            }
        }
    }

    /// Returns the game with this key; `None` if it no longer exists.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file cannot be read.
    pub fn find(&self, key: GameKey) -> Result<Option<GameRecord>, ArchiveError> {
        match self {
            GameFile::Store(store) => {
                let mut found = None;
                store.for_each_game(Extent::Whole, Some(key.0), |game| {
                    found = Some(game.record);
                    Ok::<(), ArchiveError>(())
                })?;
                Ok(found)
            }
            GameFile::Lines { path, .. } => {
                let line = input_file::line_at(path, key.0);
                Ok(replay::read(line.map_err(|error| ArchiveError::file(path, error))?).ok())
            }
        }
    }

    /// Calls `visit` with each game, sorted by number, and by position in the file for equal numbers. Calls `on_flaw`
    /// with each line that is not a game.
    ///
    /// # Errors
    /// As [`GameFile::for_each`].
    pub fn for_each_sorted<E: From<ArchiveError>>(
        &self,
        mut on_flaw: impl FnMut(Place<'_>, Flaw),
        mut visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_sorted = matches!(self, GameFile::Store(_));
        let mut games = Vec::new();
        self.for_each_stored(|place, game| {
            match game {
                Ok(game) if is_sorted => visit(game)?,
                Ok(game) => games.push(game),
                Err(flaw) => on_flaw(place, flaw),
            }
            Ok::<(), E>(())
        })?;
        games.sort_by_key(|game| game.record.game);
        games.into_iter().try_for_each(visit)
    }
}
