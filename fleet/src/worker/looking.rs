//! Which matches a worker plays: it looks what is open, takes up what it can play, and says what it refuses.

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

/// How often a worker looks what is open, and how its matches are, where nothing tells it that they have changed.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(60);
/// How long a match is refused before it is looked at again: an engine may have been put in its place meanwhile, or a
/// busy machine may have become idle.
const REFUSED_FOR: Duration = Duration::from_secs(30);
/// The most open matches that it looks at.
const MOST_MATCHES: usize = 64;

/// Why a match is not played.
pub(super) struct Refused {
    /// The coordinator's own number then: another one is looked at anew.
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
    /// Looks again and again which matches are open, and how they are.
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
                // Where the server does not answer, what goes on goes on; it may have lost the bucket.
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

    /// What is refused is looked at as soon as it may be.
    fn look_interval(&self) -> Duration {
        match self.refused().is_empty() {
            true => LOOK_INTERVAL,
            false => REFUSED_FOR,
        }
    }

    async fn look_at(self: &Arc<Worker>, matches: &mut Option<Bucket>) -> Result<(), QueueError> {
        // A worker makes nothing on the server: it may have no right to.
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
            // A state that is lost comes again, with the coordinator.
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
                // The message is of another version, and for others.
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

    /// Whether a match that it does not play is to be looked at.
    fn is_wanted(&self, names: &Names, state: &State) -> bool {
        let refused = self.refused();
        let is_refused = |refused: &Refused| {
            refused.session == state.session && refused.since.elapsed() < REFUSED_FOR
        };
        state.phase == Phase::Open && !refused.get(names.id()).is_some_and(is_refused)
    }

    /// Looks at a match, which may take long where engines are fetched, unless that is going on.
    fn begin_to_adopt(self: Arc<Worker>, names: Names, state: State) {
        let id = names.id().to_string();
        if !self.looked_at().insert(id.clone()) {
            return;
        }
        tokio::spawn(async move {
            let worker = self.clone();
            let adopting = tokio::spawn(async move { worker.adopt(names, state).await });
            // What panics in there has said so.
            if !adopting.await.unwrap_or(false) {
                tokio::time::sleep(about(PAUSE)).await;
            }
            self.looked_at().remove(&id);
            // The match may have changed meanwhile.
            self.has_looked.notify_one();
        });
    }

    /// Begins to play a match, or says why not; false where the server does not tell, and it is to be tried again.
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
