//! From what is typed for `arbiter openings` to a [`SuitePlan`].

use std::time::Duration;

use buxtehude::rules::Variant;

use super::{ArgsError, seed};
use crate::plan::{EngineSpec, Limit};
use crate::settings::args::OpeningsArgs;
use crate::settings::args::engine_text::EngineText;
use crate::settings::args::engines::{built_in, program, spec};
use crate::trials::openings_suite::SuitePlan;

/// The limit of an estimate where none is named: one that makes the same suite each time.
const DEFAULT_LIMIT: Limit = Limit::nodes(10_000);

/// Candidates for each opening where their number is not named.
const TRIES: u64 = 1000;

/// Makes the plan of a suite of what was typed.
///
/// # Errors
/// [`ArgsError`] names the flag, what was given and what is accepted.
pub fn suite(args: &OpeningsArgs) -> Result<SuitePlan, ArgsError> {
    let variant = Variant::by_name(&args.variant)?;
    variant.start(args.players)?;
    Ok(SuitePlan {
        variant,
        seats: args.players,
        count: args.count,
        plies: args.plies.clone(),
        within: args.within,
        tries: args.tries.unwrap_or(args.count.saturating_mul(TRIES)),
        engine: judge(&args.engine, args.limit.limit().unwrap_or(DEFAULT_LIMIT))?,
        seed: seed::chosen(args.seed, None)?,
        concurrency: args.concurrency,
    })
}

/// The engine that judges, of the string `text`, with a limit for where it names none.
pub(super) fn judge(text: &str, limit: Limit) -> Result<EngineSpec, ArgsError> {
    let typed = EngineText::parse(text).map_err(|reason| ArgsError::Engine {
        text: text.to_string(),
        reason,
    })?;
    let engine = built_in(&typed)?;
    let name = typed.name.or(engine.name.clone());
    let name = name.unwrap_or_else(|| program(&engine));
    // A margin of time means nothing to an estimate.
    spec(text, engine, name, limit, Duration::ZERO)
}
