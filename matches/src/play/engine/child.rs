//! The steps of a child process between fork and exec.

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
use crate::play::sandbox::limits;

/// Restrictions of a child process; on systems other than Linux, only its own session.
pub struct Preparation {
    /// Processor core to pin it to.
    pub core: Option<usize>,
    /// File through which it enters its control group.
    pub entrance: Option<File>,
    /// Limit of the address space, in MiB.
    pub memory: Option<u64>,
    /// Limits of other system resources.
    pub bounds: Bounds,
    /// Socket that a launcher inherits. The launcher then sets the limits on the engine, not on itself.
    pub line: Option<UnixStream>,
}

impl Preparation {
    /// Gives the child its own session, so that it has no terminal and can be killed together with all its children. It
    /// cannot gain privileges and leaves no core dump. The kernel kills it when its parent dies, even by a signal that
    /// the parent cannot catch.
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
                // A parent that died before this request no longer sends a signal.
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
        // SAFETY: between fork and exec the closure makes a few system calls that neither allocate nor lock.
        unsafe {
            command.pre_exec(prepare);
        }
    }
}
