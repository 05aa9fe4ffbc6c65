//! Buckets: states of matches, and heartbeats of workers.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::GetStreamError;
use async_nats::jetstream::kv;
use async_nats::jetstream::stream::{Config, DirectGetErrorKind, DiscardPolicy, StorageType};
use futures_util::StreamExt;

use super::{QueueError, is_missing};
use crate::message::{MAX_BYTES, MAX_BYTES_OF_A_GAME, Message, MessageError};
use crate::names::{BEATS, MATCHES};
use crate::signature::{Key, Signer};

/// Time after which a silent worker's heartbeat expires.
const BEAT_AGE: Duration = Duration::from_secs(60);

pub const MAX_KEYS: usize = 200_000;

/// A bucket of messages by key.
#[derive(Clone, Debug)]
pub struct Bucket(kv::Store);

impl Bucket {
    /// Returns the bucket of the matches' states; creates it if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn matches(context: &Context) -> Result<Bucket, QueueError> {
        let config = Config {
            storage: StorageType::File,
            max_message_size: i32::try_from(MAX_BYTES_OF_A_GAME).unwrap_or(i32::MAX),
            ..Config::default()
        };
        Bucket::ensure(context, MATCHES, config).await
    }

    /// Returns the bucket of the workers' heartbeats; creates it if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn beats(context: &Context) -> Result<Bucket, QueueError> {
        let config = Config {
            storage: StorageType::Memory,
            max_age: BEAT_AGE,
            max_message_size: i32::try_from(MAX_BYTES).unwrap_or(i32::MAX),
            ..Config::default()
        };
        Bucket::ensure(context, BEATS, config).await
    }

    /// Returns the bucket [`MATCHES`] or [`BEATS`]; `None` if no coordinator has created it.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn find(context: &Context, name: &str) -> Result<Option<Bucket>, QueueError> {
        match context.get_key_value(name).await {
            Ok(store) => Ok(Some(Bucket(store))),
            Err(error) if is_of_no_stream(&error) => Ok(None),
            Err(error) => Err(QueueError::call("bucket")(error)),
        }
    }

    /// The client library would create a bucket that a message with a header can empty.
    async fn ensure(context: &Context, name: &str, config: Config) -> Result<Bucket, QueueError> {
        if let Some(found) = Bucket::find(context, name).await? {
            return Ok(found);
        }
        let config = Config {
            name: format!("KV_{name}"),
            subjects: vec![format!("$KV.{name}.>")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            allow_direct: true,
            deny_delete: true,
            num_replicas: 1,
            ..config
        };
        let made = context.create_stream(config).await;
        made.map_err(QueueError::call("bucket"))?;
        let found = Bucket::find(context, name).await?;
        found.ok_or_else(|| QueueError::call("bucket")("removed at once"))
    }

    /// Returns the message under a key, or `None` if there is none that `by` has signed for this scope: another
    /// user may have written over it, and its author will write it again.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer, or the message has another version.
    pub async fn get<M: Message>(
        &self,
        key: &str,
        by: &Key,
        scope: &str,
    ) -> Result<Option<M>, QueueError> {
        Ok(self.get_with_revision(key, by, scope).await?.0)
    }

    /// Like [`Bucket::get`], but returns `None` also for a message of another version.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn get_readable<M: Message>(
        &self,
        key: &str,
        by: &Key,
        scope: &str,
    ) -> Result<Option<M>, QueueError> {
        match self.get(key, by, scope).await {
            Err(QueueError::Message(_)) => Ok(None),
            found => found,
        }
    }

    /// Like [`Bucket::get`], and returns the revision for [`Bucket::replace`].
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer, or the message has another version.
    pub async fn get_with_revision<M: Message>(
        &self,
        key: &str,
        by: &Key,
        scope: &str,
    ) -> Result<(Option<M>, u64), QueueError> {
        let subject = format!("{}{key}", self.0.prefix);
        // The client library would fail on headers that it does not know.
        let entry = self.0.stream.direct_get_last_for_subject(subject).await;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok((None, 0)),
            Err(error) => return Err(QueueError::call("bucket")(error)),
        };
        match M::decode_by(by, &entry.payload, scope) {
            Ok(message) => Ok((Some(message), entry.sequence)),
            Err(error @ MessageError::Version { .. }) => Err(error.into()),
            Err(_) => Ok((None, entry.sequence)),
        }
    }

    /// Puts a signed message under a key.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn put(
        &self,
        key: &str,
        message: &impl Message,
        signer: &Signer,
        scope: &str,
    ) -> Result<(), QueueError> {
        let put = self.0.put(key, message.encode(signer, scope)?.into()).await;
        put.map(drop).map_err(QueueError::call("bucket"))
    }

    /// Replaces the message with this revision, which is 0 for a new key.
    ///
    /// # Errors
    /// [`QueueError`], for example if the message has been replaced in the meantime.
    pub async fn replace(
        &self,
        key: &str,
        message: &impl Message,
        signer: &Signer,
        revision: u64,
    ) -> Result<(), QueueError> {
        let bytes = message.encode(signer, "")?;
        let put = self.0.update(key, bytes.into(), revision).await;
        put.map(drop).map_err(QueueError::call("bucket"))
    }

    /// Returns all keys in the bucket that begin with `beginning`, without it, sorted: at most 200,000. The list
    /// comes from the server's stream info; the client library's key list would need a consumer.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn keys(&self, beginning: &str) -> Result<Vec<String>, QueueError> {
        let prefix = format!("{}{beginning}", self.0.prefix);
        let subjects = self.0.stream.info_with_subjects(format!("{prefix}>"));
        let mut subjects = subjects.await.map_err(QueueError::call("bucket"))?;
        let mut names = Vec::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(QueueError::call("bucket"))?;
            names.extend(subject.strip_prefix(&prefix).map(str::to_string));
            if names.len() >= MAX_KEYS {
                break;
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Whether the server has answered that the stream does not exist.
pub(super) fn is_of_no_stream(error: &dyn Error) -> bool {
    let reason = error.source();
    let reason = reason.and_then(|reason| reason.downcast_ref::<GetStreamError>());
    reason.is_some_and(|reason| is_missing(&reason.kind()))
}
