//! Object stores: plans of matches, and files of shared engines, which are stored by match and SHA-256.

use std::path::Path;

use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{self, InfoErrorKind, ObjectStore};
use async_nats::jetstream::stream::Stream;
use tokio::fs::File;

use super::QueueError;
use super::bucket::is_of_no_stream;
use crate::message::MAX_BYTES_OF_A_PLAN;
use crate::names::{ENGINES, PLANS};

/// Maximum length of a shared engine's file, in bytes.
pub const MAX_BYTES_OF_A_FILE: u64 = 1 << 28;

/// State of a stored object: anything that is written over it or its content changes this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    nuid: String,
    /// Sequence number of its last chunk.
    last: u64,
}

/// Stores a plan under a name.
///
/// # Errors
/// [`QueueError::Call`].
pub async fn put_plan(context: &Context, name: &str, bytes: &[u8]) -> Result<(), QueueError> {
    let store = ensure(context, PLANS).await?;
    let mut reader = bytes;
    let put = store.put(name, &mut reader).await;
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
    let stream = context.get_stream_no_info(format!("OBJ_{bucket}")).await;
    let stream = stream.map_err(QueueError::call("object store"))?;
    let subject = format!("$O.{bucket}.C.{}", info.nuid);
    let last = stream.direct_get_last_for_subject(subject).await;
    let nuid = info.nuid;
    Ok(last.ok().map(|chunk| Stamp { nuid, last: chunk.sequence }))
}

/// Uploads a file for workers.
///
/// # Errors
/// [`QueueError::Call`], for example if the file cannot be read.
pub async fn put_file(context: &Context, name: &str, path: &Path) -> Result<(), QueueError> {
    let failed = |reason: String| {
        let path = path.display();
        QueueError::call("shared engine")(format!("{path}: {reason}"))
    };
    let mut file = File::open(path).await.map_err(|e| failed(e.to_string()))?;
    let store = ensure(context, ENGINES).await?;
    let put = store.put(name, &mut file).await;
    put.map(drop).map_err(|error| failed(error.to_string()))
}

pub async fn remove(context: &Context, bucket: &str, name: &str) {
    if let Ok(store) = context.get_object_store(bucket).await {
        // An object that stays only takes space.
        let _ = store.delete(name).await;
    }
}

/// Returns an object store; creates it if it is missing.
///
/// # Errors
/// [`QueueError::Call`].
async fn ensure(context: &Context, name: &str) -> Result<ObjectStore, QueueError> {
    if let Ok(store) = context.get_object_store(name).await {
        return Ok(store);
    }
    let config = object_store::Config {
        bucket: name.to_string(),
        num_replicas: 1,
        ..object_store::Config::default()
    };
    let made = context.create_object_store(config).await;
    made.map_err(QueueError::call("object store"))
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
        let failed = QueueError::call("object store");
        let store = context.get_object_store(bucket).await;
        let store = store.map_err(|error| failed(error.to_string()))?;
        let info = store.info(name).await;
        let info = info.map_err(|error| failed(error.to_string()))?;
        if info.deleted {
            return Err(failed(format!("object {name} was removed")));
        }
        let stream = context.get_stream_no_info(format!("OBJ_{bucket}")).await;
        Ok(Chunks {
            stream: stream.map_err(|error| failed(error.to_string()))?,
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
        let failed = QueueError::call("object store");
        let piece = self.stream.direct_get_next_for_subject(&self.subject, Some(self.next)).await;
        let piece = piece.map_err(|error| failed(error.to_string()))?;
        let bytes = piece.payload.len();
        if bytes == 0 {
            return Err(failed("empty chunk".to_string()));
        }
        self.next = piece.sequence + 1;
        self.left = self.left.saturating_sub(bytes);
        Ok(Some(piece.payload.to_vec()))
    }
}
