//! Files that a match writes besides its store.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::events::EventFile;
use super::is_store;
use super::ledger::Ledger;
use crate::archive::record_file::RecordFile;
use crate::own_files;
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::report::Report;

/// Files and tables that a match writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Log of every line exchanged with the engines.
    pub log: Option<PathBuf>,
    /// File of finished games, one JSON object per line.
    pub record: Option<PathBuf>,
    /// Stream of all events, one JSON object per line.
    pub events: Option<PathBuf>,
    /// Number of games between interim tables.
    pub report_every: Option<u64>,
    /// Effect of the first interrupt.
    pub on_interrupt: OnInterrupt,
}

/// Effect of an interrupt on running games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInterrupt {
    /// Drops them.
    #[default]
    Drop,
    /// Lets them finish.
    Finish,
}

/// Errors that keep an output from being opened.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The file is the match's own store.
    #[error("--{flag}: expected a file other than the store")]
    Store {
        /// The flag that names it.
        flag: &'static str,
    },
    /// The file cannot be written.
    #[error("--{flag}: {reason}")]
    File {
        /// The flag that names it.
        flag: &'static str,
        /// The reason, with the file.
        reason: String,
    },
}

impl Outputs {
    /// Opens the files except the log; they must differ from the file `store`. The ledger has no store yet.
    ///
    /// # Errors
    /// [`OutputError`]
    pub fn open(
        &self,
        report: Report,
        store: Option<&Path>,
        interrupt: Interrupt,
    ) -> Result<Ledger, OutputError> {
        refuse_store("record", self.record.as_deref(), store)?;
        refuse_store("events", self.events.as_deref(), store)?;
        let record_file = self.record.as_deref().map(RecordFile::append_to);
        let record_file = record_file.transpose().map_err(failed("record"))?;
        let events = self.events.as_deref().map(EventFile::create);
        let events = events.transpose().map_err(failed("events"))?;
        Ok(Ledger {
            store: None,
            record_file,
            events,
            report,
            report_every: self.report_every,
            repeats: 0,
            retired: Vec::new(),
            has_warned: false,
            has_told_repeats: false,
            interrupt,
        })
    }

    /// Opens the log, which must differ from the file `store`.
    ///
    /// # Errors
    /// [`OutputError`]
    pub fn open_log(&self, store: Option<&Path>) -> Result<Log, OutputError> {
        refuse_store("log", self.log.as_deref(), store)?;
        // Engines start before the other files are opened, and must not see them if they exist.
        let others = [&self.record, &self.events].into_iter().flatten();
        others.for_each(|path| own_files::add(path));
        open_log(self.log.as_deref())
    }
}

fn refuse_store(
    flag: &'static str,
    path: Option<&Path>,
    store: Option<&Path>,
) -> Result<(), OutputError> {
    match path {
        Some(path) if is_store(path, store) => Err(OutputError::Store { flag }),
        _ => Ok(()),
    }
}

/// Opens the log of lines exchanged with engines, or returns one that discards everything.
///
/// # Errors
/// [`OutputError::File`]
pub fn open_log(path: Option<&Path>) -> Result<Log, OutputError> {
    let Some(path) = path else {
        return Ok(Log::none());
    };
    let named = |error| format!("{}: {error}", path.display());
    Log::create(path).map_err(|error| failed("log")(named(error)))
}

fn failed<E: ToString>(flag: &'static str) -> impl Fn(E) -> OutputError {
    move |reason| OutputError::File { flag, reason: reason.to_string() }
}
