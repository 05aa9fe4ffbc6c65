//! The store: a match in one SQLite file, which can be resumed, exported and reported.
//!
//! The file appears under its name either with all settings, durable, or not at all. A game is durable when
//! [`Store::add`] returns. During a match the newest games are in a write-ahead log next to the file (`FILE-wal`), so
//! that a game costs one sync and other processes can read at the same time; at the end only the one file is left.
//! After a crash, the next process that opens the file finds all games in the two files.

mod circumstances;
mod lock;
mod machines;
mod reading;
mod rules_program;
mod schema;
mod settings;
mod trust;
mod writing;

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::error::{ArchiveError, Reason};
use super::user_key::UserKey;
use crate::input_file;
use crate::own_files;
use crate::plan::Plan;
use crate::plan::rules::Rules;
use crate::record::digest::StoredGame;
use crate::record::{GameRecord, Luck};
use lock::Lock;

pub use circumstances::Circumstances;
pub use machines::SetAside;
pub use reading::Extent;

/// First bytes of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Last bytes of a journal that names another.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

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

impl Store {
    /// Creates the store of a match; its settings are durable when this returns.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file exists or cannot be written.
    pub fn create(path: &Path, plan: &Plan) -> Result<Store, ArchiveError> {
        Store::refuse_existing(path)?;
        Store::try_create(path, plan).map_err(|reason| reason.about(path))?;
        Store::resume(path)
    }

    /// Refuses the path of a new store if there is a file.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file exists.
    pub fn refuse_existing(path: &Path) -> Result<(), ArchiveError> {
        match path.symlink_metadata() {
            Ok(_) => Err(Reason::Exists(path.to_path_buf()).about(path)),
            Err(_) => Ok(()),
        }
    }

    fn try_create(path: &Path, plan: &Plan) -> Result<(), Reason> {
        let directory_path = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let directory = File::open(directory_path)?;
        let file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(PERMISSIONS))
            .prefix(".arbiter-")
            .tempfile_in(directory_path)?;
        let mut connection = open(file.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let transaction = connection.transaction()?;
        schema::create(&transaction)?;
        settings::write(&transaction, plan)?;
        // Without a key the store stays unmarked.
        if let Ok(key) = UserKey::ensure() {
            trust::mark(&transaction, &key)?;
        }
        circumstances::begin(&transaction)?;
        transaction.commit()?;
        drop(connection);
        match file.persist_noclobber(path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Reason::Exists(path.to_path_buf()));
            }
            persisted => persisted.map_err(|error| error.error)?,
        };
        Ok(directory.sync_all()?)
    }

    /// Opens a store to continue its match.
    ///
    /// # Errors
    /// [`ArchiveError`] if another arbiter plays the match, or if the file is not a store or cannot be used.
    pub fn resume(path: &Path) -> Result<Store, ArchiveError> {
        let lock = Some(Lock::of(path)?);
        let store = Store::opened(path, OpenFlags::SQLITE_OPEN_READ_WRITE, lock)?;
        store.check(schema::be_durable(&store.connection))?;
        Ok(store)
    }

    /// Opens a store for reading; its match may be running.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file is not a store or cannot be read.
    pub fn open(path: &Path) -> Result<Store, ArchiveError> {
        let opened = Store::opened(path, OpenFlags::SQLITE_OPEN_READ_ONLY, None);
        if opened.as_ref().is_err_and(ArchiveError::needs_rollback) {
            // An arbiter was killed while it changed the journal. Reading with the right to write undoes the change.
            Store::opened(path, OpenFlags::SQLITE_OPEN_READ_WRITE, None)?;
            return Store::opened(path, OpenFlags::SQLITE_OPEN_READ_ONLY, None);
        }
        opened
    }

    fn opened(path: &Path, flags: OpenFlags, lock: Option<Lock>) -> Result<Store, ArchiveError> {
        let store = Store {
            path: path.to_path_buf(),
            connection: open(path, flags).map_err(|reason| reason.about(path))?,
            lock,
        };
        store.check(schema::check(&store.connection))?;
        own_files::add(path);
        Ok(store)
    }

    /// `true` if a file is an SQLite database, by its first bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_store(path: &Path) -> io::Result<bool> {
        use io::Read;
        let mut beginning = Vec::new();
        input_file::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
        Ok(beginning == MAGIC)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the plan of the match.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file was modified so that the plan is invalid.
    pub fn plan(&self) -> Result<Plan, ArchiveError> {
        self.check(settings::read(&self.connection, Rules::external))
    }

    /// Like [`Store::plan`], for a process that plays several matches, with programs that may have the same name; see
    /// [`Rules::apart`].
    ///
    /// # Errors
    /// As [`Store::plan`].
    pub fn plan_apart(&self) -> Result<Plan, ArchiveError> {
        self.check(settings::read(&self.connection, Rules::apart))
    }

    /// Checks that this user made the store, before its programs run.
    ///
    /// # Errors
    /// [`ArchiveError`] with the commands that would run, if another user made it.
    pub fn check_mark(&self) -> Result<(), ArchiveError> {
        let engines = self.plan()?.engines;
        self.check(trust::check(&self.connection, &engines))
    }

    /// Returns a sentence for each engine whose program, or a file among its arguments, has changed since the match
    /// began or is missing.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read.
    pub fn changed_engines(&self) -> Result<Vec<String>, ArchiveError> {
        self.check(settings::changed_engines(&self.connection))
    }

    /// Stores the engines' `id name`s, in the order of the plan.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be written.
    pub fn set_id_names(&mut self, id_names: &[Option<String>]) -> Result<(), ArchiveError> {
        let written = settings::set_id_names(&mut self.connection, id_names);
        self.check(written)
    }

    /// Returns the engines' `id name`s, in the order of the plan; `None` for an engine that has not sent one.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn id_names(&self) -> Result<Vec<Option<String>>, ArchiveError> {
        let select = "SELECT id_name FROM engines ORDER BY number";
        self.check(settings::column(&self.connection, select))
    }

    /// Returns the text that [`Store::set_note`] stored under a name; `None` if there is none.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be read.
    pub fn note(&self, name: &str) -> Result<Option<String>, ArchiveError> {
        self.check(settings::find(&self.connection, &note_name(name)))
    }

    /// Stores a text under a name for the caller's own use; replaces an earlier one. Notes are not settings of the
    /// match.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written.
    pub fn set_note(&mut self, name: &str, text: &str) -> Result<(), ArchiveError> {
        let written = settings::replace(&self.connection, &note_name(name), text);
        self.check(written)
    }

    /// Adds games with a single sync. They are durable when this returns; on an error none is stored.
    ///
    /// # Errors
    /// [`ArchiveError`], for example if the disk is full, the store contains one of the games already, or its file was
    /// removed or replaced.
    pub fn add(&mut self, records: &[&GameRecord]) -> Result<(), ArchiveError> {
        let written = writing::add(&mut self.connection, records);
        self.check(written)?;
        match &self.lock {
            Some(lock) if !lock.is_in_place(&self.path) => self.check(Err(Reason::Gone)),
            _ => Ok(()),
        }
    }

    /// Writes the luck of stored games, with a single sync; on an error none is stored.
    ///
    /// # Errors
    /// [`ArchiveError`], for example if the store has luck by another evaluator.
    pub fn set_luck(&mut self, measured: &[(u64, Luck)]) -> Result<(), ArchiveError> {
        let written = writing::set_luck(&mut self.connection, measured);
        self.check(written)
    }

    /// Writes the luck of games by number, in place of all luck so far.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written; then the luck so far remains.
    pub fn replace_luck(&mut self, measured: &[(u64, Luck)]) -> Result<(), ArchiveError> {
        let written = writing::replace_luck(&mut self.connection, measured);
        self.check(written)
    }

    /// Returns the numbers of all games whose luck was not measured, in order.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn games_without_luck(&self) -> Result<Vec<u64>, ArchiveError> {
        let select = "SELECT number FROM games WHERE luck IS NULL ORDER BY number";
        self.check(settings::column(&self.connection, select))
    }

    /// Returns the numbers of all games, in order.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn numbers(&self) -> Result<Vec<u64>, ArchiveError> {
        self.check(settings::column(&self.connection, "SELECT number FROM games ORDER BY number"))
    }

    /// Returns the identity of the evaluator of all luck in the store; `None` if there is none.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be read.
    pub fn luck_by(&self) -> Result<Option<String>, ArchiveError> {
        self.check(settings::find(&self.connection, settings::LUCK_BY))
    }

    /// Calls `visit` with each game, sorted by number, or only with game `only`, in a snapshot of the store. `extent`
    /// selects the parts of the games to read.
    ///
    /// # Errors
    /// [`ArchiveError`] if a game cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each_game<E: From<ArchiveError>>(
        &self,
        extent: Extent,
        only: Option<u64>,
        mut visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        let read = reading::for_each(&self.connection, extent, only, |game| {
            outcome = visit(game);
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

    fn check<T>(&self, result: Result<T, Reason>) -> Result<T, ArchiveError> {
        result.map_err(|reason| reason.about(&self.path))
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

/// Key of a note among the settings; no setting contains a colon.
fn note_name(name: &str) -> String {
    format!("note:{name}")
}

/// Refuses a crafted journal: SQLite would remove the file that such a journal names at its end. A write to a single
/// database names none.
fn refuse_super_journal(path: &Path) -> Result<(), Reason> {
    use io::{Read, Seek, SeekFrom};
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    let mut end = [0; JOURNAL_MAGIC.len()];
    let read = input_file::open(Path::new(&name)).and_then(|mut file| {
        file.seek(SeekFrom::End(-(end.len() as i64)))?;
        file.read_exact(&mut end)
    });
    match read.is_ok() && end == JOURNAL_MAGIC {
        true => Err(Reason::Journal(name.into())),
        false => Ok(()),
    }
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, Reason> {
    // The system's error is clearer than SQLite's.
    input_file::open(path)?;
    // Absolute, because SQLite treats names such as `:memory:` and `file:x` specially.
    refuse_super_journal(path)?;
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(whole, flags)?;
    schema::distrust(&connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{EngineSpec, Limit};

    #[test]
    fn an_unfinished_write_of_a_killed_arbiter_is_undone() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let engine = EngineSpec::new("a", "a", Limit::nodes(1));
        let variant = &buxtehude::rules::VARIANTS[0];
        let plan = Plan::new(variant, 2, vec![engine]);
        drop(Store::create(&path("running.db"), &plan).unwrap());
        let connection = open(&path("running.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        schema::be_one_file(&connection).unwrap();
        // Unless it syncs, SQLite makes the journal valid at once.
        let write = "PRAGMA synchronous = OFF; BEGIN IMMEDIATE; PRAGMA user_version = 99";
        connection.execute_batch(write).unwrap();
        for end in ["", "-journal"] {
            let [from, to] = ["running", "killed"].map(|name| path(&format!("{name}.db{end}")));
            fs::copy(from, to).unwrap();
        }
        let store = Store::open(&path("killed.db")).unwrap();
        assert_eq!(store.plan().unwrap().seed, plan.seed);
    }
}
