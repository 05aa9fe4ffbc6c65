//! Namespaces for engines: whether the system allows them, and how an engine starts in them.

use std::io;
use std::os::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

#[cfg(target_os = "linux")]
use crate::plan::binary;
use crate::plan::{EngineSpec, Isolate};

/// Message for a match with isolated engines.
const ISOLATED: &str = "isolation: each engine has its own processes, /proc and terminals; \
    files that it writes to /tmp are temporary";

/// Number of user namespaces that `bwrap` makes.
#[cfg(target_os = "linux")]
const NAMESPACES_OF_A_SANDBOX: u8 = 2;

/// Whether the running program is its own launcher.
#[cfg(target_os = "linux")]
static HAS_LAUNCHER: AtomicBool = AtomicBool::new(false);

/// Permission to start engines in their own namespaces. Each sees only its own processes, in its own `/proc`, no
/// terminals, and without `net` no network. Its changes of `/tmp` are its own, and it sees none of the arbiter's
/// [`own_files`](crate::own_files).
///
/// A launcher, which runs the arbiter's own program, stands between the arbiter and each engine; only that program may
/// request isolation. User namespaces, which need no privileges, make it possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation(());

/// Required isolation is not available.
#[derive(Debug, Error)]
pub enum IsolationError {
    #[error("--isolate on: this system cannot isolate engines ({0}); use --isolate auto or off")]
    Refused(#[source] io::Error),
    #[error("engine {engine}: {key} requires isolation, which is not available: {reason}")]
    Needed {
        engine: String,
        /// Key of the limit.
        key: &'static str,
        reason: String,
    },
    #[error("engine {engine}: {key} requires Linux")]
    Linux {
        engine: String,
        /// Key of the limit.
        key: &'static str,
    },
}

impl Isolation {
    /// Returns the isolation for engines, if any, and a message about it. A trial start, which takes some milliseconds,
    /// determines whether the system allows namespaces. Only a program that runs by `run_program` has a launcher.
    ///
    /// # Errors
    /// [`IsolationError`] if isolation or a limit is required and the system does not allow it.
    pub fn of(
        isolate: Isolate,
        engines: &[EngineSpec],
    ) -> Result<(Option<Isolation>, String), IsolationError> {
        if !cfg!(target_os = "linux")
            && let Some((engine, key)) = engines.iter().find_map(first_limit)
        {
            return Err(IsolationError::Linux { engine, key });
        }
        let reason = match isolate {
            Isolate::Off => "--isolate off".to_string(),
            Isolate::Auto | Isolate::On => {
                let isolation = Isolation(());
                match isolation.try_out() {
                    Ok(()) => return Ok((Some(isolation), ISOLATED.to_string())),
                    Err(error) if isolate == Isolate::On => {
                        return Err(IsolationError::Refused(error));
                    }
                    Err(error) => error.to_string(),
                }
            }
        };
        let needs =
            |engine: &EngineSpec| Some((engine.name.clone(), engine.bounds.need_of_isolation()?));
        match engines.iter().find_map(needs) {
            Some((engine, key)) => Err(IsolationError::Needed { engine, key, reason }),
            None => Ok((None, format!("isolation: none: {reason}"))),
        }
    }

    /// Notes that the running program is its own launcher.
    #[cfg(target_os = "linux")]
    pub(super) fn permit() {
        HAS_LAUNCHER.store(true, Ordering::Relaxed);
    }

    #[cfg(target_os = "linux")]
    fn try_out(self) -> io::Result<()> {
        use crate::plan::Limit;
        use crate::play::engine::Process;

        if !HAS_LAUNCHER.load(Ordering::Relaxed) {
            return Err(io::Error::other("this program has no launcher"));
        }
        // Any program will do, and the arbiter's own certainly exists.
        let nothing = EngineSpec {
            args: vec![super::launcher::ARGUMENT.to_string()],
            ..EngineSpec::new("probe", super::launcher::OWN_PROGRAM, Limit::nodes(1))
        };
        Process::start(&nothing, None, Some(self)).map(drop)
    }

    #[cfg(not(target_os = "linux"))]
    fn try_out(self) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux has namespaces"))
    }

    /// Returns the command of an engine's launcher. The launcher inherits the socket `line`, and limits each process to
    /// an address space of `memory` MiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn command(
        self,
        spec: &EngineSpec,
        memory: Option<u64>,
        line: BorrowedFd<'_>,
    ) -> Command {
        use std::ffi::OsString;
        use std::iter;
        use std::os::fd::AsRawFd;

        use super::launcher::{OUTSIDE, Order};
        use crate::own_files;

        let program = iter::once(spec.command.clone().into_os_string());
        let order = Order {
            line: line.as_raw_fd(),
            memory,
            limits: spec.bounds,
            namespaces: if is_sandbox(&spec.command) { NAMESPACES_OF_A_SANDBOX } else { 0 },
            hidden: own_files::existing().into_iter().map(OsString::from).collect(),
            program: program.chain(spec.args.iter().map(OsString::from)).collect(),
        };
        order.command(OUTSIDE)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn command(self, spec: &EngineSpec, _: Option<u64>, _: BorrowedFd<'_>) -> Command {
        Command::new(&spec.command)
    }
}

/// `true` if a program is the system's `bwrap`, which shields its own engine from the namespaces that it makes.
#[cfg(target_os = "linux")]
fn is_sandbox(program: &Path) -> bool {
    let file = binary::file_of(program);
    which::which("bwrap").is_ok_and(|bwrap| file.is_some_and(|file| file == bwrap))
}

/// Returns the engine's name and the key of its first limit.
fn first_limit(engine: &EngineSpec) -> Option<(String, &'static str)> {
    let memory = engine.memory.map(|_| "memory");
    let others = engine.bounds.pairs();
    let key = memory.or_else(|| Some(others.first()?.0))?;
    Some((engine.name.clone(), key))
}
