//! Namespaces for engines: whether the system allows them, and how an engine starts in them.

use std::ffi::OsString;
use std::io;
use std::iter;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::process::Command;

use thiserror::Error;

use crate::plan::{EngineSpec, Isolate, Plan};

/// Message for a match with isolated engines.
const ISOLATED: &str = "isolation: each engine has its own processes, /proc and terminals";

/// Permission to start engines in their own namespaces. Each sees only its own processes, in its own `/proc`, no
/// terminals, and without `net` no network. It sees the same files as the arbiter.
///
/// A launcher, which runs the arbiter's own program, stands between the arbiter and each engine; only that program may
/// request isolation. User namespaces, which need no privileges, make it possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation(());

/// Required isolation is not available.
#[derive(Debug, Error)]
pub enum IsolationError {
    /// The system does not allow it.
    #[error("--isolate on: this system cannot isolate engines ({0}); use --isolate auto or off")]
    Refused(#[source] io::Error),
    /// A limit of an engine requires it.
    #[error("engine {engine}: {key} requires isolation, which is not available: {reason}")]
    Needed {
        /// The engine's name.
        engine: String,
        /// Key of the limit.
        key: &'static str,
        /// Why isolation is not available.
        reason: String,
    },
}

impl Isolation {
    /// Returns the isolation for the engines of a plan, if any, and a message about it. A trial start, which takes some
    /// milliseconds, determines whether the system allows namespaces.
    ///
    /// The running program must call `launcher::launch` if its first argument is `launcher::ARGUMENT`.
    ///
    /// # Errors
    /// [`IsolationError`] if the plan requires isolation and the system does not allow it.
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

        // Any program will do, and the arbiter's own certainly exists.
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

    /// Returns the command of an engine's launcher. The launcher inherits the socket `line`, and limits each process to
    /// an address space of `memory` MiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn command(
        self,
        spec: &EngineSpec,
        memory: Option<u64>,
        line: BorrowedFd<'_>,
    ) -> Command {
        use super::launcher::{OUTSIDE, Order};

        let program = iter::once(spec.command.clone().into_os_string());
        let order = Order {
            line: line.as_raw_fd(),
            memory,
            limits: spec.bounds,
            program: program
                .chain(spec.args.iter().map(OsString::from))
                .collect(),
        };
        order.command(OUTSIDE)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn command(self, spec: &EngineSpec, _: Option<u64>, _: BorrowedFd<'_>) -> Command {
        Command::new(&spec.command)
    }
}
