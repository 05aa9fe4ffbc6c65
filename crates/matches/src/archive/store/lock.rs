//! A lock that allows only one arbiter at a time to play a match.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use crate::archive::error::ArchiveError;
#[cfg(target_os = "linux")]
use crate::archive::error::Reason;
use crate::input_file;

/// Longest time for which a killed arbiter's lock outlives it: an engine that it was starting has copies of its open
/// files until the engine's program runs.
#[cfg(target_os = "linux")]
const OUTLIVES: Duration = Duration::from_secs(1);

/// The lock of a store, held until it is dropped or the arbiter dies.
#[derive(Debug)]
pub struct Lock {
    // On Linux this kind of lock and SQLite's do not affect each other. If they do on another system, a second arbiter
    // fails to store its first game, which the store already contains.
    file: File,
}

impl Lock {
    /// Takes the lock of a store.
    ///
    /// # Errors
    /// [`ArchiveError`] if another arbiter holds it, or if the file cannot be opened.
    pub fn of(path: &Path) -> Result<Lock, ArchiveError> {
        // A pipe would open, and SQLite would wait for its other end.
        let opened = input_file::open(path);
        let opened = opened.and_then(|_| File::options().read(true).write(true).open(path));
        let file = opened.map_err(|error| ArchiveError::file(path, error))?;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FlockOperation, flock};
            let give_up = Instant::now() + OUTLIVES;
            while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                if Instant::now() > give_up {
                    return Err(Reason::Busy.about(path));
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Ok(Lock { file })
    }

    /// `true` if `path` still leads to the locked file.
    pub fn is_in_place(&self, path: &Path) -> bool {
        let numbers = |metadata: Metadata| (metadata.dev(), metadata.ino());
        match (self.file.metadata(), fs::metadata(path)) {
            (Ok(locked), Ok(found)) => numbers(locked) == numbers(found),
            _ => false,
        }
    }
}
