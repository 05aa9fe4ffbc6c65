//! Reading an object of an object store, piece by piece. Each piece is asked for: the client's own reader has a
//! consumer pass them on, which is one more thing that a worker would have to be allowed, and panics where the server
//! does not answer in time.

use async_nats::jetstream::Context;
use async_nats::jetstream::stream::Stream;

use super::QueueError;

/// The pieces of an object that have not been read.
#[derive(Debug)]
pub struct Chunks {
    stream: Stream<()>,
    subject: String,
    /// The least number that the next piece has in its stream.
    next: u64,
    left: usize,
}

impl Chunks {
    /// All pieces of an object.
    ///
    /// # Errors
    /// [`QueueError::Call`] where there is no such object, or the server does not say.
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

    /// The bytes of all pieces that have not been read, as the store has it.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The next piece; `None` after the last one, which may be longer than what was left.
    ///
    /// # Errors
    /// [`QueueError::Call`] where it is missing or does not come.
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
