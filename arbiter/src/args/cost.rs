//! Arguments of `arbiter cost`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::analysis::cost::CostPlan;

use matches::judge::MULTI_PV;
use matches::plan::Limit;
use matches::plan::numbers::{concurrency, positive};
use settings::args::validate::ArgsError;
use settings::args::{LimitArgs, judge};

/// `arbiter cost`.
#[derive(Debug, Args)]
#[command(
    mut_arg("movetime", |arg| arg.help("Time for each search, in milliseconds [default: 1000 if there is no \
        other limit]")),
    mut_arg("depth", |arg| arg.help("Plies of each search")),
    mut_arg("nodes", |arg| arg.help("Positions to visit in each search")),
    mut_arg("tc", |arg| arg.help("Clock of each search, as at the start of a game: seconds, and an increment per move"))
)]
#[command(after_help = "\
The judge searches every position in which an engine had a choice. If it prefers another move, it
searches both moves together. The cost is the seat's expectation after the better move minus the
expectation after its own move, in permille of all points. Opening moves are not judged.

EXAMPLES
  arbiter cost match.db
  arbiter cost match.db --sample 20 --nodes 200000 --concurrency 2 --worst 30
  arbiter cost games.jsonl --engine 'cmd=./mine option.Hash=256' --movetime 500 --format json

The judge must give estimates and offer the option MultiPV. The exit code is 1 if an invalid game
was skipped, and 2 if none could be judged.")]
pub struct CostArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Judge at most this many games, from the first on [default: all]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub games: Option<u64>,

    /// Judge only every K-th game, starting with the first
    #[arg(long, value_name = "K", default_value = "1", value_parser = positive, allow_negative_numbers = true)]
    pub sample: u64,

    /// Judging engine, with the keys of `arbiter match --engine`; without cmd=, the built-in engine
    #[arg(
        long,
        value_name = "\"cmd=./x KEY=VALUE...\"",
        default_value = "",
        hide_default_value = true
    )]
    pub engine: String,

    /// Games judged concurrently
    #[arg(long, value_name = "N", default_value = "1", value_parser = concurrency, allow_negative_numbers = true)]
    pub concurrency: usize,

    /// Number of costliest moves to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub worst: usize,

    /// Format of the output
    #[arg(long, value_name = "FORM", value_enum, default_value_t = CostFormat::Text)]
    pub format: CostFormat,

    /// Limits of each search, unless --engine sets one
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// Output format of `arbiter cost`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CostFormat {
    /// Tables for a terminal
    Text,
    /// One JSON object
    Json,
}

/// Limit of each search if the user sets none.
const DEFAULT_LIMIT: Limit = Limit::movetime(Duration::from_secs(1));

impl CostArgs {
    /// Converts the arguments to a plan.
    ///
    /// # Errors
    /// [`ArgsError`] about `--engine`.
    pub fn plan(&self) -> Result<CostPlan, ArgsError> {
        let limit = self.limit.limit().unwrap_or(DEFAULT_LIMIT);
        let mut engine = judge(&self.engine, limit)?;
        // An engine without this option is rejected when it starts.
        engine.options.push((MULTI_PV.to_string(), "1".to_string()));
        Ok(CostPlan {
            engine,
            concurrency: self.concurrency,
            worst: self.worst,
        })
    }
}
