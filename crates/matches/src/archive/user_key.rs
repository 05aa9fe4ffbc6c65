//! A random key of the user's own, which marks the stores that this user made.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rand::TryRng;
use rand::rngs::SysRng;

use crate::own_files;

/// Length of a key in bytes.
const LENGTH: usize = 32;
const PERMISSIONS: u32 = 0o600;

pub struct UserKey(pub(super) [u8; LENGTH]);

impl fmt::Debug for UserKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserKey")
    }
}

impl UserKey {
    /// Returns the user's key; creates it at the first use.
    ///
    /// # Errors
    /// The reason, with the path: there is no folder for it, or the file is not usable.
    pub fn ensure() -> Result<UserKey, String> {
        with_path(|path| match create(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => read(path),
        })
    }

    /// Returns the user's key, if there is one.
    ///
    /// # Errors
    /// As [`UserKey::ensure`], and if there is none.
    pub fn find() -> Result<UserKey, String> {
        with_path(read)
    }
}

fn with_path(get: impl Fn(&Path) -> io::Result<UserKey>) -> Result<UserKey, String> {
    let path = own_files::user_key().ok_or("no home folder for a key that marks stores")?;
    get(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn create(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut key = [0; LENGTH];
    SysRng.try_fill_bytes(&mut key).map_err(io::Error::other)?;
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(PERMISSIONS))
        .tempfile_in(folder)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    // Another arbiter may have created one in the meantime.
    let persisted = file.persist_noclobber(path);
    persisted.map(drop).map_err(|error| error.error)
}

fn read(path: &Path) -> io::Result<UserKey> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_file() || !is_own || metadata.mode() & 0o077 != 0 {
        return Err(io::Error::other("expected a file that only its owner, this user, can read"));
    }
    let mut key = [0; LENGTH];
    file.read_exact(&mut key)?;
    Ok(UserKey(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_is_secret() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/key");
        create(&path).unwrap();
        let key = read(&path).unwrap();
        assert_eq!(create(&path).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(read(&path).unwrap().0, key.0);
        assert_ne!(key.0, [0; LENGTH]);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert!(read(&path).is_err());
    }
}
