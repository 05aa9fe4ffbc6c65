//! Files of this process that engines must not see: stores, records, logs, streams of events and seeds.
//!
//! Isolation covers them in each engine's view, wherever they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Absolute paths without symbolic links.
static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Adds an existing file; the files that SQLite keeps next to a store are added with it.
pub fn add(path: &Path) {
    // A file without an absolute path was removed, and no engine can open it.
    let Ok(path) = fs::canonicalize(path) else {
        return;
    };
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.clone().into_os_string();
        name.push(end);
        files.insert(name.into());
    }
}

/// Returns those that exist. Devices and pipes do not count.
#[cfg(target_os = "linux")]
pub(crate) fn existing() -> Vec<PathBuf> {
    let files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files
        .iter()
        .filter(|file| file.is_file())
        .cloned()
        .collect()
}
