//! An isolated engine's view of the file system: temporary directories of its own, which hide the sockets of its user's
//! other programs, and none of the arbiter's files.

use std::env;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};

use crate::plan::binary;

/// Directories that each engine has for itself. Through the last one, it could leave the group that limits its memory.
const PRIVATE: [&str; 4] = ["/tmp", "/run/user", "/dev/shm", "/sys/fs/cgroup"];
/// Limits of each of them; the files count as memory of the engine.
const TMPFS: &CStr = c"size=256m,nr_inodes=16k,mode=1777";
/// File systems of an engine's own: type, directory and options. Those that the system lacks are skipped.
const MOUNTS: [(&str, &str, &CStr); 2] = [
    ("proc", "/proc", c""),
    // Without it, an engine could write to any terminal of its user.
    ("devpts", "/dev/pts", c"newinstance,ptmxmode=0666"),
];
/// A file without content, which covers a file of the arbiter.
const NOTHING: &str = "/dev/null";

/// Changes to the mounts of a new namespace.
pub(super) struct View {
    directory: PathBuf,
    /// The private directories that exist.
    private: Vec<PathBuf>,
    /// Files and directories below them that stay visible: path without symbolic links, and place.
    kept: Vec<(PathBuf, PathBuf)>,
    /// Files of the arbiter.
    hidden: Vec<PathBuf>,
}

impl View {
    /// Returns the view of a program with its arguments, to be started in the current directory: of the private
    /// directories it keeps the current one, the program, and all files and directories among the arguments.
    pub fn of(program: &[OsString], hidden: Vec<PathBuf>) -> io::Result<View> {
        let directory = env::current_dir()?;
        let private: Vec<PathBuf> =
            PRIVATE.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        let is_covered = |path: &Path| {
            let mut above = private.iter();
            above.any(|private| path.starts_with(private) && path != private)
        };
        let file = program.first().and_then(|program| binary::file_of(Path::new(program)));
        let words = program.iter().skip(1).map(PathBuf::from);
        let paths = [directory.clone()].into_iter().chain(file).chain(words);
        let paths = paths.map(|path| directory.join(path));
        let found = paths.filter_map(|path| Some((fs::canonicalize(&path).ok()?, path)));
        let found: Vec<(PathBuf, PathBuf)> = found.collect();
        // A path through symbolic links works only if its end is in place.
        let ends = found.iter().map(|(end, _)| (end.clone(), end.clone()));
        let mut kept: Vec<_> = ends.filter(|(_, place)| is_covered(place)).collect();
        // A directory comes before its content.
        kept.sort_by_key(|(_, place)| place.components().count());
        kept.extend(found.into_iter().filter(|(_, place)| is_covered(place)));
        Ok(View { directory, private, kept, hidden })
    }

    /// Changes the mounts, in the first process of a namespace.
    pub fn enter(&self) -> io::Result<()> {
        let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
        mount_change("/", private)?;
        // Before anything is kept, so that it stays hidden there.
        for file in self.hidden.iter().filter(|file| file.is_file()) {
            mount_bind(NOTHING, file)?;
        }
        let open = |path: &Path| openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let kept = self.kept.iter().map(|(path, place)| Ok((open(path)?, place)));
        let kept: Vec<(OwnedFd, &PathBuf)> = kept.collect::<io::Result<_>>()?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        for (file_system, directory, options) in MOUNTS {
            if Path::new(directory).is_dir() {
                mount(file_system, directory, file_system, flags, options)?;
            }
        }
        for directory in &self.private {
            mount("tmpfs", directory, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, TMPFS)?;
        }
        for (file, place) in kept {
            let source = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            if !place.exists() {
                make_place(place, source.is_dir())?;
                mount_bind_recursive(&source, place)?;
            }
        }
        // Otherwise it would still lead to the files below the new mounts.
        env::set_current_dir(&self.directory)
    }
}

/// Makes a file or directory to mount another on.
fn make_place(place: &Path, is_directory: bool) -> io::Result<()> {
    if is_directory {
        return fs::create_dir_all(place);
    }
    fs::create_dir_all(place.parent().unwrap_or(place))?;
    File::create(place).map(drop)
}
