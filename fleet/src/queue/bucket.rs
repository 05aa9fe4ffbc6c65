//! Buckets: the states of matches, the workers' beats, and plans.

use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::kv;
use async_nats::jetstream::object_store;
use async_nats::jetstream::stream::StorageType;
use futures_util::StreamExt;
use tokio::io::AsyncReadExt;

use super::QueueError;
use crate::message::{MOST_BYTES_OF_A_PLAN, Message};
use crate::names::{BEATS, MATCHES, PLANS};

/// How long a worker is remembered that says nothing.
const BEAT_AGE: Duration = Duration::from_secs(30);

/// A bucket of messages by their keys.
#[derive(Clone, Debug)]
pub struct Bucket(kv::Store);

impl Bucket {
    /// The bucket of the matches' states, made if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn matches(context: &Context) -> Result<Bucket, QueueError> {
        Bucket::ensure(context, MATCHES, StorageType::File, Duration::ZERO).await
    }

    /// The bucket of the workers' beats, made if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn beats(context: &Context) -> Result<Bucket, QueueError> {
        Bucket::ensure(context, BEATS, StorageType::Memory, BEAT_AGE).await
    }

    async fn ensure(
        context: &Context,
        name: &str,
        storage: StorageType,
        max_age: Duration,
    ) -> Result<Bucket, QueueError> {
        if let Ok(store) = context.get_key_value(name).await {
            return Ok(Bucket(store));
        }
        let config = kv::Config {
            bucket: name.to_string(),
            history: 1,
            storage,
            max_age,
            num_replicas: 1,
            ..kv::Config::default()
        };
        let made = context.create_key_value(config).await;
        Ok(Bucket(made.map_err(QueueError::call("bucket"))?))
    }

    /// The message under a key, or `None`; with its revision.
    ///
    /// # Errors
    /// [`QueueError`] where the server does not say, or it is no such message.
    pub async fn get<M: Message>(&self, key: &str) -> Result<Option<(M, u64)>, QueueError> {
        let entry = self
            .0
            .entry(key)
            .await
            .map_err(QueueError::call("bucket"))?;
        let entry = entry.filter(|entry| entry.operation == kv::Operation::Put);
        entry
            .map(|entry| Ok((M::decode(&entry.value)?, entry.revision)))
            .transpose()
    }

    /// Puts a message under a key.
    ///
    /// # Errors
    /// [`QueueError`].
    pub async fn put(&self, key: &str, message: &impl Message) -> Result<(), QueueError> {
        let put = self.0.put(key, message.encode()?.into()).await;
        put.map(drop).map_err(QueueError::call("bucket"))
    }

    /// Puts a message in the place of one with this revision, 0 where there was none.
    ///
    /// # Errors
    /// [`QueueError`], where another has been put there meanwhile for one.
    pub async fn replace(
        &self,
        key: &str,
        message: &impl Message,
        revision: u64,
    ) -> Result<(), QueueError> {
        let put = self.0.update(key, message.encode()?.into(), revision).await;
        put.map(drop).map_err(QueueError::call("bucket"))
    }

    /// How many messages are in the bucket.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn number(&self) -> Result<usize, QueueError> {
        let keys = self.0.keys().await.map_err(QueueError::call("bucket"))?;
        Ok(keys.count().await)
    }

    /// All messages in the bucket that can be read, in the order of their keys.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn all<M: Message>(&self) -> Result<Vec<M>, QueueError> {
        let mut keys = self.0.keys().await.map_err(QueueError::call("bucket"))?;
        let mut names = Vec::new();
        while let Some(key) = keys.next().await {
            names.push(key.map_err(QueueError::call("bucket"))?);
        }
        names.sort();
        let mut all = Vec::new();
        for name in names {
            // One of another version is somebody else's.
            if let Ok(Some((message, _))) = self.get(&name).await {
                all.push(message);
            }
        }
        Ok(all)
    }
}

/// Keeps a plan under a name.
///
/// # Errors
/// [`QueueError::Call`].
pub async fn put_plan(context: &Context, name: &str, bytes: &[u8]) -> Result<(), QueueError> {
    let store = match context.get_object_store(PLANS).await {
        Ok(store) => store,
        Err(_) => {
            let config = object_store::Config {
                bucket: PLANS.to_string(),
                num_replicas: 1,
                ..object_store::Config::default()
            };
            let made = context.create_object_store(config).await;
            made.map_err(QueueError::call("object store"))?
        }
    };
    let mut reader = bytes;
    let put = store.put(name, &mut reader).await;
    put.map(drop).map_err(QueueError::call("object store"))
}

/// The plan that is kept under a name; the client holds it against its hash.
///
/// # Errors
/// [`QueueError::Call`], where it is too long for one.
pub async fn get_plan(context: &Context, name: &str) -> Result<Vec<u8>, QueueError> {
    let store = context.get_object_store(PLANS).await;
    let store = store.map_err(QueueError::call("object store"))?;
    let object = store.get(name).await;
    let object = object.map_err(QueueError::call("object store"))?;
    let mut bytes = Vec::new();
    let read = object.take(MOST_BYTES_OF_A_PLAN as u64 + 1);
    let read = { read }.read_to_end(&mut bytes).await;
    read.map_err(QueueError::call("object store"))?;
    if bytes.len() > MOST_BYTES_OF_A_PLAN {
        let reason = format!("a plan of more than {MOST_BYTES_OF_A_PLAN} bytes");
        return Err(QueueError::call("object store")(reason));
    }
    Ok(bytes)
}

/// Forgets the plan under a name.
pub async fn remove_plan(context: &Context, name: &str) {
    if let Ok(store) = context.get_object_store(PLANS).await {
        // What stays takes room, and harms nobody.
        let _ = store.delete(name).await;
    }
}
