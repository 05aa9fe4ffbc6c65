//! Memory limits by a control group, which counts the memory that an engine uses with all its descendants. A limit of
//! the address space would also count memory that a process reserves but never uses.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::MIB;

/// Mount point of the control groups.
const ROOT: &str = "/sys/fs/cgroup";
/// File that lists a group's processes.
const PROCESSES: &str = "cgroup.procs";
/// Maximum number of attempts to remove a group whose processes are about to end.
const ATTEMPTS: u32 = 200;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(1);

/// A control group, removed on drop. If the arbiter dies first, an empty group remains.
#[derive(Debug)]
pub struct MemoryGroup {
    directory: PathBuf,
}

/// A directory for new groups, and the name of the file with a group's limit in bytes.
struct Place {
    directory: PathBuf,
    bound: &'static str,
}

impl MemoryGroup {
    /// Creates a group of processes with a limit of `mib` MiB; `None` if the arbiter's user lacks the permission.
    pub fn create(mib: u64) -> Option<MemoryGroup> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mut places = groups.lines().flat_map(places);
        places.find_map(|place| MemoryGroup::create_in(&place, mib).ok())
    }

    fn create_in(place: &Place, mib: u64) -> io::Result<MemoryGroup> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // A user who may not move processes out of the parent group cannot move any into a child group.
        let processes = place.directory.join(PROCESSES);
        File::options().write(true).open(processes)?;
        let name = format!("arbiter-{}-{number}", std::process::id());
        let directory = place.directory.join(name);
        fs::create_dir(&directory)?;
        let group = MemoryGroup { directory };
        let bytes = mib.saturating_mul(MIB).to_string();
        fs::write(group.directory.join(place.bound), bytes)?;
        // Exists only in version 2, and only if the system has swap.
        let swap = group.directory.join("memory.swap.max");
        if swap.is_file() {
            fs::write(swap, "0")?;
        }
        group.entrance()?;
        Ok(group)
    }

    /// Opens the file through which a process enters the group, by writing `0` to it.
    ///
    /// # Errors
    /// The arbiter's user lacks the permission.
    pub fn entrance(&self) -> io::Result<File> {
        File::options().write(true).open(self.directory.join(PROCESSES))
    }
}

/// Returns the candidate directories for groups with memory limits, by one line of `/proc/self/cgroup`.
fn places(line: &str) -> Vec<Place> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
        return Vec::new();
    };
    let below = path.trim_start_matches('/');
    if controllers.split(',').any(|name| name == "memory") {
        return vec![Place {
            directory: Path::new(ROOT).join("memory").join(below),
            bound: "memory.limit_in_bytes",
        }];
    }
    // In version 2 a group with its own processes cannot have child groups with limits, but its parent can.
    let own = Path::new(ROOT).join(below);
    let is_divided = |directory: &&Path| {
        let controllers = fs::read_to_string(directory.join("cgroup.subtree_control"));
        controllers.is_ok_and(|names| names.split_whitespace().any(|name| name == "memory"))
    };
    let candidates = own.ancestors().take(2).filter(is_divided);
    let place =
        |directory: &Path| Place { directory: directory.to_path_buf(), bound: "memory.max" };
    candidates.map(place).collect()
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        for _ in 0..ATTEMPTS {
            match fs::remove_dir(&self.directory) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(not(memory_group), ignore = "needs a control group that this user may divide")]
    fn a_group_is_made_and_removed() {
        let group = MemoryGroup::create(64).unwrap();
        let directory = group.directory.clone();
        assert!(directory.is_dir());
        drop(group);
        assert!(!directory.exists());
    }

    #[test]
    fn groups_without_memory_are_no_place() {
        assert!(places("9:name=systemd:/").is_empty());
        assert!(places("").is_empty());
        let [place] = &places("4:memory:/a/b")[..] else {
            panic!("one place");
        };
        assert_eq!(place.directory, Path::new("/sys/fs/cgroup/memory/a/b"));
    }
}
