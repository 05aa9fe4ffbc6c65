//! Machines that were set aside in a match on several machines, and their games that no longer count.

use rusqlite::{Connection, params};

use super::reading::Ascending;
use super::{Extent, Store, reading, writing};
use crate::archive::error::{ArchiveError, Reason};
use crate::record::digest::StoredGame;

const KEEP_OUT: &str = "INSERT INTO kept_out (game, worker, line) VALUES (?1, ?2, ?3)";

/// Number of games to move at a time; all of them are in memory.
const AT_A_TIME: u32 = 200;

/// A machine that was set aside: it plays no more, and its games may not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    pub worker: String,
    /// Reason, in one sentence.
    pub reason: String,
    /// Number of its games that no longer count.
    pub games: u64,
}

impl Store {
    /// Stores durably that a machine is set aside; [`Store::keep_out`] must follow. A machine that was set aside
    /// already keeps its reason.
    ///
    /// # Errors
    /// [`ArchiveError`] if this cannot be written.
    pub fn set_aside(&mut self, worker: &str, reason: &str) -> Result<(), ArchiveError> {
        let insert = "INSERT OR IGNORE INTO set_aside (worker, reason) VALUES (?1, ?2)";
        let written = self.connection.execute(insert, params![worker, reason]);
        self.check(written.map(drop).map_err(Reason::from))
    }

    /// Moves the games of a machine to a separate table, so that they no longer count and their numbers can be played
    /// again. Returns these numbers. After an interruption, the next call moves the rest.
    ///
    /// # Errors
    /// [`ArchiveError`] if a game cannot be read or moved; games that were moved already stay moved.
    pub fn keep_out(&mut self, worker: &str) -> Result<Vec<u64>, ArchiveError> {
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

    /// Returns all machines that were set aside, by name, with the number of their games that no longer count.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn all_set_aside(&self) -> Result<Vec<SetAside>, ArchiveError> {
        let read = || -> Result<Vec<SetAside>, Reason> {
            let select = "SELECT worker, reason,
                (SELECT count(*) FROM kept_out WHERE kept_out.worker = set_aside.worker)
                FROM set_aside ORDER BY worker";
            let mut statement = self.connection.prepare(select)?;
            let mut order = Ascending::<String>::default();
            let mut rows = statement.query([])?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                order.check("set_aside", row.get(0)?)?;
                all.push(SetAside { worker: row.get(0)?, reason: row.get(1)?, games: row.get(2)? });
            }
            Ok(all)
        };
        self.check(read())
    }

    /// Calls `visit` with each game that no longer counts, oldest move first.
    ///
    /// # Errors
    /// [`ArchiveError`] if a game cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each_kept_out<E: From<ArchiveError>>(
        &self,
        mut visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        let mut read = || -> Result<(), Reason> {
            let select = "SELECT game, line FROM kept_out ORDER BY number";
            let mut statement = self.connection.prepare(select)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (game, line): (u64, String) = (row.get(0)?, row.get(1)?);
                let wrong = |error| Reason::content(format!("game {game}, not counted"), &error);
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

/// Moves some games of a machine with numbers above `after`; returns their numbers, or none if no game is left.
fn keep_out(connection: &mut Connection, worker: &str, after: u64) -> Result<Vec<u64>, Reason> {
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
        let wrong = |error| Reason::content(format!("game {number}"), &error);
        let line = serde_json::to_string(kept).map_err(wrong)?;
        transaction.prepare_cached(KEEP_OUT)?.execute(params![number, worker, line])?;
        writing::remove(&transaction, number)?;
    }
    transaction.commit()?;
    Ok(numbers)
}
