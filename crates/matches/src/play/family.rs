//! The tree of running processes, and their CPU clocks.

use std::fs;
use std::path::Path;
use std::time::Duration;

use procfs_core::FromRead;
use procfs_core::process::{Stat, Status};
use rustix::param::clock_ticks_per_second;
#[cfg(target_os = "linux")]
use rustix::process::Pid;
#[cfg(target_os = "linux")]
use rustix::thread::sched_getaffinity;

/// Directory of all processes, provided by the kernel.
pub const PROC: &str = "/proc";

/// Returns a process and all its descendants, itself first; only itself if the system does not list processes.
pub fn descendants(first: u32) -> Vec<u32> {
    let entries = fs::read_dir(PROC).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parents = numbers.filter_map(|process| Some((process, stat(process)?.ppid as u32)));
    descendants_among(first, &parents.collect::<Vec<(u32, u32)>>())
}

/// Resident memory of a process and all its descendants, in KiB, without mapped files, whose pages come and go with the
/// load of the machine; `None` if the system does not report it.
pub fn resident_memory(first: u32) -> Option<u64> {
    let status = |process| Status::from_file(format!("{PROC}/{process}/status")).ok();
    let all = descendants(first).into_iter().filter_map(status);
    let memory = all.filter_map(|status| Some(status.rssanon? + status.rssshmem?));
    Some(memory.sum()).filter(|&sum| sum > 0)
}

/// Returns the child of `ancestor` from which a process descends, or whose group or session it is in; `None` if there
/// is none or the process no longer exists.
pub fn child_of(ancestor: u32, process: u32) -> Option<u32> {
    let Stat { pgrp, session, .. } = stat(process)?;
    let starts = [process, pgrp as u32, session as u32];
    starts.into_iter().find_map(|start| child_in_line(ancestor, start))
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

/// CPU time of the ended children of a process and theirs, if it waited for them, in steps of a clock tick.
pub fn reaped(process: u32) -> Duration {
    let ticks = stat(process).map_or(0, |stat| stat.cutime + stat.cstime);
    let ticks = u32::try_from(ticks).unwrap_or_default();
    let per_second = u32::try_from(clock_ticks_per_second()).unwrap_or(1).max(1);
    Duration::from_secs(1) * ticks / per_second
}

/// Scheduling class and nice value of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priority {
    policy: Option<u32>,
    nice: i64,
}

impl Priority {
    /// The priority of a process, or of any thread; `None` if it does not exist.
    pub fn of(thread: u32) -> Option<Priority> {
        let Stat { policy, nice, .. } = stat(thread)?;
        Some(Priority { policy, nice })
    }
}

/// Number of processors allowed to a thread; `None` if it has another scheduling class than `priority` or a lower
/// priority, or does not exist.
pub fn processors(thread: u32, priority: Option<Priority>) -> Option<u32> {
    let (found, expected) = (Priority::of(thread)?, priority?);
    let is_lower = found.policy != expected.policy || found.nice > expected.nice;
    if is_lower {
        return None;
    }
    allowed(thread)
}

#[cfg(target_os = "linux")]
fn allowed(thread: u32) -> Option<u32> {
    let thread = Pid::from_raw(i32::try_from(thread).ok()?);
    Some(sched_getaffinity(thread).ok()?.count())
}

#[cfg(not(target_os = "linux"))]
fn allowed(_: u32) -> Option<u32> {
    None
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

/// CPU time of a process in nanoseconds, including its threads that have ended; `None` if it does not exist or the
/// system has no such clock.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // No safe crate in use offers this clock; /proc/PID/stat has the same time in steps of 10 ms.
pub fn cpu_time(process: u32) -> Option<Duration> {
    let process = libc::pid_t::try_from(process).ok()?;
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls write only to the variable that they are given.
    let is_read = unsafe {
        libc::clock_getcpuclockid(process, &mut clock) == 0
            && libc::clock_gettime(clock, &mut time) == 0
    };
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).ok()?);
    let nanos = Duration::from_nanos(u64::try_from(time.tv_nsec).ok()?);
    is_read.then(|| seconds + nanos)
}

#[cfg(not(target_os = "linux"))]
pub fn cpu_time(_: u32) -> Option<Duration> {
    None
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
        let mut child =
            std::process::Command::new("sh").args(["-c", "sleep 9 & wait"]).spawn().unwrap();
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
            let process = Pid::from_raw(process as i32).unwrap();
            rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        }
        child.wait().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_that_have_ended_count() {
        let own = std::process::id();
        let before = cpu_time(own).unwrap();
        let used = move || cpu_time(own).unwrap() - before;
        let busy = Duration::from_millis(30);
        std::thread::spawn(move || while used() < busy {}).join().unwrap();
        assert!(used() >= busy, "{:?}", used());
        assert_eq!(cpu_time(u32::MAX), None);
    }
}
