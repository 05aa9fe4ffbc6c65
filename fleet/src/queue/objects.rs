//! Files of engines on the server, stored by match and SHA-256.

use std::path::Path;

use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{self, ObjectStore};
use tokio::fs::File;

use super::QueueError;
use super::chunks::Chunks;
use crate::names::{ENGINES, Names};

/// Maximum length of a shared engine's file, in bytes.
pub const MOST_BYTES_OF_A_FILE: u64 = 1 << 28;

/// Uploads a file for workers, unless the server has one of the same length.
///
/// # Errors
/// [`QueueError::Call`], for example if the file cannot be read.
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

/// Opens a file of a match; the caller must check its hash.
///
/// # Errors
/// [`QueueError::Call`], for example if there is no such file.
pub async fn open_file(
    context: &Context,
    names: &Names,
    sha256: &str,
) -> Result<Chunks, QueueError> {
    Chunks::of(context, ENGINES, &names.file(sha256)).await
}

/// Removes a file of a match.
pub async fn remove_file(context: &Context, names: &Names, sha256: &str) {
    if let Ok(store) = context.get_object_store(ENGINES).await {
        // A file that stays only takes space.
        let _ = store.delete(names.file(sha256)).await;
    }
}

/// Returns an object store; creates it if it is missing.
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
