//! The arbiter's command line as typed.

mod files;

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use matches::plan::Isolate;
use matches::plan::deck::Seed;
use matches::plan::rules::external::RulesPlan;
use matches::plan::syntax::{Concurrency, Milliseconds, Positive, Seats, UpTo1000, plies};
use settings::args::{
    EngineArgs, LimitArgs, MatchArgs, ResumeArgs, RulesArgs, TournamentArgs, rules,
};

use crate::conformance::check::{Format, GamesArgs, Profile, Soak};
pub use files::{
    ExplainArgs, ExportArgs, ExportFormat, FileArgs, ReplayArgs, ReportArgs, ReportFormat,
    ReviewArgs, ReviewFormat, VerifyArgs,
};

/// The arbiter's command line.
#[derive(Debug, Parser)]
#[command(
    name = "arbiter",
    version,
    about = "Referees matches between game engines, for two to six players and games with chance"
)]
#[command(propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// Subcommand to run
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands of the arbiter.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a match between engines
    Match(Box<MatchArgs>),
    /// Play a tournament of any number of engines
    Tournament(Box<TournamentArgs>),
    /// Run the built-in engine on standard input and output
    Engine(EngineArgs),
    /// Continue a stored match
    Resume(ResumeArgs),
    /// Report on recorded games, as a page or as tables
    Report(Box<ReportArgs>),
    /// Print recorded games
    Export(ExportArgs),
    /// Check recorded games against the rules, or show one
    Replay(ReplayArgs),
    /// Explain what went wrong in a game
    Explain(ExplainArgs),
    /// Make a suite of balanced openings
    Openings(Box<OpeningsArgs>),
    /// Play recorded games again and compare
    Verify(VerifyArgs),
    /// Judge the moves of recorded games with a longer search, and separate skill from luck
    Review(ReviewArgs),
    /// Check that an engine conforms to the protocol
    Check(CheckArgs),
    /// Work with programs that give the rules of a game
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Run a script against an engine and compare its answers
    Transcript(TranscriptArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print or write manual pages
    Man(ManArgs),
}

/// Subcommands of `arbiter rules`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Check that a rules program conforms to the protocol
    Check(CheckRulesArgs),
}

/// Isolation of the engine that a command starts.
#[derive(Clone, Copy, Debug, Args)]
pub struct IsolationArgs {
    /// Isolate the engine from the user's other programs: auto (if the kernel allows it), on or off (docs/security.md)
    #[arg(long, value_name = "CHOICE", default_value_t = Isolate::Auto, hide_short_help = true)]
    pub isolate: Isolate,
}

/// `arbiter completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
  arbiter completions bash > ~/.local/share/bash-completion/completions/arbiter
  arbiter completions fish > ~/.config/fish/completions/arbiter.fish
  source <(arbiter completions zsh)")]
pub struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `arbiter man`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter man | man -l -
  arbiter man --output ~/.local/share/man/man1 && man arbiter-match")]
pub struct ManArgs {
    /// Write the manual page of the arbiter and one for each subcommand to this directory, created if missing [default:
    /// only the page of the arbiter, to standard output]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

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
    #[arg(long, value_name = "N", value_parser = Seats::parse::<usize>)]
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
    #[arg(long, value_name = "MS", default_value = "30000", value_parser = Milliseconds::parse::<u64>)]
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
    #[command(flatten)]
    pub games: GamesArgs,

    /// Run only the checks whose names contain this, after the games (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,

    /// Format of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,

    /// Timeout for an expected answer, in milliseconds
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = Milliseconds::parse::<u64>)]
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
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = Milliseconds::parse::<u64>)]
    pub timeout: u64,

    /// Time without a line after which the output counts as silent, in milliseconds
    #[arg(long, value_name = "MS", default_value = "200", value_parser = Milliseconds::parse::<u64>)]
    pub quiet: u64,

    /// Isolation of the engine
    #[command(flatten)]
    pub isolation: IsolationArgs,
}

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
    #[arg(long, value_name = "N", default_value = "100", value_parser = Positive::parse::<u64>)]
    pub count: u64,

    /// Number of seats, 2 to 6
    #[arg(long, value_name = "N", default_value = "2", value_parser = Seats::parse::<usize>)]
    pub players: usize,

    /// The game to play
    #[command(flatten)]
    pub game: RulesArgs,

    /// Random plies of each opening: a number or a range
    #[arg(long, value_name = "K|K-L", default_value = "6", value_parser = plies)]
    pub plies: RangeInclusive<u32>,

    /// Largest deviation of a seat's estimate from par, in permille
    #[arg(long, value_name = "PERMILLE", default_value = "50", value_parser = UpTo1000::parse::<u32>)]
    pub within: u32,

    /// Give up after this many candidates [default: 1000 for each opening]
    #[arg(long, value_name = "N", value_parser = Positive::parse::<u64>)]
    pub tries: Option<u64>,

    /// Judging engine, with the keys of `arbiter match --engine`; without cmd=, the built-in engine
    #[arg(long, value_name = "cmd=./x KEY=VALUE...")]
    #[arg(default_value = "", hide_default_value = true)]
    pub engine: String,

    /// Seed of moves and cards; the same seed gives the same candidates [default: random, and printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<Seed>,

    /// Candidates judged concurrently
    #[arg(long, value_name = "N", default_value = "1", value_parser = Concurrency::parse::<usize>)]
    pub concurrency: usize,

    /// Limits of each estimate, unless --engine sets one
    #[command(flatten)]
    pub limit: LimitArgs,

    /// Isolation of the engine
    #[command(flatten)]
    pub isolation: IsolationArgs,
}
