//! Checking what workers have sent.

use std::time::Duration;

use async_nats::jetstream::{AckKind, Message as Delivered};
use matches::plan::rules::PositionError;
use matches::plan::seed::Seed;
use matches::record::digest::StoredGame;
use matches::record::printable::{printable, shortened};
use matches::run::exit::complain;

use super::{Accepted, Collector, DriveError};
use crate::check::{GameError, check, check_luck};
use crate::coordinator::sample::Claimed;
use crate::message::{Message, MessageError, Outcome, RulesFault};
use crate::names::label_of;
use crate::plan_file::NO_SEED;
use crate::signature::{Key, name_of};
use crate::time_scale;

/// Delay before a message of another version is delivered again, perhaps to another coordinator.
const VERSION_DELAY: Duration = Duration::from_secs(60);
/// The luck of about one game in this many is measured again.
const LUCK_SAMPLE: u32 = 16;
/// Maximum number of messages about messages that are refused.
const MOST_REFUSALS: u64 = 1000;
/// Maximum number of characters of a worker's report about the rules program.
const LONGEST_FAULT: usize = 4000;

impl Collector<'_> {
    /// Checks what a worker sent; returns the answer to the server.
    pub(super) fn check_message(
        &mut self,
        message: &Delivered,
        accepted: &mut Vec<Accepted>,
    ) -> Result<AckKind, DriveError> {
        match Outcome::decode(&message.payload, self.prepared.names.id()) {
            Ok((key, outcome)) if self.is_named(&key) => self.check_game(&key, outcome, accepted),
            Ok((key, _)) => {
                self.report_refusal(&format!("worker {key} is none of --workers"));
                Ok(AckKind::Term)
            }
            Err(error @ MessageError::Version { found }) => {
                if self.unknown_versions.insert(found) {
                    complain(format_args!("result skipped: {error}"));
                }
                Ok(AckKind::Nak(Some(VERSION_DELAY)))
            }
            Err(error) => match RulesFault::decode(&message.payload, self.prepared.names.id()) {
                Ok((key, fault)) => self.check_fault(&key, &fault),
                // Its sender is unknown, so no worker is set aside.
                Err(_) => {
                    self.report_refusal(&error.to_string());
                    Ok(AckKind::Term)
                }
            },
        }
    }

    /// Ends the match after a fault of the rules program on a worker, unless it belongs to an earlier session.
    fn check_fault(&self, key: &Key, fault: &RulesFault) -> Result<AckKind, DriveError> {
        if fault.session != self.prepared.session || !self.admits(key) {
            return Ok(AckKind::Term);
        }
        Err(DriveError::RulesOfWorker {
            worker: self.worker_of(key, &fault.label),
            reason: shortened(&printable(&fault.reason), LONGEST_FAULT).into_owned(),
        })
    }

    /// Name of the worker with this key.
    fn worker_of(&self, key: &Key, label: &str) -> String {
        let known = self.workers.get(key.id()).cloned();
        known.unwrap_or_else(|| name_of(&label_of(label), key))
    }

    pub(super) fn is_named(&self, key: &Key) -> bool {
        let workers = self.prepared.workers.as_ref();
        workers.is_none_or(|workers| workers.contains(key))
    }

    /// Reports a message that is refused, unless there were too many.
    pub(super) fn report_refusal(&mut self, reason: &str) {
        self.refusals += 1;
        if self.refusals <= MOST_REFUSALS {
            complain(format_args!("result refused: {}", printable(reason)));
        }
    }

    fn check_game(
        &mut self,
        key: &Key,
        outcome: Outcome,
        accepted: &mut Vec<Accepted>,
    ) -> Result<AckKind, DriveError> {
        let worker = self.worker_of(key, &outcome.label);
        let game = completed(outcome.game, &worker, self.plan.seed);
        let number = game.record.game;
        let is_set_aside = self.set_aside.contains(&worker);
        let refusal = match is_set_aside {
            true => None,
            false => self.check_record(&game).err(),
        };
        if let Some(fault) = refusal.as_ref().and_then(GameError::fault_of_rules) {
            return Err(PositionError::from(fault.clone()).into());
        }
        if refusal.is_some() || is_set_aside {
            self.count_worker(&worker, |tally| tally.refused += 1);
            if let Some(refusal) = refusal {
                self.set_inventor_aside(&worker, number, &refusal.to_string())?;
            }
            if (1..=self.plan.games).contains(&number) {
                self.changes.refused.push(self.units.of_game(number));
            }
            return Ok(AckKind::Term);
        }
        self.workers.insert(key.id().to_string(), worker.clone());
        let is_known = |other: &Accepted| other.record.game == number;
        if self.planned.past.played.contains(&number) || accepted.iter().any(is_known) {
            self.count_worker(&worker, |tally| tally.doubles += 1);
            return Ok(AckKind::Ack);
        }
        if self.sample.has(self.units.of_game(number)) {
            self.claim(&worker, game, accepted)?;
        } else {
            let record = game.record;
            accepted.push(Accepted { worker, record });
        }
        Ok(AckKind::Ack)
    }

    fn check_record(&self, game: &StoredGame) -> Result<(), GameError> {
        check(self.plan, self.schedule, game)?;
        let is_sampled = rand::random_range(0..LUCK_SAMPLE) == 0;
        check_luck(self.luck.as_ref(), &game.record, is_sampled)?;
        time_scale::check(self.plan, self.prepared.reference_speed, &game.record)
    }

    /// Notes a worker's claim to a game that two must play; accepts its unit once two agree.
    fn claim(
        &mut self,
        worker: &str,
        game: StoredGame,
        accepted: &mut Vec<Accepted>,
    ) -> Result<(), DriveError> {
        let number = game.record.game;
        let unit = self.units.of_game(number);
        let played = &self.planned.past.played;
        let missing = self.units.games(unit).filter(|game| !played.contains(game));
        let missing: Vec<u64> = missing.collect();
        match self.sample.claim(unit, &missing, worker, game) {
            None => {}
            Some(Claimed::Whole) => self.changes.claimed.push(unit),
            Some(Claimed::Agreed { worker, records, others }) => {
                for inventor in others {
                    self.count_worker(&inventor, |tally| tally.refused += 1);
                    let reason = "two other workers agree on another game";
                    self.set_inventor_aside(&inventor, number, reason)?;
                }
                accepted.extend(
                    records.into_iter().map(|record| Accepted { worker: worker.clone(), record }),
                );
            }
        }
        Ok(())
    }
}

/// A game with what only the coordinator knows: the worker's name, and the seed of the match.
fn completed(mut game: StoredGame, worker: &str, seed: Seed) -> StoredGame {
    let machine = game.record.machine.get_or_insert_default();
    machine.worker = worker.to_string();
    if game.record.seed == NO_SEED {
        let is_whole = game.digest.as_ref() == Some(&game.record.digest());
        game.record.seed = seed;
        // A wrong digest stays wrong; a right one is computed again when the game is stored.
        if is_whole {
            game.digest = None;
        }
    }
    game
}
