//! Saving a file so that it is never lost: what is new is written aside and then takes the old one's place.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

/// Replaces what is in a file, or makes it; a link is followed. Its permissions stay, and where the
/// system allows it its owner and group.
///
/// The bytes go into a new file in the same folder, which is renamed once it is on the disk: whatever fails,
/// be it the machine, the path leads to the old file or to the new one, whole.
///
/// # Errors
/// What the system says; the old file is as it was, and nothing else is left.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = behind_links(path)?;
    let old = metadata_of(&path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let (mut file, aside) = new_file_in(folder)?;
    let saved = write(&mut file, bytes, old.as_ref()).and_then(|()| fs::rename(&aside, &path));
    if saved.is_err() {
        // The first error says more than a second.
        let _ = fs::remove_file(&aside);
        return saved;
    }
    // The new file is in its place, whether or not the system can tell when the folder is on the disk too.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The absolute path of the file itself, which need not exist.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            std::path::absolute(path)
        }
        found => found,
    }
}

/// What the system knows of a file, or `None` where there is none yet.
///
/// A file that may not be written to is refused: a rename would not ask.
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

/// A new file under a name that nobody uses.
fn new_file_in(folder: &Path) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = folder.join(format!(".buxtehude-{number}.tmp"));
        match File::create_new(&path) {
            Ok(file) => return Ok((file, path)),
            // Another is being saved, or a machine has crashed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn write(file: &mut File, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        // Whoever may do so must not take a file from its owner; others cannot give it away.
        let _ = fchown(&*file, None, Some(old.gid()));
        let _ = fchown(&*file, Some(old.uid()), None);
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}
