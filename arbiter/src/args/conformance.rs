//! Arguments of `arbiter check`, `arbiter rules check` and `arbiter transcript`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::IsolationArgs;
use crate::conformance::check::{Format, Profile, Soak};
use matches::plan::numbers::{milliseconds, positive, seats};
use matches::plan::rules::program::RulesPlan;
use settings::args::rules::rules;

/// `arbiter check`.
#[derive(Debug, Args)]
#[command(after_help = "\
The first line says whether the engine can play matches, and with how many
seats. Each check has a name, a severity and a one-line expectation. One
failure of each cause is shown, with the end of the exchange that led to it (!
marks standard error); after three in a group, the rest of the group is left
out. --only shows and runs all. The exit code is 0 if there are no errors
(warnings do not count), 1 if there are, 2 if the program cannot be started, 5
if a rules program fails.

EXAMPLES
  arbiter check ./mine
  arbiter check --profile match --legal python3 examples/engine.py
  arbiter check ./mine --threads 4          # passes it these arguments
  arbiter check --rules cmd=python3 args=examples/rules/pig.py \\
                python3 examples/hold_at.py 20
  arbiter check --soak=5000 --only soak ./mine
  arbiter check --format junit ./mine --quiet > report.xml
  arbiter check --profile uci --variant NAME ./plain")]
pub struct CheckArgs {
    /// The engine and its arguments
    #[arg(required = true, value_name = "CMD")]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<OsString>,

    /// Checks to run: the whole protocol, the needs of a match, or the UCI of chess engines [default: the needs of a
    /// match, then the rest of the protocol unless the engine is small: it answers neither `d` nor `query`]
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,

    /// Send the legal moves with each `go`, as `legal=on` does in a match
    #[arg(long)]
    pub legal: bool,

    /// Check only this variant [default: all that the engine offers]
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// Check only the game of this program, as for `arbiter match --rules`, for each number of seats that it allows
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = rules, conflicts_with = "variant")]
    pub rules: Option<RulesPlan>,

    /// Check only this number of seats [default: all that the engine plays]
    #[arg(long, value_name = "N", value_parser = seats)]
    pub players: Option<usize>,

    /// Run only the checks whose names contain this (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,

    /// Format of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,

    /// Finally, play many games while watching memory: a number of games, or a time such as 60s
    #[arg(long, value_name = "GAMES|SECONDSs", num_args = 0..=1, require_equals = true, default_missing_value = "1000")]
    pub soak: Option<Soak>,

    /// Longest timeout for an expected answer, in milliseconds; after the start, ten times the slowest answer so far,
    /// at least 2000
    #[arg(long, value_name = "MS", default_value = "30000", value_parser = milliseconds)]
    pub timeout: u64,

    /// Isolation of the engine
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

/// `arbiter rules check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Plays random games for each number of players and checks the laws of \"Rules by
another program\" in docs/games.md: games, places, texts, the same answers in
any order and from another process, positions that stay after an error, and
unusual lines. The output and the exit code are as of `arbiter check`.

EXAMPLES
  arbiter rules check 'cmd=python3 args=examples/rules/pig.py'
  arbiter rules check 'cmd=./x args=\"--board 9\" name=go' --players 2 --games 5")]
pub struct CheckRulesArgs {
    /// The program, as for `arbiter match --rules`
    #[arg(value_name = "cmd=./x KEY=VALUE...", value_parser = rules)]
    pub rules: RulesPlan,

    /// Numbers of players to check, such as 2,4 [default: all that the program allows]
    #[arg(long, value_name = "N", value_parser = seats, value_delimiter = ',')]
    pub players: Vec<usize>,

    /// Random games for each number of players
    #[arg(long, value_name = "N", default_value = "20", value_parser = positive)]
    pub games: u64,

    /// Plies after which a game is broken off, that is moves of all seats
    #[arg(long, value_name = "N", default_value = "2000", value_parser = positive)]
    pub plies: u64,

    /// Seed of the games
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// Run only the checks whose names contain this, after the games (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,

    /// Format of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,

    /// Timeout for an expected answer, in milliseconds
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = milliseconds)]
    pub timeout: u64,

    /// Isolation of the program
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

/// `arbiter transcript`.
#[derive(Debug, Args)]
#[command(after_help = "\
LINES OF A SCRIPT
  > LINE     is sent
  >> TEXT    is sent without a line end; \\n, \\r, \\t and \\xff are bytes
  < PATTERN  is expected: * is any text, and < ... any number of lines
  = LAW      states a law of the answer, such as \"no bestmove*\"
  ~ MS       waits that many milliseconds; without MS, until all is silent
  # TEXT     is a comment; empty lines are ignored too

The transcript goes to standard output: the script with the actual output in
place of the expected output, and with times and speeds masked. The exit code
is 0 if everything matched, 1 if not, 2 if the script or the program cannot be
used.

EXAMPLES
  arbiter transcript ./mine < script
  arbiter transcript --script tests/uci.txt -- ./mine --quiet
  arbiter transcript --script tests/uci.txt --update ./mine")]
pub struct TranscriptArgs {
    /// The engine and its arguments
    #[arg(required = true, value_name = "CMD")]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<OsString>,

    /// The script [default: standard input]
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,

    /// Accept the actual output: add missing expectations and rewrite failed ones, in the script's file if there is one
    #[arg(long)]
    pub update: bool,

    /// Timeout for an expected line, in milliseconds
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = milliseconds)]
    pub timeout: u64,

    /// Time without a line after which the output counts as silent, in milliseconds
    #[arg(long, value_name = "MS", default_value = "200", value_parser = milliseconds)]
    pub quiet: u64,

    /// Isolation of the engine
    #[command(flatten)]
    pub isolation: IsolationArgs,
}
