//! The tables of a store, and the settings of SQLite.

use rusqlite::{Connection, Error, Transaction};

use super::{Trouble, machines};

/// Number of the format, which identifies the set of tables.
pub const FORMAT: i64 = 3;

/// SQLite application ID of a store: "arbi" in ASCII.
const APPLICATION: i64 = 0x6172_6269;

/// Numbers of seats, turns and openings start at 1, those of engines at 0. `limit` has the form of `--engine`;
/// `arguments`, `options`, `argument_files` and `stderr` are JSON arrays; `estimate` and `shares` are in permille; `pv`
/// is words separated by spaces.
const TABLES: &str = "
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE openings (number INTEGER PRIMARY KEY, start TEXT, moves TEXT NOT NULL) STRICT;
CREATE TABLE engines (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    command TEXT NOT NULL,
    arguments TEXT NOT NULL,
    directory TEXT,
    options TEXT NOT NULL,
    \"limit\" TEXT NOT NULL,
    margin_ms INTEGER NOT NULL,
    legal INTEGER NOT NULL,
    ponder INTEGER NOT NULL,
    restart INTEGER NOT NULL,
    memory_mib INTEGER,
    sha256 TEXT,
    argument_files TEXT NOT NULL,
    id_name TEXT
) STRICT;
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    variant TEXT NOT NULL,
    start TEXT NOT NULL,
    moves TEXT NOT NULL,
    digest TEXT
) STRICT;
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    engine INTEGER NOT NULL REFERENCES engines,
    place INTEGER NOT NULL,
    ending TEXT NOT NULL,
    turns INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    depth_turns INTEGER NOT NULL,
    depths INTEGER NOT NULL,
    waited INTEGER NOT NULL DEFAULT 0,
    late_stops INTEGER NOT NULL DEFAULT 0,
    out_of_turn INTEGER NOT NULL DEFAULT 0,
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
";

/// Table that format 1 lacks.
const RERUNS: &str = "
CREATE TABLE reruns (
    game INTEGER NOT NULL REFERENCES games,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    reason TEXT NOT NULL,
    shares TEXT,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
";

/// Creates the tables in an empty database.
pub fn create(transaction: &Transaction<'_>) -> Result<(), Error> {
    transaction.execute_batch(TABLES)?;
    transaction.execute_batch(RERUNS)?;
    transaction.execute_batch(machines::TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}

/// Converts tables of format 1 to format 2, together with [`RERUNS`].
const FROM_FIRST: &str = "
ALTER TABLE games ADD COLUMN digest TEXT;
ALTER TABLE turns ADD COLUMN nodes INTEGER;
ALTER TABLE turns ADD COLUMN pv TEXT;
ALTER TABLE turns ADD COLUMN waited INTEGER;
ALTER TABLE turns ADD COLUMN late_stop INTEGER;
ALTER TABLE turns ADD COLUMN out_of_turn INTEGER;
ALTER TABLE seats ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seats ADD COLUMN late_stops INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seats ADD COLUMN out_of_turn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN flaw TEXT;
ALTER TABLE seats ADD COLUMN flaws INTEGER NOT NULL DEFAULT 0;
";

/// Temporary views of format 1 in the form of format 2, for a file that must not change.
const AS_FROM_FIRST: &str = "
CREATE TEMP VIEW games AS SELECT *, NULL AS digest FROM main.games;
CREATE TEMP VIEW turns AS
    SELECT *, NULL AS nodes, NULL AS pv, NULL AS waited, NULL AS late_stop, NULL AS out_of_turn,
        NULL AS flaw FROM main.turns;
CREATE TEMP VIEW seats AS SELECT *, 0 AS waited, 0 AS late_stops, 0 AS out_of_turn, 0 AS flaws
    FROM main.seats;
CREATE TEMP TABLE reruns (game INTEGER, number INTEGER, seat INTEGER, reason TEXT, shares TEXT);
";

/// Makes a store of any known format readable in the form of the current one.
pub fn read_as_current(connection: &Connection) -> Result<(), Trouble> {
    let format = check(connection)?;
    if format < 2 {
        connection.execute_batch(AS_FROM_FIRST)?;
    }
    if format < FORMAT {
        connection.execute_batch(machines::AS_IF_EMPTY)?;
    }
    Ok(())
}

/// Converts a store to the current format.
pub fn bring_up_to_date(connection: &mut Connection) -> Result<(), Trouble> {
    let format = check(connection)?;
    if format == FORMAT {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    if format < 2 {
        transaction.execute_batch(FROM_FIRST)?;
        transaction.execute_batch(RERUNS)?;
    }
    transaction.execute_batch(machines::TABLES)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(transaction.commit()?)
}

/// Returns the format of a store; an error for an unknown one.
fn check(connection: &Connection) -> Result<i64, Trouble> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id")? != APPLICATION {
        return Err(Trouble::NoStore);
    }
    match number("user_version")? {
        found @ 1..=FORMAT => Ok(found),
        found => Err(Trouble::Format { found }),
    }
}

/// Page cache for writing: in a large match on several machines, games arrive out of order and are inserted among
/// thousands of others.
const CACHE_KIB: i64 = 32 << 10;
/// Pages in the write-ahead log before a checkpoint, which writes a page that changed often only once.
const LOG_PAGES: i64 = 8 << 10;

/// Sets SQLite so that committed games survive a power failure.
pub fn be_durable(connection: &Connection) -> Result<(), Trouble> {
    let set_mode = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
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
