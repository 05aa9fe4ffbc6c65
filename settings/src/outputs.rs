//! What a match is written to, opened as the command line says.

use std::path::Path;

use thiserror::Error;

use crate::args::OutputArgs;
use matches::archive::record_file::RecordFile;
use matches::output::is_same_file;
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::report::Report;
use matches::run::events::EventFile;
use matches::run::ledger::Ledger;

/// Why a match cannot be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// A file is named twice.
    #[error("--{flag}: expected another file than the store")]
    Store {
        /// The flag that names it.
        flag: &'static str,
    },
    /// A file cannot be written.
    #[error("--{flag}: {reason}")]
    File {
        /// The flag that names it.
        flag: &'static str,
        /// The reason, with the file.
        reason: String,
    },
}

/// Opens what a match is written to, none of which is the file `store`; the ledger has no store yet.
///
/// # Errors
/// [`OutputError`]
pub fn open(
    report: Report,
    output: &OutputArgs,
    store: Option<&Path>,
) -> Result<(Ledger, Log), OutputError> {
    let files = [
        ("log", &output.log),
        ("record", &output.record),
        ("events", &output.events),
    ];
    for (flag, path) in files {
        if let Some((path, store)) = path.as_deref().zip(store)
            && is_same_file(path, store)
        {
            return Err(OutputError::Store { flag });
        }
    }
    let log = open_log(output.log.as_deref())?;
    let record_file = output.record.as_deref().map(RecordFile::append_to);
    let record_file = record_file.transpose().map_err(failed("record"))?;
    let events = output.events.as_deref().map(EventFile::create);
    let events = events.transpose().map_err(failed("events"))?;
    let ledger = Ledger {
        store: None,
        record_file,
        events,
        report,
        report_every: output.report_every,
        repeats: 0,
        retired: Vec::new(),
        has_warned: false,
        interrupt: Interrupt::new(),
    };
    Ok((ledger, log))
}

/// Opens the log of what engines say, where one is asked for.
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
    move |reason| OutputError::File {
        flag,
        reason: reason.to_string(),
    }
}
