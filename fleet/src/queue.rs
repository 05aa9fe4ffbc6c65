//! The server: how it is reached, and the streams, consumers and buckets on it.

pub mod bucket;
pub mod chunks;
mod line;
pub mod notice;
pub mod objects;
mod pulling;

use std::io;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{AckPolicy, Info, PullConsumer, pull};
use async_nats::jetstream::context::{GetStreamErrorKind, PublishAckFuture};
use async_nats::jetstream::stream::{Config, LastRawMessageErrorKind, RetentionPolicy, Stream};
use async_nats::jetstream::{Context, ErrorCode};
use matches::play::interrupt::Interrupt;
use matches::run::exit::complain;
use thiserror::Error;

use crate::message::{MOST_BYTES, MOST_BYTES_OF_A_GAME, Message, MessageError};
use crate::names::{COORDINATOR, Names, WORKERS};
pub use bucket::Bucket;
pub use line::connect;
pub use pulling::{pull, workers_consumer};

/// How long the server remembers the ids of messages.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
/// How often a unit of work is given out before it is left for its coordinator to look at.
const MOST_DELIVERIES: i64 = 10;
/// The most workers that may wait for something to play.
const MOST_WAITING: i64 = 100_000;
/// How long the coordinator may take to store a game.
const COORDINATOR_WAIT: Duration = Duration::from_secs(60);
/// How long a server that is busy has at the start.
pub const START_PATIENCE: Duration = Duration::from_secs(60);
/// How long after a failed call the next one waits.
pub const PAUSE: Duration = Duration::from_millis(500);

/// Why the server is of no use, or does not do what it was asked for.
#[derive(Debug, Error)]
pub enum QueueError {
    /// A file named on the command line cannot be used.
    #[error("{flag}: {path}: {reason}")]
    File {
        /// The flag.
        flag: &'static str,
        /// The file.
        path: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// It cannot be reached.
    #[error("--nats {url}: {reason}")]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// Why.
        reason: String,
    },
    /// It is there, and does not answer.
    #[error(
        "--nats {url}: no answer; the server may be too busy, or this user may lack permission to use JetStream"
    )]
    Silent {
        /// Where it is.
        url: String,
    },
    /// It is too old.
    #[error("--nats {url}: nats-server {found}, expected 2.10 or later")]
    Old {
        /// Where it is.
        url: String,
        /// Its version.
        found: String,
    },
    /// It has no JetStream, or not for us.
    #[error(
        "--nats {url}: no JetStream: {reason}; expected a server started with `-js`, and permission to use it"
    )]
    NoJetStream {
        /// Where it is.
        url: String,
        /// What it answers.
        reason: String,
    },
    /// A call failed.
    #[error("{what}: {reason}")]
    Call {
        /// What was asked for.
        what: &'static str,
        /// What the server or the connection says.
        reason: String,
    },
    /// A message cannot be written or read.
    #[error(transparent)]
    Message(#[from] MessageError),
}

impl QueueError {
    /// Whether the same call may succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(self, QueueError::Silent { .. } | QueueError::Call { .. })
    }

    /// A failed call, for `map_err`.
    pub fn call<E: ToString>(what: &'static str) -> impl Fn(E) -> QueueError {
        move |reason| QueueError::Call {
            what,
            reason: reason.to_string(),
        }
    }
}

/// Calls until the server answers, for [`START_PATIENCE`] at most: on a busy machine it may take longer than a client
/// waits. An interrupt ends it with the error of the last call.
///
/// # Errors
/// The error of the last call, or the first one that waiting does not mend.
pub async fn patiently<T, F>(interrupt: &Interrupt, call: impl Fn() -> F) -> Result<T, QueueError>
where
    F: Future<Output = Result<T, QueueError>>,
{
    let end = Instant::now() + START_PATIENCE;
    let mut has_complained = false;
    loop {
        match call().await {
            Err(error) if error.is_passing() && Instant::now() < end && !interrupt.is_set() => {
                if !has_complained {
                    complain(format_args!("{error}; retrying"));
                }
                has_complained = true;
                tokio::time::sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// The streams and consumers of one match.
#[derive(Clone, Debug)]
pub struct MatchQueue {
    /// What is to be played.
    pub work: Stream,
    /// What was played.
    pub results: Stream,
    /// The coordinator's part of it.
    pub consumer: PullConsumer,
    /// Whether either of them had to be made.
    pub is_new: bool,
}

impl MatchQueue {
    /// Makes what is missing of a match's streams and consumers, and leaves the rest as it is.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn ensure(
        context: &Context,
        names: &Names,
        ack_wait: Duration,
    ) -> Result<MatchQueue, QueueError> {
        let (work, is_new_work) =
            ensure_stream(context, names.work_stream(), names.work(), MOST_BYTES).await?;
        let (name, subject) = (names.result_stream(), names.result());
        let (results, is_new_result) =
            ensure_stream(context, name, subject, MOST_BYTES_OF_A_GAME).await?;
        ensure_consumer(&work, WORKERS, ack_wait, MOST_DELIVERIES).await?;
        let consumer = ensure_consumer(&results, COORDINATOR, COORDINATOR_WAIT, -1).await?;
        Ok(MatchQueue {
            work,
            results,
            consumer,
            is_new: is_new_work || is_new_result,
        })
    }

    /// How it stands with the consumer of the workers, or `None` where a stream or a consumer is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`] where the server does not say.
    pub async fn workers(&self) -> Result<Option<Info>, QueueError> {
        let taken = info_of(&self.results, COORDINATOR).await?;
        let workers = info_of(&self.work, WORKERS).await?;
        Ok(taken.and(workers))
    }

    /// Whether the server still holds the unit of work with this number.
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

    /// Whether no result waits to be collected.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn has_no_results(&self) -> Result<bool, QueueError> {
        let info = self.results.get_info().await;
        let info = info.map_err(QueueError::call("results"))?;
        Ok(info.state.messages == 0)
    }

    /// Removes all units of work from the server.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn purge_work(&self) -> Result<(), QueueError> {
        let purged = self.work.purge().await;
        purged.map(drop).map_err(QueueError::call("purge"))
    }

    /// Removes both streams.
    pub async fn remove(context: &Context, names: &Names) {
        // What stays is removed by whoever runs the server, and harms nobody.
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
) -> Result<(Stream, bool), QueueError> {
    match context.get_stream(&name).await {
        Ok(stream) => return Ok((stream, false)),
        Err(error) if is_missing(&error.kind()) => {}
        Err(error) => return Err(QueueError::call("stream")(error)),
    }
    let config = Config {
        name,
        subjects: vec![subject],
        retention: RetentionPolicy::WorkQueue,
        max_message_size: i32::try_from(most_bytes).unwrap_or(i32::MAX),
        duplicate_window: DUPLICATE_WINDOW,
        num_replicas: 1,
        ..Config::default()
    };
    let stream = context.create_stream(config).await;
    Ok((stream.map_err(QueueError::call("stream"))?, true))
}

fn is_missing(kind: &GetStreamErrorKind) -> bool {
    matches!(kind, GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
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
        // Any number of workers may have something in hand.
        max_ack_pending: -1,
        max_waiting: MOST_WAITING,
        ..pull::Config::default()
    };
    let consumer = stream.create_consumer(config).await;
    consumer.map_err(QueueError::call("consumer"))
}

/// About this long, and another time for each worker: after a failure that all of them see not all come again at once.
pub fn about(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + rand::random::<f64>())
}

/// Sends a message once: the server drops another one with the same id. Returns at once; [`acknowledged`] waits for
/// the server.
///
/// # Errors
/// [`QueueError`] where it cannot be sent.
pub async fn publish(
    context: &Context,
    subject: String,
    id: &str,
    message: &impl Message,
) -> Result<PublishAckFuture, QueueError> {
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Msg-Id", id);
    let sent = context.publish_with_headers(subject, headers, message.encode()?.into());
    sent.await.map_err(QueueError::call("publish"))
}

/// Waits until the server has a message; returns its number in the stream.
///
/// # Errors
/// [`QueueError::Call`] where the server does not acknowledge it; it may be there all the same.
pub async fn acknowledged(sent: PublishAckFuture) -> Result<u64, QueueError> {
    let acknowledged = sent.await.map_err(QueueError::call("publish"))?;
    Ok(acknowledged.sequence)
}
