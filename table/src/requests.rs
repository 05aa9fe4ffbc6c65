//! Requests in progress: the clients that they belong to, how much of the server each client may use at a time, and
//! their bodies and answers, which are read and written as JSON on the threads that do the work.
//!
//! A client is an address or, for IPv6, its network of 64 bits. All clients of this machine share the loopback address,
//! so there a random token in a cookie tells them apart, in the form of a secret seed. The pages set it; requests
//! without one share a client.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, SET_COOKIE,
};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use matches::plan::deck::Seed;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tokio::sync::Semaphore;

use crate::error::{ApiError, quoted};

pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// Maximum memory of one client's requests and unwritten answers.
const MAX_MEMORY_OF_ONE: usize = 32 << 20;
/// Maximum memory of all clients' requests and unwritten answers.
const MAX_MEMORY: usize = 64 << 20;
/// The part of it that requests with large bodies may use.
const MAX_LARGE_BYTES: usize = 48 << 20;
/// Memory that a request needs besides its body and answer.
const USUAL_BYTES: usize = 64 << 10;
/// Maximum length of a body that is not large.
const SMALL_BODY_BYTES: usize = 4 << 10;
/// Maximum number of one client's reviews, each of which has a thread for some minutes.
const MAX_REVIEWS_OF_ONE: usize = 4;
const MAX_REVIEWS: usize = 32;
const JSON: &str = "application/json";
/// Timeout for a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Name of the cookie.
const COOKIE_NAME: &str = "client";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientId {
    Address(IpAddr),
    Token(u128),
}

/// The requests of all clients that are in progress.
#[derive(Debug)]
pub struct Clients {
    in_progress: Mutex<HashMap<ClientId, Usage>>,
    /// Threads for small requests, and for large ones, so that these cannot delay the others.
    threads: [Arc<Semaphore>; 2],
}

/// The part of the server that a client uses.
#[derive(Debug, Default)]
struct Usage {
    requests: usize,
    reviews: usize,
    bytes: usize,
}

/// A connection, which its requests have as an extension.
#[derive(Debug)]
pub struct Connection {
    pub address: IpAddr,
    /// Number of its requests that are in progress.
    requests: AtomicUsize,
}

/// A request in progress, from its head until its answer has been written. It counts for its client.
#[derive(Debug)]
pub struct Admitted {
    pub client: ClientId,
    clients: Arc<Clients>,
    connection: Option<Arc<Connection>>,
    is_large: bool,
    bytes: AtomicUsize,
    reviews: AtomicUsize,
}

impl Clients {
    pub fn new() -> Arc<Clients> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads =
            [processors, processors.div_ceil(2)].map(|number| Arc::new(Semaphore::new(number)));
        Arc::new(Clients { in_progress: Mutex::default(), threads })
    }

    fn in_progress(&self) -> MutexGuard<'_, HashMap<ClientId, Usage>> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted {
    /// Adds memory that the request needs, such as that of its answer.
    ///
    /// # Errors
    /// [`ApiError`] if its client, or all clients together, use too much.
    pub fn grow(&self, bytes: usize) -> Result<(), ApiError> {
        let mut clients = self.clients.in_progress();
        let all: usize = clients.values().map(|usage| usage.bytes).sum();
        let own = clients.entry(self.client).or_default();
        if own.bytes + bytes > MAX_MEMORY_OF_ONE {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too many requests of this client at once; read their answers, or try again later",
            ));
        }
        if all + bytes > if self.is_large { MAX_LARGE_BYTES } else { MAX_MEMORY } {
            return Err(ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests at once; try again later",
            ));
        }
        own.bytes += bytes;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Counts the request as a review.
    ///
    /// # Errors
    /// [`ApiError`] if there are too many.
    pub fn begin_review(&self) -> Result<(), ApiError> {
        let mut clients = self.clients.in_progress();
        let all: usize = clients.values().map(|usage| usage.reviews).sum();
        let own = clients.entry(self.client).or_default();
        let refuse = |status, message: String| Err(ApiError::new(status, message));
        if own.reviews >= MAX_REVIEWS_OF_ONE {
            let expected = "expected fewer: wait for one, or close its connection";
            let message =
                format!("{MAX_REVIEWS_OF_ONE} reviews of this client are in progress; {expected}");
            return refuse(StatusCode::TOO_MANY_REQUESTS, message);
        }
        if all >= MAX_REVIEWS {
            let message =
                format!("too many requests: {MAX_REVIEWS} are in progress; try again later");
            return refuse(StatusCode::SERVICE_UNAVAILABLE, message);
        }
        own.reviews += 1;
        self.reviews.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Runs work of the request on another thread, after the requests that came before.
    ///
    /// # Errors
    /// Errors of `work`; [`ApiError`] if it did not run.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let ending = || ApiError::internal("the server is shutting down");
        let [small, large] = &self.clients.threads;
        let threads = if self.is_large { large } else { small };
        let thread = threads.clone().acquire_owned().await.map_err(|_| ending())?;
        let done = tokio::task::spawn_blocking(move || {
            let _thread = thread;
            work()
        });
        done.await.unwrap_or_else(|_| Err(ending()))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some(connection) = &self.connection {
            connection.requests.fetch_sub(1, Ordering::Relaxed);
        }
        let mut clients = self.clients.in_progress();
        if let Some(own) = clients.get_mut(&self.client) {
            own.requests -= 1;
            own.reviews -= self.reviews.load(Ordering::Relaxed);
            own.bytes -= self.bytes.load(Ordering::Relaxed);
            if own.requests == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Admitted
where
    Arc<Clients>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Admitted, ApiError> {
        let clients = Arc::<Clients>::from_ref(state);
        let connection = parts.extensions.get::<Arc<Connection>>().cloned();
        let address = connection.as_ref().map_or(Ipv4Addr::LOCALHOST.into(), |from| from.address);
        let client = ClientId::of(address, &parts.headers);
        let length = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let length = match length.and_then(|length| length.parse().ok()) {
            Some(length) => MAX_BODY_BYTES.min(length),
            // The length of a chunked body is unknown.
            None if parts.method == Method::POST => MAX_BODY_BYTES,
            None => 0,
        };
        clients.in_progress().entry(client).or_default().requests += 1;
        if let Some(connection) = &connection {
            connection.requests.fetch_add(1, Ordering::Relaxed);
        }
        let (bytes, reviews) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let is_large = length > SMALL_BODY_BYTES;
        let admitted = Admitted { client, clients, connection, is_large, bytes, reviews };
        // Refuses the request if there are too many.
        admitted.grow(USUAL_BYTES + length)?;
        Ok(admitted)
    }
}

impl Connection {
    pub fn new(address: IpAddr) -> Arc<Connection> {
        Arc::new(Connection { address: address.to_canonical(), requests: AtomicUsize::new(0) })
    }

    pub fn is_idle(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0
    }
}

impl ClientId {
    fn of(address: IpAddr, headers: &HeaderMap) -> ClientId {
        match address {
            address if address.is_loopback() => {
                token(headers).map_or(ClientId::Address(address), ClientId::Token)
            }
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                ClientId::Address(Ipv6Addr::from_bits(network).into())
            }
            address => ClientId::Address(address),
        }
    }
}

/// Returns the token in the cookies of a request.
fn token(headers: &HeaderMap) -> Option<u128> {
    let cookies = headers.get_all(COOKIE).iter();
    let mut pairs = cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(name, _)| *name == COOKIE_NAME)?;
    match value.parse() {
        Ok(Seed::Key(token)) => Some(u128::from_be_bytes(token)),
        _ => None,
    }
}

/// Middleware of the pages that gives a client without a token a new one.
pub async fn identify(request: Request, next: Next) -> Response {
    let is_known = token(request.headers()).is_some();
    let mut response = next.run(request).await;
    if !is_known && let Ok(token) = Seed::secret() {
        let cookie = format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Strict");
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
    }
    response
}

// --- Bodies ---

/// A request with a body that has not been parsed yet.
///
/// Only a body with content type JSON is accepted: a page of another site can send one only if the server allows it by
/// CORS headers, which it never does.
#[derive(Debug)]
pub struct JsonRequest<T> {
    pub admitted: Arc<Admitted>,
    bytes: Bytes,
    parsed: PhantomData<fn() -> T>,
}

/// An answer that keeps its request in progress until it has been written.
#[derive(Debug)]
pub struct JsonAnswer(Bytes);

struct Content(Vec<u8>, #[expect(dead_code, reason = "ends with the content")] Arc<Admitted>);

impl<T: DeserializeOwned + 'static> JsonRequest<T> {
    /// Parses the body, and calls `work` with it, on another thread.
    ///
    /// # Errors
    /// [`ApiError`] if the body does not have the form of the operation; errors of `work`.
    pub async fn run<A: Send + 'static>(
        self,
        work: impl FnOnce(T) -> Result<A, ApiError> + Send + 'static,
    ) -> Result<A, ApiError> {
        let JsonRequest { admitted, bytes, .. } = self;
        admitted.run(move || work(parsed(&bytes)?)).await
    }

    /// The same, with an answer as JSON.
    ///
    /// # Errors
    /// As [`JsonRequest::run`].
    pub async fn answer<A: Serialize + 'static>(
        self,
        work: impl FnOnce(T) -> Result<A, ApiError> + Send + 'static,
    ) -> Result<JsonAnswer, ApiError> {
        let JsonRequest { admitted, bytes, .. } = self;
        JsonAnswer::by(admitted, move || work(parsed(&bytes)?)).await
    }
}

impl JsonAnswer {
    /// Calls `work` on another thread.
    ///
    /// # Errors
    /// Errors of `work`; [`ApiError`] if there is no room for the answer.
    pub async fn by<A: Serialize>(
        admitted: impl Into<Arc<Admitted>>,
        work: impl FnOnce() -> Result<A, ApiError> + Send + 'static,
    ) -> Result<JsonAnswer, ApiError> {
        let admitted = admitted.into();
        let answer = move || {
            let answer = serde_json::to_vec(&work()?);
            answer.map_err(|error| ApiError::internal(error.to_string()))
        };
        let bytes = admitted.run(answer).await?;
        admitted.grow(bytes.len())?;
        Ok(JsonAnswer(Bytes::from_owner(Content(bytes, admitted))))
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl IntoResponse for JsonAnswer {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, JSON)], self.0).into_response()
    }
}

impl<S: Send + Sync, T> FromRequest<S> for JsonRequest<T>
where
    Arc<Clients>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonRequest<T>, ApiError> {
        check_content_type(request.headers())?;
        let (mut parts, body) = request.into_parts();
        let admitted = Admitted::from_request_parts(&mut parts, state).await?;
        let request = Request::from_parts(parts, body);
        let bytes = tokio::time::timeout(BODY_TIMEOUT, Bytes::from_request(request, state))
            .await
            .map_err(|_| {
            let seconds = BODY_TIMEOUT.as_secs();
            let message = format!(
                "the body did not arrive within {seconds} seconds; expected all of it by then"
            );
            ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
        })?;
        let bytes = bytes.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                let message =
                    format!("the body is too large; expected at most {MAX_BODY_BYTES} bytes");
                ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
            }
            _ => ApiError::invalid(
                "the body is incomplete; expected all of it before the connection closes",
            ),
        })?;
        Ok(JsonRequest { admitted: Arc::new(admitted), bytes, parsed: PhantomData })
    }
}

fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let found = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or("?"));
    let essence = found.and_then(|value| value.split(';').next()).map(str::trim);
    if essence.is_some_and(|essence| essence.eq_ignore_ascii_case(JSON)) {
        return Ok(());
    }
    let found = found.map_or("is missing".to_string(), quoted);
    let message = format!("content type {found}; expected application/json");
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = object(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Deserializes a struct from an object only; serde also accepts an array of its fields.
///
/// # Errors
/// Errors of the deserializer.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Object(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(address: &str, cookies: &[&str]) -> ClientId {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(COOKIE, cookie.parse().unwrap());
        }
        ClientId::of(Connection::new(address.parse().unwrap()).address, &headers)
    }

    #[test]
    fn only_on_this_machine_a_token_tells_clients_apart() {
        let one = format!("client={:032x}", 1);
        let both = format!("theme=dark; {one}");
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.2"] {
            assert_eq!(id(address, &[&one]), ClientId::Token(1), "{address}");
            assert_eq!(id(address, &["a=b", &both]), ClientId::Token(1));
            for wrong in ["", "client", "client=1", "client=+0000000000000000000000000000001"] {
                assert_eq!(id(address, &[wrong]), id(address, &[]), "{wrong}");
            }
        }
        for address in ["192.0.2.1", "2001:db8::1"] {
            assert_eq!(id(address, &[&one]), id(address, &[]), "{address}");
        }
        assert_eq!(id("2001:db8::1", &[]), id("2001:db8::ffff:2", &[]));
        assert_ne!(id("2001:db8::1", &[]), id("2001:db8:0:1::1", &[]));
        assert_ne!(id("192.0.2.1", &[]), id("192.0.2.2", &[]));
    }
}
