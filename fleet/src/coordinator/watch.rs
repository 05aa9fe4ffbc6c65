//! Whether all is as it should be: what the server has lost is given out once more.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use matches::run::announcement::count;
use matches::run::exit::complain;

use super::drive::{Drive, DriveError};
use crate::message::{Message, OpenMatches, State, Work};
use crate::names::OPEN;
use crate::queue::bucket::{Bucket, has_plan};
use crate::queue::{MatchQueue, QueueError};

/// How long a unit is out before it is asked whether the server still has it.
const AGE: Duration = Duration::from_secs(3);
/// How long a unit is out before it is late.
const LATE: Duration = Duration::from_secs(10);
/// How often it is told what has been counted.
const TALLY_INTERVAL: Duration = Duration::from_secs(5);
/// How many late units are looked at.
const MOST_LATE: usize = 1000;
/// How many units that is asked of at a time.
const MOST_ASKED: usize = 8;
/// The most messages that are looked at one by one when a match is resumed.
const MOST_RECOVERED: u64 = 20_000;

impl Drive<'_> {
    /// Looks after the match on the server.
    pub(super) async fn watch(&mut self) -> Result<(), DriveError> {
        let Some(workers) = self.queue.workers().await? else {
            return self.rebuild().await;
        };
        let state = self.matches.get::<State>(&self.names.state()).await;
        match state {
            Ok(Some((state, _))) if state.session != self.state.session => {
                let id = self.names.id().to_string();
                return Err(DriveError::Taken { id });
            }
            Ok(Some((state, _))) if self.is_announced().await? => {
                // What was to be said of a worker was not heard.
                if state != self.state {
                    self.put_state().await?;
                }
            }
            // The bucket was lost, or what is in it.
            Ok(_) | Err(_) => {
                self.announce().await?;
                complain("the server has lost what workers have to know: it is told once more");
            }
        }
        self.slots = workers.num_waiting as u64 + workers.num_ack_pending as u64;
        for (unit, sequence) in self.outstanding.first(MOST_ASKED, AGE) {
            if !has(&self.queue.work, sequence).await? && self.has_all_results().await? {
                complain(format_args!(
                    "{} given out once more: the server lost it",
                    self.named(unit)
                ));
                self.outstanding.lost(unit);
            }
        }
        self.give_late(workers.num_pending, workers.num_waiting as u64)
            .await?;
        let is_idle = workers.num_pending == 0
            && workers.num_ack_pending == 0
            && !self.outstanding.first(1, AGE).is_empty()
            && self.has_all_results().await?;
        if is_idle && self.was_idle {
            // What was given out too often to workers that did not finish it is given to nobody any more.
            let purged = self.queue.work.purge().await;
            purged.map_err(QueueError::call("purge"))?;
            let lost = self.outstanding.all_lost();
            let blocks = count(lost as u64, "unit of games");
            complain(format_args!(
                "{blocks} given out once more: no worker finished it"
            ));
        }
        self.was_idle = is_idle && !self.was_idle;
        if self.tallied.elapsed() > TALLY_INTERVAL {
            self.put_tally().await?;
        }
        Ok(())
    }

    /// Gives what is late to workers that have nothing else to play, each unit once; the first answer counts.
    async fn give_late(&mut self, pending: u64, waiting: u64) -> Result<(), DriveError> {
        if pending > 0 || !self.outstanding.has_given_all(self.units.count()) {
            return Ok(());
        }
        let late = self.outstanding.first(MOST_LATE, LATE);
        let late = late
            .into_iter()
            .filter(|(unit, _)| !self.given_twice.contains(unit));
        let late: Vec<u64> = late.map(|(unit, _)| unit).take(waiting as usize).collect();
        self.given_twice.extend(&late);
        self.give(&late).await
    }

    /// Tells what has been counted.
    pub(super) async fn put_tally(&mut self) -> Result<(), QueueError> {
        self.tallied = Instant::now();
        self.tally.stored = self.played.len() as u64;
        self.tally.games = self.plan.games;
        for (part, tally) in self.tally.parts().into_iter().enumerate() {
            self.matches.put(&self.names.tally(part), &tally).await?;
        }
        Ok(())
    }

    /// Whether whoever comes new finds the match, its plan, and where to say that it is there.
    async fn is_announced(&self) -> Result<bool, QueueError> {
        let open = self.matches.get::<OpenMatches>(OPEN).await?;
        let is_open = open.is_some_and(|(open, _)| open.ids.iter().any(|id| id == self.names.id()));
        Ok(is_open
            && Bucket::find_beats(self.context).await?.is_some()
            && has_plan(self.context, &self.state.plan).await?)
    }

    /// Makes anew what the server has lost, and gives out once more what it had.
    async fn rebuild(&mut self) -> Result<(), DriveError> {
        let ack_wait = Duration::from_millis(self.state.ack_wait_ms);
        self.queue = MatchQueue::ensure(self.context, self.names, ack_wait).await?;
        self.announce().await?;
        let lost = self.outstanding.all_lost();
        let units = count(lost as u64, "unit of games");
        complain(format_args!(
            "the server has lost the match: {units} given out once more"
        ));
        Ok(())
    }

    /// Whether nothing waits to be taken.
    async fn has_all_results(&self) -> Result<bool, DriveError> {
        let info = self.queue.results.get_info().await;
        let info = info.map_err(QueueError::call("results"))?;
        Ok(info.state.messages == 0)
    }

    fn named(&self, unit: u64) -> String {
        let games = self.units.games(unit);
        format!("games {} to {}:", games.start(), games.end())
    }

    /// Finds out what an earlier coordinator has given out.
    pub(super) async fn recover(&mut self) -> Result<(), DriveError> {
        let info = self.queue.work.get_info().await;
        let state = info.map_err(QueueError::call("stream"))?.state;
        let messages: RangeInclusive<u64> = state.first_sequence.max(1)..=state.last_sequence;
        if state.messages == 0 {
            return Ok(());
        }
        if messages.clone().count() as u64 > MOST_RECOVERED {
            let purged = self.queue.work.purge().await;
            purged.map_err(QueueError::call("purge"))?;
            return Ok(());
        }
        for sequence in messages {
            if self.outstanding.is_message(sequence) {
                continue;
            }
            let Ok(found) = self.queue.work.get_raw_message(sequence).await else {
                continue;
            };
            let work = Work::decode(&found.payload).ok().filter(|work| {
                let is_unit = work.unit < self.units.count()
                    && self.units.games(work.unit) == (work.first..=work.last);
                is_unit
                    && !self.outstanding.has(work.unit)
                    && (work.first..=work.last).any(|game| !self.played.contains(&game))
            });
            match work {
                Some(work) => self.outstanding.sent(work.unit, sequence),
                None => {
                    // It is done, double, or no work of ours.
                    let _ = self.queue.work.delete_message(sequence).await;
                }
            }
        }
        Ok(())
    }
}

/// Whether a stream has a message with this number.
async fn has(stream: &Stream, sequence: u64) -> Result<bool, QueueError> {
    match stream.get_raw_message(sequence).await {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => Ok(false),
        Err(error) => Err(QueueError::call("message")(error)),
    }
}
