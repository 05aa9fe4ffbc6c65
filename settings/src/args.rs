//! The flags as typed, and [`validate`], which converts them to a [`Plan`](matches::plan::Plan).

mod engine_text;
mod engines;
mod games;
pub mod rules;
mod shared;
pub mod validate;

use std::fmt::Display;

use matches::plan::rules::program::RulesError;
use matches::run::exit::{ExitError, RULES_FAULT, USAGE};
use thiserror::Error;

pub(crate) use engine_text::EngineText;
pub use engine_text::switch;
pub use engines::{DEFAULT_LIMIT, engines_of, judge, local_engines, luck_engine};
pub use games::{
    EngineArgs, FormatArgs, GameArgs, GauntletArgs, MatchArgs, ResumeArgs, RoundRobinArgs,
    TournamentArgs,
};
pub use rules::RulesArgs;
pub use shared::{LimitArgs, OpeningArgs, OpeningOrder, OutputArgs};

/// Arguments that make no plan. The message begins with the flag at fault, unless an engine's own settings are.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ArgsError {
    pub(crate) message: String,
    /// Exit status of the program.
    pub status: u8,
}

impl ArgsError {
    pub(crate) fn new(flag: &str, reason: impl Display) -> ArgsError {
        ArgsError::from(format!("--{flag}: {reason}"))
    }

    /// An error in the text given to a flag.
    pub(crate) fn in_text(flag: &str, text: &str, reason: impl Display) -> ArgsError {
        ArgsError::from(format!("--{flag} {text:?}: {reason}"))
    }

    /// An error of the value of a flag, or the fault of the rules program that shows there.
    pub(crate) fn of(flag: &str, error: impl Display, fault: Option<&RulesError>) -> ArgsError {
        match fault {
            Some(fault) => ArgsError { status: RULES_FAULT, ..ArgsError::new("rules", fault) },
            None => ArgsError::new(flag, error),
        }
    }
}

impl From<ArgsError> for ExitError {
    fn from(error: ArgsError) -> ExitError {
        ExitError { status: error.status, message: error.message }
    }
}

impl From<String> for ArgsError {
    fn from(message: String) -> ArgsError {
        ArgsError { message, status: USAGE }
    }
}
