//! The flags as typed, and [`validate`], which converts them to a [`Plan`](matches::plan::Plan).

mod engine_text;
mod engines;
mod games;
pub mod rules;
mod shared;
pub mod validate;
mod values;

pub(crate) use engine_text::EngineText;
pub use engine_text::switch;
pub use engines::{DEFAULT_LIMIT, engines_of, judge, local_engines, luck_engine};
pub use games::{
    EngineArgs, FormatArgs, GameArgs, GauntletArgs, MatchArgs, ResumeArgs, RoundRobinArgs,
    TournamentArgs,
};
pub use rules::RulesArgs;
pub use shared::{LimitArgs, OpeningArgs, OpeningOrder, Openings, OutputArgs};
pub use values::FromFile;
