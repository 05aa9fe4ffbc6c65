//! The flags as typed, and [`validate`], which converts them to a [`Plan`](matches::plan::Plan).

mod engines;
mod games;
pub mod rules;
pub mod validate;
mod values;

pub(crate) use engines::EngineText;
pub use engines::{DEFAULT_LIMIT, engines_of, judge, local_engines, luck_engine, switch};
pub use games::{
    EngineArgs, FormatArgs, GameArgs, GauntletArgs, LimitArgs, MatchArgs, OpeningArgs,
    OpeningOrder, Openings, OutputArgs, ResumeArgs, RoundRobinArgs, TournamentArgs,
};
pub use rules::RulesArgs;
pub use values::FromFile;
