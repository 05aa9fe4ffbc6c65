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

/// Time between two lists of the workers.
const LIST_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of choices at a time.
const MOST_UNITS: usize = 64;
/// Workers considered for a unit at a time: many keys may be those of silent or invented ones.
const MOST_TRIES: usize = 16;
/// Time that a worker may play a unit, in times that it may be silent; doubled for each worker before.
const MOST_SILENCES: u32 = 10;

/// Chooses workers.
pub struct Chooser<'a> {
    context: &'a Context,
    signer: &'a Signer,
    names: &'a Names,
    /// Time that a worker may be silent.
    ack_wait: Duration,
    workers: Vec<Key>,
    listed: Option<Instant>,
}

impl<'a> Chooser<'a> {
    pub fn new(
        context: &'a Context,
        signer: &'a Signer,
        names: &'a Names,
        ack_wait: Duration,
    ) -> Chooser<'a> {
        Chooser { context, signer, names, ack_wait, workers: Vec::new(), listed: None }
    }

    /// Chooses a worker for each unit that needs one, and sends it the unit.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn choose(&mut self, collector: &mut Collector<'_>) -> Result<(), DriveError> {
        let due = collector.sample.due();
        if due.is_empty() {
            return Ok(());
        }
        let Some(beats) = Bucket::find(self.context, BEATS).await? else {
            return Ok(());
        };
        if self.listed.is_none_or(|at| at.elapsed() > LIST_INTERVAL) {
            let keys = beats.keys("").await?;
            self.workers = keys.iter().filter_map(|key| key.parse().ok()).collect();
            self.workers.retain(|key| collector.admits(key));
            self.listed = Some(Instant::now());
        }
        for (unit, chosen) in due.into_iter().take(MOST_UNITS) {
            if let Some(chosen) = chosen {
                let key = &chosen.key;
                let beat: Option<Beat> = beats.get_readable(&key.to_string(), key, "").await?;
                let silent = collector.sample.silent(unit).min(16) as u32;
                let longest = self.ack_wait * MOST_SILENCES * (1 << silent);
                let playing = (self.names.id().to_string(), unit);
                let is_playing = beat.is_some_and(|beat| beat.checks.contains(&playing));
                if is_playing && chosen.since.elapsed() < longest {
                    let until = Instant::now() + self.ack_wait;
                    collector.sample.choose(unit, Chosen { until, ..chosen });
                    continue;
                }
                collector.sample.give_up(unit);
            }
            if let Some(key) = self.find(unit, &beats, collector).await? {
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
        beats: &Bucket,
        collector: &Collector<'_>,
    ) -> Result<Option<Key>, QueueError> {
        let sample = &collector.sample;
        let may_choose = |again| {
            let keys = self.workers.iter();
            let fit = keys.filter(|key| sample.may_choose(unit, key, again));
            fit.collect::<Vec<&Key>>()
        };
        let mut found = may_choose(false);
        if found.is_empty() {
            found = may_choose(true);
        }
        let found: Vec<Key> =
            found.sample(&mut rand::rng(), MOST_TRIES).map(|key| (*key).clone()).collect();
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
