//! Living processes, read from `/proc`.
#![allow(dead_code)] // Each package that includes this file uses a part of it.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// Command lines of the living processes of a process group, by process id.
pub fn living_members(group: u32) -> BTreeMap<u32, String> {
    living(|_, process_group| process_group == group)
}

/// Command lines of the living children of a process, by process id.
pub fn children(parent: u32) -> BTreeMap<u32, String> {
    living(|process_parent, _| process_parent == parent)
}

pub fn await_death(group: u32) {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let members = living_members(group);
        if members.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "still alive: {members:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Command lines of the living processes selected by parent and process group.
fn living(is_wanted: impl Fn(u32, u32) -> bool) -> BTreeMap<u32, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // After the name in parentheses: state, parent, process group.
        let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 1..].split_whitespace().collect();
        // While a process is being reaped, its group is -1.
        let (Ok(parent), Ok(group)) = (fields[1].parse(), fields[2].parse()) else {
            continue;
        };
        if is_wanted(parent, group) && fields[0] != "Z" {
            let command = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            found.insert(id, command.replace('\0', " "));
        }
    }
    found
}
