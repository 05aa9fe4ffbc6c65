//! The store: a match in one SQLite file, which can be resumed, exported and reported.
//!
//! The file appears under its name either with all settings, durable, or not at all. A game is durable when
//! [`Store::add`] returns. During a match the newest games are in a write-ahead log next to the file (`FILE-wal`), so
//! that a game costs one sync and other processes can read at the same time; at the end only the one file is left.
//! After a crash, the next process that opens the file finds all games in the two files.

mod circumstances;
mod lock;
mod reading;
mod schema;
mod settings;
mod trust;
mod writing;

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use super::error::{ArchiveError, Reason};
use super::user_key::UserKey;
use crate::input_file;
use crate::own_files;
use crate::plan::Plan;
use crate::plan::binary::ProgramFiles;
use crate::plan::rules::external::RulesPlan;
use crate::record::digest::StoredGame;
use crate::record::{GameRecord, Luck};
use lock::Lock;
use settings::{FILES, Files, RULES_OF_GAMES};

pub use circumstances::{Changes, Circumstances};
pub use reading::Extent;

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

/// The plan of a stored match, with what decides whether its programs may run: all as of one moment.
#[derive(Debug)]
pub struct StoredPlan {
    pub plan: Plan,
    /// The error with the commands that would run if another user made the store.
    pub trust: Result<(), ArchiveError>,
    /// A sentence if the rules program, or a file among its arguments, has changed since the match began or is missing.
    pub changed_rules: Option<String>,
    /// A sentence for each engine whose program, or a file among its arguments, has changed or is missing.
    pub changed_engines: Vec<String>,
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
            let flaws = writing::import(&mut connection, path, is_wanted)?;
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
        store.check(schema::check(&store.connection))?;
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

    /// Returns the place of a game in messages: the file and, in a record, the line.
    ///
    /// # Errors
    /// [`ArchiveError`] if there is no such game.
    pub fn place(&self, number: u64) -> Result<String, ArchiveError> {
        let file = self.path.display();
        if !self.is_record() {
            return Ok(file.to_string());
        }
        let select = "SELECT line FROM lines WHERE game = ?1";
        let line = self.connection.query_row(select, [number], |row| row.get::<_, u64>(0));
        let line = self.check(line.map_err(Reason::from))?;
        Ok(format!("{file}:{line}"))
    }

    /// Returns the first game of a record whose number occurs before, and its place.
    ///
    /// # Errors
    /// [`ArchiveError`] if the games cannot be read.
    pub fn repeated_game(&self) -> Result<Option<(u64, String)>, ArchiveError> {
        if !self.is_record() {
            return Ok(None);
        }
        let select = "SELECT number, game FROM lines WHERE number <> game ORDER BY line LIMIT 1";
        let numbers = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found = self.connection.query_row(select, [], numbers).optional();
        let found: Option<(u64, u64)> = self.check(found.map_err(Reason::from))?;
        found.map(|(number, game)| Ok((number, self.place(game)?))).transpose()
    }

    /// Returns the plan of the match.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file was modified so that the plan is invalid.
    pub fn plan(&self) -> Result<Plan, ArchiveError> {
        self.snapshot(settings::read)
    }

    /// Returns the plan if its programs may run: this user made the store, or `is_trusted`.
    ///
    /// # Errors
    /// As [`Store::plan`], and [`ArchiveError`] with the commands that would run.
    pub fn trusted_plan(&self, is_trusted: bool) -> Result<Plan, ArchiveError> {
        let (plan, trust) = self.snapshot(|snapshot| {
            let plan = settings::read(snapshot)?;
            let trust = if is_trusted { Ok(()) } else { trust::check(snapshot, &plan.engines) };
            Ok((plan, trust))
        })?;
        self.check(trust).map(|()| plan)
    }

    /// Returns the plan with what decides whether its programs may run.
    ///
    /// # Errors
    /// As [`Store::plan`].
    pub fn stored_plan(&self) -> Result<StoredPlan, ArchiveError> {
        self.snapshot(|snapshot| {
            let plan = settings::read(snapshot)?;
            let trust = self.check(trust::check(snapshot, &plan.engines));
            let (changed_rules, changed_engines) = settings::changed(snapshot, &plan)?;
            Ok(StoredPlan { plan, trust, changed_rules, changed_engines })
        })
    }

    /// `true` if the files of a rules program have changed since it played or last checked the stored games.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read.
    pub fn has_other_rules(&self, rules: &RulesPlan) -> Result<bool, ArchiveError> {
        let known = self.snapshot(|snapshot| match settings::find(snapshot, RULES_OF_GAMES)? {
            Some(_) => settings::parsed::<ProgramFiles>(snapshot, RULES_OF_GAMES).map(Some),
            None => Ok(settings::parsed::<Files>(snapshot, FILES)?.rules),
        })?;
        Ok(known.is_some_and(|known| known != ProgramFiles::of(&rules.program)))
    }

    /// Removes the games that are wrong by the rules, and notes that the others are valid by a rules program.
    ///
    /// # Errors
    /// [`ArchiveError`] if this cannot be written; then nothing has changed.
    pub fn drop_wrong(
        &mut self,
        wrong: &[u64],
        rules: Option<&RulesPlan>,
    ) -> Result<(), ArchiveError> {
        let files = rules.map(|rules| ProgramFiles::of(&rules.program));
        let files = files.map(|files| settings::json(RULES_OF_GAMES, &files)).transpose();
        let files = self.check(files)?;
        let setting = files.as_ref().map(|files| (RULES_OF_GAMES, files.as_str()));
        let written = writing::remove_all(&mut self.connection, wrong, setting);
        self.check(written)
    }

    /// Removes games, and replaces the note that says why, with a single sync.
    ///
    /// # Errors
    /// [`ArchiveError`] if this cannot be written; then nothing has changed.
    pub fn remove(&mut self, games: &[u64], note: &str, text: &str) -> Result<(), ArchiveError> {
        let setting = Some((&*note_name(note), text));
        let written = writing::remove_all(&mut self.connection, games, setting);
        self.check(written)
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
        self.check(reading::numbers(&self.connection, "luck IS NULL"))
    }

    /// Returns the numbers of all games, in order. A record may have several games with the same number; each but the
    /// first has another one here.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn numbers(&self) -> Result<Vec<u64>, ArchiveError> {
        self.check(reading::numbers(&self.connection, "true"))
    }

    /// Returns the game with one of the [`numbers`](Store::numbers); `None` if it is gone.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be read.
    pub fn game(&self, number: u64) -> Result<Option<StoredGame>, ArchiveError> {
        let mut found = None;
        let read = reading::for_each(&self.connection, Extent::Whole, Some(number), |game| {
            found = Some(game);
            true
        });
        self.check(read).map(|()| found)
    }

    /// Returns the identity of the evaluator of all luck in the store; `None` if there is none.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be read.
    pub fn luck_by(&self) -> Result<Option<String>, ArchiveError> {
        self.check(settings::find(&self.connection, settings::LUCK_BY))
    }

    /// Calls `visit` with each game, sorted by number, in a snapshot of the store. `extent` selects the parts of the
    /// games to read.
    ///
    /// # Errors
    /// [`ArchiveError`] if a game cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each_game<E: From<ArchiveError>>(
        &self,
        extent: Extent,
        mut visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        let read = reading::for_each(&self.connection, extent, None, |game| {
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
    schema::distrust(&connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

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

    #[test]
    fn a_plan_is_trusted_by_the_mark_of_the_same_moment() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("match.db");
        let engine = EngineSpec::new("a", "ours", Limit::nodes(1));
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
