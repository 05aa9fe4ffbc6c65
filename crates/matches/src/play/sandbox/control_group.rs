//! Control groups of an engine: they count its computing, end it, and limit its memory, with all its descendants.
//!
//! A group of version 2 counts and ends all its processes, even if they detach from their parents. It needs no
//! controller, so it also works where version 1 has the controllers. Memory is limited by the same group or by one of
//! version 1. A limit of the address space would also count memory that a process reserves but never uses.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use procfs_core::FromRead;
use procfs_core::process::MountInfos;
use rustix::process::{Pid, Signal, kill_process};

use super::MIB;
use crate::play::family::{PROC, state};

/// Mount point of the memory groups of version 1.
const MEMORY_MOUNT: &str = "/sys/fs/cgroup/memory";
/// Type of the file system of version 2.
const VERSION_2: &str = "cgroup2";
/// File that lists a group's processes.
const PROCESSES: &str = "cgroup.procs";
/// Beginning of the name of a group, before the arbiter's process ID.
const PREFIX: &str = "arbiter-";
/// Maximum number of attempts to end the processes of a group, or to remove it while they are about to end.
const ATTEMPTS: u32 = 200;
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// The control groups of an engine, removed on drop. If the arbiter dies first, empty groups remain until the next one
/// starts.
#[derive(Debug, Default)]
pub struct ControlGroup {
    /// Group of version 2.
    unified: Option<Group>,
    /// Group of version 1 with a limit of memory.
    memory: Option<Group>,
}

impl ControlGroup {
    /// Creates the groups that the arbiter's user may create, with a limit of `memory` MiB if there is one.
    pub fn create(memory: Option<u64>) -> ControlGroup {
        let places = Places::of_this_process();
        let mut group = ControlGroup::default();
        if let Some(mib) = memory {
            let mut divided = places.unified.iter().filter(|place| is_divided(place));
            group.unified = divided.find_map(|place| Group::limited(place, "memory.max", mib).ok());
            if group.unified.is_none() {
                let limited =
                    |place: &PathBuf| Group::limited(place, "memory.limit_in_bytes", mib).ok();
                group.memory = places.memory.as_ref().and_then(limited);
            }
        }
        if group.unified.is_none() {
            let mut created = places.unified.iter().filter_map(|place| Group::create(place).ok());
            group.unified = created.find(|group| group.used().is_some());
        }
        group
    }

    pub fn limits_memory(&self) -> bool {
        self.groups().any(|group| group.limits_memory)
    }

    fn groups(&self) -> impl Iterator<Item = &Group> {
        self.unified.iter().chain(&self.memory)
    }

    /// Opens the files through which a process enters the groups.
    ///
    /// # Errors
    /// The arbiter's user lacks the permission.
    pub fn entrances(&self) -> io::Result<Vec<Entrance>> {
        let open = |group: &Group| {
            Ok(Entrance { file: group.entrance()?, is_required: group.limits_memory })
        };
        self.groups().map(open).collect()
    }

    /// Returns the group that counts the computing; `None` if the system has none.
    pub fn computing(&self) -> Option<Computing> {
        let directory = self.unified.as_ref()?.directory.clone();
        Some(Computing { directory })
    }

    /// Kills all processes in the group; without one it does nothing.
    pub fn kill(&self) {
        if let Some(group) = self.groups().next() {
            // Version 2 has this file since Linux 5.14.
            if fs::write(group.directory.join("cgroup.kill"), "1").is_err() {
                group.kill_each();
            }
        }
    }
}

/// The file through which a process enters a group, by writing `0` to it.
#[derive(Debug)]
pub struct Entrance {
    /// Its list of processes, open for writing.
    pub file: File,
    /// Whether the process must not run outside the group, because the group limits it.
    pub is_required: bool,
}

/// Counters of a group.
#[derive(Debug)]
pub struct Computing {
    directory: PathBuf,
}

impl Computing {
    /// CPU time of all processes that are or were in the group.
    pub fn used(&self) -> Option<Duration> {
        read_micros(&self.directory.join("cpu.stat"), "usage_usec ")
    }

    /// Time that a processor spent on other work while it had work of the group; `None` if the system does not count
    /// it.
    pub fn displaced(&self) -> Option<Duration> {
        read_micros(&self.directory.join("cpu.pressure"), "full ")
    }

    pub fn processes(&self) -> Vec<u32> {
        processes(&self.directory)
    }
}

fn processes(directory: &Path) -> Vec<u32> {
    let text = fs::read_to_string(directory.join(PROCESSES)).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Reads microseconds at the end of the line that begins with `start`.
fn read_micros(file: &Path, start: &str) -> Option<Duration> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(start))?;
    let number = line.rsplit([' ', '=']).next()?;
    Some(Duration::from_micros(number.parse().ok()?))
}

/// One control group, removed on drop.
#[derive(Debug)]
struct Group {
    directory: PathBuf,
    limits_memory: bool,
}

impl Group {
    fn create(place: &Path) -> io::Result<Group> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // A user who may not move processes out of the parent group cannot move any into a child group.
        File::options().write(true).open(place.join(PROCESSES))?;
        remove_abandoned(place);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = place.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&directory)?;
        let group = Group { directory, limits_memory: false };
        group.entrance()?;
        // Version 1 has no types. No process can enter a group of version 2 among groups for threads.
        match fs::read_to_string(group.directory.join("cgroup.type")) {
            Ok(kind) if kind.trim_end() != "domain" => Err(io::ErrorKind::Unsupported.into()),
            _ => Ok(group),
        }
    }

    /// Creates a group with a limit of `mib` MiB in the file `bound`.
    fn limited(place: &Path, bound: &str, mib: u64) -> io::Result<Group> {
        let mut group = Group::create(place)?;
        let bytes = mib.saturating_mul(MIB).to_string();
        fs::write(group.directory.join(bound), bytes)?;
        // Exists only in version 2, and only if the system has swap.
        let swap = group.directory.join("memory.swap.max");
        if swap.is_file() {
            fs::write(swap, "0")?;
        }
        group.limits_memory = true;
        Ok(group)
    }

    fn entrance(&self) -> io::Result<File> {
        File::options().write(true).open(self.directory.join(PROCESSES))
    }

    /// Kills its processes one by one. They may start others meanwhile.
    fn kill_each(&self) {
        for _ in 0..ATTEMPTS {
            let processes = processes(&self.directory);
            if processes.is_empty() {
                return;
            }
            let numbers = processes.into_iter().filter_map(|process| i32::try_from(process).ok());
            for process in numbers.filter_map(Pid::from_raw) {
                // An error means that it has ended.
                let _ = kill_process(process, Signal::KILL);
            }
            thread::sleep(RETRY_INTERVAL);
        }
    }

    fn used(&self) -> Option<Duration> {
        Computing { directory: self.directory.clone() }.used()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..ATTEMPTS {
            match fs::remove_dir(&self.directory) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    thread::sleep(RETRY_INTERVAL);
                }
                _ => return,
            }
        }
    }
}

/// Removes, once in each place, the empty groups of arbiters that were killed.
fn remove_abandoned(place: &Path) {
    static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let is_first = CLEANED.lock().is_ok_and(|mut cleaned| cleaned.insert(place.to_path_buf()));
    if !is_first {
        return;
    }
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let id = id.and_then(|id| id.parse().ok());
        if id.is_some_and(|id| state(id).is_none()) {
            // Fails while a process is left in it.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Directories for new groups.
#[derive(Debug, Default, PartialEq, Eq)]
struct Places {
    /// Directories of version 2, the best first.
    unified: Vec<PathBuf>,
    /// Directory of version 1 for groups that limit memory.
    memory: Option<PathBuf>,
}

impl Places {
    fn of_this_process() -> Places {
        let own = Path::new(PROC).join("self");
        let groups = fs::read_to_string(own.join("cgroup")).unwrap_or_default();
        let mounts = MountInfos::from_file(own.join("mountinfo"));
        let mounts = mounts.map_or(Vec::new(), |mounts| mounts.0);
        let mut unified = mounts.iter().filter(|mount| mount.fs_type == VERSION_2);
        let mount = unified.next().map(|mount| (mount.root.as_str(), mount.mount_point.as_path()));
        Places::of(&groups, mount)
    }

    /// The places of a process by its `/proc/PID/cgroup`, and by the root and mount point of version 2.
    fn of(groups: &str, mount: Option<(&str, &Path)>) -> Places {
        let mut places = Places::default();
        for line in groups.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
            if controllers.split(',').any(|name| name == "memory") {
                places.memory = Some(Path::new(MEMORY_MOUNT).join(path.trim_start_matches('/')));
            }
            if let ("", Some((root, point))) = (controllers, mount)
                && let Ok(below) = Path::new(path).strip_prefix(root)
            {
                // A group with its own processes cannot have child groups with limits, but its parent can.
                let candidates = below.ancestors().take(2);
                places.unified = candidates.map(|below| point.join(below)).collect();
            }
        }
        places
    }
}

/// `true` if child groups of version 2 can have a limit of memory.
fn is_divided(directory: &Path) -> bool {
    let controllers = fs::read_to_string(directory.join("cgroup.subtree_control"));
    controllers.is_ok_and(|names| names.split_whitespace().any(|name| name == "memory"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use preconditions::needs;
    use std::process::Command;

    #[needs(memory_group)]
    #[test]
    fn a_group_is_made_and_removed() {
        let group = ControlGroup::create(Some(64));
        assert!(group.limits_memory());
        let groups = [&group.unified, &group.memory].into_iter().flatten();
        let directories: Vec<PathBuf> = groups.map(|group| group.directory.clone()).collect();
        assert!(directories.iter().all(|directory| directory.is_dir()));
        drop(group);
        assert!(!directories.iter().any(|directory| directory.exists()));
    }

    #[needs(control_group)]
    #[test]
    fn a_group_counts_what_nobody_waits_for_and_ends_what_left_its_session() {
        counts_and_ends(ControlGroup::kill);
        // As before Linux 5.14.
        counts_and_ends(|group| group.unified.as_ref().unwrap().kill_each());
    }

    fn counts_and_ends(kill: impl Fn(&ControlGroup)) {
        let group = ControlGroup::create(None);
        let computing = group.computing().unwrap();
        let enter = format!("echo $$ > {}", computing.directory.join(PROCESSES).display());
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let shell = format!("{enter}; trap '' CHLD; ({work}) & wait; setsid sleep 1000 & wait");
        let mut child = Command::new("sh").args(["-c", &shell]).spawn().unwrap();
        let begun = std::time::Instant::now();
        let await_that = |is_so: &dyn Fn() -> bool| {
            while !is_so() {
                assert!(begun.elapsed().as_secs() < 60, "{:?}", computing.processes());
                thread::sleep(RETRY_INTERVAL);
            }
        };
        await_that(&|| computing.used() > Some(Duration::from_millis(20)));
        await_that(&|| computing.processes().len() == 2);
        kill(&group);
        child.wait().unwrap();
        await_that(&|| computing.processes().is_empty());
    }

    #[test]
    fn abandoned_groups_are_removed_in_every_place() {
        let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for place in [place.path(), other.path()] {
            let own = place.join(format!("{PREFIX}{}-0", std::process::id()));
            let abandoned = place.join(format!("{PREFIX}{}-0", u32::MAX));
            fs::create_dir(&own).unwrap();
            fs::create_dir(&abandoned).unwrap();
            remove_abandoned(place);
            assert!(own.exists() && !abandoned.exists(), "{place:?}");
        }
    }

    #[needs(control_group)]
    #[test]
    fn a_group_among_groups_for_threads_is_refused() {
        let places = Places::of_this_process().unified;
        let parent = places.iter().find_map(|place| Group::create(place).ok()).unwrap();
        let threads = Group { directory: parent.directory.join("threads"), limits_memory: false };
        fs::create_dir(&threads.directory).unwrap();
        assert!(Group::create(&parent.directory).is_ok());
        fs::write(threads.directory.join("cgroup.type"), "threaded").unwrap();
        let error = Group::create(&parent.directory).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn places_are_below_the_mount_points() {
        let version_1 = Places::of("4:memory:/a/b\n9:name=systemd:/\n", None);
        assert_eq!(version_1.memory, Some(Path::new(MEMORY_MOUNT).join("a/b")));
        assert!(version_1.unified.is_empty());
        let point = Path::new("/sys/fs/cgroup");
        let of =
            |path: &str, root| Places::of(&format!("0::{path}\n"), Some((root, point))).unified;
        assert_eq!(of("/a/b", "/"), [point.join("a/b"), point.join("a")]);
        assert_eq!(of("/", "/"), [point.join("")]);
        assert_eq!(of("/pod/a", "/pod"), [point.join("a"), point.join("")]);
        assert!(of("/../a", "/pod").is_empty());
    }
}
