//! Saving a file atomically: the new contents go to a temporary file, which then replaces the old one. A program that
//! changes a part of a file locks it first, so that no change by another process is lost.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use same_file::Handle;

/// Time to wait for another process that has locked the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time between attempts to lock.
const PAUSE: Duration = Duration::from_millis(2);

/// A lock on a file, held until it is dropped.
///
/// It is a separate file in the same folder: Windows neither replaces an open file nor lets others read a locked one.
pub struct Lock {
    path: PathBuf,
    _locked: File,
}

impl Lock {
    /// Locks a file before it is read, changed and saved; follows a link.
    ///
    /// # Errors
    /// An error of the system, or another process has not released the lock in time.
    pub fn on(path: &Path) -> io::Result<Lock> {
        let path = behind_links(path)?;
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".lock");
        let path = path.with_file_name(name);
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = Lock::attempt(&path)? {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                let seconds = PATIENCE.as_secs();
                let message = format!("another process has locked it for {seconds} s");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Creates and locks the file of a lock; returns `None` if another process holds or is just releasing it.
    fn attempt(path: &Path) -> io::Result<Option<Lock>> {
        let mut options = OpenOptions::new();
        let file = match options.write(true).create(true).truncate(false).open(path) {
            // On Windows, a removed file keeps its name until all have closed it.
            Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(None);
            }
            file => file?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The process that held the lock before may have removed the file after it was opened here.
        let opened = Handle::from_file(file.try_clone()?)?;
        let is_current = Handle::from_path(path).is_ok_and(|found| found == opened);
        Ok(is_current.then(|| Lock { path: path.into(), _locked: file }))
    }
}

impl Drop for Lock {
    /// Removes the file while it is still locked.
    fn drop(&mut self) {
        // The file of a lock does no harm if it stays.
        let _ = fs::remove_file(&self.path);
    }
}

/// Replaces the contents of a file, or creates it; follows a link. Keeps its permissions and, if the system allows it,
/// its owner and group.
///
/// The bytes go into a new file in the same folder, which is renamed once it is synced to disk. Whatever fails, even
/// the machine, the path refers either to the complete old file or to the complete new one.
///
/// # Errors
/// An error of the system; the old file is unchanged, and no temporary file is left.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = behind_links(path)?;
    let old = metadata_of(&path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let (mut file, aside) = new_file_in(folder)?;
    let saved = write(&mut file, bytes, old.as_ref()).and_then(|()| fs::rename(&aside, &path));
    if saved.is_err() {
        // Reports only the first error.
        let _ = fs::remove_file(&aside);
        return saved;
    }
    // The new file is in place, even if the folder cannot be synced.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Absolute path of the file itself, which need not exist.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            std::path::absolute(path)
        }
        found => found,
    }
}

/// Metadata of a file, or `None` if it does not exist.
///
/// Refuses a file that is not writable, since a rename would ignore that.
fn metadata_of(path: &Path) -> io::Result<Option<Metadata>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(Some(metadata))
}

/// Creates a new file under an unused name.
fn new_file_in(folder: &Path) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = folder.join(format!(".buxtehude-{number}.tmp"));
        match File::create_new(&path) {
            Ok(file) => return Ok((file, path)),
            // Another file is being saved, or was left behind by a crash.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn write(file: &mut File, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        #[cfg(unix)]
        keep_owner(file, old);
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Keeps owner and group if root saves the file; other users are not allowed to change them.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let _ = fchown(file, None, Some(old.gid()));
    let _ = fchown(file, Some(old.uid()), None);
}
