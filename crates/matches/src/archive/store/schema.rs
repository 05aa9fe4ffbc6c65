//! The tables of a store, and the settings of SQLite.

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, Row, Transaction};

use crate::archive::error::Reason;

/// Number of the format, which identifies the set of tables.
pub const FORMAT: i64 = 1;

/// SQLite application ID of a store: "arbi" in ASCII.
const APPLICATION: i64 = 0x6172_6269;

/// Numbers of seats and turns start at 1, those of engines at 0, as in the plan, which is the setting `plan`, as JSON.
/// `stderr` is a JSON array, `luck` a JSON object; `estimate` and `shares` are in permille; `pv` is words separated by
/// spaces. The setting `luck-by` names the evaluator of all luck.
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
    luck TEXT
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
CREATE TABLE faults (
    game INTEGER PRIMARY KEY REFERENCES games,
    seat INTEGER NOT NULL,
    reason TEXT NOT NULL,
    stderr TEXT NOT NULL,
    evidence TEXT
) STRICT;
CREATE TABLE reruns (
    game INTEGER NOT NULL REFERENCES games,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    reason TEXT NOT NULL,
    shares TEXT,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE machines (
    game INTEGER PRIMARY KEY REFERENCES games,
    worker TEXT NOT NULL,
    slots INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    lag_median INTEGER NOT NULL,
    lag_p99 INTEGER NOT NULL,
    speed INTEGER,
    time_scale INTEGER
) STRICT;
";

/// Name of the table that only a store in memory has, for the games of a record.
pub const LINES: &str = "lines";

/// Table of a store in memory for the games of a record: each game's line, number and seed in the file. In the other
/// tables, no number of a game occurs twice.
const TABLE_OF_LINES: &str = "
CREATE TABLE lines (
    game INTEGER PRIMARY KEY REFERENCES games,
    line INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seed TEXT NOT NULL
) STRICT;
";

/// Creates the tables for the games of a record in an empty database.
pub fn create_for_record(transaction: &Transaction<'_>) -> Result<(), Error> {
    transaction.execute_batch(TABLES)?;
    transaction.execute_batch(TABLE_OF_LINES)
}

/// Creates the tables in an empty database.
pub fn create(transaction: &Transaction<'_>) -> Result<(), Error> {
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}

/// Checks that a database is a store of the current format.
pub fn check(connection: &Connection) -> Result<(), Reason> {
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
const MAX_BYTES: i32 = 1 << 26;

/// Restricts a connection to a file of unknown origin.
pub fn distrust(connection: &Connection) -> Result<(), Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_BYTES)?;
    Ok(())
}

/// Page cache for writing: in a large match on several machines, games arrive out of order and are inserted among
/// thousands of others.
const CACHE_KIB: i64 = 32 << 10;
/// Pages in the write-ahead log before a checkpoint, which writes a page that changed often only once.
const LOG_PAGES: i64 = 8 << 10;

/// Sets SQLite so that committed games survive a power failure.
pub fn be_durable(connection: &Connection) -> Result<(), Reason> {
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
pub fn be_one_file(connection: &Connection) -> Result<(), Error> {
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))
}
