//! The store: a match in one SQLite file, which can be resumed, exported and reported.
//!
//! The file appears under its name either with all settings, durable, or not at all. A game is durable when
//! [`Store::add`] returns. During a match the newest games are in a write-ahead log next to the file (`FILE-wal`), so
//! that a game costs one sync and other processes can read at the same time; at the end only the one file is left.
//! After a crash, the next process that opens the file finds all games in the two files.

mod games;
mod settings;
mod trust;

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, OpenFlags, Row, Transaction};

use super::{ArchiveError, Reason};
use crate::input_file;
use crate::own_files;
use crate::plan::Plan;
use crate::record::GameRecord;
pub use games::Extent;
pub use settings::{Changes, Circumstances, StoredPlan};
pub use trust::UserKey;

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
    /// The lines of a record that are no games, each with its place and flaw; `None` for a store.
    flaws: Option<Vec<String>>,
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
        create_tables(&transaction)?;
        settings::begin(&transaction, plan)?;
        // Without a key the store stays unmarked.
        if let Ok(key) = UserKey::ensure() {
            trust::mark(&transaction, &key)?;
        }
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
        store.check(be_durable(&store.connection))?;
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

    /// Opens a file of games for reading: a store, or a record in JSON Lines, whose games are imported into a store in
    /// memory. The first bytes of the file determine its kind.
    ///
    /// # Errors
    /// As [`Store::open`] and [`Store::import`].
    pub fn open_or_import(path: &Path) -> Result<Store, ArchiveError> {
        match input_file::is_store(path) {
            Ok(true) => Store::open(path),
            Ok(false) => Store::import(path, |_| true),
            Err(error) => Err(ArchiveError::file(path, error)),
        }
    }

    /// Imports the games of a record that `is_wanted` accepts into a store in memory, which has no plan.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file cannot be read or has more engines than a match.
    pub fn import(
        path: &Path,
        is_wanted: impl Fn(&GameRecord) -> bool,
    ) -> Result<Store, ArchiveError> {
        own_files::add(path);
        let import = || {
            // Without a name, SQLite moves a large database out of memory into a temporary file.
            let mut connection = Connection::open("")?;
            let flaws = games::import(&mut connection, path, is_wanted)?;
            let path = path.to_path_buf();
            Ok(Store { path, connection, lock: None, flaws: Some(flaws) })
        };
        import().map_err(|reason: Reason| reason.about(path))
    }

    fn opened(path: &Path, flags: OpenFlags, lock: Option<Lock>) -> Result<Store, ArchiveError> {
        let store = Store {
            path: path.to_path_buf(),
            connection: open(path, flags).map_err(|reason| reason.about(path))?,
            lock,
            flaws: None,
        };
        store.check(check_tables(&store.connection))?;
        own_files::add(path);
        Ok(store)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `true` if the games were imported from a record, which has no plan.
    pub fn is_record(&self) -> bool {
        self.flaws.is_some()
    }

    /// The lines of a record that are no games, each with its place and flaw.
    pub fn flaws(&self) -> &[String] {
        self.flaws.as_deref().unwrap_or_default()
    }

    /// Reads from the store as it is at one moment, since another process may write to it.
    fn snapshot<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Reason>,
    ) -> Result<T, ArchiveError> {
        let read = || {
            let snapshot = self.connection.unchecked_transaction()?;
            read(&snapshot)
        };
        self.check(read())
    }

    /// Writes to the store, with a single sync; on an error nothing is written.
    fn write(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> Result<(), Reason>,
    ) -> Result<(), ArchiveError> {
        let run = || {
            let transaction = self.connection.transaction()?;
            write(&transaction)?;
            Ok(transaction.commit()?)
        };
        let written = run();
        self.check(written)
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
            let _ = be_one_file(&self.connection);
        }
    }
}

/// Longest time for which a killed arbiter's lock outlives it: a starting engine has copies of the arbiter's open files
/// until its own program runs.
#[cfg(target_os = "linux")]
const OUTLIVES: Duration = Duration::from_secs(1);

/// The lock of a store, held until it is dropped or the arbiter dies.
#[derive(Debug)]
struct Lock {
    // On Linux this kind of lock and SQLite's do not affect each other. If they do on another system, a second arbiter
    // fails to store its first game, which the store already contains.
    file: File,
}

impl Lock {
    /// Takes the lock of a store.
    ///
    /// # Errors
    /// [`ArchiveError`] if another arbiter holds it, or if the file cannot be opened.
    fn of(path: &Path) -> Result<Lock, ArchiveError> {
        // A pipe would open, and SQLite would wait for its other end.
        let opened =
            input_file::open(path).and_then(|_| File::options().read(true).write(true).open(path));
        let file = opened.map_err(|error| ArchiveError::file(path, error))?;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FlockOperation, flock};
            let give_up = Instant::now() + OUTLIVES;
            while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                if Instant::now() > give_up {
                    return Err(Reason::Busy.about(path));
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Ok(Lock { file })
    }

    /// `true` if `path` still leads to the locked file.
    fn is_in_place(&self, path: &Path) -> bool {
        let numbers = |metadata: Metadata| (metadata.dev(), metadata.ino());
        match (self.file.metadata(), fs::metadata(path)) {
            (Ok(locked), Ok(found)) => numbers(locked) == numbers(found),
            _ => false,
        }
    }
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
    if read.is_ok() && end == JOURNAL_MAGIC { Err(Reason::Journal(name.into())) } else { Ok(()) }
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, Reason> {
    // These errors are clearer than SQLite's.
    drop(input_file::lines(path)?);
    // Absolute, because SQLite treats names such as `:memory:` and `file:x` specially.
    refuse_super_journal(path)?;
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(whole, flags)?;
    distrust(&connection)?;
    Ok(connection)
}

/// Number of the format, which identifies the set of tables.
const FORMAT: i64 = 1;

/// SQLite application ID of a store: "arbi" in ASCII.
const APPLICATION: i64 = 0x6172_6269;

/// Numbers of seats and turns start at 1, those of engines at 0, as in the plan, which is the setting `plan`, as JSON.
/// The columns of a game from `luck` on are JSON; `estimate` is in permille; `pv` is words separated by spaces. The
/// setting `luck-by` names the evaluator of all luck.
const TABLES: &str = "
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE engines (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, id_name TEXT) STRICT;
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    variant TEXT NOT NULL,
    start TEXT NOT NULL,
    moves TEXT NOT NULL,
    digest TEXT NOT NULL,
    luck TEXT,
    fault TEXT,
    evidence TEXT,
    reruns TEXT,
    machine TEXT
) STRICT;
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    engine INTEGER NOT NULL REFERENCES engines,
    place INTEGER NOT NULL,
    winnings INTEGER,
    ending TEXT NOT NULL,
    turns INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    depth_turns INTEGER NOT NULL,
    depths INTEGER NOT NULL,
    waited INTEGER NOT NULL,
    late_stops INTEGER NOT NULL,
    overruns INTEGER NOT NULL,
    out_of_turn INTEGER NOT NULL,
    flaws INTEGER NOT NULL,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;
CREATE TABLE turns (
    game INTEGER NOT NULL REFERENCES games,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    move TEXT NOT NULL,
    micros INTEGER,
    overrun INTEGER,
    depth INTEGER,
    estimate TEXT,
    score TEXT,
    nodes INTEGER,
    pv TEXT,
    waited INTEGER,
    late_stop INTEGER,
    out_of_turn INTEGER,
    flaw TEXT,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
";

/// Creates the tables in an empty database.
fn create_tables(transaction: &Transaction<'_>) -> Result<(), Error> {
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}

/// Checks that a database is a store of the current format.
fn check_tables(connection: &Connection) -> Result<(), Reason> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id")? != APPLICATION {
        return Err(Reason::NoStore);
    }
    match number("user_version")? {
        FORMAT => {}
        found => {
            return Err(Reason::Format { found, expected: FORMAT });
        }
    }
    // Views, triggers and generated columns would run code of the file's author.
    let expected = Connection::open_in_memory()?;
    expected.execute_batch(TABLES)?;
    if objects(connection)? == objects(&expected)? { Ok(()) } else { Err(Reason::Schema) }
}

/// Maximum number of objects to read from a database: tables with their indexes, and one more.
const MAX_OBJECTS: i64 = 64;

/// Returns all objects of a database: type, name and definition.
fn objects(connection: &Connection) -> Result<Vec<[Option<String>; 3]>, Error> {
    let select = "SELECT type, name, sql FROM sqlite_schema ORDER BY name LIMIT ?1";
    let mut statement = connection.prepare(select)?;
    let object = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?]);
    statement.query_map([MAX_OBJECTS], object)?.collect()
}

/// Maximum length of a value in bytes.
const MAX_VALUE_BYTES: i32 = 1 << 26;

/// Restricts a connection to a file of unknown origin.
fn distrust(connection: &Connection) -> Result<(), Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    Ok(())
}

/// Page cache for writing: in a large match on several machines, games arrive out of order and are inserted among
/// thousands of others.
const CACHE_KIB: i64 = 32 << 10;
/// Pages in the write-ahead log before a checkpoint, which writes a page that changed often only once.
const LOG_PAGES: i64 = 8 << 10;

/// Sets SQLite so that committed games survive a power failure.
fn be_durable(connection: &Connection) -> Result<(), Reason> {
    let set_mode = |row: &Row<'_>| row.get::<_, String>(0);
    let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", set_mode)?;
    // On a file system without shared memory, SQLite uses a rollback journal, whose deletion must be synced as well.
    let synchronous = if mode == "wal" { "FULL" } else { "EXTRA" };
    connection.pragma_update(None, "synchronous", synchronous)?;
    // On macOS a plain sync does not reach the disk.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    Ok(())
}

/// Moves the write-ahead log into the database file and removes it.
fn be_one_file(connection: &Connection) -> Result<(), Error> {
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::plan::{self, EngineSpec};

    #[test]
    fn an_unfinished_write_of_a_killed_arbiter_is_undone() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let engine = EngineSpec::new("a", "a", plan::Limit::nodes(1));
        let variant = &buxtehude::rules::VARIANTS[0];
        let plan = Plan::new(variant, 2, vec![engine]);
        drop(Store::create(&path("running.db"), &plan).unwrap());
        let connection = open(&path("running.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        be_one_file(&connection).unwrap();
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

    #[test]
    fn a_plan_is_trusted_by_the_mark_of_the_same_moment() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("match.db");
        let engine = EngineSpec::new("a", "ours", plan::Limit::nodes(1));
        let plan = Plan::new(&buxtehude::rules::VARIANTS[0], 2, vec![engine]);
        let _playing = Store::create(&path, &plan).unwrap();
        // Without a folder for the key, no store has a mark.
        if UserKey::find().is_err() {
            return;
        }
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let connection = Connection::open(&path).unwrap();
                let give_up = Instant::now() + Duration::from_secs(60);
                for command in ["theirs", "ours"].iter().cycle() {
                    let set = "UPDATE settings SET value = json_set(value, '$.engine[0].cmd', ?1)
                        WHERE name = 'plan'";
                    connection.execute(set, [command]).unwrap();
                    if is_over.load(Ordering::Relaxed) || Instant::now() > give_up {
                        break;
                    }
                }
            });
            let reader = Store::open(&path).unwrap();
            let (mut trusted, mut refused) = (0, 0);
            while trusted + refused < 500 {
                match reader.trusted_plan(false) {
                    Ok(plan) => {
                        trusted += 1;
                        assert_eq!(plan.engines[0].command, Path::new("ours"));
                    }
                    Err(_) => refused += 1,
                }
                let StoredPlan { plan, trust, .. } = reader.stored_plan().unwrap();
                assert!(trust.is_err() || plan.engines[0].command == Path::new("ours"));
            }
            is_over.store(true, Ordering::Relaxed);
            assert!(trusted > 0 && refused > 0, "{trusted} {refused}");
        });
    }
}
