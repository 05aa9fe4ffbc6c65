//! Publishing a match: its plan, its engines, its state and its tally.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use matches::VERSION;
use matches::plan::{Plan, binary};
use matches::run::exit::complain;

use super::DriveError;
use super::prepare::{PreparedMatch, programs, shared_files};
use crate::message::{OpenMatches, Phase, State, Tally};
use crate::names::{self, BEATS, ENGINES, Names, PLANS};
use crate::queue::storage::{self, Stamp, put_file, put_plan, stamp};
use crate::queue::{Bucket, MatchQueue, QueueError, notify};
use crate::shared_plan;
use crate::signature::{Key, Signer};

const TALLY_INTERVAL: Duration = Duration::from_secs(5);
/// Time between two checks of the plan and the shared engines.
const OBJECT_INTERVAL: Duration = Duration::from_secs(10);
/// Attempts to change the list of open matches while other coordinators change it.
const MAX_TRIES: usize = 20;

pub struct Publisher<'a> {
    context: &'a Context,
    signer: &'a Signer,
    names: &'a Names,
    plan: &'a Plan,
    matches: Bucket,
    state: State,
    plan_bytes: Vec<u8>,
    /// Stored objects by bucket and name.
    objects: BTreeMap<(&'static str, String), Option<Stamp>>,
    /// Time of their last check.
    checked: Instant,
    tallied: Instant,
}

impl<'a> Publisher<'a> {
    /// Prepares the state of an open match.
    pub fn new(
        context: &'a Context,
        signer: &'a Signer,
        prepared: &'a PreparedMatch,
        plan: &'a Plan,
        matches: Bucket,
        ack_wait: Duration,
    ) -> Result<Publisher<'a>, DriveError> {
        let ids = |keys: &BTreeSet<Key>| keys.iter().map(|key| key.id().to_string()).collect();
        let plan_bytes = shared_plan::write(plan).map_err(DriveError::Plan)?;
        Ok(Publisher {
            context,
            signer,
            names: &prepared.names,
            plan,
            matches,
            state: State {
                phase: Phase::Open,
                arbiter: VERSION.to_string(),
                session: prepared.session(),
                revision: 0,
                plan: binary::hash_bytes(&plan_bytes),
                engines: prepared.engines.clone(),
                ack_wait_ms: ack_wait.as_millis() as u64,
                set_aside: BTreeSet::new(),
                workers: prepared.workers().map(ids),
                reference_speed: prepared.reference_speed(),
            },
            plan_bytes,
            objects: BTreeMap::new(),
            checked: Instant::now(),
            tallied: Instant::now(),
        })
    }

    /// Publishes everything that workers need, and adds the match to the list of open ones.
    pub async fn announce(&mut self) -> Result<(), DriveError> {
        self.matches = Bucket::matches(self.context).await?;
        Bucket::beats(self.context).await?;
        self.put_objects().await?;
        self.put_state().await?;
        let id = self.names.id().to_string();
        change_open(&self.matches, self.signer, |open| {
            if !open.ids.contains(&id) {
                open.ids.push(id.clone());
            }
        })
        .await?;
        notify(self.context).await;
        Ok(())
    }

    /// Stores the plan and the shared engines, unless they are as this coordinator has stored them.
    async fn put_objects(&mut self) -> Result<(), QueueError> {
        let (context, plan) = (self.context, self.state.plan.clone());
        if self.is_changed(PLANS, &plan).await? {
            put_plan(context, &plan, &self.plan_bytes).await?;
            self.note_object(PLANS, plan).await?;
        }
        for (engine, id) in programs(self.plan).zip(self.state.engines.clone()) {
            for (path, sha256) in shared_files(engine, &id).filter(|_| id.is_shared) {
                let name = self.names.file(sha256);
                if self.is_changed(ENGINES, &name).await? {
                    put_file(context, &name, &path).await?;
                    self.note_object(ENGINES, name).await?;
                }
            }
        }
        Ok(())
    }

    /// Whether the server has another object than this coordinator has stored.
    async fn is_changed(&self, bucket: &'static str, name: &str) -> Result<bool, QueueError> {
        let stored = self.objects.get(&(bucket, name.to_string()));
        let Some(stored) = stored.and_then(Option::as_ref) else {
            return Ok(true);
        };
        Ok(stamp(self.context, bucket, name).await?.as_ref() != Some(stored))
    }

    async fn note_object(&mut self, bucket: &'static str, name: String) -> Result<(), QueueError> {
        let stored = stamp(self.context, bucket, &name).await?;
        self.objects.insert((bucket, name), stored);
        Ok(())
    }

    /// Publishes the ids of the workers that are set aside, if they have changed.
    pub async fn set_aside(&mut self, ids: &BTreeSet<String>) {
        if self.state.set_aside != *ids {
            self.state.set_aside.clone_from(ids);
            // If this fails, the next check publishes it.
            let _ = self.put_state().await;
        }
    }

    /// Compares the published state with this coordinator's, and publishes again what the server has lost or a stranger
    /// has written over.
    ///
    /// # Errors
    /// [`DriveError::Taken`] if a later coordinator with this key has published its own.
    pub async fn check(&mut self) -> Result<(), DriveError> {
        match self.published().await? {
            Some(state) if state.session > self.state.session => {
                let id = self.names.id().to_string();
                return Err(DriveError::Taken { id });
            }
            Some(state) if state.session == self.state.session && self.is_announced().await? => {
                if state != self.state {
                    self.put_state().await?;
                }
            }
            _ => {
                self.announce().await?;
                complain("the server has lost the state of the match; published again");
            }
        }
        Ok(())
    }

    async fn published(&self) -> Result<Option<State>, QueueError> {
        let (key, scope) = (self.names.state(), self.names.id());
        match self.matches.get(&key, self.signer.key(), scope).await {
            Ok(state) => Ok(state),
            // The bucket may be missing.
            Err(QueueError::Call { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

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
            remove(self.context, self.signer, self.names).await;
        }
    }

    async fn put_state(&mut self) -> Result<(), QueueError> {
        self.state.revision += 1;
        let (key, scope) = (self.names.state(), self.names.id());
        let put = self.matches.put(&key, &self.state, self.signer, scope);
        put.await?;
        notify(self.context).await;
        Ok(())
    }

    async fn put_tally(&mut self, tally: &Tally) -> Result<(), QueueError> {
        self.tallied = Instant::now();
        for (part, tally) in tally.parts().into_iter().enumerate() {
            let key = self.names.tally(part);
            let put = self.matches.put(&key, &tally, self.signer, &key);
            put.await?;
        }
        Ok(())
    }

    /// Whether a new worker finds the match, its plan and engines, and the bucket for heartbeats.
    async fn is_announced(&mut self) -> Result<bool, QueueError> {
        let key = self.signer.key();
        let open = self.matches.get(&names::open(key), key, "").await?;
        let is_open =
            open.is_some_and(|open: OpenMatches| open.ids.iter().any(|id| id == self.names.id()));
        if !is_open || Bucket::find(self.context, BEATS).await?.is_none() {
            return Ok(false);
        }
        if self.checked.elapsed() < OBJECT_INTERVAL {
            return Ok(true);
        }
        self.checked = Instant::now();
        for (bucket, name) in self.objects.keys() {
            if self.is_changed(bucket, name).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Removes a match that is over from the server, except its state.
pub async fn remove(context: &Context, signer: &Signer, names: &Names) {
    MatchQueue::remove(context, names).await;
    let Ok(matches) = Bucket::matches(context).await else {
        return;
    };
    // A match that stays in the list is harmless: its state tells workers that it is over.
    let _ = change_open(&matches, signer, |open| {
        open.ids.retain(|id| id != names.id());
    })
    .await;
    let key = names.state();
    let state = matches.get::<State>(&key, signer.key(), names.id());
    if let Ok(Some(state)) = state.await {
        storage::remove(context, PLANS, &state.plan).await;
        for id in state.engines.iter().filter(|id| id.is_shared) {
            for sha256 in id.hashes() {
                storage::remove(context, ENGINES, &names.file(sha256)).await;
            }
        }
    }
}

/// Changes the list of the coordinator's open matches, which its other processes may change at the same time.
async fn change_open(
    matches: &Bucket,
    signer: &Signer,
    change: impl Fn(&mut OpenMatches),
) -> Result<(), QueueError> {
    let (key, mut tries) = (names::open(signer.key()), 0);
    loop {
        let found = matches.get_with_revision(&key, signer.key(), "").await?;
        let (open, revision): (Option<OpenMatches>, u64) = found;
        let mut open = open.unwrap_or_default();
        let before = open.clone();
        change(&mut open);
        if open == before {
            return Ok(());
        }
        match matches.replace(&key, &open, signer, revision).await {
            Err(_) if tries < MAX_TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}
