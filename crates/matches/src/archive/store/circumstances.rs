//! The circumstances of a match: version of the arbiter, machine, time, and programs.

use std::env::consts::{ARCH, OS};
use std::thread;

use procfs_core::{CpuInfo, FromRead};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::settings::Files;
use super::{Store, settings};
use crate::archive::error::{ArchiveError, Reason};

/// SQL expression for the current time in UTC, as text.
const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

/// Circumstances of a match, as far as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Version of the arbiter at the start.
    pub arbiter: Option<String>,
    /// Machine at the start.
    pub machine: Option<String>,
    /// Time of the start in UTC, such as `2030-01-31T09:00:00Z`.
    pub begun: Option<String>,
    /// Seconds from the start to the end of the last game.
    pub seconds: Option<u64>,
    /// SHA-256 of each engine's program, in the order of the plan.
    pub programs: Vec<Option<String>>,
}

/// Stores the machine and the time at the start of a match.
pub fn begin(transaction: &Transaction<'_>) -> Result<(), Reason> {
    settings::replace(transaction, "machine", &machine())?;
    let insert = format!("INSERT INTO settings (name, value) VALUES ('begun', {NOW})");
    transaction.execute(&insert, [])?;
    Ok(())
}

/// Stores the current time as the end of the last game, and that a game was added.
pub fn note_game(transaction: &Transaction<'_>) -> Result<(), Reason> {
    let replace = format!("REPLACE INTO settings (name, value) VALUES ('last-game', {NOW})");
    transaction.prepare_cached(&replace)?.execute([])?;
    increment(transaction, ADDED)
}

pub fn note_removal(transaction: &Transaction<'_>) -> Result<(), Reason> {
    increment(transaction, REMOVED)
}

fn increment(transaction: &Transaction<'_>, name: &str) -> Result<(), Reason> {
    let increment = "INSERT INTO settings (name, value) VALUES (?1, '1')
        ON CONFLICT DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)";
    transaction.prepare_cached(increment)?.execute([name])?;
    Ok(())
}

/// Settings that count the games added and removed.
const ADDED: &str = "games-added";
const REMOVED: &str = "games-removed";

/// Numbers of games added to a store and removed from it, which tell a reader whether it has changed.
///
/// SQLite's `data_version` tells that, too, but only to a connection that stays open; such a reader would keep the
/// arbiter from moving its log into the store at the end of the match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub added: u64,
    pub removed: u64,
}

impl Store {
    /// Returns the numbers of games added and removed so far.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn changes(&self) -> Result<Changes, ArchiveError> {
        let number = |connection: &Connection, name: &str| {
            let text = settings::find(connection, name)?.unwrap_or_else(|| "0".to_string());
            let wrong = |error| Reason::content(format!("setting {name} {text:?}"), &error);
            text.parse().map_err(wrong)
        };
        self.snapshot(|snapshot| {
            Ok(Changes { added: number(snapshot, ADDED)?, removed: number(snapshot, REMOVED)? })
        })
    }

    /// Reads the circumstances of the match.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be read.
    pub fn circumstances(&self) -> Result<Circumstances, ArchiveError> {
        let read = || -> Result<Circumstances, Reason> {
            let setting = |name: &str| settings::find(&self.connection, name);
            let seconds = "SELECT unixepoch(last.value) - unixepoch(first.value)
                FROM settings AS first, settings AS last
                WHERE first.name = 'begun' AND last.name = 'last-game'";
            let seconds = self.connection.query_row(seconds, [], |row| row.get(0));
            let files: Files = settings::parsed(&self.connection, settings::FILES)?;
            Ok(Circumstances {
                arbiter: setting("arbiter")?,
                machine: setting("machine")?,
                begun: setting("begun")?,
                seconds: seconds.optional()?.flatten(),
                programs: files.engines.into_iter().map(|files| files.sha256).collect(),
            })
        };
        self.check(read())
    }
}

/// Describes the machine, for example `linux x86_64, 2 processors, AMD EPYC`.
fn machine() -> String {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut words = format!("{OS} {ARCH}, {processors} processors");
    let processors = CpuInfo::from_file("/proc/cpuinfo").ok();
    if let Some(model) = processors.as_ref().and_then(|known| known.model_name(0)) {
        words += &format!(", {model}");
    }
    words
}
