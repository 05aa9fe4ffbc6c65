//! Whether the programs that a store names may run: only if this user made the store, or says so.
//!
//! A mark in the store shows who made it: the HMAC-SHA-256 of the text of the plan and of the hashes of its programs.
//! Its key is random, and kept in a file of the user.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use rusqlite::Connection;
use sha2::Sha256;

use super::settings;
use crate::archive::Reason;
use crate::own_files;
use crate::plan::EngineSpec;
use crate::record::printable::shortened;

/// Setting that holds the mark.
const MARK: &str = "mark";
/// Number of commands in a message; the others are only counted.
const MAX_LISTED_COMMANDS: usize = 20;
/// Maximum number of characters of each.
const MAX_COMMAND_LENGTH: usize = 1000;

/// Marks a store as made by the user with this key.
///
/// # Errors
/// [`Reason`], if the store cannot be written.
pub fn mark(connection: &Connection, key: &UserKey) -> Result<(), Reason> {
    let mark = HEXLOWER.encode(&code(connection, key)?.finalize().into_bytes());
    settings::replace(connection, MARK, &mark)
}

/// Checks that this user made a store with these engines.
///
/// # Errors
/// [`Reason::Untrusted`] lists the commands that would run.
pub fn check(connection: &Connection, engines: &[EngineSpec]) -> Result<(), Reason> {
    let untrusted = |why: String| Reason::Untrusted { commands: commands(engines), why };
    let key = UserKey::find().map_err(untrusted)?;
    let mark = settings::find(connection, MARK)?.unwrap_or_default();
    let bytes = HEXLOWER.decode(mark.as_bytes()).unwrap_or_default();
    let is_ours = code(connection, &key)?.verify_slice(&bytes).is_ok();
    is_ours.then_some(()).ok_or_else(|| untrusted("it bears no mark of this user".to_string()))
}

fn code(connection: &Connection, key: &UserKey) -> Result<Hmac<Sha256>, Reason> {
    // A key of any length is valid.
    let code = <Hmac<Sha256> as KeyInit>::new_from_slice(&key.0);
    let mut code = code.map_err(|error| Reason::content("key", &error))?;
    for name in [settings::PLAN, settings::PROGRAM_FILES] {
        code.update(settings::required(connection, name)?.as_bytes());
        // Ends the text; JSON has no NUL.
        code.update(&[0]);
    }
    Ok(code)
}

/// Lists the commands of engines, one a line.
fn commands(engines: &[EngineSpec]) -> String {
    let command = |engine: &EngineSpec| {
        let directory = engine.dir.as_deref().unwrap_or(Path::new("."));
        let (command, arguments) = (engine.command.display(), &engine.args);
        let line =
            format!("engine {}, in {}: {command} {arguments:?}", engine.name, directory.display());
        format!("\n  {}", shortened(&line, MAX_COMMAND_LENGTH))
    };
    let listed: String = engines.iter().take(MAX_LISTED_COMMANDS).map(command).collect();
    match engines.len().saturating_sub(MAX_LISTED_COMMANDS) {
        0 => listed,
        more => format!("{listed}\n  and {more} more; `arbiter export --format config` shows all"),
    }
}

/// Length of a key in bytes.
const LENGTH: usize = 32;
const KEY_PERMISSIONS: u32 = 0o600;

pub struct UserKey([u8; LENGTH]);

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
        .permissions(Permissions::from_mode(KEY_PERMISSIONS))
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
