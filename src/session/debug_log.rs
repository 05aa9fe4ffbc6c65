//! Copy of all lines in and out, in a file named by the client.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The log file, if one is named; clones share it. The log ends at the first failed write.
#[derive(Clone, Debug, Default)]
pub struct DebugLog {
    file: Arc<Mutex<Option<File>>>,
}

impl DebugLog {
    /// Starts a new file, or ends the log if `path` is `None`.
    ///
    /// # Errors
    /// The file cannot be created; the log stays as it was.
    pub fn write_to(&self, path: Option<&Path>) -> io::Result<()> {
        let file = path.map(File::create).transpose()?;
        *self.lock() = file;
        Ok(())
    }

    /// Logs a line from the client.
    pub fn line_in(&self, bytes: &[u8]) {
        self.write(b">> ", bytes);
    }

    /// Logs lines to the client, each with its newline.
    pub fn lines_out(&self, text: &str) {
        for line in text.lines() {
            self.write(b"<< ", line.as_bytes());
        }
    }

    fn write(&self, direction: &[u8], line: &[u8]) {
        let mut file = self.lock();
        if let Some(open) = file.as_mut() {
            // A single write, so that the line is complete in the file even if the program dies.
            if open.write_all(&[direction, line, b"\n"].concat()).is_err() {
                *file = None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
