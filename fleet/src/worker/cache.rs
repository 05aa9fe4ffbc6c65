//! Files of fetched engines, named by their SHA-256, in a directory of limited size. The least recently used files are
//! removed first.
//!
//! A file is locked while it is in use, and may only be removed under an exclusive lock. So several workers can share a
//! directory, and a worker that is killed leaves no locks behind.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use matches::plan::binary;
use rustix::fs::{FlockOperation, flock};
use tempfile::NamedTempFile;

use crate::user_folder;

const MIB: u64 = 1 << 20;
const DIGITS: usize = 64;
/// Write permission of group and others, which the directory must not have.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// A cache directory. Errors of its functions are reasons to print.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

/// A file of the cache, locked against removal while this value lives.
#[derive(Debug)]
pub struct CachedFile {
    pub path: PathBuf,
    _lock: File,
}

impl Cache {
    /// Opens the cache in `folder`, by default in the user's cache directory, with a maximum size of `mib` MiB.
    pub fn open(folder: Option<&Path>, mib: u64) -> Result<Cache, String> {
        let folder = match folder {
            Some(folder) => folder.to_path_buf(),
            None => {
                user_folder("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("engines")).ok_or(
                    "--cache: expected a folder, since neither XDG_CACHE_HOME nor HOME is set",
                )?
            }
        };
        let cache = Cache {
            folder: std::path::absolute(&folder).unwrap_or(folder),
            most: mib.saturating_mul(MIB),
        };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&cache.folder);
        let found = made.and_then(|()| cache.folder.metadata());
        let found = found.map_err(|reason| cache.failed(&reason))?;
        match found.mode() & WRITABLE_BY_OTHERS {
            0 => Ok(cache),
            _ => Err(format!(
                "--cache {}: other users may write to it, expected a folder of your own",
                cache.folder.display()
            )),
        }
    }

    /// Returns the file with this hash, or `None`. A damaged file is removed.
    pub fn find(&self, sha256: &str) -> Result<Option<CachedFile>, String> {
        let path = self.folder.join(sha256);
        let Ok(file) = File::open(&path) else {
            return Ok(None);
        };
        let locked = flock(&file, FlockOperation::LockShared);
        locked.map_err(|reason| self.failed(&reason.into()))?;
        // Another process may have removed it before the lock was acquired.
        let is_there = matches!((file.metadata(), path.metadata()), (Ok(ours), Ok(there))
            if (ours.dev(), ours.ino()) == (there.dev(), there.ino()));
        if !is_there {
            return Ok(None);
        }
        if binary::hash_file(&path).ok().as_deref() != Some(sha256) {
            fs::remove_file(&path).map_err(|reason| self.failed(&reason))?;
            return Ok(None);
        }
        // If this fails, the file is only removed earlier.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(CachedFile { path, _lock: file }))
    }

    /// Makes room for `bytes` bytes and creates a temporary file, which is removed unless it is kept.
    pub fn begin(&self, bytes: u64) -> Result<NamedTempFile, String> {
        self.make_room(bytes)?;
        let file = NamedTempFile::new_in(&self.folder).map_err(|reason| self.failed(&reason))?;
        let locked = flock(file.as_file(), FlockOperation::NonBlockingLockExclusive);
        locked.map_err(|reason| self.failed(&reason.into()))?;
        Ok(file)
    }

    /// Moves a complete file to its name, this hash, and makes it executable; other processes never see an incomplete
    /// file.
    pub fn keep(&self, file: NamedTempFile, sha256: &str) -> Result<Option<CachedFile>, String> {
        let kept = file
            .as_file()
            .set_permissions(Permissions::from_mode(0o500))
            .and_then(|()| file.as_file().sync_all())
            .and_then(|()| Ok(file.persist(self.folder.join(sha256))?));
        // A program that is open for writing cannot be run.
        drop(kept.map_err(|reason| self.failed(&reason))?);
        self.find(sha256)
    }

    /// Removes the least recently used files until there is room for `bytes` bytes.
    fn make_room(&self, bytes: u64) -> Result<(), String> {
        let entries = fs::read_dir(&self.folder).map_err(|reason| self.failed(&reason))?;
        let of_entry = |entry: fs::DirEntry| {
            let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((found.modified().ok()?, found.len(), entry.path()))
        };
        let mut files: Vec<_> = entries.flatten().filter_map(of_entry).collect();
        files.sort();
        let mut used: u64 = files.iter().map(|(_, length, _)| length).sum();
        for (_, length, path) in files {
            // A killed worker may leave incomplete files, which have other names.
            let is_whole = path.file_name().is_some_and(|name| is_hash(&name.to_string_lossy()));
            if is_whole && used.saturating_add(bytes) <= self.most {
                continue;
            }
            let lock = File::open(&path);
            let is_free = lock
                .as_ref()
                .is_ok_and(|file| flock(file, FlockOperation::NonBlockingLockExclusive).is_ok());
            if is_free && fs::remove_file(&path).is_ok() {
                used -= length;
            }
        }
        if used.saturating_add(bytes) <= self.most {
            Ok(())
        } else {
            Err(format!(
                "--cache-size: no room for {bytes} bytes, {used} of {} are in use; expected more MiB",
                self.most
            ))
        }
    }

    fn failed(&self, reason: &io::Error) -> String {
        format!("--cache {}: {reason}", self.folder.display())
    }
}

/// Whether a text is a SHA-256 as the arbiter writes it, and so safe as a file name.
pub fn is_hash(text: &str) -> bool {
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    text.len() == DIGITS && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::time::Duration;

    /// Keeps a file of 1 MiB that begins with `words`; returns its hash.
    fn keep(cache: &Cache, words: &str) -> Result<(String, CachedFile), String> {
        let mut bytes = words.as_bytes().to_vec();
        bytes.resize(MIB as usize, 0);
        let sha256 = binary::hash_bytes(&bytes);
        let mut file = cache.begin(MIB)?;
        file.write_all(&bytes).unwrap();
        let held = cache.keep(file, &sha256)?.unwrap();
        // File systems have coarse time stamps.
        std::thread::sleep(Duration::from_millis(20));
        Ok((sha256, held))
    }

    #[test]
    fn what_was_used_least_recently_goes_and_what_is_used_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        let cache = Cache::open(Some(folder.path()), 3).unwrap();
        let (one, held_one) = keep(&cache, "one").unwrap();
        let (two, _) = keep(&cache, "two").unwrap();
        let (three, _) = keep(&cache, "three").unwrap();
        let has = |sha256: &str| cache.find(sha256).unwrap().is_some();
        assert!(has(&two));
        std::thread::sleep(Duration::from_millis(20));
        // The third is now the least recently used file without a lock.
        let (four, held_four) = keep(&cache, "four").unwrap();
        assert!(!has(&three) && has(&one) && has(&two) && has(&four));
        let (_, _held_five) = keep(&cache, "five").unwrap();
        assert!(!has(&two));
        let full = keep(&cache, "six").unwrap_err();
        assert!(full.contains("of 3145728 are in use"), "{full}");
        drop((held_one, held_four));
        keep(&cache, "six").unwrap();
        let large = cache.begin(4 * MIB).unwrap_err();
        assert!(large.contains("--cache-size"), "{large}");
    }

    #[test]
    fn a_damaged_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(&folder.path().join("a/b")), 9).unwrap();
        let (sha256, held) = keep(&cache, "one").unwrap();
        let mode = held.path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o500);
        fs::remove_file(&held.path).unwrap();
        fs::write(&held.path, "another").unwrap();
        assert!(cache.find(&sha256).unwrap().is_none());
        assert!(!held.path.exists());
        keep(&cache, "one").unwrap();
        assert!(cache.find(&sha256).unwrap().is_some());
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        let error = Cache::open(Some(folder.path()), 1).unwrap_err();
        assert!(error.contains("of your own"), "{error}");
    }

    #[test]
    fn a_hash_leads_nowhere_else() {
        assert!(is_hash(&binary::hash_bytes(b"")));
        for text in ["", "../x", &"A".repeat(64), &"0".repeat(63)] {
            assert!(!is_hash(text), "{text}");
        }
    }
}
