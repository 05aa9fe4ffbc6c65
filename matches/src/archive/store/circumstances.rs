//! The circumstances of a match: version of the arbiter, machine, time, and programs.

use std::env::consts::{ARCH, OS};
use std::thread;

use procfs_core::{CpuInfo, FromRead};
use rusqlite::{OptionalExtension, Transaction, params};

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
    let insert = "INSERT INTO settings (name, value) VALUES ('machine', ?1)";
    transaction.execute(insert, params![machine()])?;
    let insert = format!("INSERT INTO settings (name, value) VALUES ('begun', {NOW})");
    transaction.execute(&insert, [])?;
    Ok(())
}

/// Stores the current time as the end of the last game.
pub fn note_game(transaction: &Transaction<'_>) -> Result<(), Reason> {
    let replace = format!("REPLACE INTO settings (name, value) VALUES ('last-game', {NOW})");
    transaction.prepare_cached(&replace)?.execute([])?;
    Ok(())
}

impl Store {
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
            let programs = "SELECT sha256 FROM engines ORDER BY number";
            Ok(Circumstances {
                arbiter: setting("arbiter")?,
                machine: setting("machine")?,
                begun: setting("begun")?,
                seconds: seconds.optional()?.flatten(),
                programs: settings::column(&self.connection, programs)?,
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
