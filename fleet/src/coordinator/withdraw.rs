//! An end that lets running games finish: what no worker has begun is taken back, the rest is waited for.

use super::drive::{Drive, DriveError};
use crate::names::WORKERS;
use crate::queue::QueueError;

impl Drive<'_> {
    /// Whether the match is to end now: it was told to drop what is played, or what was played has come.
    pub(super) fn is_told_to_end(&self) -> bool {
        let interrupt = &self.ledger.interrupt;
        interrupt.is_set() || interrupt.ends() && self.has_withdrawn && self.outstanding.len() == 0
    }

    /// Takes back, once, what was given out and no worker has begun.
    pub(super) async fn withdraw(&mut self) -> Result<(), DriveError> {
        if self.has_withdrawn {
            return Ok(());
        }
        let info = self.queue.work.consumer_info(WORKERS).await;
        let info = info.map_err(QueueError::call("consumer of work"))?;
        for (unit, sequence) in self.outstanding.after(info.delivered.stream_sequence) {
            // Who was given it meanwhile plays it, and its games count when the match is resumed.
            let _ = self.queue.work.delete_message(sequence).await;
            self.outstanding.lost(unit);
        }
        self.has_withdrawn = true;
        Ok(())
    }
}
