//! What is typed about files of games.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::analysis::review_games::ReviewPlan;

use matches::plan::Limit;
use matches::plan::numbers::{concurrency, positive};
use settings::args::validate::ArgsError;
use settings::args::{LimitArgs, judge};

/// `arbiter report`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter report match.db --output report.html
  arbiter report match.db --output report.html --games 20 --review 5
  arbiter report games.jsonl --format text

The page is one file that needs no network. On a terminal, the tables are printed unless --output
or --format is given. A running match can be reported too. The exit code is 1 if a line was
skipped because it is not a game, and 3 if the report cannot be written.")]
pub struct ReportArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Format of the report [default: html, or text on a terminal]
    #[arg(long, value_name = "FORM", value_enum)]
    pub format: Option<ReportFormat>,

    /// Write the report to this file instead of standard output
    #[arg(long, value_name = "PAGE.html")]
    pub output: Option<PathBuf>,

    /// How many games the page shows move by move: those with faults first, then from the start
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub games: usize,

    /// Review so many of these games, the first ones: what each move lost, how lucky each card was
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub review: usize,

    /// The engine that reviews, as for `arbiter review --engine`; the built-in one unless cmd= is given
    #[arg(
        long,
        value_name = "\"cmd=./x KEY=VALUE...\"",
        default_value = "",
        hide_default_value = true,
        hide_short_help = true
    )]
    pub review_engine: String,

    /// Positions to visit in each search of a review, unless --review-engine names a limit
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        value_parser = positive,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub review_nodes: u64,
}

/// In which form a match is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page for a browser, with curves and the games to step through
    Html,
    /// Tables for a terminal
    Text,
}

/// `arbiter export`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter export match.db > games.jsonl
  arbiter export match.db --without-clock | sha256sum
  arbiter export match.db --format text
  arbiter export match.db --format config > match.toml

The games are sorted by number. The exit code is 1 if a line was skipped because it is not a
game.")]
pub struct ExportArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Leave out everything that depends on the wall clock
    #[arg(long)]
    pub without_clock: bool,

    /// Format of the games
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ExportFormat::JsonLines)]
    pub format: ExportFormat,
}

/// In which form games are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object per line, as `arbiter match --record` writes them
    JsonLines,
    /// Text for a person, docs/game-text.md
    Text,
    /// The settings of a stored match as TOML, with which `arbiter match --config` plays it again
    Config,
}

/// `arbiter replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter replay games.jsonl
  arbiter replay match.db --game 7

The exit code is 0 if all games are valid, 1 if any is not.")]
pub struct ReplayArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Show this game move by move
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub game: Option<u64>,
}

/// `arbiter verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter verify match.db
  arbiter verify match.db --sample 50 --concurrency 2
  arbiter verify games.jsonl --nodes 5000 --engine 'cmd=./a name=a' --engine 'cmd=./b name=b'

Games whose engines are limited by depth or nodes are played again by the same engines, and every
move is compared, with what was said of it; other games are only counted. A store knows its
engines; those of a record are given here, under the names they have in it. The exit code is 0 if
everything was the same, 1 if anything differed, 2 if no game could be played again.")]
pub struct VerifyArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Play only this game again
    #[arg(
        long,
        value_name = "N",
        value_parser = positive,
        allow_negative_numbers = true,
        conflicts_with = "sample"
    )]
    pub game: Option<u64>,

    /// Play only every K-th game again, starting with the first
    #[arg(long, value_name = "K", default_value = "1", value_parser = positive, allow_negative_numbers = true)]
    pub sample: u64,

    /// Games played concurrently [default: as at the start; of a record 1]
    #[arg(long, value_name = "N", value_parser = concurrency, allow_negative_numbers = true)]
    pub concurrency: Option<usize>,

    /// An engine of a record, as for `arbiter match` (repeatable)
    #[arg(long, value_name = "\"cmd=./x KEY=VALUE...\"")]
    pub engine: Vec<String>,

    /// Settings shared by all engines of a record
    #[arg(long, value_name = "\"KEY=VALUE...\"")]
    pub each: Option<String>,

    /// The limit of engines of a record that name none of their own
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `arbiter explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter explain match.db
  arbiter explain match.db --game 7

Shows who was at fault and why, how the process ended, the memory and processor time it used, the
last lines each way with their times, and the end of its standard error.")]
pub struct ExplainArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The number of the game [default: all games that ended in a fault]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub game: Option<u64>,

    /// The same, without the flag
    #[arg(value_name = "GAME", value_parser = positive, conflicts_with = "game", hide = true)]
    pub number: Option<u64>,
}

impl ReportArgs {
    /// Makes a plan of what was typed for the reviews in a report.
    ///
    /// # Errors
    /// [`ArgsError`] about `--review-engine`.
    pub fn review_plan(&self) -> Result<ReviewPlan, ArgsError> {
        Ok(ReviewPlan {
            engine: judge(&self.review_engine, Limit::nodes(self.review_nodes))?,
            concurrency: 1,
        })
    }
}
