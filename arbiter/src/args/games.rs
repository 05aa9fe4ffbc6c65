//! What is typed for playing games.

use std::path::PathBuf;

use clap::Args;

use super::engine_text::clock;
use super::numbers::{
    concurrency, depth, margin, max_plies, milliseconds, positive, random_plies, seats, seed, stall,
};
use crate::plan::Limit;

/// `arbiter match`.
#[derive(Debug, Args)]
#[command(after_help = "\
KEYS OF --engine AND --each
  cmd=PROGRAM       the program to start (a path with a slash is looked for in dir= first)
  args='A B'        its arguments
  name=NAME         its name in tables and records
  dir=DIR           the directory to start it in
  option.NAME=VALUE an option to set, as often as needed
  movetime=MS | depth=PLIES | nodes=N | tc=SECONDS+SECONDS    the limit of its moves
  legal=on          send the legal moves as `searchmoves` with each `go`

EXAMPLES
  arbiter match --players 3 --games 30 --movetime 20
  arbiter match --engine 'cmd=./mine legal=on' --engine 'cmd=./old option.Hash=16' --games 200 --tc 5+0.05
  arbiter match --engine cmd=./a --engine cmd=./b --nodes 5000 --random-plies 6 --games 1000 --store match.db
  arbiter match --engine cmd=./new --engine cmd=./old --tc 2+0.02 --random-plies 6 --sprt elo0=0 elo1=5")]
pub struct MatchArgs {
    /// An engine and its settings (repeatable); without any, the built-in engine plays itself
    #[arg(long, value_name = "\"cmd=./x KEY=VALUE...\"")]
    pub engine: Vec<String>,

    /// Settings shared by all engines; an engine's own go before
    #[arg(long, value_name = "\"KEY=VALUE...\"")]
    pub each: Option<String>,

    /// Number of seats, 2 to 6
    #[arg(long, value_name = "N", default_value = "2", value_parser = seats, allow_negative_numbers = true)]
    pub players: usize,

    /// Number of games, rounded up to whole blocks [default: one block; under a test at most 100000]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub games: Option<u64>,

    /// The limit of engines that name none of their own
    #[command(flatten)]
    pub limit: LimitArgs,

    /// Test the first of two engines against the second, and stop when it is decided: H1, it is stronger by elo1
    /// (exit code 10), or H0, by elo0 (11) [default: elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic; or
    /// model=normalized]
    #[arg(long, value_name = "KEY=VALUE", num_args = 0..)]
    pub sprt: Option<Vec<String>>,

    /// The variant played
    #[arg(long, value_name = "NAME", default_value = buxtehude::rules::VARIANTS[0].name)]
    pub variant: String,

    /// The seed of all that is random: the same seed, the same match [default: random, and printed]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Games played at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = concurrency, allow_negative_numbers = true)]
    pub concurrency: usize,

    /// Random plies played after each opening
    #[arg(long, value_name = "K", default_value = "0", value_parser = random_plies, allow_negative_numbers = true)]
    pub random_plies: u32,

    /// Openings, one a line: a position's text, or what follows `position` in the protocol
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,

    /// Write every line exchanged with the engines here, with time stamps
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Append every finished game here, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Keep the match in this new file, from which `arbiter resume` can go on with it
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// How far beyond its limit an engine may answer, in milliseconds
    #[arg(long, value_name = "MS", default_value = "50", value_parser = margin, allow_negative_numbers = true)]
    pub margin: u64,

    /// How long an engine limited by depth or nodes may think, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = stall, allow_negative_numbers = true)]
    pub stall: u64,

    /// Plies after which a game is ended
    #[arg(long, value_name = "N", default_value = "1000", value_parser = max_plies, allow_negative_numbers = true)]
    pub max_plies: u32,
}

/// The limit of engines that name none of their own; at most one of them.
#[derive(Clone, Debug, Default, Args)]
#[group(multiple = false)]
pub struct LimitArgs {
    /// Time for each move, in milliseconds [default: 100]
    #[arg(long, value_name = "MS", value_parser = milliseconds, allow_negative_numbers = true)]
    pub movetime: Option<u64>,

    /// Plies to search for each move
    #[arg(long, value_name = "PLIES", value_parser = depth, allow_negative_numbers = true)]
    pub depth: Option<u32>,

    /// Positions to visit for each move
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub nodes: Option<u64>,

    /// A clock for the whole game: seconds, and seconds gained with each move
    #[arg(long, value_name = "SECONDS+SECONDS", value_parser = clock)]
    pub tc: Option<Limit>,
}
