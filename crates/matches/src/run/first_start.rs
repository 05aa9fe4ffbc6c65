//! The start of a match: signals are handled, and each engine is started once.

use std::process::ExitCode;

use super::OnInterrupt;
use super::exit::{ExitError, INTERRUPTED, complain};
use super::signals;
use crate::luck::Evaluator;
use crate::plan::Plan;
use crate::plan::rules::program::RulesError;
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::rules;
use crate::play::runner::{self, FirstStart, Programs};
use crate::play::sandbox::{self, Isolation};

/// Engines of a match as found when each was started once.
#[derive(Debug)]
pub struct Engines {
    /// Isolation of the engines from each other.
    pub isolation: Option<Isolation>,
    /// Line of the header about the isolation.
    pub isolation_text: String,
    pub programs: Programs,
}

/// The engines, and what their first start has told about them.
pub(super) type Started = (Engines, FirstStart);

/// Starts each engine once, with signals handled, and settles the plan by what the engines offer. Tries out the
/// evaluator of luck, too.
pub(super) fn start_engines(
    plan: &mut Plan,
    changed_engines: bool,
    on_interrupt: OnInterrupt,
    luck: Option<&Evaluator>,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<Started, Stop> {
    signals::stop_match(interrupt, on_interrupt)
        .map_err(|error| ExitError::usage(format_args!("cannot handle signals: {error}")))?;
    sandbox::shield_arbiter();
    let (isolation, isolation_text) =
        Isolation::of(plan.isolate, &plan.engines).map_err(ExitError::usage)?;
    if let Some(game) = plan.rules.program() {
        let connected = rules::connect(game, isolation, plan.patience.ready, log, interrupt);
        connected.map_err(|error| match error {
            RulesError::Interrupted => Stop::Interrupted,
            fault => Stop::Failed(fault.into()),
        })?;
    }
    let programs = Programs::of(plan, interrupt);
    let seconds = plan.patience.ready.as_secs_f64();
    let notice = |engine: &str| {
        complain(format_args!(
            "waiting for engine {engine} to get ready, at most {seconds} s (--ready)"
        ));
    };
    let mut first_start = match runner::start_engines(plan, isolation, log, interrupt, &notice) {
        Err(_) if interrupt.is_set() => return Err(Stop::Interrupted),
        started => started.map_err(ExitError::usage)?,
    };
    let forecast = match luck.map_or(Ok(None), |luck| luck.try_out(plan, isolation, interrupt)) {
        Err(_) if interrupt.is_set() => return Err(Stop::Interrupted),
        tried => tried.map_err(ExitError::usage)?,
    };
    first_start.remarks.extend(forecast);
    let engines = Engines {
        isolation,
        isolation_text,
        programs: if changed_engines {
            programs.that_may_change()
        } else {
            programs.without_changed_arguments()
        },
    };
    Ok((engines, first_start))
}

/// Reasons why a match does not start.
pub(super) enum Stop {
    Interrupted,
    Failed(ExitError),
}

impl Stop {
    pub(super) fn exit(&self) -> ExitCode {
        match self {
            Stop::Interrupted => ExitCode::from(INTERRUPTED),
            Stop::Failed(error) => error.exit(),
        }
    }
}

impl From<ExitError> for Stop {
    fn from(error: ExitError) -> Stop {
        Stop::Failed(error)
    }
}
