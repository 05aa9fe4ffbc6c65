//! Arguments of `arbiter openings`.

use std::ops::RangeInclusive;

use clap::Args;

use super::{IsolationArgs, JUDGE_LIMIT};
use crate::analysis::openings_suite::SuitePlan;

use matches::plan::numbers::{concurrency, plies, positive, seats, up_to_1000};
use matches::plan::seed::Seed;
use matches::run::exit::ExitError;
use settings::args::rules::PATIENCE;
use settings::args::validate::chosen_seed;
use settings::args::{LimitArgs, RulesArgs, judge};

/// `arbiter openings`.
#[derive(Debug, Args)]
#[command(
    mut_arg("movetime", |arg| arg.help("Time for each estimate, in milliseconds")),
    mut_arg("depth", |arg| arg.help("Plies to search for each estimate")),
    mut_arg("nodes", |arg| arg.help("Positions to visit for each estimate [default: 10000]")),
    mut_arg("tc", |arg| arg.help("Clock of each estimate, as at the start of a game: seconds, and increment per move"))
)]
#[command(after_help = "\
Candidates are random plies from the start, with their cards. A candidate is
kept if the engine's estimate puts every seat near par, an equal share of 1000
permille. No position occurs twice. The openings go to standard output, one per
line, in the format of `arbiter match --openings`; the number of candidates and
the mean estimate of each seat go to standard error. With an engine limited by
depth or nodes, the same seed gives the same openings at any concurrency.

EXAMPLES
  arbiter openings --players 3 --count 50 --plies 4-8 > openings.txt
  arbiter openings --within 20 --engine cmd=./mine option.Hash=64 --depth 8 \\
                   --seed 7 --concurrency 2 > openings.txt
  arbiter match --openings openings.txt --games 200 --engine cmd=./a \\
                --engine cmd=./b

The exit code is 1 if too few candidates qualify; those that do are printed.")]
pub struct OpeningsArgs {
    /// Number of openings
    #[arg(long, value_name = "N", default_value = "100", value_parser = positive)]
    pub count: u64,

    /// Number of seats, 2 to 6
    #[arg(long, value_name = "N", default_value = "2", value_parser = seats)]
    pub players: usize,

    /// The game to play
    #[command(flatten)]
    pub game: RulesArgs,

    /// Random plies of each opening: a number or a range
    #[arg(long, value_name = "K|K-L", default_value = "6", value_parser = plies)]
    pub plies: RangeInclusive<u32>,

    /// Largest deviation of a seat's estimate from par, in permille
    #[arg(long, value_name = "PERMILLE", default_value = "50", value_parser = up_to_1000)]
    pub within: u32,

    /// Give up after this many candidates [default: 1000 for each opening]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub tries: Option<u64>,

    /// Judging engine, with the keys of `arbiter match --engine`; without cmd=, the built-in engine
    #[arg(long, value_name = "cmd=./x KEY=VALUE...")]
    #[arg(default_value = "", hide_default_value = true)]
    pub engine: String,

    /// Seed of moves and cards; the same seed gives the same candidates [default: random, and printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<Seed>,

    /// Candidates judged concurrently
    #[arg(long, value_name = "N", default_value = "1", value_parser = concurrency)]
    pub concurrency: usize,

    /// Limits of each estimate, unless --engine sets one
    #[command(flatten)]
    pub limit: LimitArgs,

    /// Isolation of the engine
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

/// Candidates for each opening if the user gives no number.
const TRIES: u64 = 1000;

impl OpeningsArgs {
    /// Converts the arguments to a plan.
    ///
    /// # Errors
    /// [`ExitError`] names the flag, its value and the accepted values.
    pub fn plan(&self) -> Result<SuitePlan, ExitError> {
        Ok(SuitePlan {
            rules: self.game.rules(Some(self.players), self.isolation.isolate, PATIENCE)?,
            seats: self.players,
            count: self.count,
            plies: self.plies.clone(),
            within: self.within,
            tries: self.tries.unwrap_or(self.count.saturating_mul(TRIES)),
            engine: judge(&self.engine, self.limit.limit().unwrap_or(JUDGE_LIMIT))?,
            seed: chosen_seed(self.seed, None)?,
            concurrency: self.concurrency,
        })
    }
}
