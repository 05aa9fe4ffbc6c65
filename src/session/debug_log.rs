//! A copy of all lines in and out, in a file that the client names.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file, if one is named; clones share it. A file that cannot be written any more is given up.
#[derive(Clone, Debug, Default)]
pub struct DebugLog {
    file: Arc<Mutex<Option<File>>>,
}

impl DebugLog {
    /// Begins a file anew, or writes to none any more.
    ///
    /// # Errors
    /// Where the file cannot be made; the log goes on as it was.
    pub fn write_to(&self, path: Option<&Path>) -> io::Result<()> {
        let file = path.map(File::create).transpose()?;
        *self.lock() = file;
        Ok(())
    }

    /// A line that came from the client.
    pub fn line_in(&self, bytes: &[u8]) {
        self.write(b">> ", bytes);
    }

    /// Lines that go to the client, each with its newline.
    pub fn lines_out(&self, text: &str) {
        for line in text.lines() {
            self.write(b"<< ", line.as_bytes());
        }
    }

    fn write(&self, direction: &[u8], line: &[u8]) {
        let mut file = self.lock();
        if let Some(open) = file.as_mut() {
            // In one piece, so that it is whole in the file whenever the program dies.
            if open.write_all(&[direction, line, b"\n"].concat()).is_err() {
                *file = None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
