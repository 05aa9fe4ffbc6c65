//! Setting workers aside: their games no longer count.

use std::collections::HashMap;

use matches::archive::store::Extent;
use matches::play::runner::Retirement;
use matches::record::printable::printable;
use matches::run::announcement::count;
use matches::run::exit::complain;
use matches::run::ledger::LedgerError;
use matches::run::past::{LastFailures, Past};

use super::{Collector, DriveError};
use crate::message::AsideTally;
use crate::signature::id_in;

impl Collector<'_> {
    /// Reads the names of the workers, and which of them are set aside, from the store.
    pub(super) fn recall_workers(&mut self) -> Result<(), DriveError> {
        let Some(store) = &self.planned.ledger.store else {
            return Ok(());
        };
        for aside in store.all_set_aside()? {
            note_name(&mut self.workers, &aside.worker);
            self.set_aside.insert(id_in(&aside.worker).to_string());
            let (reason, games) = (aside.reason, aside.games);
            let tally = AsideTally { reason, games };
            self.tally.set_aside.insert(aside.worker, tally);
        }
        let workers = &mut self.workers;
        store.for_each_game(Extent::Summary, None, |game| {
            if let Some(machine) = &game.record.machine {
                note_name(workers, &machine.worker);
            }
            Ok::<(), DriveError>(())
        })
    }

    /// Sets a worker aside, so that its messages are no longer looked at; [`Collector::take_out`] must follow.
    pub(super) fn set_aside(&mut self, worker: &str, reason: &str) {
        if !self.set_aside.insert(id_in(worker).to_string()) {
            return;
        }
        let text = format!("worker {worker} is set aside: {reason}");
        complain(printable(&text));
        note_name(&mut self.workers, worker);
        self.changes.uncounted.extend(self.sample.forget(worker));
        self.leaving.push((worker.to_string(), reason.to_string()));
    }

    /// Takes the games of workers that were just set aside out of the store and of all counts, to be played by others.
    pub(super) fn take_out(&mut self) -> Result<(), DriveError> {
        let leaving = std::mem::take(&mut self.leaving);
        let Some(store) = self.planned.ledger.store.as_mut().filter(|_| !leaving.is_empty()) else {
            return Ok(());
        };
        let mut games_of = Vec::with_capacity(leaving.len());
        for (worker, reason) in &leaving {
            store.set_aside(worker, reason)?;
            games_of.push(store.keep_out(worker)?);
        }
        self.planned.ledger.report.set_aside(store.all_set_aside()?);
        let mut games = games_of.iter().flatten().peekable();
        if games.peek().is_some() {
            let units = games.map(|&game| self.units.of_game(game));
            self.changes.uncounted.extend(units);
            self.count_again()?;
        }
        for ((worker, reason), games) in leaving.into_iter().zip(games_of) {
            let ledger = &mut self.planned.ledger;
            if let Some(events) = &mut ledger.events {
                let written = events.set_aside(&worker, &reason, &games, &ledger.report);
                written.map_err(LedgerError::Events)?;
            }
            if !games.is_empty() {
                self.tally.workers.entry(worker.clone()).or_default().games = 0;
                let games = count(games.len() as u64, "game");
                let text = format!("{games} of worker {worker} not counted; given out again");
                complain(printable(&text));
            }
            let tally = AsideTally { reason, games: games.len() as u64 };
            self.tally.set_aside.insert(worker, tally);
        }
        Ok(())
    }

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

fn note_name(workers: &mut HashMap<String, String>, name: &str) {
    let id = id_in(name).to_string();
    workers.entry(id).or_insert_with(|| name.to_string());
}
