//! Publishing a match: its plan, its engines, its state and its tally.

use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use matches::VERSION;
use matches::plan::{EngineSpec, Plan, binary};
use matches::run::exit::complain;

use super::DriveError;
use super::prepare::{PreparedMatch, shared_files};
use crate::message::{OpenMatches, Phase, State, Tally};
use crate::names::{ENGINES, Names, OPEN, PLANS};
use crate::plan_file;
use crate::queue::objects::{self, has_plan, put_file, put_plan};
use crate::queue::{Bucket, MatchQueue, QueueError, notify};

/// Time between two tallies.
const TALLY_INTERVAL: Duration = Duration::from_secs(5);
/// Attempts to change the list of open matches while other coordinators change it.
const MOST_TRIES: usize = 20;

/// The published side of one match.
pub struct Publisher<'a> {
    context: &'a Context,
    names: &'a Names,
    engines: &'a [EngineSpec],
    matches: Bucket,
    state: State,
    plan_bytes: Vec<u8>,
    tallied: Instant,
}

impl<'a> Publisher<'a> {
    /// Prepares the state of an open match; `session` distinguishes this coordinator from all others.
    pub fn new(
        context: &'a Context,
        prepared: &'a PreparedMatch,
        plan: &'a Plan,
        matches: Bucket,
        session: u64,
        ack_wait: Duration,
    ) -> Result<Publisher<'a>, DriveError> {
        let plan_bytes = plan_file::write(plan).map_err(DriveError::Plan)?;
        Ok(Publisher {
            context,
            names: &prepared.names,
            engines: &plan.engines,
            matches,
            state: State {
                phase: Phase::Open,
                arbiter: VERSION.to_string(),
                session,
                plan: binary::hash_bytes(&plan_bytes),
                engines: prepared.engines.clone(),
                ack_wait_ms: ack_wait.as_millis() as u64,
                set_aside: Vec::new(),
                reference_speed: prepared.reference_speed,
            },
            plan_bytes,
            tallied: Instant::now(),
        })
    }

    /// Publishes everything that workers need, and adds the match to the list of open ones.
    pub async fn announce(&mut self) -> Result<(), DriveError> {
        self.matches = Bucket::matches(self.context).await?;
        Bucket::beats(self.context).await?;
        put_plan(self.context, &self.state.plan, &self.plan_bytes).await?;
        for (engine, id) in self.engines.iter().zip(&self.state.engines) {
            for (path, sha256) in shared_files(engine, id).filter(|_| id.is_shared) {
                put_file(self.context, self.names, sha256, &path).await?;
            }
        }
        self.put_state().await?;
        let id = self.names.id().to_string();
        change_open(&self.matches, |open| {
            if !open.ids.contains(&id) {
                open.ids.push(id.clone());
            }
        })
        .await?;
        notify(self.context).await;
        Ok(())
    }

    /// Publishes the list of workers that are set aside, if it has changed.
    pub async fn set_aside(&mut self, workers: &[String]) {
        if self.state.set_aside != workers {
            self.state.set_aside = workers.to_vec();
            // If this fails, the next check publishes it.
            let _ = self.put_state().await;
        }
    }

    /// Compares the published state with this coordinator's, and publishes again what the server has lost.
    ///
    /// # Errors
    /// [`DriveError::Taken`] if another coordinator has published its own.
    pub async fn check(&mut self) -> Result<(), DriveError> {
        let published = self.matches.get::<State>(&self.names.state()).await;
        match published {
            Ok(Some(state)) if state.session != self.state.session => {
                let id = self.names.id().to_string();
                Err(DriveError::Taken { id })
            }
            Ok(Some(state)) if self.is_announced().await? => {
                if state != self.state {
                    self.put_state().await?;
                }
                Ok(())
            }
            Ok(_) | Err(_) => {
                self.announce().await?;
                complain("the server has lost the state of the match; published again");
                Ok(())
            }
        }
    }

    /// Publishes the tally, if that is due.
    pub async fn put_tally_if_due(&mut self, tally: &Tally) -> Result<(), DriveError> {
        if self.tallied.elapsed() > TALLY_INTERVAL {
            self.put_tally(tally).await?;
        }
        Ok(())
    }

    /// Publishes that the match is paused or over; removes one that is over from the server.
    pub async fn close(&mut self, is_over: bool, tally: &Tally) {
        self.state.phase = if is_over { Phase::Over } else { Phase::Paused };
        // If this fails, the server keeps the old state until the match is resumed.
        let _ = self.put_state().await;
        let _ = self.put_tally(tally).await;
        if is_over {
            remove(self.context, self.names).await;
        }
    }

    async fn put_state(&self) -> Result<(), QueueError> {
        self.matches.put(&self.names.state(), &self.state).await?;
        notify(self.context).await;
        Ok(())
    }

    async fn put_tally(&mut self, tally: &Tally) -> Result<(), QueueError> {
        self.tallied = Instant::now();
        for (part, tally) in tally.parts().into_iter().enumerate() {
            self.matches.put(&self.names.tally(part), &tally).await?;
        }
        Ok(())
    }

    /// Whether a new worker finds the match, its plan, and the bucket for heartbeats.
    async fn is_announced(&self) -> Result<bool, QueueError> {
        let open = self.matches.get::<OpenMatches>(OPEN).await?;
        let is_open = open.is_some_and(|open| open.ids.iter().any(|id| id == self.names.id()));
        Ok(is_open
            && Bucket::find_beats(self.context).await?.is_some()
            && has_plan(self.context, &self.state.plan).await?)
    }
}

/// Removes a match that is over from the server, except its state.
pub async fn remove(context: &Context, names: &Names) {
    MatchQueue::remove(context, names).await;
    let Ok(matches) = Bucket::matches(context).await else {
        return;
    };
    // A match that stays in the list is harmless: its state tells workers that it is over.
    let _ = change_open(&matches, |open| open.ids.retain(|id| id != names.id())).await;
    if let Ok(Some(state)) = matches.get::<State>(&names.state()).await {
        objects::remove(context, PLANS, &state.plan).await;
        for id in state.engines.iter().filter(|id| id.is_shared) {
            for sha256 in id.hashes() {
                objects::remove(context, ENGINES, &names.file(sha256)).await;
            }
        }
    }
}

/// Changes the list of open matches, which other coordinators may change at the same time.
async fn change_open(
    matches: &Bucket,
    change: impl Fn(&mut OpenMatches),
) -> Result<(), QueueError> {
    let mut tries = 0;
    loop {
        let (open, revision) = matches.get_with_revision::<OpenMatches>(OPEN).await?;
        let mut open = open.unwrap_or_default();
        let before = open.clone();
        change(&mut open);
        if open == before {
            return Ok(());
        }
        match matches.replace(OPEN, &open, revision).await {
            Err(_) if tries < MOST_TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}
