//! Joining matches: a worker polls the open matches, joins those that it can play, and reports those that it refuses.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use matches::VERSION;
use matches::luck::Evaluator;
use matches::plan::rules::PositionError;
use matches::plan::{Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::rules;
use matches::play::runner::{self, Programs};
use matches::play::sandbox::Isolation;
use matches::run::exit::print_error;
use tokio::task::block_in_place;
use tokio::time::sleep;

use super::engines::{self, CachedFile};
use super::{JOIN_PAUSE, JoinError, Worker, locked};
use crate::message::{Message, OpenMatches, Phase, State, Units, Work, read_plan};
use crate::queue::{self, MATCHES, Names, Notices, OPEN, QueueError, ReportedError, about};
use crate::signature::Key;
use crate::storage::{Bucket, get_plan};
use crate::time_scale;

/// Interval between polls without a notice.
pub const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// Time before a refused match is tried again: its engine may have been installed, or a busy machine may have become
/// idle.
const REFUSED_FOR: Duration = Duration::from_secs(30);
/// Average pause before a failed subscription is tried again.
const SUBSCRIPTION_PAUSE: Duration = Duration::from_secs(5);
/// Maximum number of units of a match that are assigned to this worker.
const MAX_ASSIGNED: usize = 64;
/// Maximum number of open matches to consider.
const MAX_MATCHES: usize = 64;
/// Maximum number of coordinators to consider if all are trusted.
const MAX_COORDINATORS: usize = 64;

pub(crate) struct JoinedMatch {
    pub(crate) names: Names,
    /// Key that signs its messages.
    pub(super) coordinator: Key,
    /// Units that the coordinator has assigned to this worker, each with whether a slot plays it.
    assigned: Mutex<Vec<(Work, bool)>>,
    /// State when the worker joined it.
    pub(crate) state: State,
    /// Plan with this machine's programs and a concurrency of 1.
    pub(crate) plan: Plan,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) programs: Programs,
    /// Evaluator of the luck of its games, if workers measure it.
    pub(crate) luck: Option<Evaluator>,
    /// Stops its games.
    pub(crate) interrupt: Interrupt,
    /// Speed of this machine when it joined, in positions a second.
    pub(crate) speed: Option<u64>,
    /// Scale of its time limits, in permille; `None` if they are not scaled.
    pub(crate) time_scale: Option<u32>,
    _fetched: Vec<CachedFile>,
}

pub(super) struct Refusal {
    /// Session of its coordinator; after a new one the match is tried again.
    session: u64,
    pub(super) reason: String,
    since: Instant,
}

impl Worker {
    /// Polls the open matches and their states, forever.
    pub(super) async fn poll_matches(self: Arc<Worker>) {
        let mut notices = Notices::listen(&self.context).await;
        let (mut matches, mut reported) = (None, ReportedError::default());
        loop {
            match self.poll(&mut matches).await {
                Ok(()) => {
                    let interval =
                        if locked(&self.refused).is_empty() { POLL_INTERVAL } else { REFUSED_FOR };
                    tokio::select! {
                        () = notices.next(interval) => {}
                        () = self.has_joined.notified() => {}
                    }
                }
                // If the server does not answer, running games continue. The server may have lost the bucket.
                Err(error) => {
                    reported.print(&error);
                    matches = None;
                    sleep(about(JOIN_PAUSE)).await;
                }
            }
        }
    }

    async fn poll(self: &Arc<Worker>, matches: &mut Option<Bucket>) -> Result<(), QueueError> {
        // A worker creates nothing on the server, since it may lack the permission.
        if matches.is_none() {
            *matches = Bucket::find(&self.context, MATCHES).await?;
        }
        let Some(matches) = matches else {
            return Ok(());
        };
        for joined in self.joined() {
            let state = self.state(matches, &joined.coordinator, &joined.names);
            // The coordinator publishes a lost state again.
            let Some(state) = state.await? else { continue };
            let is_ours = state.session == joined.state.session
                && state.phase == Phase::Open
                && !self.is_set_aside(&state);
            if !is_ours {
                self.drop_match(joined.names.id());
            }
        }
        let open = self.open_matches(matches).await?;
        let ids: HashSet<&str> = open.iter().map(|(_, names)| names.id()).collect();
        locked(&self.refused).retain(|id, _| ids.contains(id.as_str()));
        for (coordinator, names) in open.iter().filter(|(_, names)| !self.plays(names)) {
            match self.state(matches, coordinator, names).await {
                Ok(Some(state)) if self.is_wanted(names, &state) => {
                    let (names, coordinator) = (names.clone(), coordinator.clone());
                    self.clone().begin_to_join(names, coordinator, state);
                }
                Ok(_) => {}
                // The message has another version, for other workers.
                Err(QueueError::Message(error)) => {
                    self.note_refusal(names.id(), 0, error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The open matches of the trusted coordinators.
    async fn open_matches(&self, matches: &Bucket) -> Result<Vec<(Key, Names)>, QueueError> {
        let mut coordinators = self.args.coordinator.clone();
        if coordinators.is_empty() {
            coordinators = matches.keys(OPEN).await?;
            coordinators.truncate(MAX_COORDINATORS);
        }
        let mut all = Vec::new();
        for key in coordinators {
            let open = matches.get_readable(&queue::open(&key), &key).await?;
            let OpenMatches { ids } = open.unwrap_or_default();
            let names = ids.iter().filter_map(|id| Names::of(id)).take(MAX_MATCHES);
            all.extend(names.map(|names| (key.clone(), names)));
        }
        // All workers play the matches in this order.
        all.sort_by(|(_, one), (_, other)| one.id().cmp(other.id()));
        Ok(all)
    }

    /// Returns the state of a match; `None` if it is missing, or older than one that this worker has seen.
    async fn state(
        &self,
        matches: &Bucket,
        coordinator: &Key,
        names: &Names,
    ) -> Result<Option<State>, QueueError> {
        let Some(state) = matches.get::<State>(&names.state(), coordinator).await? else {
            return Ok(None);
        };
        let mut states = locked(&self.states);
        // Another coordinator may have the same id, but not the same state.
        let last = states.entry(format!("{coordinator} {}", names.id())).or_default();
        let age = (state.session, state.revision);
        let is_new = age >= *last;
        *last = age.max(*last);
        Ok(is_new.then_some(state))
    }

    /// Whether the games of this worker no longer count.
    fn is_set_aside(&self, state: &State) -> bool {
        state.set_aside.contains(self.signer.key().id())
    }

    /// Notes that a match is refused; returns its last refusal.
    pub(super) fn note_refusal(&self, id: &str, session: u64, reason: String) -> Option<Refusal> {
        let refusal = Refusal { session, reason, since: Instant::now() };
        locked(&self.refused).insert(id.to_string(), refusal)
    }

    fn plays(&self, names: &Names) -> bool {
        locked(&self.joined).contains_key(names.id())
    }

    /// Whether to try to join a match that it does not play.
    fn is_wanted(&self, names: &Names, state: &State) -> bool {
        let is_recent = |refusal: &Refusal| {
            refusal.session == state.session && refusal.since.elapsed() < REFUSED_FOR
        };
        let is_refused = locked(&self.refused).get(names.id()).is_some_and(is_recent);
        state.phase == Phase::Open && !is_refused
    }

    /// Starts to join a match, unless that is in progress; fetching engines may take long.
    fn begin_to_join(self: Arc<Worker>, names: Names, coordinator: Key, state: State) {
        let id = names.id().to_string();
        if !locked(&self.joining).insert(id.clone()) {
            return;
        }
        tokio::spawn(async move {
            let worker = self.clone();
            let joining = tokio::spawn(async move { worker.join(names, coordinator, state).await });
            // A panic in the task has printed its own message.
            if !joining.await.unwrap_or(false) {
                sleep(about(JOIN_PAUSE)).await;
            }
            locked(&self.joining).remove(&id);
            // The match may have changed in the meantime.
            self.has_joined.notify_one();
        });
    }

    /// Joins a match, or reports why it cannot; returns false if a call to the server failed and must be retried.
    async fn join(&self, names: Names, coordinator: Key, state: State) -> bool {
        let (id, session) = (names.id().to_string(), state.session);
        match JoinedMatch::join(self, names, coordinator, state).await {
            Ok(joined) => {
                locked(&self.refused).remove(&id);
                let mut matches = locked(&self.joined);
                print_error(format_args!("playing match {id}"));
                if self.interrupt.is_set() {
                    joined.interrupt.set();
                }
                matches.insert(id, Arc::new(joined));
                // The coordinator may choose this worker from now on.
                self.has_news.notify_one();
            }
            Err(JoinError::Queue(error)) => {
                self.note_refusal(&id, 0, error.to_string());
                return false;
            }
            Err(JoinError::Unfit(reason)) => self.refuse(&id, session, &reason),
        }
        true
    }
}

impl JoinedMatch {
    /// Reads the plan of a match, finds or fetches its programs, and starts each of them once as a test.
    async fn join(
        worker: &Worker,
        names: Names,
        coordinator: Key,
        state: State,
    ) -> Result<JoinedMatch, JoinError> {
        if state.arbiter != VERSION {
            let found = state.arbiter;
            let reason = format!("the match needs arbiter {found}, this worker has {VERSION}");
            return Err(reason.into());
        }
        if worker.is_set_aside(&state) {
            return Err("this worker is set aside; `fleet status` says why".to_string().into());
        }
        let key = worker.signer.key();
        if state.workers.as_ref().is_some_and(|listed| !listed.contains(key.id())) {
            return Err(format!("the coordinator's --workers file lacks the key {key}").into());
        }
        let bytes = get_plan(&worker.context, &state.plan).await?;
        let (found, expected) = (binary::hash_bytes(&bytes), &state.plan);
        if found != *expected {
            return Err(format!("the plan has SHA-256 {found}, the match has {expected}").into());
        }
        let mut plan = block_in_place(|| read_plan(&bytes))?;
        let fetched = engines::find(worker, &names, &state, &mut plan).await?;
        block_in_place(|| {
            plan.concurrency = 1;
            let speed = worker.speed();
            let time_scale = time_scale::scale_of(&plan, state.reference_speed, speed);
            if let Some(permille) = time_scale {
                time_scale::apply(&mut plan, permille);
            }
            // Only the coordinator retires engines, since it sees all games.
            plan.referee_limits.failures = 0;
            let (isolation, _) = Isolation::of(plan.isolate, &plan.engines)?;
            let stop = Interrupt::new();
            connect_rules(&plan, isolation, &worker.log, &stop)
                .map_err(|error| error.to_string())?;
            let programs = Programs::of(&plan, &worker.interrupt);
            engines::check_options(&plan, isolation, worker)?;
            let notice = |engine: &str| print_error(format_args!("waiting for engine {engine}"));
            let (log, interrupt) = (&worker.log, &worker.interrupt);
            let checked = runner::start_engines(&mut plan, isolation, log, interrupt, &notice);
            checked.map_err(|error| error.to_string())?;
            let luck = Evaluator::of(&plan, None).ok().flatten();
            Ok(JoinedMatch {
                luck: luck.filter(|_| !plan.luck.after),
                names,
                coordinator,
                assigned: Mutex::default(),
                state,
                plan,
                isolation,
                programs: programs.without_changed_arguments(),
                interrupt: stop,
                speed,
                time_scale,
                _fetched: fetched,
            })
        })
    }
}

/// Lets the rules program of a match answer, if it has one, and tests it on a thread that ends with its process.
fn connect_rules(
    plan: &Plan,
    isolation: Option<Isolation>,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<(), PositionError> {
    let Some(game) = plan.rules.program() else {
        return Ok(());
    };
    let test = || {
        rules::connect(game, isolation, plan.referee_limits.ready, log, interrupt)?;
        plan.rules.start(plan.seats).map(drop)
    };
    // A panic has printed its own message.
    thread::scope(|scope| scope.spawn(test).join().unwrap_or(Ok(())))
}

impl Worker {
    /// Receives the units that a coordinator has assigned to this worker alone, forever.
    pub(super) async fn receive_assigned(self: Arc<Worker>) {
        let client = self.context.client();
        loop {
            let subject = queue::assigned(self.signer.key());
            if let Ok(mut messages) = client.subscribe(subject).await {
                while let Some(message) = messages.next().await {
                    self.take_assigned(&message.subject, &message.payload);
                }
            }
            sleep(about(SUBSCRIPTION_PAUSE)).await;
        }
    }

    fn take_assigned(&self, subject: &str, payload: &[u8]) {
        let (key, matches) = (self.signer.key(), self.joined());
        let Some(joined) = matches.iter().find(|joined| joined.names.assigned(key) == subject)
        else {
            return;
        };
        // Any user may have sent it; only units from the coordinator are played.
        let Ok(work) = Work::decode_by(&joined.coordinator, payload, subject) else {
            return;
        };
        let mut assigned = locked(&joined.assigned);
        let is_known = assigned.iter().any(|(known, _)| known.unit == work.unit);
        if joined.has(&work) && !is_known && assigned.len() < MAX_ASSIGNED {
            assigned.push((work, false));
            self.has_news.notify_one();
        }
    }
}

impl JoinedMatch {
    /// Whether a unit belongs to the match and to its session.
    pub(super) fn has(&self, work: &Work) -> bool {
        work.session == self.state.session && work.unit < Units::of(&self.plan).count()
    }

    /// Whether a unit is assigned to this worker that it does not play yet.
    pub(super) fn has_assigned(&self) -> bool {
        locked(&self.assigned).iter().any(|(_, is_played)| !is_played)
    }

    /// Takes the next such unit; [`JoinedMatch::end_assigned`] must follow.
    pub(super) fn next_assigned(&self) -> Option<Work> {
        let mut assigned = locked(&self.assigned);
        let (work, is_played) = assigned.iter_mut().find(|(_, is_played)| !is_played)?;
        *is_played = true;
        Some(work.clone())
    }

    pub(super) fn end_assigned(&self, unit: u64) {
        locked(&self.assigned).retain(|(work, _)| work.unit != unit);
    }

    /// All such units, waiting or in play, with the id of the match.
    pub(super) fn assigned(&self) -> Vec<(String, u64)> {
        let assigned = locked(&self.assigned);
        assigned.iter().map(|(work, _)| (self.names.id().to_string(), work.unit)).collect()
    }
}
