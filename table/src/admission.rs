//! Admission: how much of the server each client may use at a time.
//!
//! A request has a place from its head until its answer has been written. Places are limited by the memory of requests
//! and answers. The work of a request runs on threads of its own, where clients take turns. Long jobs of a client queue
//! for each other, so that no client has many searches at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{FromRequestParts, Request, State as Shared};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::client::{ClientId, Connection};
use crate::error::ApiError;

pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// Maximum memory of one client's requests and unwritten answers.
const MAX_BYTES_OF_ONE: usize = 32 << 20;
/// Maximum memory of all clients' requests and unwritten answers.
const MAX_BYTES: usize = 64 << 20;
/// The part of it that large requests may use.
const MAX_LARGE_BYTES: usize = 48 << 20;
/// Memory that a request needs besides its body and answer.
const USUAL_BYTES: usize = 64 << 10;
/// Maximum length of a body that is not large.
const SMALL_BODY_BYTES: usize = 4 << 10;
/// Maximum number of a client's long jobs of a kind that run or wait for an engine.
const MAX_LONG_JOBS: usize = 2;
/// Maximum number of further ones, which wait for these.
const MAX_QUEUED_JOBS: usize = 16;

/// Kinds of long jobs: an analysis may take minutes, and a game must not wait for it.
#[derive(Clone, Copy, Debug)]
pub enum JobKind {
    /// A move of an engine, or a hint.
    Move,
    /// An analysis or a review.
    Analysis,
}

/// All clients with requests in progress.
#[derive(Debug)]
pub struct Admission {
    /// Maximum number of threads that work for all clients. Neither one client nor large requests can have all of them.
    most_threads: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    clients: HashMap<ClientId, Usage>,
    /// Clients with waiting work, in the order of their turns.
    turns: VecDeque<ClientId>,
    running: usize,
    /// Number of large requests among the running ones.
    running_large: usize,
    bytes: usize,
}

/// The part of the server that a client uses.
#[derive(Debug, Default)]
struct Usage {
    places: usize,
    bytes: usize,
    /// Moves, then analyses.
    long_jobs: [LongJobs; 2],
    running: usize,
    waiting: VecDeque<(Arc<Place>, oneshot::Sender<Turn>)>,
}

/// A client's long jobs of one kind.
#[derive(Debug)]
struct LongJobs {
    /// Number of jobs that run or wait.
    number: usize,
    turns: Arc<Semaphore>,
}

impl Default for LongJobs {
    fn default() -> LongJobs {
        LongJobs { number: 0, turns: Arc::new(Semaphore::new(MAX_LONG_JOBS)) }
    }
}

#[derive(Debug)]
pub struct Place {
    admission: Arc<Admission>,
    client: ClientId,
    connection: Arc<Connection>,
    is_large: bool,
    bytes: AtomicUsize,
}

/// The right to use a thread.
#[derive(Debug)]
struct Turn(Option<Arc<Place>>);

/// A long job that waits for its turn.
#[derive(Debug)]
pub struct QueuedJob {
    place: Arc<Place>,
    kind: JobKind,
    /// Number of the client's jobs that must end first.
    pub ahead: usize,
    turns: Arc<Semaphore>,
}

/// The right to run a long job.
#[derive(Debug)]
#[expect(dead_code, reason = "both end with the job")]
pub struct LongJob(OwnedSemaphorePermit, QueuedJob);

/// Part of an answer with the place that its memory belongs to.
struct Part(Bytes, #[expect(dead_code, reason = "kept until it is written")] Arc<Place>);

impl Admission {
    pub fn new() -> Arc<Admission> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Arc::new(Admission { most_threads: processors + 1, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(
        self: &Arc<Self>,
        client: ClientId,
        connection: Arc<Connection>,
        body: usize,
    ) -> Result<Arc<Place>, ApiError> {
        let is_large = body > SMALL_BODY_BYTES;
        let bytes = USUAL_BYTES + body;
        let mut state = self.state();
        state.take(client, bytes, is_large)?;
        state.clients.entry(client).or_default().places += 1;
        connection.begin();
        Ok(Arc::new(Place {
            admission: self.clone(),
            client,
            connection,
            is_large,
            bytes: bytes.into(),
        }))
    }

    /// Gives free threads to waiting work.
    fn give_turns(&self) {
        loop {
            let mut state = self.state();
            let Some((place, sender)) = state.next(self.most_threads) else {
                return;
            };
            drop(state);
            if let Err(mut turn) = sender.send(Turn(Some(place)))
                && let Some(place) = turn.0.take()
            {
                // The asker has gone; the next turn needs no recursion.
                place.end_turn();
            }
        }
    }
}

impl State {
    /// Takes memory.
    fn take(&mut self, client: ClientId, bytes: usize, is_large: bool) -> Result<(), ApiError> {
        let own = self.clients.get(&client).map_or(0, |usage| usage.bytes);
        if own.saturating_add(bytes) > MAX_BYTES_OF_ONE {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many requests of this client at once; read their answers, or try again later",
            ));
        }
        let most = if is_large { MAX_LARGE_BYTES } else { MAX_BYTES };
        if self.bytes.saturating_add(bytes) > most {
            return Err(ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests at once; try again later",
            ));
        }
        self.bytes += bytes;
        self.clients.entry(client).or_default().bytes += bytes;
        Ok(())
    }

    /// Returns the next work that may run; its client goes to the end of the row.
    fn next(&mut self, most_threads: usize) -> Option<(Arc<Place>, oneshot::Sender<Turn>)> {
        let State { clients, turns, running_large, .. } = self;
        let has_thread = |client: &ClientId| {
            let usage = clients.get(client)?;
            let (place, _) = usage.waiting.front()?;
            let is_free = usage.running + 1 < most_threads;
            let is_large_free = *running_large + 1 < most_threads;
            Some(is_free && (is_large_free || !place.is_large))
        };
        if self.running >= most_threads {
            return None;
        }
        let index = turns.iter().position(|client| has_thread(client) == Some(true))?;
        let client = turns.remove(index)?;
        let usage = clients.get_mut(&client)?;
        let next = usage.waiting.pop_front()?;
        usage.running += 1;
        self.running += 1;
        self.running_large += usize::from(next.0.is_large);
        if !usage.waiting.is_empty() {
            turns.push_back(client);
        }
        Some(next)
    }
}

impl Place {
    pub fn client(&self) -> ClientId {
        self.client
    }

    /// Runs work of the request on another thread, when it is the client's turn.
    ///
    /// # Errors
    /// Errors of `work`; [`ApiError`] if it did not run.
    pub async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let ending = || ApiError::internal("the server is shutting down");
        let (sender, turn) = oneshot::channel();
        {
            let mut state = self.admission.state();
            let usage = state.clients.entry(self.client).or_default();
            usage.waiting.push_back((self.clone(), sender));
            if usage.waiting.len() == 1 {
                state.turns.push_back(self.client);
            }
        }
        self.admission.give_turns();
        let turn = turn.await.map_err(|_| ending())?;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.unwrap_or_else(|_| Err(ending()))
    }

    /// Queues a long job.
    ///
    /// # Errors
    /// [`ApiError`] if the client has too many.
    pub fn queue_long_job(self: &Arc<Self>, kind: JobKind) -> Result<QueuedJob, ApiError> {
        let mut state = self.admission.state();
        let usage = state.clients.entry(self.client).or_default();
        let jobs = &mut usage.long_jobs[kind as usize];
        if jobs.number >= MAX_LONG_JOBS + MAX_QUEUED_JOBS {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "{} long requests of this client are in progress or waiting; expected fewer: wait for one, or \
                     close its connection",
                    jobs.number
                ),
            ));
        }
        jobs.number += 1;
        let ahead = jobs.number.saturating_sub(MAX_LONG_JOBS);
        Ok(QueuedJob { place: self.clone(), kind, ahead, turns: jobs.turns.clone() })
    }

    fn end_turn(&self) {
        let mut state = self.admission.state();
        state.running -= 1;
        state.running_large -= usize::from(self.is_large);
        if let Some(usage) = state.clients.get_mut(&self.client) {
            usage.running -= 1;
        }
    }

    /// Adds the memory of the answer.
    fn grow(&self, bytes: usize) -> Result<(), ApiError> {
        self.admission.state().take(self.client, bytes, self.is_large)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connection.end();
        let bytes = self.bytes.load(Ordering::Relaxed);
        let mut state = self.admission.state();
        state.bytes -= bytes;
        if let Some(usage) = state.clients.get_mut(&self.client) {
            usage.bytes -= bytes;
            usage.places -= 1;
            // Turns and long jobs have places, too.
            if usage.places == 0 {
                state.clients.remove(&self.client);
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(place) = self.0.take() {
            place.end_turn();
            place.admission.give_turns();
        }
    }
}

impl QueuedJob {
    /// Waits until the job may run.
    ///
    /// # Errors
    /// [`ApiError`] if the server is shutting down.
    pub async fn turn(self) -> Result<LongJob, ApiError> {
        let turn = self.turns.clone().acquire_owned().await;
        let turn = turn.map_err(|_| ApiError::internal("the server is shutting down"))?;
        Ok(LongJob(turn, self))
    }
}

impl Drop for QueuedJob {
    fn drop(&mut self) {
        let mut state = self.place.admission.state();
        if let Some(usage) = state.clients.get_mut(&self.place.client) {
            usage.long_jobs[self.kind as usize].number -= 1;
        }
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The place of a request, for its handler.
#[derive(Clone, Debug)]
pub struct Admitted(pub Arc<Place>);

impl<S: Sync> FromRequestParts<S> for Admitted {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Admitted, ApiError> {
        let admitted = parts.extensions.get::<Admitted>().cloned();
        admitted.ok_or_else(|| ApiError::internal("the request has no place"))
    }
}

/// Middleware that gives each request a place.
pub async fn admit(
    Shared(admission): Shared<Arc<Admission>>,
    mut request: Request,
    next: Next,
) -> Response {
    let connection = Connection::of_request(&request);
    let client = ClientId::of(&connection, &request);
    // The length of a chunked body is unknown.
    let body = request.body().size_hint().upper().unwrap_or(u64::MAX);
    let body = usize::try_from(body).map_or(MAX_BODY_BYTES, |body| body.min(MAX_BODY_BYTES));
    let place = match admission.place(client, connection, body) {
        Ok(place) => place,
        Err(error) => return error.into_response(),
    };
    request.extensions_mut().insert(Admitted(place.clone()));
    let (parts, body) = next.run(request).await.into_parts();
    match held(body, place).await {
        Ok(body) => Response::from_parts(parts, body),
        Err(error) => error.into_response(),
    }
}

/// Returns an answer's body that keeps the place until it has been written.
async fn held(body: Body, place: Arc<Place>) -> Result<Body, ApiError> {
    let Some(length) = body.size_hint().exact() else {
        // A stream of events.
        let parts = body.into_data_stream().inspect(move |_| {
            let _ = &place;
        });
        return Ok(Body::from_stream(parts));
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    place.grow(length)?;
    let bytes = to_bytes(body, length).await;
    let bytes = bytes.map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(Body::from(Bytes::from_owner(Part(bytes, place))))
}
