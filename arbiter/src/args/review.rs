//! Arguments of `arbiter review`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::analysis::review::ReviewPlan;

use matches::plan::Limit;
use matches::plan::numbers::{concurrency, positive};
use settings::args::{ArgsError, LimitArgs, judge};

/// `arbiter review`.
#[derive(Debug, Args)]
#[command(
    mut_arg("movetime", |arg| arg.help("Time for each search, in milliseconds")),
    mut_arg("depth", |arg| arg.help("Plies of each search")),
    mut_arg("nodes", |arg| arg.help("Positions to visit in each search [default: 10000 if there is no other limit]")),
    mut_arg("tc", |arg| arg.help("Clock of each search, as at the start of a game: seconds, and an increment per move"))
)]
#[command(after_help = "\
An engine values every position. The value of a chance node is the mean over all cards left; a
solved game has its exact value. A move loses the mover's expectation after the best move minus the
expectation after its own, in permille of all points; the luck of a card is the value after it
minus that mean. Opening moves do not count, and forced moves lose nothing.

Without --game, prints for each engine and each seat its means over all games, its loss per move
and its share of costly moves, and then the worst moves of all games. With --game, prints for each
seat of those games its sums, and then the worst moves and the luckiest and unluckiest cards.

EXAMPLES
  arbiter review match.db
  arbiter review match.db --game 3
  arbiter review match.db --sample 10 --nodes 1000 --concurrency 2
  arbiter review games.jsonl --game 1 --game 2 --engine 'cmd=./mine option.Hash=256' --format json

The engine must give estimates. The exit code is 1 if an invalid game was skipped, and 2 if none
could be reviewed.")]
pub struct ReviewArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Review this game move by move (repeatable) [default: a summary of all games]
    #[arg(long, value_name = "N", value_parser = positive, conflicts_with_all = ["games", "sample"])]
    pub game: Vec<u64>,

    /// Review at most this many games, from the first on [default: all]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub games: Option<u64>,

    /// Review only every K-th game, starting with the first
    #[arg(long, value_name = "K", default_value = "1", value_parser = positive)]
    pub sample: u64,

    /// Engine that values positions, with the keys of `arbiter match --engine`; without cmd=, the built-in engine
    #[arg(
        long,
        value_name = "\"cmd=./x KEY=VALUE...\"",
        default_value = "",
        hide_default_value = true
    )]
    pub engine: String,

    /// Games reviewed concurrently
    #[arg(long, value_name = "N", default_value = "1", value_parser = concurrency)]
    pub concurrency: usize,

    /// Number of worst moves to list; with --game, for each game, and as many cards
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub worst: usize,

    /// Format of the output
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ReviewFormat::Text)]
    pub format: ReviewFormat,

    /// Limits of each search, unless --engine sets one
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// Output format of `arbiter review`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReviewFormat {
    /// Tables for a terminal
    Text,
    /// One JSON object, with all moves and cards of the selected games
    Json,
}

/// Limit of each search if the user sets none. A node limit makes the review reproducible.
const DEFAULT_LIMIT: Limit = Limit::nodes(10_000);

impl ReviewArgs {
    /// Converts the arguments to a plan.
    ///
    /// # Errors
    /// [`ArgsError`] about `--engine`.
    pub fn plan(&self) -> Result<ReviewPlan, ArgsError> {
        let limit = self.limit.limit().unwrap_or(DEFAULT_LIMIT);
        Ok(ReviewPlan {
            engine: judge(&self.engine, limit)?,
            concurrency: self.concurrency,
        })
    }
}
