//! Files of this process that engines must not see: stores, records, logs, streams of events, seeds and the key of the
//! user.
//!
//! Isolation covers them in each engine's view, wherever they are.

use std::collections::BTreeSet;
use std::env;
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

/// Path of the user's key, which marks stores; `None` without a home folder.
pub(crate) fn user_key() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(env::home_dir()?.join(".local/state")))?;
    Some(state.join("buxtehude").join("key"))
}

/// Returns those that exist. Devices and pipes do not count.
#[cfg(target_os = "linux")]
pub(crate) fn existing() -> Vec<PathBuf> {
    let files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let key = user_key().and_then(|key| fs::canonicalize(key).ok());
    let files = files.iter().cloned().chain(key);
    files.filter(|file| file.is_file()).collect()
}
