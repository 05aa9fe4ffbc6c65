//! Reading an object of an object store in chunks, each with its own request. The client library's reader needs a
//! consumer, so workers would need one more permission, and it panics if the server does not answer in time.

use async_nats::jetstream::Context;
use async_nats::jetstream::stream::Stream;

use super::QueueError;

/// Unread chunks of an object.
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
        let piece = self
            .stream
            .direct_get_next_for_subject(&self.subject, Some(self.next))
            .await;
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
