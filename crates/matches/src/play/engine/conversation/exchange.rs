//! Several questions and answers at once.

use std::time::Instant;

use rustix::event::PollFlags;

use super::{AnswerError, Conversation, Line};

impl Conversation {
    /// Prepares lines that [`Conversation::next_answer`] sends.
    pub fn queue(&mut self, lines: &[u8]) {
        self.unsent.extend_from_slice(lines);
        self.log_sent(Instant::now(), lines);
    }

    /// Sends the queued lines and waits for the next line; `None` if a line was too long. Reads while it writes, so
    /// that a full pipe in each direction blocks neither side.
    ///
    /// # Errors
    /// As [`Conversation::next_line`].
    pub fn next_answer(&mut self, deadline: Instant) -> Result<Option<Line<'_>>, AnswerError> {
        let line = loop {
            if self.lines.has_dropped() {
                return Ok(None);
            }
            if let Some(line) = self.lines.next() {
                break line;
            }
            let for_input = if self.write_some()? { PollFlags::empty() } else { PollFlags::OUT };
            self.wait(for_input, deadline)?;
            self.read_output();
        };
        Ok(Some(self.hear(line)))
    }
}
