//! What a child process of the arbiter does between fork and exec.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[cfg(target_os = "linux")]
use rustix::process::Signal;
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::plan::EngineSpec;

/// Gives the child a session of its own, so that it has no terminal and can be killed with all that it starts.
/// On Linux it can gain no privileges, leaves no core dump, may be pinned to one processor core, is killed by the
/// kernel when its parent dies, even by a signal that the parent cannot catch, and is bounded as `spec` says: where it
/// is a launcher it inherits `line`, and bounds the engine itself.
#[allow(unsafe_code)] // `pre_exec` is the only way to have the child ask for its own death signal.
pub fn prepare(
    command: &mut Command,
    spec: &EngineSpec,
    core: Option<usize>,
    line: Option<UnixStream>,
) {
    #[cfg(target_os = "linux")]
    let prepare = {
        use crate::play::walls::limits;
        let parent = rustix::process::getpid();
        let (memory, bounds) = (spec.memory, spec.bounds);
        let cores = core.map(|core| {
            let mut cores = CpuSet::new();
            cores.set(core);
            cores
        });
        move || {
            rustix::process::setsid()?;
            if let Some(cores) = &cores {
                sched_setaffinity(None, cores)?;
            }
            rustix::thread::set_no_new_privs(true)?;
            limits::forbid_core_dumps()?;
            match &line {
                Some(line) => rustix::io::fcntl_setfd(line, rustix::io::FdFlags::empty())?,
                None => limits::set(memory, &bounds)?,
            }
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // A parent that died before the request sends no signal any more.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::ErrorKind::NotFound.into())
            }
        }
    };
    #[cfg(not(target_os = "linux"))]
    let prepare = {
        let _ = (spec, core, line);
        || rustix::process::setsid().map(drop).map_err(io::Error::from)
    };
    // SAFETY: between fork and exec the closure makes a few system calls, and none of them allocates or locks.
    unsafe {
        command.pre_exec(prepare);
    }
}
