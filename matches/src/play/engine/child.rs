//! What a child process of the arbiter does between fork and exec.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[cfg(target_os = "linux")]
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity, set_no_new_privs};

use crate::plan::Bounds;
#[cfg(target_os = "linux")]
use crate::play::walls::limits;

/// What a child is to be held by; all but its session is for Linux alone.
pub struct Preparation {
    /// The processor core to which it is pinned.
    pub core: Option<usize>,
    /// The entrance of the control group in which it is to be.
    pub entrance: Option<File>,
    /// The most address space, in MiB.
    pub memory: Option<u64>,
    /// What else it may take.
    pub bounds: Bounds,
    /// The end of a socket that it inherits, where it is a launcher: that bounds the engine, and not itself.
    pub line: Option<UnixStream>,
}

impl Preparation {
    /// Gives the child a session of its own, so that it has no terminal and can be killed with all that it starts.
    /// It can gain no privileges, leaves no core dump, and is killed by the kernel when its parent dies, even by a
    /// signal that the parent cannot catch.
    #[allow(unsafe_code)] // `pre_exec` is the only way to have the child ask for its own death signal.
    pub fn of(self, command: &mut Command) {
        #[cfg(target_os = "linux")]
        let prepare = {
            let parent = rustix::process::getpid();
            let cores = self.core.map(|core| {
                let mut cores = CpuSet::new();
                cores.set(core);
                cores
            });
            move || {
                rustix::process::setsid()?;
                if let Some(cores) = &cores {
                    sched_setaffinity(None, cores)?;
                }
                if let Some(entrance) = &self.entrance {
                    rustix::io::write(entrance, b"0")?;
                }
                set_no_new_privs(true)?;
                limits::forbid_core_dumps()?;
                match &self.line {
                    Some(line) => rustix::io::fcntl_setfd(line, rustix::io::FdFlags::empty())?,
                    None => limits::set(self.memory, &self.bounds)?,
                }
                set_parent_process_death_signal(Some(Signal::KILL))?;
                // A parent that died before the request sends no signal any more.
                if getppid() == Some(parent) {
                    Ok(())
                } else {
                    Err(io::ErrorKind::NotFound.into())
                }
            }
        };
        #[cfg(not(target_os = "linux"))]
        let prepare = move || {
            let _ = &self;
            rustix::process::setsid()?;
            Ok(())
        };
        // SAFETY: between fork and exec the closure makes a few system calls, and none of them allocates or locks.
        unsafe {
            command.pre_exec(prepare);
        }
    }
}
