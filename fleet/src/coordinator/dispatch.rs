//! Publishing units of games for workers, and publishing lost ones again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::Info;
use futures_util::future::join_all;
use matches::run::announcement::count;
use matches::run::exit::complain;

use super::DriveError;
use super::collect::{Changes, Collector};
use crate::message::Message;
use crate::names::{Names, WORKERS};
use crate::queue::{MatchQueue, QueueError, acknowledged, publish};
use crate::signature::Signer;
use crate::units::Units;

/// Units published beyond twice the number that workers can play concurrently.
const SPARE: u64 = 4;
/// Units published before the first acknowledgement is awaited.
const MAX_UNACKNOWLEDGED: u64 = 1000;
/// Age of a unit before the coordinator checks that the server still has it.
const CHECK_AGE: Duration = Duration::from_secs(3);
const LATE_AGE: Duration = Duration::from_secs(10);
/// Late units considered at a time.
const MAX_LATE: usize = 1000;
/// Units checked at a time.
const MAX_CHECKED: usize = 8;
/// Number of times that a unit is published before a worker is chosen for it: some workers may take units and never
/// send them.
const MAX_PUBLISHED: u32 = 2;
/// Age at which a unit that was published so often is stuck, in times that a worker may be silent.
const STUCK_SILENCES: u32 = 10;
/// Stuck units considered at a time.
const MAX_STUCK: usize = 64;
/// Maximum number of units that are out, so that workers that take units and never send them cannot fill the server.
const MAX_OUT: u64 = 200_000;

pub struct Dispatcher<'a> {
    context: &'a Context,
    signer: &'a Signer,
    names: &'a Names,
    units: Units,
    session: u64,
    /// Number of published messages.
    published: u64,
    outstanding: Outstanding,
    /// Number of times that each incomplete unit was published.
    times: BTreeMap<u64, u32>,
    /// First unit that the next check considers.
    next_checked: u64,
    /// Units that all workers together can play concurrently.
    slots: u64,
    /// Whether the last check found outstanding units that no worker had.
    was_idle: bool,
    has_withdrawn: bool,
}

impl<'a> Dispatcher<'a> {
    /// A dispatcher with no outstanding units; `session` makes its message ids unique.
    pub fn new(
        context: &'a Context,
        signer: &'a Signer,
        names: &'a Names,
        units: Units,
        session: u64,
    ) -> Self {
        Dispatcher {
            context,
            signer,
            names,
            units,
            session,
            published: 0,
            outstanding: Outstanding::default(),
            times: BTreeMap::new(),
            next_checked: 0,
            slots: 0,
            was_idle: false,
            has_withdrawn: false,
        }
    }

    /// Publishes a few more units than workers can play concurrently.
    pub async fn give_out(&mut self, collector: &Collector<'_>) -> Result<(), DriveError> {
        while !collector.is_decided() {
            let wanted = (2 * self.slots + SPARE).min(MAX_OUT);
            let wanted = wanted.saturating_sub(self.outstanding.len());
            let next = (0..wanted.min(MAX_UNACKNOWLEDGED)).map_while(|_| {
                let is_due = |unit| collector.is_due(unit);
                self.outstanding.next(self.units.count(), is_due)
            });
            let units: Vec<u64> = next.collect();
            if units.is_empty() {
                break;
            }
            self.publish(&units, collector).await?;
        }
        Ok(())
    }

    /// Updates the outstanding units after collected games.
    pub fn apply(&mut self, changes: &Changes) {
        for &unit in changes.complete.iter().chain(&changes.claimed) {
            self.outstanding.done(unit);
            self.times.remove(&unit);
        }
        for &unit in &changes.uncounted {
            if self.outstanding.message(unit).is_none() {
                self.outstanding.lost(unit);
            }
        }
    }

    /// Whether every unit has been given out and has come back.
    pub fn is_done(&self) -> bool {
        self.outstanding.is_done(self.units.count())
    }

    /// Whether the last units in play have come back after [`Dispatcher::withdraw`].
    pub fn is_drained(&self) -> bool {
        self.has_withdrawn && self.outstanding.len() == 0
    }

    /// Finds units that the server has lost or that no worker finishes, and publishes them again; publishes late units
    /// for a second worker if nothing else is left to play.
    pub async fn check(
        &mut self,
        queue: &MatchQueue,
        workers: &Info,
        collector: &Collector<'_>,
    ) -> Result<(), DriveError> {
        self.slots = workers.num_waiting as u64 + workers.num_ack_pending as u64;
        let mut lost = 0;
        for (unit, sequence) in self.outstanding.first(self.next_checked, MAX_CHECKED, CHECK_AGE) {
            // A worker acknowledges a unit once the server has its games.
            if !queue.has_work(sequence).await? && queue.waiting_results().await? == 0 {
                self.outstanding.lost(unit);
                lost += 1;
            }
            self.next_checked = unit + 1;
        }
        if lost > 0 {
            let lost = count(lost, "unit of games");
            complain(format_args!("{lost} neither received nor queued; given out again"));
        }
        if workers.num_pending == 0 {
            self.give_late(workers.num_waiting, collector).await?;
        }
        let is_idle = workers.num_pending == 0
            && workers.num_ack_pending == 0
            && !self.outstanding.first(0, 1, CHECK_AGE).is_empty()
            && queue.waiting_results().await? == 0;
        if is_idle && self.was_idle {
            // The server no longer delivers a unit that was delivered too often.
            queue.purge_work().await?;
            let units = self.lose_all();
            complain(format_args!("{units} given out again: no worker finished it"));
        }
        self.was_idle = is_idle && !self.was_idle;
        Ok(())
    }

    /// Units that have been out for long, or lost, although they were published again.
    pub fn stuck(&self, ack_wait: Duration) -> Vec<u64> {
        let is_old = |unit| self.outstanding.is_older(unit, ack_wait * STUCK_SILENCES);
        let often = self.times.iter().filter(|(_, times)| **times >= MAX_PUBLISHED);
        let stuck = often.filter(|&(&unit, times)| *times > MAX_PUBLISHED || is_old(unit));
        stuck.map(|(&unit, _)| unit).take(MAX_STUCK).collect()
    }

    /// Marks all outstanding units as lost; returns their number as text.
    pub fn lose_all(&mut self) -> String {
        count(self.outstanding.all_lost() as u64, "unit of games")
    }

    /// Takes back, once, the units that no worker has started.
    pub async fn withdraw(&mut self, queue: &MatchQueue) -> Result<(), DriveError> {
        if self.has_withdrawn {
            return Ok(());
        }
        let mut units = self.outstanding.after(last_received(queue).await?);
        units.sort_by_key(|&(_, sequence)| sequence);
        // The last first, since workers receive them from the front in the meantime.
        for (unit, sequence) in units.into_iter().rev() {
            if last_received(queue).await? >= sequence {
                break;
            }
            // A worker that has received the unit since then plays it; its games count when the match is resumed.
            let _ = queue.work.delete_message(sequence).await;
            self.outstanding.lost(unit);
        }
        self.has_withdrawn = true;
        Ok(())
    }

    /// Gives each late unit to one more of the waiting workers if no other unit is left for them; the first result
    /// counts.
    async fn give_late(
        &mut self,
        waiting: usize,
        collector: &Collector<'_>,
    ) -> Result<(), DriveError> {
        let has_given_all = self.outstanding.has_given_all(self.units.count());
        if !has_given_all && self.outstanding.len() < MAX_OUT {
            return Ok(());
        }
        let late = self.outstanding.first(0, MAX_LATE, LATE_AGE).into_iter();
        let late = late.map(|(unit, _)| unit);
        let late =
            late.filter(|unit| self.times.get(unit).is_none_or(|&times| times < MAX_PUBLISHED));
        let late: Vec<u64> = late.take(waiting).collect();
        self.publish(&late, collector).await
    }

    /// Publishes units, then waits for all acknowledgements together, so that a distant server does not slow a large
    /// fleet down. Units that are not acknowledged are lost.
    ///
    /// # Errors
    /// The first error, after all answers.
    async fn publish(
        &mut self,
        units: &[u64],
        collector: &Collector<'_>,
    ) -> Result<(), DriveError> {
        let mut sent = Vec::with_capacity(units.len());
        for &unit in units {
            self.published += 1;
            *self.times.entry(unit).or_default() += 1;
            let id = format!("{:016x}.{}", self.session, self.published);
            let work = collector.work(unit)?.encode(self.signer, self.names.id());
            sent.push(match work {
                Ok(work) => publish(self.context, self.names.work(), &id, work).await,
                Err(error) => Err(error.into()),
            });
        }
        let answers = sent.into_iter().map(async |sent| match sent {
            Ok(sent) => acknowledged(sent).await,
            Err(error) => Err(error),
        });
        let mut failed = None;
        for (&unit, answer) in units.iter().zip(join_all(answers).await) {
            match answer {
                Ok(sequence) => self.outstanding.sent(unit, sequence),
                Err(error) => {
                    self.outstanding.lost(unit);
                    failed.get_or_insert(error);
                }
            }
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// The last message of a unit that a worker has received.
async fn last_received(queue: &MatchQueue) -> Result<u64, DriveError> {
    let info = queue.work.consumer_info(WORKERS).await;
    let info = info.map_err(QueueError::call("consumer of work"))?;
    Ok(info.delivered.stream_sequence)
}

/// Outstanding units, lost ones that must be published again, and the position in the schedule.
#[derive(Debug, Default)]
struct Outstanding {
    sent: BTreeMap<u64, Sent>,
    again: BTreeSet<u64>,
    next: u64,
}

#[derive(Debug)]
struct Sent {
    /// Sequence number of the message in its stream.
    sequence: u64,
    at: Instant,
}

impl Outstanding {
    /// Returns the next unit to publish: the first lost one, else the next that is due of the `units` in the schedule.
    fn next(&mut self, units: u64, is_due: impl Fn(u64) -> bool) -> Option<u64> {
        while let Some(unit) = self.again.pop_first() {
            if is_due(unit) {
                return Some(unit);
            }
        }
        while self.next < units {
            let unit = self.next;
            self.next += 1;
            if !self.sent.contains_key(&unit) && is_due(unit) {
                return Some(unit);
            }
        }
        None
    }

    fn sent(&mut self, unit: u64, sequence: u64) {
        let at = Instant::now();
        self.sent.insert(unit, Sent { sequence, at });
    }

    fn done(&mut self, unit: u64) {
        self.sent.remove(&unit);
        self.again.remove(&unit);
    }

    /// Marks a unit as lost, so that it is published again.
    fn lost(&mut self, unit: u64) {
        self.sent.remove(&unit);
        self.again.insert(unit);
    }

    /// Marks all outstanding units as lost; returns their number.
    fn all_lost(&mut self) -> usize {
        let lost = std::mem::take(&mut self.sent);
        let number = lost.len();
        self.again.extend(lost.into_keys());
        number
    }

    /// Returns the first `number` units that were published longer ago than `age`, with their messages: those from
    /// `unit` on, then those before.
    fn first(&self, unit: u64, number: usize, age: Duration) -> Vec<(u64, u64)> {
        let all = self.sent.range(unit..).chain(self.sent.range(..unit));
        let old = all.filter(|(_, sent)| sent.at.elapsed() > age);
        let old = old.map(|(&unit, sent)| (unit, sent.sequence));
        old.take(number).collect()
    }

    /// Whether a unit is out and was published longer ago than `age`.
    fn is_older(&self, unit: u64, age: Duration) -> bool {
        self.sent.get(&unit).is_some_and(|sent| sent.at.elapsed() > age)
    }

    /// Returns the units with messages after `sequence`, with these messages.
    fn after(&self, sequence: u64) -> Vec<(u64, u64)> {
        let sent = self.sent.iter().map(|(&unit, sent)| (unit, sent.sequence));
        sent.filter(|(_, sent)| *sent > sequence).collect()
    }

    /// The message that published a unit, if it is outstanding.
    fn message(&self, unit: u64) -> Option<u64> {
        Some(self.sent.get(&unit)?.sequence)
    }

    fn len(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Whether all `units` of the schedule have been published.
    fn has_given_all(&self, units: u64) -> bool {
        self.again.is_empty() && self.next >= units
    }

    /// Whether all `units` of the schedule are complete.
    fn is_done(&self, units: u64) -> bool {
        self.sent.is_empty() && self.has_given_all(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_comes_first() {
        let mut outstanding = Outstanding::default();
        for expected in 0..3 {
            assert_eq!(outstanding.next(4, |_| true), Some(expected));
            outstanding.sent(expected, expected + 10);
        }
        outstanding.done(1);
        outstanding.lost(2);
        assert_eq!(outstanding.first(0, 9, Duration::ZERO), [(0, 10)]);
        assert_eq!(outstanding.after(9), [(0, 10)]);
        assert_eq!(outstanding.after(10), []);
        assert_eq!(outstanding.next(4, |_| true), Some(2));
        assert_eq!(outstanding.next(4, |unit| unit != 3), None);
        assert!(!outstanding.is_done(4));
        assert_eq!(outstanding.all_lost(), 1);
        outstanding.done(0);
        assert!(outstanding.is_done(4));
    }

    #[test]
    fn what_is_already_out_is_not_given_out_again() {
        let mut outstanding = Outstanding::default();
        outstanding.sent(0, 5);
        assert_eq!(outstanding.next(2, |_| true), Some(1));
        assert_eq!(outstanding.len(), 1);
    }
}
