//! The store: a match in one SQLite file, which can be resumed, exported and reported.
//!
//! The file appears under its name either with all settings, durable, or not at all. A game is durable when
//! [`Store::add`] returns. During a match the newest games are in a write-ahead log next to the file (`FILE-wal`), so
//! that a game costs one sync and other processes can read at the same time; at the end only the one file is left.
//! After a crash, the next process that opens the file finds all games in the two files.

mod circumstances;
mod id_names;
mod lock;
mod machines;
mod reading;
mod schema;
mod settings;
mod writing;

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use thiserror::Error;

use crate::plan::Plan;
use crate::record::digest::KeptGame;
use crate::record::{GameRecord, TurnSums};
use lock::Lock;
use reading::Extent;

pub use circumstances::Circumstances;
pub use machines::SetAside;

/// First bytes of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Permissions of a new file, before the user's umask.
const PERMISSIONS: u32 = 0o666;

/// A match in a file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    // Before the lock, so that it is closed before the lock is released.
    connection: Connection,
    /// Held by the only arbiter that plays the match.
    lock: Option<Lock>,
}

/// An engine whose program, or a file among its arguments, has changed since the match began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedEngine {
    /// Name of the engine.
    pub name: String,
    /// The changed file.
    pub file: PathBuf,
}

impl fmt::Display for ChangedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, file) = (&self.name, self.file.display());
        write!(f, "engine {name}: {file} has changed since the match began")
    }
}

/// Errors of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file of a new match exists already.
    #[error(
        "{0} exists already; choose a new file, or continue its match with `arbiter resume {0}`",
        path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another arbiter plays the match.
    #[error("{}: another arbiter is playing this match", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file was removed or moved during the match.
    #[error("{}: the file was removed or replaced while the match was played", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a store.
    #[error("{}: not a store; expected a file created by `arbiter match --store`", path.display())]
    NoStore {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version of the arbiter.
    #[error("{}: store format {found} is unknown; expected {expected}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        found: i64,
        /// Known format.
        expected: i64,
    },
    /// The file contains an invalid value.
    #[error("{}: {what}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Invalid part: a setting, an engine, a game.
        what: String,
        /// Why it is invalid.
        reason: String,
    },
    /// The path of an engine's program or directory is not UTF-8.
    #[error("{path:?}: expected a path in UTF-8")]
    Name {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be created or read.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: io::Error,
    },
    /// The database cannot be written or read.
    #[error("{}: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Error of SQLite.
        reason: rusqlite::Error,
    },
}

impl StoreError {
    /// `true` if the disk or the file system is the cause, not the request. A file or directory that does not exist is
    /// an error of the request.
    pub fn is_of_storage(&self) -> bool {
        match self {
            StoreError::File { reason, .. } => reason.kind() != io::ErrorKind::NotFound,
            StoreError::Database { .. } | StoreError::Gone { .. } => true,
            _ => false,
        }
    }
}

impl Store {
    /// Creates the store of a match; its settings are durable when this returns.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the file exists; others if it cannot be written.
    pub fn create(path: &Path, plan: &Plan) -> Result<Store, StoreError> {
        let exists = || StoreError::Exists {
            path: path.to_path_buf(),
        };
        let failed = |reason| StoreError::File {
            path: path.to_path_buf(),
            reason,
        };
        if path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let directory_path = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let directory = File::open(directory_path).map_err(failed)?;
        let file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(PERMISSIONS))
            .prefix(".arbiter-")
            .tempfile_in(directory_path)
            .map_err(failed)?;
        let mut connection = open(file.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let written = write_settings(&mut connection, plan);
        // From here on, errors name the requested file instead of the temporary one.
        written.map_err(|error| error.about(path))?;
        drop(connection);
        match file.persist_noclobber(path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(exists());
            }
            persisted => persisted.map_err(|error| failed(error.error))?,
        };
        directory.sync_all().map_err(failed)?;
        Store::resume(path)
    }

    /// Opens a store to continue its match.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if another arbiter plays the match; others if the file is not a store or cannot be used.
    pub fn resume(path: &Path) -> Result<Store, StoreError> {
        let lock = Lock::of(path)?;
        let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut store = Store {
            path: path.to_path_buf(),
            connection,
            lock: Some(lock),
        };
        let brought = schema::bring_up_to_date(&mut store.connection);
        store.check(brought)?;
        store.check(schema::be_durable(&store.connection))?;
        Ok(store)
    }

    /// Opens a store for reading; its match may be running.
    ///
    /// # Errors
    /// [`StoreError`] if the file is not a store or cannot be read.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let store = Store {
            path: path.to_path_buf(),
            connection: open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            lock: None,
        };
        store.check(schema::read_as_current(&store.connection))?;
        Ok(store)
    }

    /// `true` if a file is an SQLite database, by its first bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_store(path: &Path) -> io::Result<bool> {
        use io::Read;
        let mut beginning = Vec::new();
        File::open(path)?
            .take(MAGIC.len() as u64)
            .read_to_end(&mut beginning)?;
        Ok(beginning == MAGIC)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the plan of the match.
    ///
    /// # Errors
    /// [`StoreError::Content`] if the file was modified so that the plan is invalid.
    pub fn plan(&self) -> Result<Plan, StoreError> {
        self.check(settings::read(&self.connection))
    }

    /// Returns the engines whose programs, or files among their arguments, have changed since the match began or are
    /// missing.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn changed_engines(&self) -> Result<Vec<ChangedEngine>, StoreError> {
        self.check(settings::changed_engines(&self.connection))
    }

    /// Stores the engines' `id name`s, in the order of the plan.
    ///
    /// # Errors
    /// [`StoreError::Database`] if they cannot be written.
    pub fn set_id_names(&mut self, id_names: &[Option<String>]) -> Result<(), StoreError> {
        let written = settings::set_id_names(&mut self.connection, id_names);
        self.check(written)
    }

    /// Returns the text that [`Store::set_note`] stored under a name; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Database`] if it cannot be read.
    pub fn note(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.check(settings::find(&self.connection, &note_name(name)))
    }

    /// Stores a text under a name for the caller's own use; replaces an earlier one. Notes are not settings of the
    /// match.
    ///
    /// # Errors
    /// [`StoreError::Database`] if it cannot be written.
    pub fn set_note(&mut self, name: &str, text: &str) -> Result<(), StoreError> {
        let written = settings::replace(&self.connection, &note_name(name), text);
        self.check(written)
    }

    /// Adds a game. It is durable when this returns; on an error nothing is stored.
    ///
    /// # Errors
    /// [`StoreError::Database`], for example if the disk is full or the store contains the game already;
    /// [`StoreError::Gone`] if the file was removed or replaced.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), StoreError> {
        self.add_all(&[record])
    }

    /// Adds several games with a single sync. They are durable when this returns; on an error none is stored.
    ///
    /// # Errors
    /// As [`Store::add`].
    pub fn add_all(&mut self, records: &[&GameRecord]) -> Result<(), StoreError> {
        let written = writing::add(&mut self.connection, records);
        self.check(written)?;
        match &self.lock {
            Some(lock) if !lock.is_in_place(&self.path) => Err(StoreError::Gone {
                path: self.path.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Calls `visit` with each game, sorted by number, or only with game `only`, in a snapshot of the store.
    ///
    /// # Errors
    /// [`StoreError`] if a game cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each_game<E: From<StoreError>>(
        &self,
        only: Option<u64>,
        visit: impl FnMut(GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut visit = visit;
        self.for_each_kept(only, |kept| visit(kept.record))
    }

    /// Calls `visit` with each game like [`Store::for_each_game`], but with its stored digest and totals.
    ///
    /// # Errors
    /// As [`Store::for_each_game`].
    pub fn for_each_kept<E: From<StoreError>>(
        &self,
        only: Option<u64>,
        visit: impl FnMut(KeptGame) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(Extent::Whole, only, visit)
    }

    /// Calls `visit` with each game, sorted by number, without its moves and turns but with the totals of each seat's
    /// turns. This is all that tables need, and the fastest way to read it.
    ///
    /// # Errors
    /// As [`Store::for_each_game`].
    pub fn for_each_summary<E: From<StoreError>>(
        &self,
        visit: impl FnMut(GameRecord, Vec<TurnSums>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut visit = visit;
        self.read(Extent::Summary, None, |kept| {
            visit(kept.record, kept.totals.unwrap_or_default())
        })
    }

    /// Calls `visit` with each game, sorted by number, without moves, estimates and scores. This is all that a report
    /// with times needs.
    ///
    /// # Errors
    /// As [`Store::for_each_game`].
    pub fn for_each_outline<E: From<StoreError>>(
        &self,
        visit: impl FnMut(GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut visit = visit;
        self.read(Extent::Outline, None, |kept| visit(kept.record))
    }

    fn read<E: From<StoreError>>(
        &self,
        extent: Extent,
        only: Option<u64>,
        mut visit: impl FnMut(KeptGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        let read = reading::for_each(&self.connection, extent, only, |kept| {
            outcome = visit(kept);
            outcome.is_ok()
        });
        self.check(read)?;
        outcome
    }

    /// Removes the file of a match that could not start.
    pub fn discard(self) {
        let path = self.path.clone();
        drop(self);
        // If this fails, the user can remove the file later.
        let _ = fs::remove_file(path);
    }

    fn check<T>(&self, result: Result<T, Trouble>) -> Result<T, StoreError> {
        result.map_err(|trouble| trouble.about(&self.path))
    }
}

impl Drop for Store {
    /// Moves the write-ahead log into the file, so that the match is in one file. If another process is reading it, or
    /// the disk is full, the log stays until the next arbiter that plays the match.
    fn drop(&mut self) {
        if self.lock.is_some() {
            // Nothing is lost if this fails.
            let _ = schema::be_one_file(&self.connection);
        }
    }
}

/// A [`StoreError`] without the path of the file, which the caller adds.
#[derive(Debug)]
enum Trouble {
    NoStore,
    Format { found: i64 },
    Content { what: String, reason: String },
    Name(PathBuf),
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Trouble::NoStore,
            _ => Trouble::Database(error),
        }
    }
}

impl Trouble {
    fn content(what: impl Into<String>, reason: &impl ToString) -> Trouble {
        Trouble::Content {
            what: what.into(),
            reason: reason.to_string(),
        }
    }

    fn about(self, path: &Path) -> StoreError {
        let path = path.to_path_buf();
        match self {
            Trouble::NoStore => StoreError::NoStore { path },
            Trouble::Format { found } => StoreError::Format {
                path,
                found,
                expected: schema::FORMAT,
            },
            Trouble::Content { what, reason } => StoreError::Content { path, what, reason },
            Trouble::Name(path) => StoreError::Name { path },
            Trouble::Database(reason) => StoreError::Database { path, reason },
        }
    }
}

/// Key of a note among the settings; no setting contains a colon.
fn note_name(name: &str) -> String {
    format!("note:{name}")
}

fn write_settings(connection: &mut Connection, plan: &Plan) -> Result<(), Trouble> {
    let transaction = connection.transaction()?;
    schema::create(&transaction)?;
    settings::write(&transaction, plan)?;
    circumstances::begin(&transaction)?;
    Ok(transaction.commit()?)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    // The system's error is clearer than SQLite's.
    File::open(path).map_err(|reason| StoreError::File {
        path: path.to_path_buf(),
        reason,
    })?;
    // Absolute, because SQLite treats names such as `:memory:` and `file:x` specially.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let opened = Connection::open_with_flags(whole, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    opened.map_err(|reason| Trouble::from(reason).about(path))
}
