//! The flags as typed, and [`validate`], which converts them to a [`Plan`](matches::plan::Plan).

mod engine_text;
mod engines;
mod games;
mod shared;
pub mod validate;

use std::fmt::Display;

use thiserror::Error;

pub(crate) use engine_text::EngineText;
pub use engines::{DEFAULT_LIMIT, engines_of, judge, local_engines, luck_engine};
pub use games::{
    EngineArgs, FormatArgs, GameArgs, GauntletArgs, MatchArgs, ResumeArgs, RoundRobinArgs,
    TournamentArgs,
};
pub use shared::{LimitArgs, OpeningArgs, OpeningOrder, OutputArgs};

/// Arguments that make no plan. The message begins with the flag at fault, unless an engine's own settings are.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ArgsError(pub(crate) String);

impl ArgsError {
    pub(crate) fn new(flag: &str, reason: impl Display) -> ArgsError {
        ArgsError(format!("--{flag}: {reason}"))
    }

    /// An error in the text given to a flag.
    pub(crate) fn in_text(flag: &str, text: &str, reason: impl Display) -> ArgsError {
        ArgsError(format!("--{flag} {text:?}: {reason}"))
    }
}
