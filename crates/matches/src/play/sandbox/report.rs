//! Reports of a launcher to the arbiter, one JSON value per line.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wait4::ResUse;

use crate::record::micros;

/// A line from the launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The engine's program runs, and the inner process has closed its copies of the engine's pipes; contains the
    /// directories whose files the engine does not see.
    Started(Vec<PathBuf>),
    /// The outer process has closed its copies of the engine's pipes.
    Closed,
    /// The program cannot be run; contains the system's error number.
    NotStarted(i32),
    /// The kernel refuses the namespaces; contains the reason.
    Refused(String),
    Ended(End),
}

/// End of an engine's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Exit status, as the system returns it.
    pub status: i32,
    /// Peak memory, in KiB.
    pub memory_kib: u64,
    pub cpu_micros: u64,
    /// Whether the arbiter killed it.
    pub was_killed: bool,
    /// Whether it was stopped by a signal at that time.
    pub was_stopped: bool,
}

impl End {
    /// Creates the end of a process that was waited for.
    pub fn of(used: &ResUse, was_killed: bool, was_stopped: bool) -> End {
        End {
            status: used.status.into_raw(),
            memory_kib: used.rusage.maxrss / 1024,
            cpu_micros: micros(used.rusage.utime + used.rusage.stime),
            was_killed,
            was_stopped,
        }
    }
}
