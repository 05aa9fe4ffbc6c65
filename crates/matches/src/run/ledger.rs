//! The ledger of a match: stores, records, counts and shows each finished game, in this order, and streams all events.

use thiserror::Error;

use crate::archive::ArchiveError;
use crate::archive::record_file::RecordFile;
use crate::archive::store::Store;
use crate::output::OutputClosed;
use crate::plan::Plan;
use crate::play::interrupt::Interrupt;
use crate::play::runner::Event;
use crate::record::GameRecord;
use crate::report::Report;
use crate::run::events::EventFile;
use crate::run::progress::Progress;

/// Destinations of a match's events, and the totals so far.
#[derive(Debug)]
pub struct Ledger {
    pub store: Option<Store>,
    pub record_file: Option<RecordFile>,
    pub events: Option<EventFile>,
    pub report: Report,
    /// Number of games between interim tables.
    pub report_every: Option<u64>,
    /// Number of reruns.
    pub repeats: u64,
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
    /// Enters an event of a match with this plan. A game that cannot be stored is neither counted nor shown.
    ///
    /// # Errors
    /// [`LedgerError`]; the match must stop.
    pub fn enter(
        &mut self,
        plan: &Plan,
        event: &Event,
        progress: &Progress,
    ) -> Result<(), LedgerError> {
        if let Event::Ended(record) = event {
            self.keep(&[record])?;
        }
        self.show(plan, event, progress)
    }

    /// Stores all games or, on an error, none. This is the first half of entering a game.
    ///
    /// # Errors
    /// [`LedgerError::Store`]; the match must stop.
    pub fn keep(&mut self, records: &[&GameRecord]) -> Result<(), LedgerError> {
        let (Some(store), [first, ..]) = (&mut self.store, records) else {
            return Ok(());
        };
        let game = first.game;
        let stored = store.add(records);
        stored.map_err(|reason| LedgerError::Store { game, reason })
    }

    /// Records, counts and shows an event. For a finished game this is the second half, after it was stored.
    ///
    /// # Errors
    /// [`LedgerError`]; the match must stop.
    pub fn show(
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
                self.repeats += 1;
                progress.say(&format!("game {game} is rerun: {reason}\n"))?;
            }
            Event::Retired { engine, failures } => {
                self.retired.push(engine.clone());
                progress.say(&format!(
                    "{engine} is retired: it failed {failures} times in a row; games with it are not played\n"
                ))?;
            }
            Event::Begun(_) | Event::Played(_) => {}
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
