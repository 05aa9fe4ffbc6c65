//! Giving out units: a little more than workers can play at a time, many of them at once.

use futures_util::future::join_all;

use super::drive::{Drive, DriveError};
use crate::message::Work;
use crate::queue::{acknowledged, publish};

/// Units given out beyond twice what workers can play at a time.
const SPARE: u64 = 4;
/// Units that are on their way to the server at a time.
const MOST_ON_THEIR_WAY: u64 = 1000;

impl Drive<'_> {
    /// Gives out a little more than workers can play at a time.
    pub(super) async fn give_out(&mut self) -> Result<(), DriveError> {
        loop {
            let wanted = (2 * self.slots + SPARE).saturating_sub(self.outstanding.len());
            let units = match self.is_over() {
                true => Vec::new(),
                false => self.next_units(wanted.min(MOST_ON_THEIR_WAY)),
            };
            if units.is_empty() {
                return Ok(());
            }
            self.give(&units).await?;
        }
    }

    /// The next units of the schedule that are to be played, so many of them at most.
    fn next_units(&mut self, number: u64) -> Vec<u64> {
        let (played, units, schedule) = (&*self.played, self.units, self.schedule);
        let retirement = &self.retirement;
        let is_due = |unit| {
            let mut games = units.games(unit);
            let seats = schedule.seats(*games.start());
            !seats
                .iter()
                .any(|seated| retirement.has_retired(seated.engine))
                && games.any(|game| !played.contains(&game))
        };
        let outstanding = &mut self.outstanding;
        let next = (0..number).map_while(|_| outstanding.next(units.count(), is_due));
        next.collect()
    }

    /// Gives out units. No message waits until the one before it is acknowledged, so that a server far away does not
    /// hold up a large fleet.
    ///
    /// # Errors
    /// The first of them, once all is answered; what is not acknowledged is given out once more.
    pub(super) async fn give(&mut self, units: &[u64]) -> Result<(), DriveError> {
        let mut on_their_way = Vec::with_capacity(units.len());
        for &unit in units {
            let work = self.work(unit);
            self.given += 1;
            let id = format!("{:016x}.{}", self.state.session, self.given);
            on_their_way.push(publish(self.context, self.names.work(), &id, &work).await);
        }
        let answers = on_their_way.into_iter().map(async |sent| match sent {
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

    fn work(&self, unit: u64) -> Work {
        let games = self.units.games(unit);
        Work {
            unit,
            first: *games.start(),
            last: *games.end(),
            replays: self.replays.clone(),
            dealt: self.schedule.dealt(*games.start()),
            not_by: self.sample.claimants(games),
        }
    }
}
