//! Resource limits of a process, set just before its program begins.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

use super::MIB;
use crate::plan::ResourceLimits;

/// Limits this process and all its descendants. Does not allocate, so that it may be called between fork and exec.
///
/// # Errors
/// The system refuses a limit above the arbiter's own.
pub fn set(memory: Option<u64>, bounds: &ResourceLimits) -> io::Result<()> {
    let ResourceLimits { cpu, processes, filesize, net: _ } = *bounds;
    let bytes = |mib: u64| mib.saturating_mul(MIB);
    limit(Resource::As, memory.map(bytes), 0)?;
    // SIGXCPU, which names the exceeded limit, comes a second before SIGKILL, which does not.
    limit(Resource::Cpu, cpu, 1)?;
    limit(Resource::Nproc, processes, 0)?;
    limit(Resource::Fsize, filesize.map(bytes), 0)?;
    Ok(())
}

/// Disables core dumps of this process and all its descendants.
///
/// # Errors
/// An error of the system, which never refuses this.
pub fn forbid_core_dumps() -> io::Result<()> {
    limit(Resource::Core, Some(0), 0)
}

/// Limits the signals that wait for the processes of this user in this namespace.
///
/// # Errors
/// An error of the system, which never refuses this.
pub fn limit_pending_signals(number: u64) -> io::Result<()> {
    limit(Resource::Sigpending, Some(number), 0)
}

fn limit(resource: Resource, value: Option<u64>, grace: u64) -> io::Result<()> {
    if let Some(value) = value {
        let limit = Rlimit { current: Some(value), maximum: Some(value.saturating_add(grace)) };
        setrlimit(resource, limit)?;
    }
    Ok(())
}
