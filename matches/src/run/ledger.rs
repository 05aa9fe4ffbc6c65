//! What becomes of the news of a match: a game that has ended is stored and recorded, then counted, then shown; and all
//! that happens is streamed.

use std::path::Path;

use thiserror::Error;

use crate::archive::record_file::{RecordFile, RecordFileError};
use crate::archive::store::{Store, StoreError};
use crate::output::OutputClosed;
use crate::plan::Plan;
use crate::play::interrupt::Interrupt;
use crate::play::runner::News;
use crate::record::GameRecord;
use crate::report::Report;
use crate::run::events::{EventError, EventFile};
use crate::run::progress::Progress;

/// Where the news of a match go, and what has been counted.
#[derive(Debug)]
pub struct Ledger {
    /// Where games are stored.
    pub store: Option<Store>,
    /// Where games are recorded.
    pub record_file: Option<RecordFile>,
    /// Where all that happens is streamed.
    pub events: Option<EventFile>,
    /// The games so far.
    pub report: Report,
    /// Games after which the tables are printed, over and over.
    pub report_every: Option<u64>,
    /// How many games were played once more.
    pub repeats: u64,
    /// Engines that were retired.
    pub retired: Vec<String>,
    /// Whether it has been said that the machine is too busy.
    pub has_warned: bool,
    /// Once the match is to end, nobody is waited for who does not read its records.
    pub interrupt: Interrupt,
}

/// Why news go nowhere any more.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// Nobody follows the match any more.
    #[error(transparent)]
    Output(#[from] OutputClosed),
    /// A game cannot be recorded.
    #[error("--record: game {game} cannot be recorded, nor any after it: {reason}")]
    Record {
        /// The number of the game.
        game: u64,
        /// The system's reason.
        reason: RecordFileError,
    },
    /// An event cannot be written.
    #[error("--events: {0}")]
    Events(#[from] EventError),
    /// What is known of machines cannot be stored or read.
    #[error("machines: {0}")]
    Machines(StoreError),
    /// A game cannot be stored.
    #[error("game {game} is the first that could not be stored: {reason}")]
    Store {
        /// The number of the game.
        game: u64,
        /// What keeps it from being stored.
        reason: StoreError,
    },
}

impl Ledger {
    /// Enters what has happened in a match with this plan. A game that cannot be kept is neither counted nor shown.
    ///
    /// # Errors
    /// [`LedgerError`]; the match is not to go on then.
    pub fn enter(
        &mut self,
        plan: &Plan,
        news: &News,
        progress: &Progress,
    ) -> Result<(), LedgerError> {
        if let News::Ended(record) = news {
            self.keep(&[record])?;
        }
        self.show(plan, news, progress)
    }

    /// Stores games, all of them or, on an error, none: the first half of what becomes of a game that has ended.
    ///
    /// # Errors
    /// [`LedgerError::Store`]; the match is not to go on then.
    pub fn keep(&mut self, records: &[&GameRecord]) -> Result<(), LedgerError> {
        let (Some(store), [first, ..]) = (&mut self.store, records) else {
            return Ok(());
        };
        let game = first.game;
        let stored = store.add_all(records);
        stored.map_err(|reason| LedgerError::Store { game, reason })
    }

    /// Records, counts and shows what has happened: the second half for a game, once it is stored.
    ///
    /// # Errors
    /// [`LedgerError`]; the match is not to go on then.
    pub fn show(
        &mut self,
        plan: &Plan,
        news: &News,
        progress: &Progress,
    ) -> Result<(), LedgerError> {
        match news {
            News::Ended(record) => {
                self.record(record)?;
                self.report.add(record);
                progress.game(record, &self.report)?;
                if let Some(warning) = self.report.warning().filter(|_| !self.has_warned) {
                    self.has_warned = true;
                    progress.say(&format!("{warning}\n"))?;
                }
                let played = self.report.played();
                if self
                    .report_every
                    .is_some_and(|every| played.is_multiple_of(every))
                {
                    progress.say(&format!("\n{}", self.report.text()))?;
                }
            }
            News::Again { game, reason } => {
                self.repeats += 1;
                progress.say(&format!("game {game} is replayed: {reason}\n"))?;
            }
            News::Retired { engine, failures } => {
                self.retired.push(engine.clone());
                progress.say(&format!(
                    "{engine} is retired: it failed {failures} times in a row; games with it are not played\n"
                ))?;
            }
            News::Begun(_) | News::Played { .. } => {}
        }
        if let Some(events) = &mut self.events {
            events.news(plan, news, &self.report)?;
        }
        Ok(())
    }

    /// Path of the file of recorded games, if any.
    pub(super) fn record_path(&self) -> Option<&Path> {
        self.record_file.as_ref().map(RecordFile::path)
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
