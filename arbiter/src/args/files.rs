//! Arguments of the commands that read recorded games.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::IsolationArgs;

use matches::plan::EngineSpec;
use matches::plan::rules::external::RulesPlan;
use matches::plan::syntax::{Concurrency, Positive};
use settings::args::{LimitArgs, luck_engine, rules};

/// A file of games.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Program that gives the rules of another game, as for `arbiter match` [default: the store's, if this user
    /// made it]
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = rules)]
    pub rules: Option<RulesPlan>,
}

/// `arbiter report`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter report match.db --output report.html
  arbiter report match.db --output report.html --games 20 --review 5
  arbiter report games.jsonl --format text
  arbiter report match.db --luck 300

The page is one file that needs no network. On a terminal, the tables are
printed unless --output or --format is given. The match may still be running.
The exit code is 1 if a line was skipped because it is not a game, 3 if the
report cannot be written, and 5 if a rules program fails.")]
pub struct ReportArgs {
    /// The games
    #[command(flatten)]
    pub input: FileArgs,

    /// Variant of the games to report, in a record of several kinds of games [default: the first game's]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub variant: Option<String>,

    /// Number of seats of these games [default: the first game's]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub players: Option<usize>,

    /// Format of the report [default: html, or text on a terminal]
    #[arg(long, value_name = "FORM", value_enum)]
    pub format: Option<ReportFormat>,

    /// Write the report to this file instead of standard output
    #[arg(long, value_name = "PAGE.html")]
    pub output: Option<PathBuf>,

    /// Number of games that the page shows move by move; games with faults come first
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub games: usize,

    /// Number of those games to review: what each move lost, and how lucky each card was
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub review: usize,

    /// Engine for the reviews, as in `arbiter review --engine`; without cmd=, the built-in engine
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", hide_short_help = true)]
    #[arg(default_value = "", hide_default_value = true)]
    pub review_engine: String,

    /// Positions to visit in each search of a review, unless --review-engine sets a limit
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = Positive::parse::<u64>)]
    #[arg(hide_short_help = true)]
    pub review_nodes: u64,

    /// First measure the luck of all games that have none, with the built-in engine visiting N positions for each value
    /// [default: 300]; a store keeps it. If another evaluator measured it, all games are measured anew
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "300")]
    #[arg(value_parser = Positive::parse::<u64>)]
    pub luck: Option<u64>,

    /// Engine that measures the luck instead, with the keys of `arbiter match --engine`; it must give estimates
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = luck_engine, hide_short_help = true)]
    pub luck_engine: Option<EngineSpec>,

    /// Isolation of the engines for luck and reviews
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page for a browser, with charts and games to step through
    Html,
    /// Tables for a terminal
    Text,
    /// One JSON object: the last `standings` of `arbiter match --events`
    Json,
}

/// `arbiter export`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter export match.db > games.jsonl
  arbiter export match.db --without-clock | sha256sum
  arbiter export match.db --format text
  arbiter export match.db --format config > match.toml

The games are sorted by number. The exit code is 1 if a line was skipped
because it is not a game.")]
pub struct ExportArgs {
    /// The games
    #[command(flatten)]
    pub input: FileArgs,

    /// Leave out everything that depends on the wall clock
    #[arg(long)]
    pub without_clock: bool,

    /// Format of the games
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ExportFormat::JsonLines)]
    pub format: ExportFormat,
}

/// Format of exported games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object per line, as `arbiter match --record` writes them
    JsonLines,
    /// Readable text (docs/formats.md)
    Text,
    /// The settings of a stored match, as TOML for `arbiter match --config`
    Config,
}

/// `arbiter replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter replay games.jsonl
  arbiter replay match.db --game 7

The exit code is 0 if all games are valid, 1 otherwise.")]
pub struct ReplayArgs {
    /// The games
    #[command(flatten)]
    pub input: FileArgs,

    /// Show this game move by move
    #[arg(long, value_name = "N", value_parser = Positive::parse::<u64>)]
    pub game: Option<u64>,
}

/// `arbiter verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter verify match.db
  arbiter verify match.db --sample 50 --concurrency 2
  arbiter verify games.jsonl --nodes 5000 --engine cmd=./a name=a \\
                 --engine cmd=./b name=b

Games whose engines are limited by depth or nodes are played again by the same
engines; every move is compared, with its depth, estimate and score. Other
games are only counted. A store contains its engines; for a record, give them
here under the names used in it. The exit code is 0 if everything matched, 1 if
anything differed, 2 if no game could be played again.")]
pub struct VerifyArgs {
    /// The games
    #[command(flatten)]
    pub input: FileArgs,

    /// Play only this game again
    #[arg(long, value_name = "N", value_parser = Positive::parse::<u64>, conflicts_with = "sample")]
    pub game: Option<u64>,

    /// Play only every K-th game again, starting with the first
    #[arg(long, value_name = "K", default_value = "1", value_parser = Positive::parse::<u64>)]
    pub sample: u64,

    /// Games played concurrently [default: as in the original match; 1 for a record]
    #[arg(long, value_name = "N", value_parser = Concurrency::parse::<usize>)]
    pub concurrency: Option<usize>,

    /// Engine of a record, with the keys of `arbiter match --engine` (repeatable)
    #[arg(long, value_name = "cmd=./x KEY=VALUE...")]
    pub engine: Vec<String>,

    /// Settings shared by all engines of a record
    #[arg(long, value_name = "KEY=VALUE...")]
    pub each: Option<String>,

    /// Run the programs that the store names although another user made it
    #[arg(long)]
    pub trust_commands: bool,

    /// Limits of a record's engines that set none
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `arbiter explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter explain match.db
  arbiter explain match.db --game 7

Shows which engine was at fault and why, how its process ended, its memory and
CPU time, the last lines in both directions with their times, and the end of
its standard error; and flaws of answers, which end no game.")]
pub struct ExplainArgs {
    /// The games
    #[command(flatten)]
    pub input: FileArgs,

    /// Number of the game [default: all games with a fault or a flaw]
    #[arg(long, value_name = "N", value_parser = Positive::parse::<u64>)]
    pub game: Option<u64>,

    /// Number of the game, without the flag
    #[arg(value_name = "GAME", value_parser = Positive::parse::<u64>, conflicts_with = "game", hide = true)]
    pub number: Option<u64>,
}

/// `arbiter review`.
#[derive(Debug, Args)]
#[command(
    mut_arg("movetime", |arg| arg.help("Time for each search, in milliseconds")),
    mut_arg("depth", |arg| arg.help("Plies of each search")),
    mut_arg("nodes", |arg| arg.help("Positions to visit in each search [default: 10000 if there is no other limit]")),
    mut_arg("tc", |arg| arg.help("Clock of each search, as at the start of a game: seconds, and an increment per move"))
)]
#[command(after_help = "\
An engine values every position. The value of a chance node is the mean over
all cards left; a solved game has its exact value. A move loses the mover's
expectation after the best move minus the expectation after its own, in
permille of all points; the luck of a card is the value after it minus that
mean. Opening moves do not count, and forced moves lose nothing.

Without --game, prints for each engine and each seat its means over all games,
its loss per move and its share of costly moves, and then the worst moves of
all games. With --game, prints for each seat of those games its sums, and then
the worst moves and the luckiest and unluckiest cards.

EXAMPLES
  arbiter review match.db
  arbiter review match.db --game 3
  arbiter review match.db --sample 10 --nodes 1000 --concurrency 2
  arbiter review games.jsonl --game 1 --game 2 --format json \\
                 --engine cmd=./mine option.Hash=256

The engine must give estimates. The exit code is 1 if an invalid game was
skipped, and 2 if none could be reviewed.")]
pub struct ReviewArgs {
    /// The games
    #[command(flatten)]
    pub input: FileArgs,

    /// Review this game move by move (repeatable) [default: a summary of all games]
    #[arg(long, value_name = "N", value_parser = Positive::parse::<u64>, conflicts_with_all = ["games", "sample"])]
    pub game: Vec<u64>,

    /// Review at most this many games, from the first on [default: all]
    #[arg(long, value_name = "N", value_parser = Positive::parse::<u64>)]
    pub games: Option<u64>,

    /// Review only every K-th game, starting with the first
    #[arg(long, value_name = "K", default_value = "1", value_parser = Positive::parse::<u64>)]
    pub sample: u64,

    /// Engine that values positions, with the keys of `arbiter match --engine`; without cmd=, the built-in engine
    #[arg(long, value_name = "cmd=./x KEY=VALUE...")]
    #[arg(default_value = "", hide_default_value = true)]
    pub engine: String,

    /// Games reviewed concurrently
    #[arg(long, value_name = "N", default_value = "1", value_parser = Concurrency::parse::<usize>)]
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

    /// Isolation of the engine
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

/// Output format of `arbiter review`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReviewFormat {
    /// Tables for a terminal
    Text,
    /// One JSON object, with all moves and cards of the selected games
    Json,
}
