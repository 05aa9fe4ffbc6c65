//! From what is typed for `arbiter review` to a [`ReviewPlan`].

use super::ArgsError;
use super::suite::judge;
use crate::plan::Limit;
use crate::settings::args::{ReportArgs, ReviewArgs};
use crate::trials::review::ReviewPlan;

/// The limit of a search where none is named: one that makes the same review each time.
const DEFAULT_LIMIT: Limit = Limit::nodes(10_000);

/// Makes a plan of what was typed.
///
/// # Errors
/// [`ArgsError`] about `--engine`.
pub fn review(args: &ReviewArgs) -> Result<ReviewPlan, ArgsError> {
    let limit = args.limit.limit().unwrap_or(DEFAULT_LIMIT);
    Ok(ReviewPlan {
        engine: judge(&args.engine, limit)?,
        concurrency: args.concurrency,
    })
}

/// Makes a plan of what was typed for the reviews in a report.
///
/// # Errors
/// [`ArgsError`] about `--review-engine`.
pub fn review_of_report(args: &ReportArgs) -> Result<ReviewPlan, ArgsError> {
    Ok(ReviewPlan {
        engine: judge(&args.review_engine, Limit::nodes(args.review_nodes))?,
        concurrency: 1,
    })
}
