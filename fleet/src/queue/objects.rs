//! The files of engines on the server, each for one match under its SHA-256.

use std::path::Path;

use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{self, ObjectStore};
use tokio::fs::File;

use super::QueueError;
use super::chunks::Chunks;
use crate::names::{ENGINES, Names};

/// The longest file of an engine that is shared, in bytes.
pub const MOST_BYTES_OF_A_FILE: u64 = 1 << 28;

/// Puts a file where workers find it, unless one of its length is there.
///
/// # Errors
/// [`QueueError::Call`], where the file cannot be read for one.
pub async fn put_file(
    context: &Context,
    names: &Names,
    sha256: &str,
    path: &Path,
) -> Result<(), QueueError> {
    let failed = |reason: String| {
        let path = path.display();
        QueueError::call("shared engine")(format!("{path}: {reason}"))
    };
    let mut file = File::open(path).await.map_err(|e| failed(e.to_string()))?;
    let length = file.metadata().await.map_err(|e| failed(e.to_string()))?;
    let (store, name) = (ensure(context, ENGINES).await?, names.file(sha256));
    let is_there = |info: object_store::ObjectInfo| {
        !info.deleted && u64::try_from(info.size).is_ok_and(|size| size == length.len())
    };
    if store.info(&name).await.is_ok_and(is_there) {
        return Ok(());
    }
    let put = store.put(name.as_str(), &mut file).await;
    put.map(drop).map_err(|error| failed(error.to_string()))
}

/// A file of a match, of which nothing has been read yet; whoever reads it holds it against its hash.
///
/// # Errors
/// [`QueueError::Call`], where there is none for one.
pub async fn open_file(
    context: &Context,
    names: &Names,
    sha256: &str,
) -> Result<Chunks, QueueError> {
    Chunks::of(context, ENGINES, &names.file(sha256)).await
}

/// Forgets a file of a match.
pub async fn remove_file(context: &Context, names: &Names, sha256: &str) {
    if let Ok(store) = context.get_object_store(ENGINES).await {
        // What stays takes room, and harms nobody.
        let _ = store.delete(names.file(sha256)).await;
    }
}

/// An object store, made if it is missing.
///
/// # Errors
/// [`QueueError::Call`].
pub(super) async fn ensure(context: &Context, name: &str) -> Result<ObjectStore, QueueError> {
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
