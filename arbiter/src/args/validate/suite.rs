//! From what is typed for `arbiter openings` to a [`SuitePlan`].

use buxtehude::rules::Variant;

use super::{ArgsError, EngineText, built_in, random_seed, resolve};
use crate::args::OpeningsArgs;
use crate::openings_suite::SuitePlan;
use crate::plan::{EngineSpec, Limit};

/// The limit of an estimate where none is named: one that makes the same suite each time.
const DEFAULT_LIMIT: Limit = Limit::Nodes(10_000);

/// Candidates for each opening where their number is not named.
const TRIES: u64 = 100;

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
        engine: engine(args)?,
        seed: args.seed.unwrap_or_else(random_seed),
        concurrency: args.concurrency,
    })
}

fn engine(args: &OpeningsArgs) -> Result<EngineSpec, ArgsError> {
    let text = &args.engine;
    let typed = EngineText::parse(text).map_err(|reason| ArgsError::Engine {
        text: text.clone(),
        reason,
    })?;
    let engine = built_in(&typed)?;
    if let Some(dir) = engine.dir.as_ref().filter(|dir| !dir.is_dir()) {
        return Err(ArgsError::Directory {
            text: text.clone(),
            dir: dir.clone(),
        });
    }
    let cmd = engine.cmd.unwrap_or_default();
    let command = resolve(&cmd, engine.dir.as_deref());
    let file = command.file_name().unwrap_or(command.as_os_str());
    let program = file.to_string_lossy().into_owned();
    Ok(EngineSpec {
        name: typed.name.or(engine.name).unwrap_or(program),
        command,
        args: engine.args.unwrap_or_default(),
        dir: engine.dir,
        options: engine.options,
        limit: engine.limit.or(args.limit.limit()).unwrap_or(DEFAULT_LIMIT),
        legal: engine.legal.unwrap_or(false),
    })
}
