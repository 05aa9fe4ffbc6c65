//! The tree of running processes.

use std::fs;
use std::path::Path;

use procfs_core::FromRead;
use procfs_core::process::Stat;

/// Directory of all processes, provided by the kernel.
pub const PROC: &str = "/proc";

/// Returns a process and all its descendants, itself first; only itself if the system does not list processes.
pub fn descendants(first: u32) -> Vec<u32> {
    let entries = fs::read_dir(PROC).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parents = numbers.filter_map(|process| Some((process, stat(process)?.ppid as u32)));
    descendants_among(first, &parents.collect::<Vec<(u32, u32)>>())
}

/// Returns the child of `ancestor` from which a process descends, or whose group or session it is in; `None` if there
/// is none or the process no longer exists.
pub fn child_of(ancestor: u32, process: u32) -> Option<u32> {
    let Stat { pgrp, session, .. } = stat(process)?;
    let starts = [process, pgrp as u32, session as u32];
    starts
        .into_iter()
        .find_map(|start| child_in_line(ancestor, start))
}

/// Returns the child of `ancestor` among the ancestors of a process.
fn child_in_line(ancestor: u32, mut process: u32) -> Option<u32> {
    loop {
        // Terminates: all processes descend from the first one, which has no parent.
        match stat(process)?.ppid as u32 {
            parent if parent == ancestor => return Some(process),
            parent => process = parent,
        }
    }
}

/// Returns the kernel's letter for the state of a process; `None` if it does not exist or the system does not list it.
pub fn state(process: u32) -> Option<char> {
    stat(process).map(|stat| stat.state)
}

fn stat(process: u32) -> Option<Stat> {
    let directory = Path::new(PROC).join(process.to_string());
    Stat::from_file(directory.join("stat")).ok()
}

/// Returns a process and all its descendants, given the parents of all processes.
fn descendants_among(first: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    let mut found = vec![first];
    let mut index = 0;
    while let Some(&ancestor) = found.get(index) {
        for &(process, _) in parents.iter().filter(|(_, parent)| *parent == ancestor) {
            if !found.contains(&process) {
                found.push(process);
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
        let parents = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 2), (7, 5)];
        assert_eq!(descendants_among(2, &parents), [2, 3, 6, 4]);
        assert_eq!(descendants_among(7, &parents), [7]);
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
