//! The sandbox of an engine: limits of its resources, and of its view of other engines, the arbiter and the arbiter's
//! terminal. docs/security.md lists the remaining attacks.
//!
//! Every engine has its own session without a terminal, cannot gain privileges, leaves no core dump, and dies with the
//! arbiter. If the kernel allows it, each engine also has its own namespaces: [`Isolation`].

mod control_group;
mod isolation;
#[cfg(target_os = "linux")]
pub mod launcher;

#[cfg(target_os = "linux")]
use std::os::fd::{BorrowedFd, RawFd};
use std::process::ExitCode;

#[cfg(target_os = "linux")]
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Resource, getrlimit, setrlimit};

pub use control_group::{Computing, ControlGroup, Entrance};
pub use isolation::{End, Guard, HiddenFiles, Isolation};

use crate::plan::Plan;
use crate::play::family::state;

const MIB: u64 = 1 << 20;

/// Runs a launcher if the command line of this process asks for one, or else `main`, for every program that starts
/// engines. `main` may open as many files as the system allows, since every engine takes several.
pub fn launcher_or(main: impl FnOnce() -> ExitCode) -> ExitCode {
    #[cfg(target_os = "linux")]
    {
        // A launcher must be fast and therefore does not use the command-line parser.
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next().is_some_and(|first| first == launcher::ARGUMENT) {
            return launcher::launch(arguments);
        }
        Isolation::permit();
        keep_inherited_files();
    }
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // With the lower limit, a match with fewer engines still works.
    let _ = setrlimit(Resource::Nofile, limit);
    main()
}

/// Closes inherited files, such as files of a shell, in the engines that this process starts.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // There is no other way to use an inherited descriptor.
fn keep_inherited_files() {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for number in numbers.filter(|&number: &RawFd| number > 2) {
        // SAFETY: the descriptor is open, except the directory's own, and is not used after this call.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        // Fails for the directory.
        let _ = fcntl_setfd(file, FdFlags::CLOEXEC);
    }
}

/// Prevents other programs of the same user from accessing the arbiter's memory and open files, including the pipes of
/// its engines, through `/proc`. The superuser still has access. Linux only.
pub fn shield_arbiter() {
    // The call cannot fail on a kernel with /proc; without it, the arbiter is only as protected as any program.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Returns a message that says how the memory of a plan's engines is limited; `None` if it is not.
pub fn memory_in_words(plan: &Plan) -> Option<&'static str> {
    let mib = plan.engines.iter().find_map(|engine| engine.memory)?;
    Some(if ControlGroup::create(Some(mib)).limits_memory() {
        "memory: limited by a control group for each engine"
    } else {
        "memory: limited by the address space of each process"
    })
}

/// Returns a message that says which computing is not seen without a control group; `None` if all is seen or no engine
/// has a time limit.
pub fn computing_in_words(plan: &Plan) -> Option<&'static str> {
    let is_timed = plan.engines.iter().any(|engine| engine.limit.time.is_some());
    let is_seen = || ControlGroup::create(None).computing().is_some();
    (is_timed && !is_seen()).then_some(
        "computing: counted without a control group, so not in children whose parent ignores their end",
    )
}

/// `true` if a process is stopped, by a signal or by a debugger.
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
