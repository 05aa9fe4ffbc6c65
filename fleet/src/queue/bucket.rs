//! Buckets: states of matches, and heartbeats of workers.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::GetStreamError;
use async_nats::jetstream::kv;
use async_nats::jetstream::stream::StorageType;
use futures_util::StreamExt;

use super::{QueueError, is_missing};
use crate::message::{MOST_BYTES, MOST_BYTES_OF_A_GAME, Message};
use crate::names::{BEATS, MATCHES};

/// Time after which a silent worker's heartbeat expires.
const BEAT_AGE: Duration = Duration::from_secs(60);

/// Messages requested from the server at a time.
const MOST_ASKED: usize = 64;

/// A bucket of messages by key.
#[derive(Clone, Debug)]
pub struct Bucket(kv::Store);

impl Bucket {
    /// Returns the bucket of the matches' states; creates it if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn matches(context: &Context) -> Result<Bucket, QueueError> {
        let config = kv::Config {
            bucket: MATCHES.to_string(),
            storage: StorageType::File,
            max_value_size: i32::try_from(MOST_BYTES_OF_A_GAME).unwrap_or(i32::MAX),
            ..kv::Config::default()
        };
        Bucket::ensure(context, config).await
    }

    /// Returns the bucket of the matches' states; `None` if no coordinator has created it.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn find_matches(context: &Context) -> Result<Option<Bucket>, QueueError> {
        Bucket::find(context, MATCHES).await
    }

    /// Returns the bucket of the workers' heartbeats; creates it if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn beats(context: &Context) -> Result<Bucket, QueueError> {
        let config = kv::Config {
            bucket: BEATS.to_string(),
            storage: StorageType::Memory,
            max_age: BEAT_AGE,
            max_value_size: i32::try_from(MOST_BYTES).unwrap_or(i32::MAX),
            ..kv::Config::default()
        };
        Bucket::ensure(context, config).await
    }

    /// Returns the bucket of the workers' heartbeats; `None` if no coordinator has created it.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn find_beats(context: &Context) -> Result<Option<Bucket>, QueueError> {
        Bucket::find(context, BEATS).await
    }

    async fn find(context: &Context, name: &str) -> Result<Option<Bucket>, QueueError> {
        match context.get_key_value(name).await {
            Ok(store) => Ok(Some(Bucket(store))),
            Err(error) if is_of_no_stream(&error) => Ok(None),
            Err(error) => Err(QueueError::call("bucket")(error)),
        }
    }

    async fn ensure(context: &Context, config: kv::Config) -> Result<Bucket, QueueError> {
        if let Some(found) = Bucket::find(context, &config.bucket).await? {
            return Ok(found);
        }
        let config = kv::Config {
            history: 1,
            num_replicas: 1,
            ..config
        };
        let made = context.create_key_value(config).await;
        Ok(Bucket(made.map_err(QueueError::call("bucket"))?))
    }

    /// Returns the message under a key, or `None` if it is missing or was removed.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer, or the message cannot be decoded.
    pub async fn get<M: Message>(&self, key: &str) -> Result<Option<M>, QueueError> {
        Ok(self.get_with_revision(key).await?.0)
    }

    /// Like [`Bucket::get`], and returns the revision for [`Bucket::replace`].
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer, or the message cannot be decoded.
    pub async fn get_with_revision<M: Message>(
        &self,
        key: &str,
    ) -> Result<(Option<M>, u64), QueueError> {
        let entry = self
            .0
            .entry(key)
            .await
            .map_err(QueueError::call("bucket"))?;
        match entry {
            None => Ok((None, 0)),
            Some(entry) if entry.operation == kv::Operation::Put => {
                Ok((Some(M::decode(&entry.value)?), entry.revision))
            }
            Some(removed) => Ok((None, removed.revision)),
        }
    }

    /// Puts a message under a key.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn put(&self, key: &str, message: &impl Message) -> Result<(), QueueError> {
        let put = self.0.put(key, message.encode()?.into()).await;
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
        revision: u64,
    ) -> Result<(), QueueError> {
        let put = self.0.update(key, message.encode()?.into(), revision).await;
        put.map(drop).map_err(QueueError::call("bucket"))
    }

    /// Returns the number of messages in the bucket.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn number(&self) -> Result<usize, QueueError> {
        Ok(self.keys().await?.len())
    }

    /// Returns all messages in the bucket that can be decoded, sorted by key.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn all<M: Message>(&self) -> Result<Vec<M>, QueueError> {
        let asked = self.keys().await?.into_iter();
        let asked = asked.map(async |key| self.get(&key).await);
        let mut answers = futures_util::stream::iter(asked).buffered(MOST_ASKED);
        let mut all = Vec::new();
        while let Some(answer) = answers.next().await {
            // A message of another version is meant for another program.
            all.extend(answer.ok().flatten());
        }
        Ok(all)
    }

    /// Returns all keys in the bucket, sorted. The list comes from the server's stream info; the client library's key
    /// list would need a consumer.
    async fn keys(&self) -> Result<Vec<String>, QueueError> {
        let subjects = self
            .0
            .stream
            .info_with_subjects(format!("{}>", self.0.prefix));
        let mut subjects = subjects.await.map_err(QueueError::call("bucket"))?;
        let mut names = Vec::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(QueueError::call("bucket"))?;
            names.extend(subject.strip_prefix(&self.0.prefix).map(str::to_string));
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
