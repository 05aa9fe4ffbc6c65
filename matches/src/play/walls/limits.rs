//! What a process may take of the system, set just before its program begins.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

use super::MIB;
use crate::plan::Bounds;

/// Bounds this process and all that it starts. Allocates nothing, so that it can be called between fork and exec.
///
/// # Errors
/// What the system says where a bound is above that of the arbiter itself.
pub fn set(memory: Option<u64>, bounds: &Bounds) -> io::Result<()> {
    let Bounds {
        cpu,
        processes,
        filesize,
        net: _,
    } = *bounds;
    let bytes = |mib: u64| mib.saturating_mul(MIB);
    limit(Resource::As, memory.map(bytes), 0)?;
    // The signal that says what was exceeded comes a second before the one that tells nothing.
    limit(Resource::Cpu, cpu, 1)?;
    limit(Resource::Nproc, processes, 0)?;
    limit(Resource::Fsize, filesize.map(bytes), 0)?;
    Ok(())
}

/// Lets this process and all that it starts leave no core dumps.
///
/// # Errors
/// What the system says; it refuses this to nobody.
pub fn forbid_core_dumps() -> io::Result<()> {
    limit(Resource::Core, Some(0), 0)
}

fn limit(resource: Resource, value: Option<u64>, grace: u64) -> io::Result<()> {
    if let Some(value) = value {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value.saturating_add(grace)),
        };
        setrlimit(resource, limit)?;
    }
    Ok(())
}
