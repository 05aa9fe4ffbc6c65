//! Giving units of games to workers: to all through the queue, lost ones again, and units that a worker of the
//! coordinator's choice must play to that one, which is chosen at random among the live ones, so that no worker can
//! choose itself.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::Info;
use futures_util::future::join_all;
use matches::run::display::count;
use matches::run::exit::print_error;
use rand::seq::IndexedRandom;

use super::announce::PreparedMatch;
use super::unit_schedule::{Chosen, UnitSchedule};
use super::{Connection, DriveError};
use crate::message::{Beat, Message};
use crate::queue::{BEATS, MatchQueue, QueueError, WORKERS, publish};
use crate::signature::Key;
use crate::storage::Bucket;

/// Units published beyond twice the number that workers can play concurrently.
const SPARE: u64 = 4;
/// Units published before the first acknowledgement is awaited.
const MAX_UNACKNOWLEDGED: u64 = 1000;
/// Age of a unit before the coordinator looks whether the server still has it.
const LOOKUP_AGE: Duration = Duration::from_secs(3);
const LATE_AGE: Duration = Duration::from_secs(10);
/// Units looked up at a time.
const MAX_LOOKUPS: usize = 8;
/// Maximum number of units that are out, so that workers that take units and never send them cannot fill the server.
const MAX_OUT: u64 = 200_000;
/// Time between two lists of the live workers.
const LIST_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of choices of a worker at a time.
const MAX_CHOICES: usize = 64;
/// Workers considered for a unit at a time: some may be silent, or not play this match.
const MAX_TRIES: usize = 16;
/// Time that a chosen worker may play a unit, in times that it may be silent; doubled for each worker before.
const MAX_SILENCES: u32 = 10;
const MAX_DOUBLINGS: usize = 4;

/// Publishes the units of a match.
pub struct Dispatcher<'a> {
    prepared: &'a PreparedMatch,
    /// Number of published messages.
    published: u64,
    /// First unit that the next repair looks up.
    next_looked_up: u64,
    /// Units that all workers together can play concurrently.
    slots: u64,
    /// Whether the last repair found outstanding units that no worker had.
    was_idle: bool,
    /// Whether the units that no worker had started were taken back.
    pub has_withdrawn: bool,
    /// Live workers, and the time of the list.
    live: Option<(Vec<Key>, Instant)>,
}

impl<'a> Dispatcher<'a> {
    pub fn new(prepared: &'a PreparedMatch) -> Self {
        Dispatcher {
            prepared,
            published: 0,
            next_looked_up: 0,
            slots: 0,
            was_idle: false,
            has_withdrawn: false,
            live: None,
        }
    }

    /// Publishes a few more units than workers can play concurrently.
    pub async fn give_out(&mut self, units: &mut UnitSchedule<'_>) -> Result<(), DriveError> {
        while !units.is_decided() {
            let wanted = (2 * self.slots + SPARE).min(MAX_OUT).saturating_sub(units.given());
            let due: Vec<u64> =
                (0..wanted.min(MAX_UNACKNOWLEDGED)).map_while(|_| units.next_due()).collect();
            if due.is_empty() {
                break;
            }
            self.publish(&due, units).await?;
        }
        Ok(())
    }

    /// Finds units that the server has lost or that no worker finishes, and marks them as lost; publishes late units
    /// for a second worker if nothing else is left to play.
    pub async fn repair(
        &mut self,
        queue: &MatchQueue,
        workers: &Info,
        units: &mut UnitSchedule<'_>,
    ) -> Result<(), DriveError> {
        self.slots = workers.num_waiting as u64 + workers.num_ack_pending as u64;
        let mut lost = 0;
        for (unit, sequence) in units.first(self.next_looked_up, MAX_LOOKUPS, LOOKUP_AGE) {
            // A worker acknowledges a unit once the server has its games.
            if !queue.has_work(sequence).await? && queue.waiting_results().await? == 0 {
                units.lose(unit);
                lost += 1;
            }
            self.next_looked_up = unit + 1;
        }
        if lost > 0 {
            let lost = count(lost, "unit of games");
            print_error(format_args!("{lost} neither received nor queued; given out again"));
        }
        // The first result of a late unit counts.
        if workers.num_pending == 0 && (units.has_given_all() || units.given() >= MAX_OUT) {
            self.publish(&units.late(workers.num_waiting, LATE_AGE), units).await?;
        }
        let is_idle = workers.num_pending == 0
            && workers.num_ack_pending == 0
            && !units.first(0, 1, LOOKUP_AGE).is_empty()
            && queue.waiting_results().await? == 0;
        if is_idle && self.was_idle {
            // The server no longer delivers a unit that was delivered too often.
            queue.purge_work().await?;
            let units = count(units.lose_all() as u64, "unit of games");
            print_error(format_args!("{units} given out again: no worker finished it"));
        }
        self.was_idle = is_idle && !self.was_idle;
        units.note_stuck(self.prepared.ack_wait);
        Ok(())
    }

    /// Takes back, once, the units that no worker has started.
    pub async fn withdraw(
        &mut self,
        queue: &MatchQueue,
        units: &mut UnitSchedule<'_>,
    ) -> Result<(), DriveError> {
        if self.has_withdrawn {
            return Ok(());
        }
        let mut queued = units.after(last_received(queue).await?);
        queued.sort_by_key(|&(_, sequence)| sequence);
        // The last first, since workers receive them from the front in the meantime.
        for (unit, sequence) in queued.into_iter().rev() {
            if last_received(queue).await? >= sequence {
                break;
            }
            // A worker that has received the unit since then plays it; its games count when the match is resumed.
            let _ = queue.work.delete_message(sequence).await;
            units.lose(unit);
        }
        self.has_withdrawn = true;
        Ok(())
    }

    /// Publishes units, then waits for all acknowledgements together, so that a distant server does not slow a large
    /// fleet down. Units that are not acknowledged are lost.
    ///
    /// # Errors
    /// The first error, after all answers.
    async fn publish(
        &mut self,
        due: &[u64],
        units: &mut UnitSchedule<'_>,
    ) -> Result<(), DriveError> {
        let PreparedMatch { connection, names, state, .. } = self.prepared;
        let (subject, mut sent) = (names.work(), Vec::with_capacity(due.len()));
        for &unit in due {
            self.published += 1;
            units.note_published(unit);
            let id = format!("{:016x}.{}", state.session, self.published);
            let work = units.work(unit)?.encode(&connection.signer, &subject);
            sent.push(match work {
                Ok(work) => publish(&connection.context, subject.clone(), &id, work).await,
                Err(error) => Err(error.into()),
            });
        }
        let answers = sent.into_iter().map(async |sent| sent?.await);
        let mut failed = None;
        for (&unit, answer) in due.iter().zip(join_all(answers).await) {
            match answer {
                Ok(sequence) => units.sent(unit, sequence),
                Err(error) => {
                    units.lose(unit);
                    failed.get_or_insert(error);
                }
            }
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// The workers that have sent a heartbeat, as of the last two seconds, among those that `admits` lets play.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn live_workers(
        &mut self,
        admits: impl Fn(&str) -> bool,
    ) -> Result<Vec<Key>, QueueError> {
        if let Some((keys, at)) = &self.live
            && at.elapsed() < LIST_INTERVAL
        {
            return Ok(keys.iter().filter(|key| admits(key.as_str())).cloned().collect());
        }
        let keys = match Bucket::find(&self.prepared.connection.context, BEATS).await? {
            Some(beats) => beats.keys("").await?,
            None => Vec::new(),
        };
        let admitted = keys.iter().filter(|key| admits(key));
        let keys: Vec<Key> = admitted.filter_map(|key| key.parse().ok()).collect();
        self.live = Some((keys.clone(), Instant::now()));
        Ok(keys)
    }

    /// Chooses one of these workers for each unit that needs one, and sends it the unit.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn choose(
        &self,
        units: &mut UnitSchedule<'_>,
        workers: &[Key],
    ) -> Result<(), DriveError> {
        let PreparedMatch { connection, names, ack_wait, .. } = self.prepared;
        let Some(beats) = Bucket::find(&connection.context, BEATS).await? else {
            return Ok(());
        };
        for (unit, chosen) in units.sample.due().into_iter().take(MAX_CHOICES) {
            if let Some(chosen) = chosen {
                let key = &chosen.key;
                let beat: Option<Beat> = beats.get_readable(key.as_str(), key).await?;
                let doublings = units.sample.silent(unit).min(MAX_DOUBLINGS);
                let longest = *ack_wait * MAX_SILENCES * (1 << doublings);
                let playing = (names.id().to_string(), unit);
                let is_playing = beat.is_some_and(|beat| beat.assigned.contains(&playing));
                if is_playing && chosen.since.elapsed() < longest {
                    let until = Instant::now() + *ack_wait;
                    units.sample.choose(unit, Chosen { until, ..chosen });
                    continue;
                }
                units.sample.give_up(unit);
            }
            if let Some(key) = self.find(unit, workers, &beats, units).await? {
                self.assign(unit, &key, units).await?;
                let since = Instant::now();
                let until = since + *ack_wait;
                units.sample.choose(unit, Chosen { key, since, until });
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
        units: &UnitSchedule<'_>,
    ) -> Result<Option<Key>, QueueError> {
        let may_choose = |again| {
            let fit = workers.iter().filter(|key| units.sample.may_choose(unit, key, again));
            fit.collect::<Vec<&Key>>()
        };
        let mut found = may_choose(false);
        if found.is_empty() {
            found = may_choose(true);
        }
        for &key in found.sample(&mut rand::rng(), MAX_TRIES) {
            let beat: Option<Beat> = beats.get_readable(key.as_str(), key).await?;
            let id = self.prepared.names.id();
            if beat.is_some_and(|beat| beat.joined.iter().any(|joined| joined == id)) {
                return Ok(Some(key.clone()));
            }
        }
        Ok(None)
    }

    /// Sends a unit to one worker.
    async fn assign(
        &self,
        unit: u64,
        key: &Key,
        units: &UnitSchedule<'_>,
    ) -> Result<(), DriveError> {
        let Connection { context, signer, .. } = &self.prepared.connection;
        let subject = self.prepared.names.assigned(key);
        let work = units.work(unit)?.encode(signer, &subject).map_err(QueueError::from)?;
        let sent = context.client().publish(subject, work.into()).await;
        Ok(sent.map_err(QueueError::call("publish"))?)
    }
}

/// The last message of a unit that a worker has received.
async fn last_received(queue: &MatchQueue) -> Result<u64, DriveError> {
    let info =
        queue.work.consumer_info(WORKERS).await.map_err(QueueError::call("consumer of work"))?;
    Ok(info.delivered.stream_sequence)
}
