//! The flags as typed, and [`validate`], which converts them to a [`Plan`](matches::plan::Plan).

mod engine_text;
mod engines;
mod error;
mod games;
mod shared;
pub mod validate;

pub use engine_text::EngineTextError;
pub(crate) use engine_text::{EngineText, KEYS as ENGINE_KEYS};
pub use engines::{engines_of, judge};
pub use games::{
    EngineArgs, FormatArgs, GameArgs, GauntletArgs, MatchArgs, ResumeArgs, RoundRobinArgs,
    TournamentArgs,
};
pub use shared::{LimitArgs, OpeningArgs, OpeningOrder, OutputArgs};
