//! From what is typed for `arbiter cost` to a [`CostPlan`].

use std::time::Duration;

use super::ArgsError;
use super::suite::judge;
use crate::plan::Limit;
use crate::settings::args::CostArgs;
use crate::trials::cost::CostPlan;
use crate::trials::judge::MULTI_PV;

/// The limit of a search where none is named.
const DEFAULT_LIMIT: Limit = Limit::movetime(Duration::from_secs(1));

/// Makes a plan of what was typed.
///
/// # Errors
/// [`ArgsError`] about `--engine`.
pub fn cost(args: &CostArgs) -> Result<CostPlan, ArgsError> {
    let limit = args.limit.limit().unwrap_or(DEFAULT_LIMIT);
    let mut engine = judge(&args.engine, limit)?;
    // An engine that does not offer it is refused when it is started.
    engine.options.push((MULTI_PV.to_string(), "1".to_string()));
    Ok(CostPlan {
        engine,
        concurrency: args.concurrency,
        worst: args.worst,
    })
}
