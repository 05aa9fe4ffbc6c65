//! Taking in a game: it is looked at before it counts, it counts once, and whoever invents one is set aside.

use async_nats::jetstream::{AckKind, Message as Delivered};
use matches::play::replays::count_replays;
use matches::play::runner::News;
use matches::record::GameRecord;
use matches::record::digest::KeptGame;
use matches::record::printable::printable;
use matches::run::exit::complain;
use std::time::Duration;

use super::drive::{Drive, DriveError};
use super::machines::completed;
use super::retelling;
use crate::message::{Message, MessageError, Outcome};
use crate::names::key_of;

/// How long a message that somebody else may know is left alone.
const LEFT_ALONE: Duration = Duration::from_secs(60);
/// The most workers that are counted by their names.
const MOST_WORKERS: usize = 20_000;

/// A game that counts.
struct Accepted {
    /// Who played it.
    worker: String,
    record: GameRecord,
}

impl Drive<'_> {
    /// Takes what workers sent. All games among it become durable together, and nothing is acknowledged before.
    pub(super) async fn take(&mut self, messages: Vec<Delivered>) -> Result<(), DriveError> {
        let mut accepted = Vec::new();
        let mut answered = Vec::with_capacity(messages.len());
        for message in messages {
            let answer = self.look_at(&message, &mut accepted).await?;
            answered.push((message, answer));
        }
        // Who was set aside for one of these games is believed in none of them.
        accepted.retain(|game| !self.state.set_aside.contains(&game.worker));
        let records: Vec<&GameRecord> = accepted.iter().map(|game| &game.record).collect();
        tokio::task::block_in_place(|| self.ledger.keep(&records))?;
        let mut unfit = Vec::new();
        for game in accepted {
            unfit.extend(self.count_in(game).await?);
        }
        for (worker, reason) in unfit {
            self.set_unfit_aside(&worker, &reason).await?;
        }
        for (message, answer) in answered {
            // What is not acknowledged comes again, and is known then.
            let _ = message.ack_with(answer).await;
        }
        Ok(())
    }

    /// Looks at what a worker sent; returns what the server is told of it.
    async fn look_at(
        &mut self,
        message: &Delivered,
        accepted: &mut Vec<Accepted>,
    ) -> Result<AckKind, DriveError> {
        let answer = match Outcome::decode(&message.payload) {
            Ok(outcome) => self.look_at_game(outcome, accepted).await?,
            Err(MessageError::Version { found }) => {
                if self.unknown_versions.insert(found) {
                    let error = MessageError::Version { found };
                    complain(format_args!("a result is left to who knows it: {error}"));
                }
                AckKind::Nak(Some(LEFT_ALONE))
            }
            Err(error) => {
                complain(format_args!("a result is refused: {error}"));
                AckKind::Term
            }
        };
        Ok(answer)
    }

    async fn look_at_game(
        &mut self,
        outcome: Outcome,
        accepted: &mut Vec<Accepted>,
    ) -> Result<AckKind, DriveError> {
        let worker = key_of(&outcome.worker);
        let outcome = completed(outcome, &worker, self.plan.seed);
        let game = outcome.game.record.game;
        let is_set_aside = self.state.set_aside.contains(&worker);
        let flaw = match is_set_aside {
            true => None,
            false => self.flaw(&outcome.game),
        };
        if flaw.is_some() || is_set_aside {
            self.count(&worker, |tally| tally.refused += 1);
            if let Some(flaw) = flaw {
                let text = format!("game {game} by worker {worker} is refused: {flaw}");
                complain(format_args!(
                    "{}; the worker is set aside",
                    printable(&text)
                ));
                self.set_aside(&worker, &format!("game {game} is refused: {flaw}"))
                    .await?;
            }
            if (1..=self.plan.games).contains(&game) {
                let unit = self.units.of_game(game);
                if self.outstanding.has(unit) {
                    self.outstanding.lost(unit);
                }
            }
            return Ok(AckKind::Term);
        }
        if self.played.contains(&game) || accepted.iter().any(|other| other.record.game == game) {
            self.count(&worker, |tally| tally.doubles += 1);
            return Ok(AckKind::Ack);
        }
        let unit = self.units.of_game(game);
        let (worker, record) = match self.sample.has(unit) {
            false => (worker, outcome.game.record),
            true => match self.take_claim(unit, worker, outcome.game).await? {
                Some(agreed) => agreed,
                None => return Ok(AckKind::Ack),
            },
        };
        accepted.push(Accepted { worker, record });
        Ok(AckKind::Ack)
    }

    /// Counts and shows a game that is stored; returns its worker with the reason where that one is to be set aside.
    async fn count_in(&mut self, game: Accepted) -> Result<Option<(String, String)>, DriveError> {
        let Accepted { worker, record } = game;
        let (is_fault, unit) = (record.fault.is_some(), self.units.of_game(record.game));
        for news in retelling::repeats(&record) {
            self.show(&news)?;
        }
        if self.ledger.events.is_some() {
            for news in retelling::course(self.schedule.game(record.game), &record) {
                self.show(&news)?;
            }
        }
        count_replays(&self.plan.engines, &record, &mut self.replays);
        let retired = match self.counts_as_failure(&record, &worker).await {
            true => self.retirement.note(&record),
            false => None,
        };
        let unfit = self.quarantine.note(&record);
        self.played.insert(record.game);
        self.show(&News::Ended(Box::new(record)))?;
        self.count(&worker, |tally| {
            tally.games += 1;
            tally.faults += u64::from(is_fault);
        });
        if let Some((engine, failures)) = retired {
            let engine = self.plan.engines[engine].name.clone();
            self.show(&News::Retired { engine, failures })?;
        }
        if self
            .units
            .games(unit)
            .all(|game| self.played.contains(&game))
        {
            self.outstanding.done(unit);
        }
        Ok(unfit.map(|reason| (worker, reason)))
    }

    /// Takes a game that two workers are to agree on; returns it once they do, with the first of them.
    async fn take_claim(
        &mut self,
        unit: u64,
        worker: String,
        game: KeptGame,
    ) -> Result<Option<(String, GameRecord)>, DriveError> {
        let number = game.record.game;
        let by = worker.clone();
        if let Some(agreed) = self.sample.claim(number, worker, game) {
            for liar in agreed.others {
                let text = format!(
                    "game {number} by worker {liar} is refused: two others played another one"
                );
                complain(format_args!(
                    "{}; the worker is set aside",
                    printable(&text)
                ));
                self.count(&liar, |tally| tally.refused += 1);
                let reason = format!("two others played another game {number}");
                self.set_aside(&liar, &reason).await?;
            }
            return Ok(Some((agreed.worker, agreed.record)));
        }
        let mut open = self
            .units
            .games(unit)
            .filter(|game| !self.played.contains(game));
        if open.all(|game| self.sample.has_claim(game, &by)) {
            // All of it is there once more: now others are to play it.
            self.outstanding.lost(unit);
        }
        Ok(None)
    }

    fn show(&mut self, news: &News) -> Result<(), DriveError> {
        Ok(self.ledger.show(self.plan, news, self.progress)?)
    }

    fn count(&mut self, worker: &str, count: impl Fn(&mut crate::message::WorkerTally)) {
        let workers = &mut self.tally.workers;
        if workers.contains_key(worker) || workers.len() < MOST_WORKERS {
            count(workers.entry(worker.to_string()).or_default());
        }
    }
}
