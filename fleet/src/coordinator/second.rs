//! Choosing the workers that must confirm units of the sample: at random among the other live ones, so that no worker
//! can choose itself.

use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use rand::seq::IndexedRandom;

use super::DriveError;
use super::collect::Collector;
use super::sample::Chosen;
use crate::message::{Beat, Message};
use crate::names::{BEATS, Names};
use crate::queue::{Bucket, QueueError};
use crate::signature::{Key, Signer};

/// Maximum number of choices at a time.
const MAX_UNITS: usize = 64;
/// Workers considered for a unit at a time: some may be silent, or not play this match.
const MAX_TRIES: usize = 16;
/// Time that a worker may play a unit, in times that it may be silent; doubled for each worker before.
const MAX_SILENCES: u32 = 10;
const MAX_DOUBLINGS: usize = 4;

pub struct Chooser<'a> {
    context: &'a Context,
    signer: &'a Signer,
    names: &'a Names,
    /// Time that a worker may be silent.
    ack_wait: Duration,
}

impl<'a> Chooser<'a> {
    pub fn new(
        context: &'a Context,
        signer: &'a Signer,
        names: &'a Names,
        ack_wait: Duration,
    ) -> Chooser<'a> {
        Chooser { context, signer, names, ack_wait }
    }

    /// Chooses a worker for each unit that needs one, and sends it the unit.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn choose(&self, collector: &mut Collector<'_>) -> Result<(), DriveError> {
        let due = collector.sample.due();
        if due.is_empty() {
            return Ok(());
        }
        let Some(beats) = Bucket::find(self.context, BEATS).await? else {
            return Ok(());
        };
        let workers = collector.live_workers().await?;
        for (unit, chosen) in due.into_iter().take(MAX_UNITS) {
            if let Some(chosen) = chosen {
                let key = &chosen.key;
                let beat: Option<Beat> = beats.get_readable(&key.to_string(), key, "").await?;
                let doublings = collector.sample.silent(unit).min(MAX_DOUBLINGS);
                let longest = self.ack_wait * MAX_SILENCES * (1 << doublings);
                let playing = (self.names.id().to_string(), unit);
                let is_playing = beat.is_some_and(|beat| beat.checks.contains(&playing));
                if is_playing && chosen.since.elapsed() < longest {
                    let until = Instant::now() + self.ack_wait;
                    collector.sample.choose(unit, Chosen { until, ..chosen });
                    continue;
                }
                collector.sample.give_up(unit);
            }
            if let Some(key) = self.find(unit, &workers, &beats, collector).await? {
                self.send(unit, &key, collector).await?;
                let since = Instant::now();
                let until = since + self.ack_wait;
                collector.sample.choose(unit, Chosen { key, since, until });
            }
        }
        Ok(())
    }

    /// Finds a worker that may play a unit and plays this match.
    async fn find(
        &self,
        unit: u64,
        workers: &[Key],
        beats: &Bucket,
        collector: &Collector<'_>,
    ) -> Result<Option<Key>, QueueError> {
        let sample = &collector.sample;
        let may_choose = |again| {
            let admitted = workers.iter().filter(|key| collector.admits(key.as_str()));
            let fit = admitted.filter(|key| sample.may_choose(unit, key, again));
            fit.collect::<Vec<&Key>>()
        };
        let mut found = may_choose(false);
        if found.is_empty() {
            found = may_choose(true);
        }
        let found: Vec<Key> =
            found.sample(&mut rand::rng(), MAX_TRIES).map(|key| (*key).clone()).collect();
        for key in found {
            let beat: Option<Beat> = beats.get_readable(&key.to_string(), &key, "").await?;
            let id = self.names.id();
            if beat.is_some_and(|beat| beat.joined.iter().any(|joined| joined == id)) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    async fn send(
        &self,
        unit: u64,
        key: &Key,
        collector: &Collector<'_>,
    ) -> Result<(), DriveError> {
        let work = collector.work(unit)?;
        let bytes = work.encode(self.signer, &self.names.check_scope(key));
        let bytes = bytes.map_err(QueueError::from)?;
        let client = self.context.client();
        let sent = client.publish(self.names.check(key), bytes.into()).await;
        Ok(sent.map_err(QueueError::call("publish"))?)
    }
}
