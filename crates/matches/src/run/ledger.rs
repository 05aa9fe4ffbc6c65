//! The ledger of a match: stores, records, counts and shows each finished game, in this order, and streams all events;
//! and the files that it writes to.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::display::Progress;
use super::events::EventFile;
use super::exit::ExitError;
use crate::archive::ArchiveError;
use crate::archive::record_file::RecordFile;
use crate::archive::store::Store;
use crate::output::OutputClosed;
use crate::own_files::{self, NamedFile, refuse_overwriting};
use crate::plan::{EngineSpec, Plan, binary};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::runner::Event;
use crate::record::GameRecord;
use crate::report::Report;
use crate::spelling::quote_path;

/// Destinations of a match's events, and the totals so far.
#[derive(Debug)]
pub struct Ledger {
    pub store: Option<Store>,
    pub record_file: Option<RecordFile>,
    pub events: Option<EventFile>,
    pub report: Report,
    /// Number of games between interim tables.
    pub report_every: Option<u64>,
    pub reruns: u64,
    pub retired: Vec<String>,
    /// Whether the warning about a busy machine was printed.
    pub has_warned: bool,
    /// Whether the warning about repeated games was printed.
    pub has_told_repeats: bool,
    /// Once it asks to stop, a slow reader of the records no longer blocks the match.
    pub interrupt: Interrupt,
}

/// Errors that stop a match.
#[derive(Debug, Error)]
pub enum LedgerError {
    #[error(transparent)]
    Output(#[from] OutputClosed),
    #[error("--record: game {game} and later games cannot be recorded: {reason}")]
    Record { game: u64, reason: ArchiveError },
    #[error("--events: {0}")]
    Events(ArchiveError),
    /// A source of games cannot read or write the store.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("game {game} and later games cannot be stored: {reason}")]
    Store { game: u64, reason: ArchiveError },
}

impl Ledger {
    /// Stores all games or, on an error, none. [`Ledger::enter`] must follow for each one.
    ///
    /// # Errors
    /// [`LedgerError::Store`]; the match must stop.
    pub fn store(&mut self, records: &[&GameRecord]) -> Result<(), LedgerError> {
        let (Some(store), [first, ..]) = (&mut self.store, records) else {
            return Ok(());
        };
        let game = first.game;
        let stored = store.add(records);
        stored.map_err(|reason| LedgerError::Store { game, reason })
    }

    /// Records, counts, shows and streams an event. A finished game must be stored already.
    ///
    /// # Errors
    /// [`LedgerError`]; the match must stop.
    pub fn enter(
        &mut self,
        plan: &Plan,
        event: &Event,
        progress: &Progress,
    ) -> Result<(), LedgerError> {
        match event {
            Event::Ended(record) => {
                self.record(record)?;
                self.report.add(record);
                progress.game(record, &self.report)?;
                let warning = self.report.fairness.warning();
                if let Some(warning) = warning.filter(|_| !self.has_warned) {
                    self.has_warned = true;
                    progress.say(&format!("{warning}\n"))?;
                }
                let repeats = self.report.repeats();
                if let Some(repeats) = repeats.filter(|_| !self.has_told_repeats) {
                    self.has_told_repeats = true;
                    progress.say(&format!("{repeats}\n"))?;
                }
                let played = self.report.played();
                if self.report_every.is_some_and(|every| played.is_multiple_of(every)) {
                    progress.say(&format!("\n{}", self.report.text()))?;
                }
            }
            Event::Rerun { game, reason } => {
                self.reruns += 1;
                progress.say(&format!("game {game} is rerun: {reason}\n"))?;
            }
            Event::Retired { engine, failures } => {
                self.retired.push(engine.clone());
                progress.say(&format!(
                    "{engine} is retired: it failed {failures} times in a row; games with it are not played\n"
                ))?;
            }
            Event::Begun(_) | Event::Ply(_) => {}
        }
        if let Some(events) = &mut self.events {
            let written = events.event(plan, event, &self.report);
            written.map_err(LedgerError::Events)?;
        }
        Ok(())
    }

    fn record(&mut self, record: &GameRecord) -> Result<(), LedgerError> {
        let game = record.game;
        if let Some(file) = &mut self.record_file {
            let written = file.write(record, || self.interrupt.ends());
            written.map_err(|reason| LedgerError::Record { game, reason })?;
        }
        Ok(())
    }
}

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
    /// Whether the first interrupt lets running games end, rather than drops them.
    pub finishes_games: bool,
}

impl Outputs {
    /// Refuses an output that is another file of the match: another output, the store, a file of an engine, or one of
    /// `inputs`.
    ///
    /// # Errors
    /// [`ExitError`] names two of them.
    pub(super) fn refuse_overwriting<'a>(
        &self,
        store: Option<NamedFile>,
        inputs: &[NamedFile],
        engines: impl IntoIterator<Item = &'a EngineSpec>,
    ) -> Result<(), ExitError> {
        let output = |flag, path: &Option<PathBuf>| {
            path.as_deref().map(|path| NamedFile::output(flag, path))
        };
        let mut files = Vec::new();
        files.extend(output("--log", &self.log));
        files.extend(output("--record", &self.record));
        files.extend(store);
        files.extend(output("--events", &self.events));
        files.extend_from_slice(inputs);
        files.extend(engines.into_iter().flat_map(files_of));
        refuse_overwriting(&files).map_err(ExitError::usage)
    }

    /// Opens the files except the log. If the match is `resumed` from its store, appends to the files, and adds the
    /// games that the record lacks. The ledger has no store yet.
    ///
    /// # Errors
    /// [`ExitError`] about the flag that names the file.
    pub fn open(
        &self,
        report: Report,
        resumed: Option<&Store>,
        interrupt: Interrupt,
    ) -> Result<Ledger, ExitError> {
        let record_file = self
            .record
            .as_deref()
            .map(|path| match resumed {
                Some(store) => RecordFile::complete(path, store),
                None => RecordFile::append_to(path),
            })
            .transpose()
            .map_err(failed("record"))?;
        let events = self.events.as_deref().map(|path| match resumed {
            Some(_) => EventFile::append_to(path),
            None => EventFile::create(path),
        });
        let events = events.transpose().map_err(failed("events"))?;
        Ok(Ledger {
            store: None,
            record_file,
            events,
            report,
            report_every: self.report_every,
            reruns: 0,
            retired: Vec::new(),
            has_warned: false,
            has_told_repeats: false,
            interrupt,
        })
    }

    /// Opens the log as [`open_log`] does.
    ///
    /// # Errors
    /// [`ExitError`] about the flag that names the file.
    pub fn open_log(&self, is_resumed: bool) -> Result<Log, ExitError> {
        // Engines start before the other files are opened, and must not see them if they exist.
        let others = [&self.record, &self.events].into_iter().flatten();
        others.for_each(|path| own_files::add(path));
        open_log(self.log.as_deref(), is_resumed)
    }

    /// The flags that name the files, each with a space before it, for the command that resumes the match.
    pub(super) fn flags(&self) -> String {
        let files = [("log", &self.log), ("record", &self.record), ("events", &self.events)];
        let flags = files.into_iter().filter_map(|(flag, path)| {
            path.as_deref().map(|path| format!(" --{flag} {}", quote_path(path)))
        });
        flags.collect()
    }
}

/// The engines and the rules program of a match, and the engine that measures its luck.
pub(super) fn programs<'a>(
    plan: &'a Plan,
    luck_engine: Option<&'a EngineSpec>,
) -> impl Iterator<Item = &'a EngineSpec> {
    let rules = plan.rules.program().map(|game| &game.plan().program);
    plan.engines.iter().chain(rules).chain(luck_engine)
}

/// The files of an engine, as far as its command and its options show.
pub fn files_of(engine: &EngineSpec) -> Vec<NamedFile> {
    // `--net=x` names a file as well as `--net x`.
    let arguments = engine.args.iter().flat_map(|text| [Some(text.as_str()), after_equals(text)]);
    let options = engine.options.iter().map(|(_, value)| value.as_str());
    let dir = engine.dir.as_deref().unwrap_or(Path::new(""));
    let named = arguments.flatten().chain(options).map(|value| dir.join(value));
    let name = format!("a file of engine {}", engine.name);
    let files = binary::file_of(&engine.command).into_iter().chain(named);
    files.map(|path| NamedFile::input(&name, &path)).collect()
}

fn after_equals(argument: &str) -> Option<&str> {
    argument.split_once('=').map(|(_, value)| value)
}

/// Opens the log of lines exchanged with engines, which a resumed match continues, or returns one that discards
/// everything.
///
/// # Errors
/// [`ExitError`] about the flag that names the file.
pub fn open_log(path: Option<&Path>, is_resumed: bool) -> Result<Log, ExitError> {
    let Some(path) = path else {
        return Ok(Log::none());
    };
    let log = if is_resumed { Log::append_to(path) } else { Log::create(path) };
    log.map_err(|error| ExitError::of_flag("log", format_args!("{}: {error}", path.display())))
}

fn failed<E: Display>(flag: &'static str) -> impl Fn(E) -> ExitError {
    move |reason| ExitError::of_flag(flag, reason)
}
