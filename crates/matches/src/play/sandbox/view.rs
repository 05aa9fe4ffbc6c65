//! An isolated engine's view of the file system. Within the system's temporary directories it changes only a layer of
//! its own, where the sockets of its user's other programs lead nowhere. It sees none of the arbiter's files.

use std::env;
use std::ffi::{CStr, CString, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, XattrFlags, openat, setxattr, statfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};

use crate::plan::binary;

/// Directories that each engine sees through a layer of its own.
const LAYERED: [&str; 3] = ["/tmp", "/run/user", "/dev/shm"];
/// Directory that is empty for each engine. Its files would let an engine leave the group that limits its memory.
const EMPTY: &str = "/sys/fs/cgroup";
/// Mount options of each of these directories; the files count as memory of the engine.
const TMPFS: &CStr = c"size=256m,nr_inodes=16k,mode=1777";
/// An extended attribute of a file.
const ATTRIBUTE: &CStr = c"user.layer";
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
    /// The layered and the empty directories that exist.
    private: Vec<PathBuf>,
    /// Files and directories below them that stay in place: path without symbolic links, and place.
    kept: Vec<(PathBuf, PathBuf)>,
    /// Files of the arbiter.
    hidden: Vec<PathBuf>,
}

impl View {
    /// Returns the view of a program with its arguments, to be started in the current directory: of the private
    /// directories it keeps the current one, the program, and all files and directories among the arguments.
    pub fn of(program: &[OsString], hidden: Vec<PathBuf>) -> io::Result<View> {
        let directory = env::current_dir()?;
        let private = LAYERED.iter().chain([&EMPTY]);
        let private: Vec<PathBuf> =
            private.filter_map(|path| fs::canonicalize(path).ok()).collect();
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
        self.hide()?;
        let kept = self.kept.iter().map(|(path, place)| Ok((open(path)?, place)));
        let kept: Vec<(OwnedFd, &PathBuf)> = kept.collect::<io::Result<_>>()?;
        let private = self.private.iter().map(|path| Ok((open(path)?, path)));
        let private: Vec<(OwnedFd, &PathBuf)> = private.collect::<io::Result<_>>()?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        for (file_system, directory, options) in MOUNTS {
            if Path::new(directory).is_dir() {
                mount(file_system, directory, file_system, flags, options)?;
            }
        }
        for (content, directory) in private {
            mount("tmpfs", directory, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, TMPFS)?;
            if directory != Path::new(EMPTY) {
                show(&content, directory)?;
            }
        }
        // In the layers, the files show again.
        self.hide()?;
        for (file, place) in kept {
            let source = path_of(&file);
            if is_same(&source, place) {
                continue;
            }
            if !place.exists() {
                make_place(place, source.is_dir())?;
            }
            mount_bind_recursive(&source, place)?;
        }
        // Otherwise it would still lead to the files below the new mounts.
        env::set_current_dir(&self.directory)
    }

    /// Covers the arbiter's files that can be seen.
    fn hide(&self) -> io::Result<()> {
        let mut files = self.hidden.iter().filter(|file| file.is_file());
        files.try_for_each(|file| Ok(mount_bind(NOTHING, file)?))
    }
}

/// Returns the layered directories whose files this process, which has entered a view, does not see.
pub(super) fn hidden_directories() -> Vec<PathBuf> {
    let is_hidden =
        |path: &PathBuf| statfs(path).is_ok_and(|found| found.f_type == libc::TMPFS_MAGIC);
    LAYERED.map(PathBuf::from).into_iter().filter(is_hidden).collect()
}

/// Shows the former content of a directory after a new file system, which takes the changes, has been mounted there.
///
/// Sockets and pipes in the content do not lead to other programs. The directory stays empty if the kernel does not
/// support such a layer, or if something is mounted within the content.
fn show(content: &OwnedFd, directory: &Path) -> io::Result<()> {
    let [upper, work] = ["upper", "work"].map(|name| directory.join(name));
    fs::create_dir(&upper)?;
    fs::create_dir(&work)?;
    fs::set_permissions(&upper, Permissions::from_mode(0o1777))?;
    let (below, above, work_text) = (path_of(content), upper.display(), work.display());
    let layers = format!("lowerdir={},upperdir={above},workdir={work_text}", below.display());
    let options = CString::new(format!("{layers},userxattr"))?;
    // Without extended attributes (before Linux 6.6), an overlay cannot remember all changes.
    let mounted = setxattr(&upper, ATTRIBUTE, b"", XattrFlags::empty()).and_then(|()| {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("overlay", directory, "overlay", flags, options.as_c_str())
    });
    if mounted.is_err() {
        fs::remove_dir_all(&upper)?;
        fs::remove_dir_all(&work)?;
    }
    Ok(())
}

fn open(path: &Path) -> rustix::io::Result<OwnedFd> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// Returns a path that leads to an open file, even if something is mounted on its own path.
fn path_of(file: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn is_same(path: &Path, other: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    id(path).is_some() && id(path) == id(other)
}

/// Makes a file or directory to mount another on.
fn make_place(place: &Path, is_directory: bool) -> io::Result<()> {
    if is_directory {
        return fs::create_dir_all(place);
    }
    fs::create_dir_all(place.parent().unwrap_or(place))?;
    File::create(place).map(drop)
}
