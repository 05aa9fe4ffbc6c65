//! Setting workers aside: their games no longer count.

use std::collections::HashMap;

use matches::archive::store::Extent;
use matches::play::runner::Retirement;
use matches::record::printable::printable;
use matches::run::announcement::count;
use matches::run::exit::complain;
use matches::run::ledger::LedgerError;
use matches::run::past::{LastFailures, Past};

use super::{Changes, Collector, DriveError};
use crate::message::AsideTally;
use crate::signature::id_in;

/// Maximum number of workers that are set aside for one game alone.
const MOST_ASIDE: usize = 1000;

impl Collector<'_> {
    /// Judges all workers by all their games; returns the units that must be played again.
    pub async fn judge_workers(&mut self) -> Result<Changes, DriveError> {
        while let Some((worker, reason)) = self.quarantine.last_look() {
            self.set_unfit_aside(&worker, &reason)?;
        }
        Ok(std::mem::take(&mut self.changes))
    }

    /// Reads from the store which workers are set aside and how all of them did.
    pub(super) fn recall_workers(&mut self) -> Result<(), DriveError> {
        let Some(store) = &self.planned.ledger.store else {
            return Ok(());
        };
        for aside in store.all_set_aside()? {
            note_name(&mut self.workers, &aside.worker);
            self.set_aside.push(aside.worker.clone());
            let (reason, games) = (aside.reason, aside.games);
            let tally = AsideTally { reason, games };
            self.tally.set_aside.insert(aside.worker, tally);
        }
        let (quarantine, workers) = (&mut self.quarantine, &mut self.workers);
        store.for_each_game(Extent::Summary, None, |game| {
            if let Some(machine) = &game.record.machine {
                note_name(workers, &machine.worker);
            }
            // If this game makes a worker unfit, its next games show that again.
            let _ = quarantine.note(&game.record);
            Ok::<(), DriveError>(())
        })
    }

    /// Sets aside a worker with far more faults or lag than the others.
    pub(super) fn set_unfit_aside(&mut self, worker: &str, reason: &str) -> Result<(), DriveError> {
        if self.set_aside.iter().any(|known| known == worker) {
            return Ok(());
        }
        let text = format!("worker {worker} is set aside: {reason}");
        complain(printable(&text));
        self.set_worker_aside(worker, reason)
    }

    /// Sets aside a worker that sent a refused game. New keys cost nothing, so too many that have sent no other game
    /// are only refused.
    pub(super) fn set_inventor_aside(
        &mut self,
        worker: &str,
        game: u64,
        reason: &str,
    ) -> Result<(), DriveError> {
        let text = format!("game {game} by worker {worker} is refused: {reason}");
        if self.set_aside.len() >= MOST_ASIDE && !self.workers.contains_key(id_in(worker)) {
            self.report_refusal(&text);
            return Ok(());
        }
        self.workers.insert(id_in(worker).to_string(), worker.to_string());
        complain(format_args!("{}; the worker is set aside", printable(&text)));
        self.set_worker_aside(worker, &format!("game {game} is refused: {reason}"))
    }

    /// Sets a worker aside; the games that leave the count are given out again.
    fn set_worker_aside(&mut self, worker: &str, reason: &str) -> Result<(), DriveError> {
        self.quarantine.forget(worker);
        let unclaimed = self.sample.forget(worker);
        self.changes.uncounted.extend(unclaimed);
        self.set_aside.push(worker.to_string());
        let games = self.take_out(worker, reason)?;
        let tally = AsideTally { reason: reason.to_string(), games: games.len() as u64 };
        self.tally.set_aside.insert(worker.to_string(), tally);
        if !games.is_empty() {
            let tally = self.tally.workers.entry(worker.to_string()).or_default();
            tally.games = 0;
            let games = count(games.len() as u64, "game");
            let text = format!("{games} of worker {worker} not counted; given out again");
            complain(printable(&text));
        }
        Ok(())
    }

    /// Takes a worker's games out of the store and of all counts; returns their numbers.
    fn take_out(&mut self, worker: &str, reason: &str) -> Result<Vec<u64>, DriveError> {
        let ledger = &mut self.planned.ledger;
        let Some(store) = &mut ledger.store else {
            return Ok(Vec::new());
        };
        let keeps_out = self.quarantine.is_on();
        store.set_aside(worker, reason, keeps_out)?;
        let games = match keeps_out {
            true => store.keep_out(worker)?,
            false => Vec::new(),
        };
        ledger.report.set_aside(store.all_set_aside()?);
        if !games.is_empty() {
            self.count_again()?;
            let units = games.iter().map(|&game| self.units.of_game(game));
            self.changes.uncounted.extend(units);
        }
        let ledger = &mut self.planned.ledger;
        if let Some(events) = &mut ledger.events {
            let written = events.set_aside(worker, reason, &games, &ledger.report);
            written.map_err(LedgerError::Events)?;
        }
        Ok(games)
    }

    /// Counts all games in the store again.
    fn count_again(&mut self) -> Result<(), DriveError> {
        let Some(store) = &self.planned.ledger.store else {
            return Ok(());
        };
        let mut past = Past::of(store, self.plan)?;
        for (engine, failures) in past.failures.iter_mut().enumerate() {
            if !self.retirement.has_retired(engine) && self.plan.patience.retires(*failures) {
                // `--forgive` has reset these failures.
                *failures = 0;
            }
        }
        self.planned.ledger.retired = past.retired(self.plan);
        self.retirement = Retirement::new(self.plan, &past.failures);
        self.last_failures = LastFailures::default();
        self.planned.ledger.report = past.report.clone();
        self.planned.past = past;
        Ok(())
    }
}

/// Notes the name of a worker in the store.
fn note_name(workers: &mut HashMap<String, String>, name: &str) {
    let id = id_in(name).to_string();
    workers.entry(id).or_insert_with(|| name.to_string());
}
