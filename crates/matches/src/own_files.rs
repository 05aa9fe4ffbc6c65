//! Files of this process: those that engines must not see, outputs that are continued, and a check that no output is
//! another file of the command.
//!
//! Stores, records, logs, streams of events, seeds and the key of the user are covered in each engine's view, wherever
//! they are.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use crate::input_file;

/// Absolute paths without symbolic links.
static OUTPUT_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Ends of the names of a store and of the files that SQLite keeps next to it.
const ENDS_OF_STORE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Maximum number of symbolic links that lead to a file, as on Linux.
const MAX_LINKS: usize = 40;

/// Hides an existing file from engines, and with it the files that SQLite keeps next to a store.
pub fn add(path: &Path) {
    // A file without an absolute path was removed, and no engine can open it.
    let Ok(path) = fs::canonicalize(path) else {
        return;
    };
    let mut files = OUTPUT_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.extend(ENDS_OF_STORE.map(|end| with_end(&path, end)));
}

/// Path of the user's key, which marks stores; `None` without a home folder.
pub(crate) fn user_key() -> Option<PathBuf> {
    user_folder("XDG_STATE_HOME", ".local/state").map(|folder| folder.join("key"))
}

/// The project's folder among the user's files of one kind: in the directory that the variable names, else in `usual`,
/// relative to the home directory.
pub fn user_folder(variable: &str, usual: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = named.or_else(|| Some(env::home_dir()?.join(usual)))?;
    Some(folder.join("buxtehude"))
}

/// Returns the hidden files that exist. Devices and pipes do not count.
#[cfg(target_os = "linux")]
pub(crate) fn existing() -> Vec<PathBuf> {
    let files = OUTPUT_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let key = user_key().and_then(|key| fs::canonicalize(key).ok());
    let files = files.iter().cloned().chain(key);
    files.filter(|file| file.is_file()).collect()
}

/// A file that a command reads or writes.
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// Name in messages, such as `--record`.
    name: String,
    access: Access,
    /// Whether an output is an existing store.
    is_foreign_store: bool,
    /// Empty for a device or a pipe, which may have several uses.
    identities: Vec<Identity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Reads,
    Writes,
    /// Opened by the parent process, which may use one file for several streams.
    Inherited,
}

/// Identity of a regular file, the same for all links to it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// An existing file: its device and its number there.
    Existing(u64, u64),
    /// A file to be created: device and number of its folder, and its name.
    New(u64, u64, OsString),
}

/// An output would overwrite another file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{output}: expected {expected}")]
pub struct OverwriteError {
    output: String,
    expected: String,
}

impl NamedFile {
    pub fn input(name: impl Into<String>, path: &Path) -> NamedFile {
        NamedFile::new(name, path, Access::Reads, &[""])
    }

    pub fn output(name: impl Into<String>, path: &Path) -> NamedFile {
        let is_foreign_store = input_file::is_store(path).unwrap_or(false);
        NamedFile { is_foreign_store, ..NamedFile::new(name, path, Access::Writes, &[""]) }
    }

    /// A store to write, with the files that SQLite keeps next to it.
    pub fn store(name: impl Into<String>, path: &Path) -> NamedFile {
        NamedFile::new(name, path, Access::Writes, &ENDS_OF_STORE)
    }

    /// A file of games to read: a store, with the files that SQLite keeps next to it, or a record.
    pub fn games(name: impl Into<String>, path: &Path) -> NamedFile {
        NamedFile::new(name, path, Access::Reads, &ENDS_OF_STORE)
    }

    /// Standard output and standard error.
    fn streams() -> [NamedFile; 2] {
        let stream = |name: &str, stream: BorrowedFd<'_>| {
            let file = stream.try_clone_to_owned().map(File::from);
            let metadata = file.and_then(|file| file.metadata());
            let identity = metadata.ok().and_then(|metadata| Identity::of(&metadata));
            NamedFile {
                name: name.to_string(),
                access: Access::Inherited,
                is_foreign_store: false,
                identities: Vec::from_iter(identity),
            }
        };
        [
            stream("standard output", io::stdout().as_fd()),
            stream("standard error", io::stderr().as_fd()),
        ]
    }

    fn new(name: impl Into<String>, path: &Path, access: Access, ends: &[&str]) -> NamedFile {
        let found = fs::metadata(path);
        let is_special = found.as_ref().is_ok_and(|metadata| !metadata.is_file());
        let mut identities = Vec::from_iter(found.ok().and_then(|file| Identity::of(&file)));
        // The links of open pipes and removed files, such as /dev/stdout, lead to no path. The command itself reports
        // why another path leads nowhere.
        if !is_special && let Ok(path) = behind_links(path) {
            identities.extend(ends.iter().filter_map(|end| Identity::find(&with_end(&path, end))));
        }
        NamedFile { name: name.into(), access, is_foreign_store: false, identities }
    }

    /// Whether one of two uses of a file would spoil the other.
    fn conflicts_with(&self, other: &NamedFile) -> bool {
        let writes = [self, other].iter().any(|file| file.access == Access::Writes);
        (writes || self.access != other.access)
            && self.identities.iter().any(|identity| other.identities.contains(identity))
    }
}

impl Identity {
    fn find(path: &Path) -> Option<Identity> {
        let folder = || {
            let folder = fs::metadata(path.parent()?).ok()?;
            Some(Identity::New(folder.dev(), folder.ino(), path.file_name()?.into()))
        };
        fs::metadata(path).map_or_else(|_| folder(), |metadata| Identity::of(&metadata))
    }

    fn of(metadata: &Metadata) -> Option<Identity> {
        metadata.is_file().then(|| Identity::Existing(metadata.dev(), metadata.ino()))
    }
}

/// Refuses an output of a command that leads to the same regular file as another output, as an input, or as standard
/// output or standard error, or to the store of another match.
///
/// # Errors
/// [`OverwriteError`] names the output.
pub fn refuse_overwriting(files: &[NamedFile]) -> Result<(), OverwriteError> {
    let streams = NamedFile::streams();
    let all: Vec<&NamedFile> = streams.iter().chain(files).collect();
    for (index, file) in all.iter().enumerate() {
        if let Some(other) = all[..index].iter().find(|other| file.conflicts_with(other)) {
            let (output, other) = match file.access {
                Access::Reads => (*other, *file),
                _ => (*file, *other),
            };
            let expected = format!("a different file from {}", other.name);
            return Err(OverwriteError { output: output.name.clone(), expected });
        }
    }
    match files.iter().find(|file| file.is_foreign_store) {
        Some(file) => Err(OverwriteError {
            output: file.name.clone(),
            expected: "a file that is not a store of games".to_string(),
        }),
        None => Ok(()),
    }
}

/// Opens a file of lines for appending, or creates it. Ends a line that was cut off when an arbiter was killed.
pub fn append_to(path: &Path) -> io::Result<File> {
    if !path.metadata().is_ok_and(|file| file.is_file()) {
        return File::create(path);
    }
    let file = OpenOptions::new().read(true).append(true).open(path)?;
    end_last_line(&file)?;
    Ok(file)
}

/// Ends a line that was cut off when an arbiter was killed, so that the next one starts on its own line.
pub fn end_last_line(mut file: &File) -> io::Result<()> {
    // Devices and pipes have no last line.
    if !file.metadata()?.is_file() || file.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == [b'\n'] {
        return Ok(());
    }
    file.write_all(b"\n")
}

/// Absolute path of a file behind all symbolic links; the file itself need not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            break;
        };
        let folder = fs::canonicalize(folder)?;
        path = match fs::read_link(&path) {
            Ok(target) => folder.join(target),
            Err(_) => return Ok(folder.join(name)),
        };
    }
    Err(io::Error::other("too many symbolic links"))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_are_compared_and_not_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "").unwrap();
        fs::hard_link(path("old"), path("hard")).unwrap();
        fs::create_dir(path("sub")).unwrap();
        for (link, target) in [
            ("soft", "old"),
            ("dangling", "new"),
            ("twice", "dangling"),
            ("sub/up", "../new"),
            ("loop", "loop"),
            ("here", "."),
        ] {
            symlink(target, path(link)).unwrap();
        }
        let is_shared = |one: &str, other: &str| {
            let files = [
                NamedFile::output("--log", &path(one)),
                NamedFile::input("the openings", &path(other)),
            ];
            refuse_overwriting(&files).is_err()
        };
        let same = [
            ("old", "sub/../old"),
            ("old", "hard"),
            ("old", "soft"),
            ("old", "here/hard"),
            ("new", "dangling"),
            ("new", "twice"),
            ("new", "sub/up"),
            ("here/new", "new"),
        ];
        for (one, other) in same {
            assert!(is_shared(one, other) && is_shared(other, one), "{one} {other}");
        }
        for (one, other) in
            [("old", "new"), ("new", "newer"), ("loop", "loop"), ("none/x", "none/x")]
        {
            assert!(!is_shared(one, other), "{one} {other}");
        }
    }

    #[test]
    fn only_outputs_conflict_and_devices_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let wal = folder.path().join("x.db-wal");
        let log = NamedFile::output("--log", &wal);
        let error =
            refuse_overwriting(&[NamedFile::games("x.db", &path), log.clone()]).unwrap_err();
        assert_eq!(error.to_string(), "--log: expected a different file from x.db");
        let error = refuse_overwriting(&[log, NamedFile::games("x.db", &path)]).unwrap_err();
        assert_eq!(error.to_string(), "--log: expected a different file from x.db");
        let inputs = [NamedFile::input("a", &path), NamedFile::input("b", &path)];
        assert_eq!(refuse_overwriting(&inputs), Ok(()));
        let null = Path::new("/dev/null");
        let outputs = [NamedFile::output("a", null), NamedFile::output("b", null)];
        assert_eq!(refuse_overwriting(&outputs), Ok(()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_pipe_has_several_uses_and_a_removed_file_has_one() {
        use std::os::fd::AsRawFd;

        let (_reader, pipe) = io::pipe().unwrap();
        let removed = tempfile::tempfile().unwrap();
        for (descriptor, is_shared) in [(pipe.as_raw_fd(), false), (removed.as_raw_fd(), true)] {
            let path = PathBuf::from(format!("/proc/self/fd/{descriptor}"));
            let files = ["--events", "--log"].map(|flag| NamedFile::output(flag, &path));
            assert_eq!(refuse_overwriting(&files).is_err(), is_shared, "{}", path.display());
        }
    }
}
