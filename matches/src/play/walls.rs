//! What stands between engines: what one of them may take of the system, and what it sees of the others, of the
//! arbiter and of the arbiter's terminal. docs/fairness.md says which attacks are left.
//!
//! Every engine has a session of its own without a terminal, can gain no privileges, leaves no core dump, and dies
//! with the arbiter. Where the kernel allows it each is also alone in namespaces of its own: [`Isolation`].

mod guard;
mod isolation;
#[cfg(target_os = "linux")]
pub mod launcher;
#[cfg(target_os = "linux")]
pub mod limits;
mod memory_group;
mod report;

use std::ffi::OsString;
use std::process::ExitCode;

pub use guard::Guard;
pub use isolation::{Isolation, IsolationError};
pub use memory_group::MemoryGroup;

use crate::plan::Plan;
use crate::play::family::state;

/// Bytes of a MiB.
const MIB: u64 = 1 << 20;

/// Stands between the arbiter and an engine, where the command line of this process says so; `None` for any other.
/// Every program that starts engines calls this first: it is to be quick, and so is not parsed as commands are.
pub fn launch(words: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    {
        let mut arguments = words.into_iter().skip(1);
        let is_launcher = arguments.next()? == launcher::ARGUMENT;
        is_launcher.then(|| launcher::launch(arguments))
    }
    #[cfg(not(target_os = "linux"))]
    {
        drop(words);
        None
    }
}

/// Keeps other programs of the same user from reading the arbiter's memory and its open files, the pipes of its
/// engines among them, through `/proc`. The superuser can read them nevertheless. Only Linux has this.
pub fn shield_arbiter() {
    // The call fails on no kernel with /proc; without it the arbiter is as open as any program.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// A line that says by what the memory of a plan's engines is bounded; `None` where it is not.
pub fn memory_in_words(plan: &Plan) -> Option<&'static str> {
    let mib = plan.engines.iter().find_map(|engine| engine.memory)?;
    Some(match MemoryGroup::create(mib) {
        Some(_) => "memory: bounded by a control group for each engine",
        None => "memory: bounded by the address space of each process",
    })
}

/// Whether a process is stopped, by a signal or by a debugger.
pub fn is_stopped(process: u32) -> bool {
    matches!(state(process), Some('T' | 't'))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_state_of_a_process_is_known() {
        assert!(state(std::process::id()).is_some());
        assert_eq!(state(u32::MAX), None);
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        assert!(!is_stopped(child.id()));
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !is_stopped(child.id()) {
            assert!(std::time::Instant::now() < deadline, "never stopped");
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
