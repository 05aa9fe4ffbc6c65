//! A worker's polls of the open matches: it adopts those that it can play, and reports those that it refuses.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use matches::run::exit::complain;

use super::adoption::{self, AdoptionError};
use super::fetch::FetchError;
use super::{PAUSE, Worker};
use crate::message::{OpenMatches, Phase, State};
use crate::names::{Names, OPEN};
use crate::queue::bucket::Bucket;
use crate::queue::notice::Notices;
use crate::queue::{QueueError, about};

/// Interval between polls without a notice.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(60);
/// Time before a refused match is tried again: its engine may have been installed, or a busy machine may have become
/// idle.
const REFUSED_FOR: Duration = Duration::from_secs(30);
/// Maximum number of open matches to look at.
const MOST_MATCHES: usize = 64;

/// A match that is not played, with the reason.
pub(super) struct Refused {
    /// Session of its coordinator; after a new one the match is tried again.
    session: u64,
    pub(super) reason: String,
    since: Instant,
}

impl Refused {
    pub(super) fn now(session: u64, reason: String) -> Refused {
        let since = Instant::now();
        Refused {
            session,
            reason,
            since,
        }
    }
}

impl Worker {
    /// Polls the open matches and their states, forever.
    pub(super) async fn look(self: Arc<Worker>) {
        let mut notices = Notices::listen(&self.context).await;
        let (mut matches, mut has_complained) = (None, false);
        loop {
            match self.look_at(&mut matches).await {
                Ok(()) => {
                    has_complained = false;
                    tokio::select! {
                        () = notices.next(self.look_interval()) => {}
                        () = self.has_looked.notified() => {}
                    }
                }
                // If the server does not answer, running games continue. The server may have lost the bucket.
                Err(error) => {
                    if !has_complained {
                        complain(format_args!("server: {error}; retrying"));
                    }
                    has_complained = true;
                    matches = None;
                    tokio::time::sleep(about(PAUSE)).await;
                }
            }
        }
    }

    /// Time until the next poll, shorter while matches are refused.
    fn look_interval(&self) -> Duration {
        match self.refused().is_empty() {
            true => LOOK_INTERVAL,
            false => REFUSED_FOR,
        }
    }

    async fn look_at(self: &Arc<Worker>, matches: &mut Option<Bucket>) -> Result<(), QueueError> {
        // A worker creates nothing on the server, since it may lack the permission.
        if matches.is_none() {
            *matches = Bucket::find_matches(&self.context).await?;
        }
        match matches {
            Some(matches) => self.look_once(matches).await,
            None => Ok(()),
        }
    }

    async fn look_once(self: &Arc<Worker>, matches: &Bucket) -> Result<(), QueueError> {
        for adopted in self.adopted() {
            let state = matches.get::<State>(&adopted.names.state()).await?;
            // The coordinator publishes a lost state again.
            let Some((state, _)) = state else { continue };
            let is_ours = state.session == adopted.state.session
                && state.phase == Phase::Open
                && !state.set_aside.contains(&self.name);
            if !is_ours {
                self.drop_match(adopted.names.id());
            }
        }
        let open = matches.get::<OpenMatches>(OPEN).await?;
        let open = open.map(|(open, _)| open).unwrap_or_default();
        self.forget_refusals(&open);
        let open = open.ids.iter().filter_map(|id| Names::of(id));
        for names in open.take(MOST_MATCHES).filter(|names| !self.plays(names)) {
            match matches.get::<State>(&names.state()).await {
                Ok(Some((state, _))) if self.is_wanted(&names, &state) => {
                    self.clone().begin_to_adopt(names, state);
                }
                Ok(_) => {}
                // The message has another version, for other workers.
                Err(QueueError::Message(error)) => {
                    let refused = Refused::now(0, error.to_string());
                    self.refused().insert(names.id().to_string(), refused);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn forget_refusals(&self, open: &OpenMatches) {
        let mut refused = self.refused();
        refused.retain(|id, _| open.ids.contains(id));
    }

    fn plays(&self, names: &Names) -> bool {
        self.adopted().iter().any(|adopted| adopted.names == *names)
    }

    /// Whether to try to adopt a match that it does not play.
    fn is_wanted(&self, names: &Names, state: &State) -> bool {
        let refused = self.refused();
        let is_refused = |refused: &Refused| {
            refused.session == state.session && refused.since.elapsed() < REFUSED_FOR
        };
        state.phase == Phase::Open && !refused.get(names.id()).is_some_and(is_refused)
    }

    /// Starts to adopt a match, unless that is in progress; fetching engines may take long.
    fn begin_to_adopt(self: Arc<Worker>, names: Names, state: State) {
        let id = names.id().to_string();
        if !self.looked_at().insert(id.clone()) {
            return;
        }
        tokio::spawn(async move {
            let worker = self.clone();
            let adopting = tokio::spawn(async move { worker.adopt(names, state).await });
            // A panic in the task has printed its own message.
            if !adopting.await.unwrap_or(false) {
                tokio::time::sleep(about(PAUSE)).await;
            }
            self.looked_at().remove(&id);
            // The match may have changed in the meantime.
            self.has_looked.notify_one();
        });
    }

    /// Adopts a match, or reports why it cannot; returns false if a call to the server failed and must be retried.
    async fn adopt(&self, names: Names, state: State) -> bool {
        let (id, session) = (names.id().to_string(), state.session);
        match adoption::adopt(self, names, state).await {
            Ok(adopted) => {
                self.refused().remove(&id);
                let mut matches = self.adopted.lock().unwrap_or_else(PoisonError::into_inner);
                complain(format_args!("playing match {id}"));
                if self.interrupt.is_set() {
                    adopted.interrupt.set();
                }
                matches.insert(id, Arc::new(adopted));
            }
            Err(AdoptionError::Queue(error) | AdoptionError::Fetch(FetchError::Queue(error))) => {
                let refused = Refused::now(0, error.to_string());
                self.refused().insert(id, refused);
                return false;
            }
            Err(error) => self.refuse(&id, session, &error.to_string()),
        }
        true
    }
}
