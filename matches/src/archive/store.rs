//! The store: a match in one SQLite file, from which it can be resumed, exported and reported.
//!
//! The file appears under its name with all settings in it, durable, or not at all; a game is in it, durable,
//! when [`Store::add`] returns. While a match is played the newest games are in a write-ahead log beside the
//! file (`FILE-wal`), so that a game costs one sync and others can read meanwhile; in the end there is one file
//! again. After a crash the next to open the file finds all games in the two.

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

/// How the file begins, as that of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What a new file may be used for, before the user's mask.
const PERMISSIONS: u32 = 0o666;

/// A match in a file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    // Closed before the lock is given back.
    connection: Connection,
    /// Held by the one arbiter that plays the match.
    lock: Option<Lock>,
}

/// An engine of which the program, or a file among its arguments, is not what it was when the match began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedEngine {
    /// The engine's name.
    pub name: String,
    /// The program or file.
    pub file: PathBuf,
}

impl fmt::Display for ChangedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, file) = (&self.name, self.file.display());
        write!(f, "engine {name}: {file} is not what it was")
    }
}

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A new match needs a new file.
    #[error(
        "{0} exists already, expected a new file; `arbiter resume {0}` continues the match in it",
        path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else adds games to it.
    #[error("{}: another arbiter is playing this match", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Somebody removed or moved the file while its match was played.
    #[error("{}: the file was removed or replaced while the match was played", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: no match in it, expected a file made with `arbiter match --store`", path.display())]
    NoStore {
        /// The file.
        path: PathBuf,
    },
    /// The file is of another version of the arbiter.
    #[error("{}: its format is {found}, expected {expected}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The number of its format.
        found: i64,
        /// The one that is known.
        expected: i64,
    },
    /// Something in it makes no sense.
    #[error("{}: {what}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong: a setting, an engine, a game.
        what: String,
        /// Why.
        reason: String,
    },
    /// The program of an engine or a directory has a name that is no text.
    #[error("{path:?}: expected a name in UTF-8")]
    Name {
        /// The name.
        path: PathBuf,
    },
    /// The file cannot be made or read.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// The database cannot be written or read.
    #[error("{}: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// SQLite's reason.
        reason: rusqlite::Error,
    },
}

impl StoreError {
    /// Whether disk or file system are to blame, and not what was asked for: a file or directory that does not
    /// exist is what was asked for.
    pub fn is_of_storage(&self) -> bool {
        match self {
            StoreError::File { reason, .. } => reason.kind() != io::ErrorKind::NotFound,
            StoreError::Database { .. } | StoreError::Gone { .. } => true,
            _ => false,
        }
    }
}

impl Store {
    /// Makes the store of a match; its settings are durable when this returns.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where there is such a file; others where it cannot be written.
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
        // From here on errors are about the file that was asked for.
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

    /// Opens the store of a match that is to go on.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where another arbiter plays it; others where it is no store or cannot be used.
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

    /// Opens a store for reading, whether or not the match goes on.
    ///
    /// # Errors
    /// [`StoreError`] where it is no store or cannot be read.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let store = Store {
            path: path.to_path_buf(),
            connection: open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            lock: None,
        };
        store.check(schema::read_as_current(&store.connection))?;
        Ok(store)
    }

    /// Whether a file is a database, by how it begins.
    ///
    /// # Errors
    /// The system's reason for which it cannot be read.
    pub fn is_store(path: &Path) -> io::Result<bool> {
        use io::Read;
        let mut beginning = Vec::new();
        File::open(path)?
            .take(MAGIC.len() as u64)
            .read_to_end(&mut beginning)?;
        Ok(beginning == MAGIC)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is to be played, as it was when the match began.
    ///
    /// # Errors
    /// [`StoreError::Content`] where somebody changed the file so that it makes no sense.
    pub fn plan(&self) -> Result<Plan, StoreError> {
        self.check(settings::read(&self.connection))
    }

    /// The engines whose programs, or files among their arguments, have changed since the match began, or are missing.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    pub fn changed_engines(&self) -> Result<Vec<ChangedEngine>, StoreError> {
        self.check(settings::changed_engines(&self.connection))
    }

    /// Notes by which names the engines introduced themselves, in the order of the plan.
    ///
    /// # Errors
    /// [`StoreError::Database`] where they cannot be written.
    pub fn set_id_names(&mut self, id_names: &[Option<String>]) -> Result<(), StoreError> {
        let written = settings::set_id_names(&mut self.connection, id_names);
        self.check(written)
    }

    /// What was noted under a name by [`Store::set_note`], or `None`.
    ///
    /// # Errors
    /// [`StoreError::Database`] where it cannot be read.
    pub fn note(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.check(settings::find(&self.connection, &note_name(name)))
    }

    /// Notes a text that is no setting of the match, for whoever plays it, in place of an earlier one of this name.
    ///
    /// # Errors
    /// [`StoreError::Database`] where it cannot be written.
    pub fn set_note(&mut self, name: &str, text: &str) -> Result<(), StoreError> {
        let written = settings::replace(&self.connection, &note_name(name), text);
        self.check(written)
    }

    /// Adds a game; it is durable when this returns, and none of it is there on an error.
    ///
    /// # Errors
    /// [`StoreError::Database`], where the disk is full for one, or the game is there already;
    /// [`StoreError::Gone`] where nobody would find it.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), StoreError> {
        self.add_all(&[record])
    }

    /// Adds games that become durable together, which costs one wait for the disk and not one for each: they are
    /// durable when this returns, and none of them is there on an error.
    ///
    /// # Errors
    /// Those of [`Store::add`].
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

    /// Calls `visit` with each game in turn, sorted by number, or with game `only`; as the store is when this
    /// begins.
    ///
    /// # Errors
    /// [`StoreError`] where a game cannot be read, and the first error of `visit`, which ends the reading.
    pub fn for_each_game<E: From<StoreError>>(
        &self,
        only: Option<u64>,
        visit: impl FnMut(GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut visit = visit;
        self.for_each_kept(only, |kept| visit(kept.record))
    }

    /// Calls `visit` with each game in turn as [`Store::for_each_game`] does, and with its digest.
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

    /// Calls `visit` with each game in turn, sorted by number, without its moves and turns, and with what the turns
    /// of each seat add up to: all that tables need, in the least time.
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

    /// Calls `visit` with each game in turn, sorted by number, without moves, estimates and scores: all that a
    /// report needs that tells of times, too.
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

    /// Removes the file of a match that could not begin.
    pub fn discard(self) {
        let path = self.path.clone();
        drop(self);
        // Whoever cannot remove it now can do so later.
        let _ = fs::remove_file(path);
    }

    fn check<T>(&self, result: Result<T, Trouble>) -> Result<T, StoreError> {
        result.map_err(|trouble| trouble.about(&self.path))
    }
}

impl Drop for Store {
    /// Ends the write-ahead log, so that the match is in one file that can be read anywhere. Where somebody
    /// reads it just now, or the disk is full, the log stays until the next who plays the match ends it.
    fn drop(&mut self) {
        if self.lock.is_some() {
            // Nothing is lost if this fails.
            let _ = schema::be_one_file(&self.connection);
        }
    }
}

/// What can go wrong inside, where the name of the file is not known.
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

/// The name of a note among the settings, which have no colon.
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
    // What keeps a file from being opened the system says better than SQLite.
    File::open(path).map_err(|reason| StoreError::File {
        path: path.to_path_buf(),
        reason,
    })?;
    // To SQLite a name such as `:memory:` or `file:x` is no file, unless its directory stands before it.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let opened = Connection::open_with_flags(whole, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    opened.map_err(|reason| Trouble::from(reason).about(path))
}
