//! One arbiter at a time plays a match.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::StoreError;

/// The right to play a match, until it is dropped or the arbiter dies.
#[derive(Debug)]
pub struct Lock {
    // On Linux this kind of lock and SQLite's do not see each other. Elsewhere they might, and there a second
    // arbiter is refused its first game, which is in the store already.
    file: File,
}

impl Lock {
    /// Takes the lock of a store.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where another arbiter has it; [`StoreError::File`] where the file cannot be opened.
    pub fn of(path: &Path) -> Result<Lock, StoreError> {
        let opened = File::options().read(true).write(true).open(path);
        let file = opened.map_err(|reason| StoreError::File {
            path: path.to_path_buf(),
            reason,
        })?;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FlockOperation, flock};
            let locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
            locked.map_err(|_| StoreError::Busy {
                path: path.to_path_buf(),
            })?;
        }
        Ok(Lock { file })
    }

    /// Whether a path still leads to the file that was locked.
    pub fn is_in_place(&self, path: &Path) -> bool {
        let numbers = |metadata: Metadata| (metadata.dev(), metadata.ino());
        match (self.file.metadata(), fs::metadata(path)) {
            (Ok(locked), Ok(found)) => numbers(locked) == numbers(found),
            _ => false,
        }
    }
}
