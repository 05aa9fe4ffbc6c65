//! The server: the connection to it, the streams and consumers of a match, notices that a match has changed, and the
//! names of all objects there.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::future::{Ready, ready};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use async_nats::jetstream::consumer::{AckPolicy, Info, PullConsumer, pull};
use async_nats::jetstream::context::AccountErrorKind;
use async_nats::jetstream::stream::{Config, LastRawMessageErrorKind, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, Message as Delivered};
use async_nats::{
    ConnectOptions, Event, HeaderMap, ServerAddr, ServerError, StatusCode, Subscriber,
};
use futures_util::{FutureExt, StreamExt};
use matches::input_file::text_of;
use matches::play::interrupt::Interrupt;
use matches::record::printable::printable;
use matches::run::exit::print_error;
use serde_json::json;
use thiserror::Error;
use tokio::time::{sleep, timeout};

use crate::args::ServerArgs;
use crate::message::{MAX_BYTES, MAX_BYTES_OF_A_GAME, MessageError};
use crate::signature::{FileError, Key, Signer};

/// Time that the server remembers message ids.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
/// Maximum number of deliveries of a unit before only its coordinator handles it.
const MAX_DELIVERIES: i64 = 10;
/// Maximum number of workers that wait for units.
const MAX_WAITING: i64 = 100_000;
/// Time that the coordinator may take to store a game.
const COORDINATOR_WAIT: Duration = Duration::from_secs(60);
/// Time that a busy server has to answer at the start.
pub const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Delay before a failed call is retried.
pub const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Interval at which a waiting call checks whether to stop.
const TICK: Duration = Duration::from_millis(100);
/// Minimum interval between polls because of notices.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum delay between a notice and a worker's poll; each worker waits a random part of it.
const JITTER: Duration = Duration::from_millis(500);
/// Time after the end of a request that its answer may take.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Errors of the connection to the server and of calls to it.
#[derive(Debug, Error)]
pub enum QueueError {
    /// A file named on the command line cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{0}")]
    Unreachable(String),
    /// The server accepts a connection but does not answer.
    #[error("{0}")]
    Silent(String),
    /// The server, or this user's rights, are not those that a fleet needs.
    #[error("{0}")]
    Unfit(String),
    #[error("{what}: {reason}")]
    Call {
        /// Object of the call.
        what: &'static str,
        /// Error of the server or the connection.
        reason: String,
    },
    /// A message cannot be encoded or decoded.
    #[error(transparent)]
    Message(#[from] MessageError),
}

impl QueueError {
    /// Whether the server did not answer a call, which may succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(self, QueueError::Silent(_) | QueueError::Call { .. })
    }

    /// Whether there was no connection or no answer.
    pub fn is_absence(&self) -> bool {
        matches!(self, QueueError::Silent(_) | QueueError::Unreachable(_))
    }

    /// Returns a function that makes a failed call of an error, for `map_err`.
    pub fn call<E: ToString>(what: &'static str) -> impl Fn(E) -> QueueError {
        move |reason| QueueError::Call { what, reason: reason.to_string() }
    }
}

/// Retries a call until the server answers, but not longer than [`START_TIMEOUT`]: a busy machine may exceed the
/// client's timeout. An interrupt ends it with the error of the last call.
///
/// # Errors
/// The error of the last call, or the first one that a retry cannot cure.
pub async fn retry_at_start<T, F>(
    interrupt: &Interrupt,
    call: impl Fn() -> F,
) -> Result<T, QueueError>
where
    F: Future<Output = Result<T, QueueError>>,
{
    let end = Instant::now() + START_TIMEOUT;
    let is_passing = |error: &QueueError| error.is_passing() && Instant::now() < end;
    retry(interrupt, is_passing, call).await
}

/// Retries a call while its error `is_passing`. An interrupt ends it with the error of the last call.
///
/// # Errors
/// The error of the last call.
pub async fn retry<T, F>(
    interrupt: &Interrupt,
    is_passing: impl Fn(&QueueError) -> bool,
    call: impl Fn() -> F,
) -> Result<T, QueueError>
where
    F: Future<Output = Result<T, QueueError>>,
{
    let mut is_reported = false;
    loop {
        match call().await {
            Err(error) if is_passing(&error) && !interrupt.is_set() => {
                if !is_reported {
                    print_error(format_args!("{error}; retrying"));
                }
                is_reported = true;
                sleep(about(RETRY_PAUSE)).await;
            }
            outcome => return outcome,
        }
    }
}

/// Time before the same error of the server is printed again.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// The last error of the server that was printed, to avoid repeating it constantly.
#[derive(Default)]
pub struct ReportedError(Option<(String, Instant)>);

impl ReportedError {
    pub fn print(&mut self, error: &QueueError) {
        let text = error.to_string();
        let is_repeated =
            |(last, at): &(String, Instant)| *last == text && at.elapsed() <= REPORT_INTERVAL;
        if !self.0.as_ref().is_some_and(is_repeated) {
            print_error(format_args!("server: {text}; retrying"));
            self.0 = Some((text, Instant::now()));
        }
    }
}

#[derive(Clone, Debug)]
pub struct MatchQueue {
    /// Units to play.
    pub work: Stream,
    /// Games that were played.
    pub results: Stream,
    /// The coordinator's consumer of results.
    pub consumer: PullConsumer,
}

impl MatchQueue {
    /// Creates the missing streams and consumers of a match, and leaves existing ones as they are.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn ensure(
        context: &Context,
        names: &Names,
        ack_wait: Duration,
    ) -> Result<MatchQueue, QueueError> {
        let (name, subject) = (names.work_stream(), names.work());
        let work = ensure_stream(context, name, subject, MAX_BYTES).await?;
        let (name, subject) = (names.result_stream(), names.result("*"));
        let results = ensure_stream(context, name, subject, MAX_BYTES_OF_A_GAME).await?;
        ensure_consumer(&work, WORKERS, ack_wait, MAX_DELIVERIES).await?;
        let consumer = ensure_consumer(&results, COORDINATOR, COORDINATOR_WAIT, -1).await?;
        Ok(MatchQueue { work, results, consumer })
    }

    /// Returns the state of the workers' consumer, or `None` if a stream or consumer is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`] if the server does not answer.
    pub async fn workers(&self) -> Result<Option<Info>, QueueError> {
        let taken = info_of(&self.results, COORDINATOR).await?;
        let workers = info_of(&self.work, WORKERS).await?;
        Ok(taken.and(workers))
    }

    /// Whether the server still holds the unit with this sequence number.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn has_work(&self, sequence: u64) -> Result<bool, QueueError> {
        match self.work.get_raw_message(sequence).await {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => {
                Ok(false)
            }
            Err(error) => Err(QueueError::call("message")(error)),
        }
    }

    /// Number of results that wait to be collected.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn waiting_results(&self) -> Result<u64, QueueError> {
        let info = self.results.get_info().await.map_err(QueueError::call("results"))?;
        Ok(info.state.messages)
    }

    /// Removes all units from the server.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn purge_work(&self) -> Result<(), QueueError> {
        let purged = self.work.purge().await;
        purged.map(drop).map_err(QueueError::call("purge"))
    }

    /// Removes both streams.
    pub async fn remove(context: &Context, names: &Names) {
        // A stream that stays is harmless; the server's administrator can remove it.
        let _ = context.delete_stream(names.work_stream()).await;
        let _ = context.delete_stream(names.result_stream()).await;
    }
}

async fn info_of(stream: &Stream, consumer: &str) -> Result<Option<Info>, QueueError> {
    match stream.consumer_info(consumer).await {
        Ok(info) => Ok(Some(info)),
        Err(error) if error.to_string().contains("not found") => Ok(None),
        Err(error) => Err(QueueError::call("streams")(error)),
    }
}

async fn ensure_stream(
    context: &Context,
    name: String,
    subject: String,
    most_bytes: usize,
) -> Result<Stream, QueueError> {
    let config = Config {
        name,
        subjects: vec![subject],
        retention: RetentionPolicy::WorkQueue,
        max_message_size: i32::try_from(most_bytes).unwrap_or(i32::MAX),
        duplicate_window: DUPLICATE_WINDOW,
        num_replicas: 1,
        ..Config::default()
    };
    context.get_or_create_stream(config).await.map_err(QueueError::call("stream"))
}

async fn ensure_consumer(
    stream: &Stream,
    name: &str,
    ack_wait: Duration,
    max_deliver: i64,
) -> Result<PullConsumer, QueueError> {
    let config = pull::Config {
        durable_name: Some(name.to_string()),
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_deliver,
        // Any number of workers may have a unit in progress.
        max_ack_pending: -1,
        max_waiting: MAX_WAITING,
        ..pull::Config::default()
    };
    let consumer = stream.create_consumer(config).await;
    consumer.map_err(QueueError::call("consumer"))
}

/// Returns a random time around `pause`, so that workers do not all retry at once after a common failure.
pub fn about(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + rand::random::<f64>())
}

/// Publishes a message once: the server drops another one with the same id. Returns at once, with a future that waits
/// until the server has stored the message, and returns its sequence number in the stream.
///
/// # Errors
/// [`QueueError::Call`] if the message cannot be sent, or the server does not acknowledge it; it may be stored
/// nevertheless.
pub async fn publish(
    context: &Context,
    subject: String,
    id: &str,
    message: Vec<u8>,
) -> Result<impl Future<Output = Result<u64, QueueError>> + use<>, QueueError> {
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Msg-Id", id);
    let sent = context.publish_with_headers(subject, headers, message.into());
    let acknowledged = sent.await.map_err(QueueError::call("publish"))?.into_future();
    Ok(acknowledged.map(|stored| Ok(stored.map_err(QueueError::call("publish"))?.sequence)))
}

/// Pulls the next unit of a match, until `wait` has passed or `is_over`; returns `None` if there is none. Also returns
/// `None` after a reconnection, since the server has forgotten the request.
///
/// The client library would first ask the server about the consumer, and the server scans all waiting workers before it
/// answers. There may be thousands.
///
/// # Errors
/// [`QueueError::Call`] if the server does not answer, or has no such consumer.
pub async fn pull(
    context: &Context,
    names: &Names,
    wait: Duration,
    is_over: impl Fn() -> bool,
) -> Result<Option<Delivered>, QueueError> {
    let client = context.client();
    let statistics = client.statistics();
    let connects = || statistics.connects.load(Ordering::Relaxed);
    let (before, end) = (connects(), Instant::now() + wait + ANSWER_WAIT);
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.map_err(QueueError::call("work"))?;
    let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{WORKERS}", names.work_stream());
    let request = json!({ "batch": 1, "expires": wait.as_nanos() as u64 }).to_string();
    let sent = client.publish_with_reply(subject, inbox, request.into());
    sent.await.map_err(QueueError::call("work"))?;
    let message = loop {
        match timeout(TICK, answers.next()).await {
            Ok(Some(message)) => break message,
            Ok(None) => return Ok(None),
            Err(_) if is_over() || connects() != before || Instant::now() > end => return Ok(None),
            Err(_) => {}
        }
    };
    match message.status {
        None | Some(StatusCode::OK) => Ok(Some(Delivered { message, context: context.clone() })),
        Some(StatusCode::TIMEOUT | StatusCode::NOT_FOUND) => Ok(None),
        Some(status) => {
            let reason = message.description.unwrap_or_default();
            Err(QueueError::call("work")(format!("{status} {reason}")))
        }
    }
}

/// A worker's subscription to notices that a match has changed. Workers poll the server when they get one, and rarely
/// otherwise, so that a large fleet sends hardly any requests while matches are running.
#[derive(Debug)]
pub struct Notices {
    subscriber: Option<Subscriber>,
    /// End of the last wait.
    last: Instant,
}

impl Notices {
    /// Subscribes to notices. A worker without permission to do so only polls at intervals.
    pub async fn listen(context: &Context) -> Notices {
        Notices { subscriber: context.client().subscribe(NOTICE).await.ok(), last: Instant::now() }
    }

    /// Waits for the next notice, but not longer than `at_most`; after a notice, waits for a random moment that spreads
    /// the polls of all workers. Any user can send notices, so polls have a minimum interval.
    pub async fn next(&mut self, at_most: Duration) {
        let Some(subscriber) = &mut self.subscriber else {
            return sleep(at_most).await;
        };
        match timeout(at_most, subscriber.next()).await {
            Ok(Some(_)) => {
                let rest = MIN_INTERVAL.saturating_sub(self.last.elapsed());
                sleep(rest + JITTER.mul_f64(rand::random())).await;
                // The coming poll covers notices that arrived in the meantime.
                while let Some(Some(_)) = subscriber.next().now_or_never() {}
            }
            // The connection is closed permanently.
            Ok(None) => {
                self.subscriber = None;
                sleep(at_most).await;
            }
            Err(_) => {}
        }
        self.last = Instant::now();
    }
}

/// Sends a notice. A worker that misses it sees the change at its next poll.
pub async fn notify(context: &Context) {
    let _ = context.client().publish(NOTICE, "".into()).await;
}

/// Bucket of the states of all matches and the list of open ones.
pub const MATCHES: &str = "fleet_matches";
/// Bucket of the workers' heartbeats, which expire soon.
pub const BEATS: &str = "fleet_beats";
/// Bucket of the plans of matches.
pub const PLANS: &str = "fleet_plans";
/// Bucket of the files of shared engines.
pub const ENGINES: &str = "fleet_engines";
/// Subject of the notices that a match has changed.
pub const NOTICE: &str = "fleet.notice";
/// Beginning of the keys of lists of open matches, before the key of their coordinator.
pub const OPEN: &str = "open.";
/// Consumer that all workers share.
pub const WORKERS: &str = "workers";
/// Consumer of the coordinator.
pub const COORDINATOR: &str = "coordinator";

/// Hexadecimal digits of a match id.
const ID_DIGITS: usize = 16;

/// Names that belong to one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    id: String,
}

impl Names {
    /// Returns the names for an id of 16 hexadecimal digits; `None` for any other text.
    pub fn of(id: &str) -> Option<Names> {
        let is_id = id.len() == ID_DIGITS && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_id.then(|| Names { id: id.to_string() })
    }

    pub fn numbered(number: u64) -> Names {
        Names { id: format!("{number:016x}") }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Stream of units to play.
    pub fn work_stream(&self) -> String {
        format!("FLEET_{}_WORK", self.id)
    }

    /// Subject of units to play.
    pub fn work(&self) -> String {
        format!("fleet.{}.work", self.id)
    }

    /// Stream of games that were played.
    pub fn result_stream(&self) -> String {
        format!("FLEET_{}_RESULT", self.id)
    }

    /// Subject of the games that the worker with this key has played, or of all with `*`.
    pub fn result(&self, key: impl Display) -> String {
        format!("fleet.{}.result.{key}", self.id)
    }

    /// Subject of units that the coordinator assigns to the worker with this key.
    pub fn assigned(&self, key: impl Display) -> String {
        format!("fleet.{}.assigned.{key}", self.id)
    }

    /// Key of the match's state.
    pub fn state(&self) -> String {
        format!("match.{}", self.id)
    }

    /// Name of an engine's file with this SHA-256.
    pub fn file(&self, sha256: &str) -> String {
        format!("{}.{sha256}", self.id)
    }

    /// Key of a part of the tally, from 0.
    pub fn tally(&self, part: usize) -> String {
        format!("tally.{}.{part}", self.id)
    }
}

/// Key of the list of open matches of the coordinator with this key.
pub fn open(key: impl Display) -> String {
    format!("{OPEN}{key}")
}

/// Subject of the units of all matches that are assigned to the worker with this key.
pub fn assigned(key: impl Display) -> String {
    format!("fleet.*.assigned.{key}")
}

/// Interval between pings to the server; the client drops a connection after three unanswered ones.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// Oldest server version with all required features.
const OLDEST: (u64, u64) = (2, 10);

/// Maximum number of refusals to report: a client without a permission is refused again and again.
const MAX_REFUSALS: usize = 8;

/// Connects to the server. A worker names its key: no other worker may read answers to it.
///
/// # Errors
/// [`QueueError`] if the server cannot be reached or does not meet the requirements.
pub async fn connect(
    args: &ServerArgs,
    name: &str,
    worker: Option<&Key>,
) -> Result<Context, QueueError> {
    let failed = |reason: &str| format!("--nats {}: {reason}", without_password(&args.nats));
    let unreachable = |reason: String| QueueError::Unreachable(failed(&reason));
    let wrong = |reason| unreachable(format!("{reason}, expected such as nats://host:4222"));
    // The client library ignores a user in an address.
    let address: ServerAddr = args.nats.parse().map_err(wrong)?;
    let mut options = ConnectOptions::new()
        .name(name)
        .ping_interval(PING_INTERVAL)
        .event_callback(event_reporter());
    if let Some(key) = worker {
        options = options.custom_inbox_prefix(format!("_INBOX_{key}"));
    }
    if is_local(&args.nats) {
        // A server on this machine may name others, and the client would reconnect to them.
        options = options.ignore_discovered_servers();
    }
    let no_use = |flag, path: &Path, reason| FileError { flag, path: path.to_path_buf(), reason };
    let read = |flag, path: &Path| {
        fs::read(path).and_then(text_of).map_err(|reason| no_use(flag, path, reason))
    };
    if let (Some(user), Some(password)) = (address.username(), address.password()) {
        options = options.user_and_password(user.to_string(), password.to_string());
    }
    if let Some(path) = &args.creds {
        let credentials = options.credentials(&read("--creds", path)?);
        options = credentials.map_err(|reason| no_use("--creds", path, reason))?;
    }
    if let Some(path) = &args.nkey {
        // The client library's error names neither the flag nor the file.
        options = options.nkey(Signer::read("--nkey", path)?.seed());
    }
    if let Some(path) = &args.tls_ca {
        if !read("--tls-ca", path)?.contains("-----BEGIN CERTIFICATE-----") {
            let reason = io::Error::other("expected certificates in PEM");
            return Err(no_use("--tls-ca", path, reason).into());
        }
        options = options.add_root_certificates(path.clone());
    }
    let connected = options.connect(address).await;
    let client = connected.map_err(|error| unreachable(error.to_string()))?;
    let found = client.server_info().version;
    if version_of(&found).is_none_or(|version| version < OLDEST) {
        let reason = format!("nats-server {found}, expected 2.10 or later");
        return Err(QueueError::Unfit(failed(&reason)));
    }
    let context = jetstream::new(client);
    match context.query_account().await {
        Ok(_) => Ok(context),
        Err(error) if matches!(error.kind(), AccountErrorKind::TimedOut) => {
            Err(QueueError::Silent(failed(
                "no answer; the server may be too busy, or this user may lack permission to use JetStream",
            )))
        }
        Err(error) => {
            let reason = format!(
                "no JetStream: {error}; expected a server started with `-js`, and permission to use it"
            );
            Err(QueueError::Unfit(failed(&reason)))
        }
    }
}

pub fn is_local(address: &str) -> bool {
    let Ok(address) = address.parse::<ServerAddr>() else {
        return false;
    };
    let host = address.host().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Whether only programs on this machine reach the server at an address: it listens on loopback.
pub fn is_private(address: &str, context: &Context) -> bool {
    is_local(address) && is_local(&context.client().server_info().host)
}

/// Returns an address without user and password.
fn without_password(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_string(),
        _ => address.to_string(),
    }
}

/// Returns the first two numbers of a version.
fn version_of(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split('.');
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

/// Reports to the user so far.
#[derive(Default)]
struct ConnectionReports {
    is_lost: bool,
    refusals: BTreeSet<String>,
}

/// Returns a callback that reports events of the connection, each refusal once.
fn event_reporter() -> impl Fn(Event) -> Ready<()> + Send + Sync + 'static {
    let reports = Mutex::new(ConnectionReports::default());
    move |event| {
        let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = reports.report(event) {
            print_error(format_args!("server: {}", printable(&text)));
        }
        ready(())
    }
}

impl ConnectionReports {
    fn report(&mut self, event: Event) -> Option<String> {
        match event {
            Event::Disconnected if !std::mem::replace(&mut self.is_lost, true) => {
                Some("connection lost; retrying".to_string())
            }
            Event::Connected if std::mem::take(&mut self.is_lost) => {
                Some("connection restored".to_string())
            }
            Event::ServerError(ServerError::Other(reason))
                if self.refusals.len() < MAX_REFUSALS && self.refusals.insert(reason.clone()) =>
            {
                Some(format!("refused: {reason}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_hexadecimal() {
        let names = Names::numbered(255);
        assert_eq!(Names::of(names.id()), Some(names.clone()));
        assert_eq!(names.work(), "fleet.00000000000000ff.work");
        for id in ["", "ff", "00000000000000f>", "00000000000000ff.x"] {
            assert_eq!(Names::of(id), None, "{id}");
        }
    }

    #[test]
    fn only_what_is_new_is_said() {
        let mut reports = ConnectionReports::default();
        assert_eq!(reports.report(Event::Connected), None);
        assert!(reports.report(Event::Disconnected).is_some());
        assert_eq!(reports.report(Event::Disconnected), None);
        assert!(reports.report(Event::Connected).is_some());
        let refusal = |reason: &str| Event::ServerError(ServerError::Other(reason.to_string()));
        assert!(reports.report(refusal("Permissions Violation")).is_some());
        assert_eq!(reports.report(refusal("Permissions Violation")), None);
        let more = (0..100).filter_map(|number| reports.report(refusal(&number.to_string())));
        assert_eq!(more.count(), MAX_REFUSALS - 1);
    }

    #[test]
    fn no_password_is_shown() {
        for (address, shown) in [
            ("nats://u:p@host:1", "nats://host:1"),
            ("u:p@host", "host"),
            ("nats://host", "nats://host"),
        ] {
            assert_eq!(without_password(address), shown);
        }
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for address in ["127.0.0.1", "nats://u:p@localhost:1", "tls://[::1]:4222"] {
            assert!(is_local(address), "{address}");
        }
        for address in ["nats://host", "127.0.0.1.example.org", "10.0.0.1:4222", "localhost.x"] {
            assert!(!is_local(address), "{address}");
        }
    }

    #[test]
    fn old_servers_are_told_by_their_version() {
        for (text, is_fit) in [("2.9.10", false), ("2.10.0", true), ("3.0", true), ("x", false)] {
            let found = version_of(text).is_some_and(|version| version >= OLDEST);
            assert_eq!(found, is_fit, "{text}");
        }
    }
}
