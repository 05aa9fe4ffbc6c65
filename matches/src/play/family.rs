//! The tree of running processes.

use std::fs;
use std::path::Path;

/// Directory of all processes, provided by the kernel.
pub const PROC: &str = "/proc";

/// A process with its state and its relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kin {
    /// Process ID.
    process: u32,
    /// Letter of its state.
    state: char,
    /// ID of its parent process.
    parent: u32,
    /// ID of its process group.
    group: u32,
    /// ID of its session.
    session: u32,
}

/// Returns a process and all its descendants, itself first; only itself if the system does not list processes.
pub fn descendants(first: u32) -> Vec<u32> {
    let entries = fs::read_dir(PROC).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    descendants_among(first, &numbers.filter_map(kin_of).collect::<Vec<Kin>>())
}

/// Returns the child of `ancestor` from which a process descends, or whose group or session it is in; `None` if there
/// is none or the process no longer exists.
pub fn child_of(ancestor: u32, process: u32) -> Option<u32> {
    let kin = kin_of(process)?;
    let lines = [process, kin.group, kin.session];
    lines
        .into_iter()
        .find_map(|start| child_in_line(ancestor, start))
}

/// Returns the child of `ancestor` among the ancestors of a process.
fn child_in_line(ancestor: u32, process: u32) -> Option<u32> {
    let mut kin = kin_of(process)?;
    while kin.parent != ancestor {
        // Terminates: all processes descend from the first one, which has no parent.
        kin = kin_of(kin.parent)?;
    }
    Some(kin.process)
}

/// Returns the kernel's letter for the state of a process; `None` if it does not exist or the system does not list it.
pub fn state(process: u32) -> Option<char> {
    kin_of(process).map(|kin| kin.state)
}

fn kin_of(process: u32) -> Option<Kin> {
    let path = Path::new(PROC).join(process.to_string()).join("stat");
    read_kin(process, &fs::read_to_string(path).ok()?)
}

/// Parses `/proc/PID/stat`, starting after the name, which may contain anything.
fn read_kin(process: u32, stat: &str) -> Option<Kin> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_ascii_whitespace();
    let state = words.next()?.chars().next()?;
    let mut numbers = words.map(str::parse);
    let mut number = || numbers.next()?.ok();
    Some(Kin {
        process,
        state,
        parent: number()?,
        group: number()?,
        session: number()?,
    })
}

fn descendants_among(first: u32, all: &[Kin]) -> Vec<u32> {
    let mut found = vec![first];
    let mut index = 0;
    while let Some(&parent) = found.get(index) {
        for kin in all.iter().filter(|kin| kin.parent == parent) {
            if !found.contains(&kin.process) {
                found.push(kin.process);
            }
        }
        index += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_all_below() {
        let pairs = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 2), (7, 5)];
        let all = pairs.map(|(process, parent)| Kin {
            process,
            state: 'S',
            parent,
            group: process,
            session: 1,
        });
        assert_eq!(descendants_among(2, &all), [2, 3, 6, 4]);
        assert_eq!(descendants_among(7, &all), [7]);
    }

    #[test]
    fn the_name_of_a_process_may_hold_anything() {
        let parent = |stat| read_kin(12, stat).map(|kin| (kin.parent, kin.group, kin.session));
        assert_eq!(parent("12 (a) R 9 (b)) S 7 12 11 0"), Some((7, 12, 11)));
        assert_eq!(parent("12 (sh) S 1 12"), None);
        assert_eq!(parent("12"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_is_known_by_its_descendants() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sleep 9 & wait"])
            .spawn()
            .unwrap();
        let begun = std::time::Instant::now();
        let family = loop {
            let family = descendants(child.id());
            if family.len() > 1 {
                break family;
            }
            assert!(begun.elapsed().as_secs() < 20, "no grandchild");
        };
        let own = std::process::id();
        assert_eq!(child_of(own, family[1]), Some(child.id()));
        assert_eq!(child_of(own, child.id()), Some(child.id()));
        assert_eq!(child_of(own, 1), None);
        for process in family {
            let process = rustix::process::Pid::from_raw(process as i32).unwrap();
            rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        }
        child.wait().unwrap();
    }
}
