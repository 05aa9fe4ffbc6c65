//! Stored data on the server: buckets with the states of matches and the heartbeats of workers, and object stores with
//! the plans of matches and the files of shared engines, which are stored by match and SHA-256.

use std::error::Error;
use std::time::Duration;

use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::kv;
use async_nats::jetstream::object_store::{self, InfoErrorKind};
use async_nats::jetstream::stream::{
    Config, DirectGetErrorKind, DiscardPolicy, StorageType, Stream,
};
use async_nats::jetstream::{Context, ErrorCode};
use futures_util::StreamExt;
use tokio::io::AsyncRead;

use crate::message::{MAX_BYTES, MAX_BYTES_OF_A_GAME, MAX_BYTES_OF_A_PLAN, Message, MessageError};
use crate::queue::{BEATS, PLANS, QueueError};
use crate::signature::{Key, Signer};

/// Time after which a silent worker's heartbeat expires.
const BEAT_AGE: Duration = Duration::from_secs(60);

pub const MAX_KEYS: usize = 200_000;

/// A bucket of messages by key.
#[derive(Clone, Debug)]
pub struct Bucket(kv::Store);

impl Bucket {
    /// Returns the bucket [`MATCHES`](crate::queue::MATCHES) or [`BEATS`]; `None` if no coordinator has created it.
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

    /// Returns the bucket [`MATCHES`](crate::queue::MATCHES) or [`BEATS`]; creates it if it is missing.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn ensure(context: &Context, name: &str) -> Result<Bucket, QueueError> {
        if let Some(found) = Bucket::find(context, name).await? {
            return Ok(found);
        }
        let (storage, max_age, most) = match name {
            BEATS => (StorageType::Memory, BEAT_AGE, MAX_BYTES),
            _ => (StorageType::File, Duration::ZERO, MAX_BYTES_OF_A_GAME),
        };
        // The client library would create a bucket that a message with a header can empty.
        let config = Config {
            name: format!("KV_{name}"),
            subjects: vec![format!("$KV.{name}.>")],
            storage,
            max_age,
            max_message_size: i32::try_from(most).unwrap_or(i32::MAX),
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            allow_direct: true,
            deny_delete: true,
            num_replicas: 1,
            ..Config::default()
        };
        let made = context.create_stream(config).await;
        made.map_err(QueueError::call("bucket"))?;
        let found = Bucket::find(context, name).await?;
        found.ok_or_else(|| QueueError::call("bucket")("removed at once"))
    }

    /// Returns the message under a key, or `None` if there is none that `by` has signed: another user may have
    /// written over it, and its author will write it again.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer, or the message has another version.
    pub async fn get<M: Message>(&self, key: &str, by: &Key) -> Result<Option<M>, QueueError> {
        Ok(self.read(key, by).await?.0?)
    }

    /// Like [`Bucket::get`], but returns `None` also for a message of another version.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn get_readable<M: Message>(
        &self,
        key: &str,
        by: &Key,
    ) -> Result<Option<M>, QueueError> {
        Ok(self.read(key, by).await?.0.unwrap_or(None))
    }

    /// Returns the message under a key like [`Bucket::get`], or the error of one of another version, and the revision
    /// for [`Bucket::replace`].
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn read<M: Message>(
        &self,
        key: &str,
        by: &Key,
    ) -> Result<(Result<Option<M>, MessageError>, u64), QueueError> {
        let subject = format!("{}{key}", self.0.prefix);
        // The client library would fail on headers that it does not know.
        let entry = self.0.stream.direct_get_last_for_subject(subject).await;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok((Ok(None), 0)),
            Err(error) => return Err(QueueError::call("bucket")(error)),
        };
        let message = match M::decode_by(by, &entry.payload, key) {
            Err(error @ MessageError::Version { .. }) => Err(error),
            decoded => Ok(decoded.ok()),
        };
        Ok((message, entry.sequence))
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
    ) -> Result<(), QueueError> {
        let put = self.0.put(key, message.encode(signer, key)?.into()).await;
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
        let bytes = message.encode(signer, key)?;
        let put = self.0.update(key, bytes.into(), revision).await;
        put.map(drop).map_err(QueueError::call("bucket"))
    }

    /// Returns the keys of workers or coordinators in the bucket after `beginning`, sorted: at most 200,000. The list
    /// comes from the server's stream info; the client library's key list would need a consumer.
    ///
    /// # Errors
    /// [`QueueError::Call`].
    pub async fn keys(&self, beginning: &str) -> Result<Vec<Key>, QueueError> {
        let prefix = format!("{}{beginning}", self.0.prefix);
        let mut subjects = self
            .0
            .stream
            .info_with_subjects(format!("{prefix}>"))
            .await
            .map_err(QueueError::call("bucket"))?;
        let mut names = Vec::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(QueueError::call("bucket"))?;
            names.extend(subject.strip_prefix(&prefix).map(str::to_string));
            if names.len() >= MAX_KEYS {
                break;
            }
        }
        names.sort();
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }
}

/// Whether the server has answered that the stream does not exist.
fn is_of_no_stream(error: &dyn Error) -> bool {
    let reason = error.source().and_then(|reason| reason.downcast_ref::<GetStreamError>());
    matches!(reason.map(GetStreamError::kind), Some(GetStreamErrorKind::JetStream(error))
        if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
}

/// Maximum length of a shared engine's file, in bytes.
pub const MAX_BYTES_OF_A_FILE: u64 = 1 << 28;

/// State of a stored object, its id and the sequence number of its last chunk: anything that is written over it or its
/// content changes this.
pub type Stamp = (String, u64);

/// Stores a plan or a shared engine's file under a name.
///
/// # Errors
/// [`QueueError::Call`].
pub async fn put(
    context: &Context,
    bucket: &str,
    name: &str,
    mut content: impl AsyncRead + Unpin,
) -> Result<(), QueueError> {
    let store = match context.get_object_store(bucket).await {
        Ok(store) => store,
        Err(_) => {
            let config = object_store::Config {
                bucket: bucket.to_string(),
                num_replicas: 1,
                ..object_store::Config::default()
            };
            let made = context.create_object_store(config).await;
            made.map_err(QueueError::call("object store"))?
        }
    };
    let put = store.put(name, &mut content).await;
    put.map(drop).map_err(QueueError::call("object store"))
}

/// Returns the plan under a name; the caller must check its hash.
///
/// # Errors
/// [`QueueError::Call`], for example if it is too long.
pub async fn get_plan(context: &Context, name: &str) -> Result<Vec<u8>, QueueError> {
    let mut chunks = Chunks::of(context, PLANS, name).await?;
    if chunks.left() > MAX_BYTES_OF_A_PLAN {
        let reason = format!("the plan has more than {MAX_BYTES_OF_A_PLAN} bytes");
        return Err(QueueError::call("object store")(reason));
    }
    let mut bytes = Vec::with_capacity(chunks.left());
    while let Some(chunk) = chunks.next().await? {
        bytes.extend(chunk);
    }
    Ok(bytes)
}

/// Returns the state of an object; `None` if it is missing or not readable.
///
/// # Errors
/// [`QueueError::Call`] if the server does not answer.
pub async fn stamp(
    context: &Context,
    bucket: &str,
    name: &str,
) -> Result<Option<Stamp>, QueueError> {
    let store = match context.get_object_store(bucket).await {
        Ok(store) => store,
        Err(error) if is_of_no_stream(&error) => return Ok(None),
        Err(error) => return Err(QueueError::call("object store")(error)),
    };
    let info = match store.info(name).await {
        Ok(info) if !info.deleted => info,
        Err(error) if error.kind() == InfoErrorKind::TimedOut => {
            return Err(QueueError::call("object store")(error));
        }
        Ok(_) | Err(_) => return Ok(None),
    };
    let stream = context
        .get_stream_no_info(format!("OBJ_{bucket}"))
        .await
        .map_err(QueueError::call("object store"))?;
    let subject = format!("$O.{bucket}.C.{}", info.nuid);
    let last = stream.direct_get_last_for_subject(subject).await;
    Ok(last.ok().map(|chunk| (info.nuid, chunk.sequence)))
}

pub async fn remove(context: &Context, bucket: &str, name: &str) {
    if let Ok(store) = context.get_object_store(bucket).await {
        // An object that stays only takes space.
        let _ = store.delete(name).await;
    }
}

/// Unread chunks of an object, each read with its own request. The client library's reader needs a consumer, so workers
/// would need one more permission, and it panics if the server does not answer in time.
#[derive(Debug)]
pub struct Chunks {
    stream: Stream<()>,
    subject: String,
    /// Minimum sequence number of the next chunk in its stream.
    next: u64,
    left: usize,
}

impl Chunks {
    /// Returns the chunks of an object.
    ///
    /// # Errors
    /// [`QueueError::Call`] if there is no such object, or the server does not answer.
    pub async fn of(context: &Context, bucket: &str, name: &str) -> Result<Chunks, QueueError> {
        let store =
            context.get_object_store(bucket).await.map_err(QueueError::call("object store"))?;
        let info = store.info(name).await.map_err(QueueError::call("object store"))?;
        if info.deleted {
            return Err(QueueError::call("object store")(format!("object {name} was removed")));
        }
        let stream = context.get_stream_no_info(format!("OBJ_{bucket}")).await;
        Ok(Chunks {
            stream: stream.map_err(QueueError::call("object store"))?,
            subject: format!("$O.{bucket}.C.{}", info.nuid),
            next: 1,
            left: info.size,
        })
    }

    /// Number of unread bytes, according to the store.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Returns the next chunk, or `None` after the last one, which may be longer than [`Chunks::left`].
    ///
    /// # Errors
    /// [`QueueError::Call`] if it is missing, or the server does not answer.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, QueueError> {
        if self.left == 0 {
            return Ok(None);
        }
        let piece = self
            .stream
            .direct_get_next_for_subject(&self.subject, Some(self.next))
            .await
            .map_err(QueueError::call("object store"))?;
        let bytes = piece.payload.len();
        if bytes == 0 {
            return Err(QueueError::call("object store")("empty chunk"));
        }
        self.next = piece.sequence + 1;
        self.left = self.left.saturating_sub(bytes);
        Ok(Some(piece.payload.to_vec()))
    }
}
