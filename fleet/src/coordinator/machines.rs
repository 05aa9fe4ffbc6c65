//! What a coordinator does about machines: whose games count, and for which speed the limits of time are meant.

use matches::archive::store::{Store, StoreError};
use matches::plan::seed::Seed;
use matches::play::interrupt::Interrupt;
use matches::play::runner::Retirement;
use matches::record::GameRecord;
use matches::record::digest::KeptGame;
use matches::record::printable::printable;
use matches::run::announcement::count;
use matches::run::exit::complain;
use matches::run::ledger::LedgerError;
use matches::run::past::Past;

use super::drive::{Drive, DriveError};
use super::prepared::Prepared;
use super::retiring::{self, LastFailures};
use crate::args::ServerArgs;
use crate::check::{Refusal, check};
use crate::message::{AsideTally, Outcome};
use crate::plan_file::NO_SEED;
use crate::queue::Bucket;
use crate::time_scale;
use crate::worker::machine::measure_speed;

/// The note of a store that has the speed for which its limits of time are meant.
const SPEED_NOTE: &str = "fleet-reference-speed";

/// A game with what the coordinator alone knows: the name under which its worker counts, and the seed of the match.
pub(super) fn completed(mut outcome: Outcome, worker: &str, seed: Seed) -> Outcome {
    let game = &mut outcome.game;
    let machine = game.record.machine.get_or_insert_default();
    machine.worker = worker.to_string();
    if game.record.seed == NO_SEED {
        let is_whole = game.digest.as_ref() == Some(&game.record.digest());
        game.record.seed = seed;
        // A digest that was wrong before stays so; that of the game with its seed is made where it is stored.
        if is_whole {
            game.digest = None;
        }
    }
    outcome
}

/// Takes the games out of the count that an earlier coordinator could not.
pub(super) fn keep_out(store: &mut Store) -> Result<(), StoreError> {
    for aside in store.all_set_aside()? {
        if aside.keeps_out {
            store.keep_out(&aside.worker)?;
        }
    }
    Ok(())
}

/// The speed for which the limits of time of a match are meant, or `None` where they hold on all machines; the error
/// says why they cannot be scaled as was asked for.
pub(super) fn reference_speed(
    prepared: &mut Prepared,
    server: &ServerArgs,
) -> Result<Option<u64>, String> {
    let store = prepared.ledger.store.as_mut().filter(|_| !prepared.is_new);
    if let Some(store) = store {
        let known = store.note(SPEED_NOTE).map_err(|error| error.to_string())?;
        let known: Option<u64> = known.and_then(|text| text.parse().ok());
        return match server.scale_time {
            Some(asked) if asked > 0 && Some(asked) != known => Err(format!(
                "--scale-time {asked}: the match was begun with {}, expected the same or nothing",
                known.map_or("none".to_string(), |known| known.to_string())
            )),
            _ => Ok(known),
        };
    }
    let Some(asked) = server.scale_time else {
        return Ok(None);
    };
    if !time_scale::is_timed(&prepared.plan) {
        return Err(
            "--scale-time: no engine is limited by time, expected --tc or --movetime".to_string(),
        );
    }
    let own = || measure_speed(1, &Interrupt::new());
    let speed = match asked {
        0 => tokio::task::block_in_place(own)
            .ok_or("--scale-time: the speed of this machine is not known")?,
        asked => asked,
    };
    if let Some(store) = &mut prepared.ledger.store {
        let noted = store.set_note(SPEED_NOTE, &speed.to_string());
        noted.map_err(|error| error.to_string())?;
    }
    Ok(Some(speed))
}

impl Drive<'_> {
    /// Recalls what the store says of machines.
    pub(super) fn remember(&mut self) -> Result<(), DriveError> {
        let Some(store) = &self.ledger.store else {
            return Ok(());
        };
        for aside in store.all_set_aside().map_err(stored)? {
            self.state.set_aside.push(aside.worker.clone());
            let (reason, games) = (aside.reason, aside.games);
            let tally = AsideTally { reason, games };
            self.tally.set_aside.insert(aside.worker, tally);
        }
        let quarantine = &mut self.quarantine;
        let read = store.for_each_summary(|record, _| {
            // Who is not fit is found again when it plays.
            let _ = quarantine.note(&record);
            Ok::<(), StoreError>(())
        });
        read.map_err(stored)
    }

    /// Why a game does not count, if it does not.
    pub(super) fn flaw(&self, game: &KeptGame) -> Option<Refusal> {
        let scale = || time_scale::check(self.plan, self.state.reference_speed, &game.record);
        let checked = check(self.plan, self.schedule, game);
        checked.and_then(|()| scale()).err()
    }

    /// Whether a game counts where engines are retired that fail in a row: those that fail on the same machine again
    /// do not where there are others.
    pub(super) async fn counts_as_failure(&mut self, record: &GameRecord, worker: &str) -> bool {
        let is_same = self.last_failures.note(record, worker);
        if !is_same || !self.quarantine.is_on() {
            return true;
        }
        let Ok(beats) = Bucket::beats(self.context).await else {
            return false;
        };
        // Where the server does not say, the next failure counts.
        beats.number().await.is_ok_and(|workers| workers < 2)
    }

    /// Sets a machine aside that is not fit, and says so.
    pub(super) async fn set_unfit_aside(
        &mut self,
        worker: &str,
        reason: &str,
    ) -> Result<(), DriveError> {
        if self.state.set_aside.iter().any(|known| known == worker) {
            return Ok(());
        }
        let text = format!("worker {worker} is set aside: {reason}");
        complain(printable(&text));
        self.set_aside(worker, reason).await
    }

    /// Sets a machine aside: nothing of it counts any more, and what others are to play instead is given out again.
    pub(super) async fn set_aside(&mut self, worker: &str, reason: &str) -> Result<(), DriveError> {
        self.quarantine.forget(worker);
        self.sample.forget(worker);
        self.state.set_aside.push(worker.to_string());
        let games = tokio::task::block_in_place(|| self.take_out(worker, reason))?;
        let (name, number) = (worker.to_string(), games.len() as u64);
        let reason = reason.to_string();
        let tally = AsideTally {
            reason,
            games: number,
        };
        self.tally.set_aside.insert(name, tally);
        if number > 0 {
            self.tally
                .workers
                .entry(worker.to_string())
                .or_default()
                .games = 0;
            let games = count(number, "game");
            let text =
                format!("{games} of worker {worker} kept out of the count, and given out again");
            complain(printable(&text));
        }
        // Where that is not heard, it is said again.
        let _ = self.put_state().await;
        Ok(())
    }

    /// Takes a machine's games out of the store and of all counts; returns their numbers.
    fn take_out(&mut self, worker: &str, reason: &str) -> Result<Vec<u64>, DriveError> {
        let Some(store) = &mut self.ledger.store else {
            return Ok(Vec::new());
        };
        let keeps_out = self.quarantine.is_on();
        store.set_aside(worker, reason, keeps_out).map_err(stored)?;
        let mut games = Vec::new();
        if keeps_out {
            games = store.keep_out(worker).map_err(stored)?;
        }
        let aside = store.all_set_aside().map_err(stored)?;
        self.ledger.report.set_aside(aside);
        if !games.is_empty() {
            self.count_anew(&games)?;
        }
        if let Some(events) = &mut self.ledger.events {
            let told = events.set_aside(worker, reason, &games, &self.ledger.report);
            told.map_err(LedgerError::from)?;
        }
        Ok(games)
    }

    /// Counts what is in the store once more, and gives out the games that are not there any more.
    fn count_anew(&mut self, games: &[u64]) -> Result<(), DriveError> {
        let Some(store) = &self.ledger.store else {
            return Ok(());
        };
        let past = Past::of(store, self.plan).map_err(stored)?;
        let mut failures = retiring::failures_of(store, self.plan).map_err(stored)?;
        for (engine, failures) in failures.iter_mut().enumerate() {
            if !self.retirement.has_retired(engine) && self.plan.patience.retires(*failures) {
                // Its failures were forgiven, and stay so.
                *failures = 0;
            }
        }
        let retired = self.plan.engines.iter().zip(&failures);
        let retired = retired.filter(|(_, failures)| self.plan.patience.retires(**failures));
        self.ledger.retired = retired.map(|(engine, _)| engine.name.clone()).collect();
        self.retirement = Retirement::new(self.plan, &failures);
        self.last_failures = LastFailures::default();
        self.ledger.report = past.report;
        *self.played = past.played;
        self.replays = past.replays;
        for &game in games {
            let unit = self.units.of_game(game);
            self.given_twice.remove(&unit);
            if !self.outstanding.has(unit) {
                self.outstanding.lost(unit);
            }
        }
        Ok(())
    }

    /// Looks at all machines once more before the match ends; whether it goes on, since one was set aside.
    pub(super) async fn look_for_the_last_time(&mut self) -> Result<bool, DriveError> {
        let mut has_changed = false;
        while let Some((worker, reason)) = self.quarantine.last_look() {
            self.set_unfit_aside(&worker, &reason).await?;
            has_changed = true;
        }
        Ok(has_changed && !self.is_over())
    }
}

/// A store that can be used no more.
fn stored(reason: StoreError) -> DriveError {
    LedgerError::Machines(reason).into()
}
