//! Namespaces: whether engines can have their own, and how one is started in them.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::process::Command;

use thiserror::Error;

use crate::plan::{EngineSpec, Isolate, Plan};

/// What is said of a match whose engines are isolated.
const ISOLATED: &str = "isolation: each engine has processes, /proc and terminals of its own";

/// Engines are started in namespaces of their own: each sees no processes but its own, in a `/proc` of its own,
/// no terminals, and without `net` no network. Files it sees as the arbiter does.
///
/// Between the arbiter and each engine stands a launcher, the program of the arbiter itself: so only that program may
/// ask for isolation. Namespaces of users, which the kernel gives to everybody, make it possible without privileges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation(());

/// Why engines cannot be isolated from each other, where they have to be.
#[derive(Debug, Error)]
pub enum IsolationError {
    /// The system does not allow it.
    #[error(
        "--isolate on: engines cannot be isolated from each other here ({0}), expected --isolate auto or off"
    )]
    Refused(#[source] io::Error),
    /// A bound of an engine does not hold without it.
    #[error("engine {engine}: {key} holds for isolated engines alone, and these are not: {reason}")]
    Needed {
        /// The engine's name.
        engine: String,
        /// The key of the bound.
        key: &'static str,
        /// Why engines are not isolated.
        reason: String,
    },
}

impl Isolation {
    /// How the engines of a plan are isolated from each other, or `None`, and a line that says so. Whether the system
    /// gives namespaces to whoever runs the arbiter is tried out, in some milliseconds.
    ///
    /// The program that runs must call `launcher::launch` where its first argument is `launcher::ARGUMENT`.
    ///
    /// # Errors
    /// [`IsolationError`] where the plan asks for what the system does not allow.
    pub fn of_plan(plan: &Plan) -> Result<(Option<Isolation>, String), IsolationError> {
        let reason = match plan.isolate {
            Isolate::Off => "--isolate off".to_string(),
            Isolate::Auto | Isolate::On => {
                let isolation = Isolation(());
                match isolation.try_out() {
                    Ok(()) => return Ok((Some(isolation), ISOLATED.to_string())),
                    Err(error) if plan.isolate == Isolate::On => {
                        return Err(IsolationError::Refused(error));
                    }
                    Err(error) => error.to_string(),
                }
            }
        };
        let needs =
            |engine: &EngineSpec| Some((engine.name.clone(), engine.bounds.need_of_isolation()?));
        match plan.engines.iter().find_map(needs) {
            Some((engine, key)) => Err(IsolationError::Needed {
                engine,
                key,
                reason,
            }),
            None => Ok((None, format!("isolation: none: {reason}"))),
        }
    }

    #[cfg(target_os = "linux")]
    fn try_out(self) -> io::Result<()> {
        use crate::plan::Limit;
        use crate::play::engine::Process;

        // Any program will do, and this one is there.
        let nothing = EngineSpec {
            args: vec![super::launcher::ARGUMENT.to_string()],
            ..EngineSpec::new("probe", super::launcher::OWN_PROGRAM, Limit::nodes(1))
        };
        Process::start(&nothing, None, Some(self)).map(drop)
    }

    #[cfg(not(target_os = "linux"))]
    fn try_out(self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The launcher of an engine, which reports to `line`, a socket that it inherits, and bounds each process to an
    /// address space of `memory` MiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn command(
        self,
        spec: &EngineSpec,
        memory: Option<u64>,
        line: BorrowedFd<'_>,
    ) -> Command {
        use super::launcher::{ARGUMENT, OUTSIDE, OWN_PROGRAM};

        let mut command = Command::new(OWN_PROGRAM);
        let memory = memory.map_or(String::new(), |mib| mib.to_string());
        command
            .args([ARGUMENT, OUTSIDE, &line.as_raw_fd().to_string(), &memory])
            .arg(spec.bounds.to_string())
            .arg(&spec.command)
            .args(&spec.args);
        command
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn command(self, spec: &EngineSpec, _: Option<u64>, _: BorrowedFd<'_>) -> Command {
        Command::new(&spec.command)
    }
}
