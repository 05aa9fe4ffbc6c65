//! The machines of a match on many machines: who played which game, who was set aside, and the games that are kept out
//! of the count for it.

use rusqlite::{Connection, Row, params};

use super::reading::Extent;
use super::{Store, StoreError, Trouble, reading};
use crate::record::Machine;
use crate::record::digest::KeptGame;

/// What format 2 did not have.
pub const TABLES: &str = "
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
CREATE TABLE set_aside (
    worker TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    keeps_out INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_out (
    number INTEGER PRIMARY KEY,
    game INTEGER NOT NULL,
    worker TEXT NOT NULL,
    line TEXT NOT NULL
) STRICT;
";

/// What lets tables of earlier formats be read as if these were there.
pub const AS_IF_EMPTY: &str = "
CREATE TEMP TABLE machines (game INTEGER, worker TEXT, slots INTEGER, micros INTEGER, lag_median INTEGER,
    lag_p99 INTEGER, speed INTEGER, time_scale INTEGER);
CREATE TEMP TABLE set_aside (worker TEXT, reason TEXT, keeps_out INTEGER);
CREATE TEMP TABLE kept_out (number INTEGER, game INTEGER, worker TEXT, line TEXT);
";

/// The query for the machine of a game.
pub const MACHINE: &str = "SELECT worker, slots, micros, lag_median, lag_p99, speed, time_scale
    FROM machines WHERE game = ?1";
const ADD: &str =
    "INSERT INTO machines (game, worker, slots, micros, lag_median, lag_p99, speed, time_scale)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const KEEP_OUT: &str = "INSERT INTO kept_out (game, worker, line) VALUES (?1, ?2, ?3)";

/// Games that are kept out of the count at a time: all of them are in memory.
const AT_A_TIME: u32 = 200;

/// A machine whose games do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// The name of its worker.
    pub worker: String,
    /// Why, in one sentence.
    pub reason: String,
    /// Whether games of it that were counted before are kept out.
    pub keeps_out: bool,
    /// How many of them are.
    pub games: u64,
}

/// Adds the machine of a game.
pub fn add(connection: &Connection, game: u64, machine: &Machine) -> Result<(), Trouble> {
    let Machine {
        worker,
        slots,
        micros,
        lag_median,
        lag_p99,
        speed,
        time_scale,
    } = machine;
    connection.prepare_cached(ADD)?.execute(params![
        game, worker, slots, micros, lag_median, lag_p99, speed, time_scale
    ])?;
    Ok(())
}

/// Reads what [`MACHINE`] finds.
pub fn machine(row: &Row<'_>) -> rusqlite::Result<Machine> {
    Ok(Machine {
        worker: row.get(0)?,
        slots: row.get(1)?,
        micros: row.get(2)?,
        lag_median: row.get(3)?,
        lag_p99: row.get(4)?,
        speed: row.get(5)?,
        time_scale: row.get(6)?,
    })
}

impl Store {
    /// Notes that a machine is set aside, durably, and whether its games are to be kept out by [`Store::keep_out`]; a
    /// machine that is so already keeps its reason.
    ///
    /// # Errors
    /// [`StoreError::Database`] where that cannot be written.
    pub fn set_aside(
        &mut self,
        worker: &str,
        reason: &str,
        keeps_out: bool,
    ) -> Result<(), StoreError> {
        let insert =
            "INSERT OR IGNORE INTO set_aside (worker, reason, keeps_out) VALUES (?1, ?2, ?3)";
        let written = self
            .connection
            .execute(insert, params![worker, reason, keeps_out]);
        self.check(written.map(drop).map_err(Trouble::from))
    }

    /// Takes the games of a machine out of the count: they are kept apart, and their numbers are free for others.
    /// Returns these numbers. Whoever is stopped meanwhile calls it again.
    ///
    /// # Errors
    /// [`StoreError`] where the games cannot be read or moved; those that were moved before stay so.
    pub fn keep_out(&mut self, worker: &str) -> Result<Vec<u64>, StoreError> {
        let mut numbers: Vec<u64> = Vec::new();
        loop {
            let after = numbers.last().copied().unwrap_or(0);
            let moved = keep_out(&mut self.connection, worker, after);
            let moved = self.check(moved)?;
            if moved.is_empty() {
                return Ok(numbers);
            }
            numbers.extend(moved);
        }
    }

    /// The machines that were set aside, by their names, with the number of games of each that are kept out.
    ///
    /// # Errors
    /// [`StoreError::Database`] where they cannot be read.
    pub fn all_set_aside(&self) -> Result<Vec<SetAside>, StoreError> {
        let read = || -> Result<Vec<SetAside>, Trouble> {
            let select = "SELECT worker, reason, keeps_out,
                (SELECT count(*) FROM kept_out WHERE kept_out.worker = set_aside.worker)
                FROM set_aside ORDER BY worker";
            let mut statement = self.connection.prepare(select)?;
            let all = statement.query_map([], |row| {
                Ok(SetAside {
                    worker: row.get(0)?,
                    reason: row.get(1)?,
                    keeps_out: row.get(2)?,
                    games: row.get(3)?,
                })
            });
            Ok(all?.collect::<Result<_, _>>()?)
        };
        self.check(read())
    }

    /// Calls `visit` with each game that is kept out, in the order in which they were.
    ///
    /// # Errors
    /// [`StoreError`] where a game cannot be read, and the first error of `visit`, which ends the reading.
    pub fn for_each_kept_out<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(KeptGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        let mut read = || -> Result<(), Trouble> {
            let select = "SELECT game, line FROM kept_out ORDER BY number";
            let mut statement = self.connection.prepare(select)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (game, line): (u64, String) = (row.get(0)?, row.get(1)?);
                let wrong = |error| Trouble::content(format!("game {game}, kept out"), &error);
                outcome = visit(serde_json::from_str(&line).map_err(wrong)?);
                if outcome.is_err() {
                    break;
                }
            }
            Ok(())
        };
        let read = read();
        self.check(read)?;
        outcome
    }
}

/// Moves some games of a machine with higher numbers; returns these, none where no game is left.
fn keep_out(connection: &mut Connection, worker: &str, after: u64) -> Result<Vec<u64>, Trouble> {
    let numbers: Vec<u64> = {
        let select =
            "SELECT game FROM machines WHERE game > ?1 AND worker = ?2 ORDER BY game LIMIT ?3";
        let mut statement = connection.prepare(select)?;
        let numbers = statement.query_map(params![after, worker, AT_A_TIME], |row| row.get(0))?;
        numbers.collect::<Result<_, _>>()?
    };
    let mut games = Vec::new();
    for &number in &numbers {
        reading::for_each(connection, Extent::Whole, Some(number), |kept| {
            games.push(kept);
            true
        })?;
    }
    let transaction = connection.transaction()?;
    for kept in &games {
        let number = kept.record.game;
        let wrong = |error| Trouble::content(format!("game {number}"), &error);
        let line = serde_json::to_string(kept).map_err(wrong)?;
        transaction
            .prepare_cached(KEEP_OUT)?
            .execute(params![number, worker, line])?;
        for delete in [
            "DELETE FROM machines WHERE game = ?1",
            "DELETE FROM replays WHERE game = ?1",
            "DELETE FROM faults WHERE game = ?1",
            "DELETE FROM turns WHERE game = ?1",
            "DELETE FROM seats WHERE game = ?1",
            "DELETE FROM games WHERE number = ?1",
        ] {
            transaction.prepare_cached(delete)?.execute([number])?;
        }
    }
    transaction.commit()?;
    Ok(numbers)
}
