//! The command line as typed. What is typed becomes a [`Plan`](crate::plan::Plan) in [`validate`].

mod engine_text;
pub mod validate;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::check::{Format, Profile};
use crate::plan::Limit;
use engine_text::clock;
pub(crate) use engine_text::limit as limit_from_text;

/// The arbiter's command line.
#[derive(Debug, Parser)]
#[command(
    name = "arbiter",
    version,
    about = "Referees matches between game engines, for two to six players and games with chance"
)]
#[command(propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the arbiter can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a match between engines
    Match(Box<MatchArgs>),
    /// Be the built-in engine: speak the protocol on standard input and output
    Engine(EngineArgs),
    /// Go on with a match that was stored
    Resume(ResumeArgs),
    /// Print the tables of recorded games
    Report(ReportArgs),
    /// Print recorded games
    Export(ExportArgs),
    /// Check recorded games under the rules, or show one of them
    Replay(ReplayArgs),
    /// Check that an engine does all that the protocol asks of it
    Check(CheckArgs),
    /// Run a script of lines against an engine, and compare what it answers
    Transcript(TranscriptArgs),
}

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
#[derive(Debug, Default, Args)]
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

/// `arbiter engine`.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// Arguments of the engine
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<String>,
}

/// `arbiter resume`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLE
  arbiter resume match.db --concurrency 4

Plays the games that are missing, with the settings and engines of the start. Where none is missing the exit
code is 0 at once.")]
pub struct ResumeArgs {
    /// A store made with `arbiter match --store`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Games played at the same time [default: as at the start]
    #[arg(long, value_name = "N", value_parser = concurrency, allow_negative_numbers = true)]
    pub concurrency: Option<usize>,

    /// Go on even if the program of an engine is not what it was at the start
    #[arg(long)]
    pub changed_engines: bool,
}

/// `arbiter report`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter report match.db
  arbiter report games.jsonl

A match that is being played can be reported too. The exit code is 1 if a line was left out since it is no
game.")]
pub struct ReportArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `arbiter export`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter export match.db > games.jsonl
  arbiter export match.db --without-clock | sha256sum
  arbiter export match.db --format text

The games are sorted by number. The exit code is 1 if a line was left out since it is no game.")]
pub struct ExportArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Leave out all that depends on the wall clock
    #[arg(long)]
    pub without_clock: bool,

    /// The form of the games
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ExportFormat::JsonLines)]
    pub format: ExportFormat,
}

/// In which form games are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object a line, as `arbiter match --record` writes them
    JsonLines,
    /// Text for a person, docs/game-text.md
    Text,
}

/// `arbiter replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter replay games.jsonl
  arbiter replay match.db --game 7

The exit code is 0 if all games are in order, 1 if any is not.")]
pub struct ReplayArgs {
    /// A store or a record, made with `arbiter match`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Show this game move by move
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub game: Option<u64>,
}

/// `arbiter check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each check has a name, a severity and a line that says what is expected; what failed is shown with the talk that
shows it. The exit code is 0 if nothing failed but warnings, 1 if an error was found, 2 if the program cannot be
started.

EXAMPLES
  arbiter check ./mine
  arbiter check --format junit ./mine --quiet > report.xml
  arbiter check --profile uci --variant NAME ./plain")]
pub struct CheckArgs {
    /// The engine, and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    pub command: Vec<OsString>,

    /// What is asked of it: all of the protocol, or the UCI of chess engines
    #[arg(long, value_enum, default_value = "full")]
    pub profile: ProfileArg,

    /// Ask about this variant alone [default: all that the engine offers]
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// Run only the checks whose names contain this (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,

    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatArg,

    /// How long to wait for an answer that is due
    #[arg(long, value_name = "MS", default_value = "5000", value_parser = milliseconds, allow_negative_numbers = true)]
    pub timeout: u64,
}

/// A dialect, as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProfileArg {
    /// All of protocol.md
    Full,
    /// UCI alone: two seats, no cards
    Uci,
}

impl From<ProfileArg> for Profile {
    fn from(typed: ProfileArg) -> Profile {
        match typed {
            ProfileArg::Full => Profile::Full,
            ProfileArg::Uci => Profile::Uci,
        }
    }
}

/// A form of output, as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FormatArg {
    /// Lines for a person
    Text,
    /// One JSON object
    Json,
    /// JUnit's XML
    Junit,
}

impl From<FormatArg> for Format {
    fn from(typed: FormatArg) -> Format {
        match typed {
            FormatArg::Text => Format::Text,
            FormatArg::Json => Format::Json,
            FormatArg::Junit => Format::Junit,
        }
    }
}

/// `arbiter transcript`.
#[derive(Debug, Args)]
#[command(after_help = "\
LINES OF A SCRIPT
  > LINE     is sent
  < PATTERN  is expected: * is any text within the line, and < ... any number of lines
  ~ MS       waits so many milliseconds; alone, until nothing has come for a while
  # TEXT     is for the reader, as an empty line is

The transcript goes to standard output: the script with what came in the place of what was expected, times and
speeds masked. The exit code is 0 if all was as expected, 1 if not, 2 if the script or the program is no good.

EXAMPLES
  arbiter transcript ./mine < script
  arbiter transcript --script tests/uci.txt -- ./mine --quiet
  arbiter transcript --script tests/uci.txt --update ./mine")]
pub struct TranscriptArgs {
    /// The engine, and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    pub command: Vec<OsString>,

    /// The script [default: standard input]
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,

    /// Accept what comes: expectations that are not met, or not there, are written anew, into the script's file if
    /// there is one
    #[arg(long)]
    pub update: bool,

    /// How long to wait for a line that is expected
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = milliseconds, allow_negative_numbers = true)]
    pub timeout: u64,

    /// How long to wait for another line where none is expected
    #[arg(long, value_name = "MS", default_value = "200", value_parser = milliseconds, allow_negative_numbers = true)]
    pub quiet: u64,
}

/// The most milliseconds or seconds that a limit may have: a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| match most {
        u64::MAX => format!("expected a whole number from {least} on"),
        _ => format!("expected a whole number from {least} to {most}"),
    })
}

fn positive(text: &str) -> Result<u64, String> {
    number(text, 1, u64::MAX)
}

fn seed(text: &str) -> Result<u64, String> {
    number(text, 0, u64::MAX)
}

fn seats(text: &str) -> Result<usize, String> {
    number(text, 2, buxtehude::rules::MAX_SEATS as u64).map(|number| number as usize)
}

fn concurrency(text: &str) -> Result<usize, String> {
    number(text, 1, 1000).map(|number| number as usize)
}

fn milliseconds(text: &str) -> Result<u64, String> {
    number(text, 1, DAY_MS)
}

fn margin(text: &str) -> Result<u64, String> {
    number(text, 0, DAY_MS)
}

fn stall(text: &str) -> Result<u64, String> {
    number(text, 1, DAY_MS / 1000)
}

fn depth(text: &str) -> Result<u32, String> {
    number(text, 1, 1000).map(|number| number as u32)
}

fn random_plies(text: &str) -> Result<u32, String> {
    number(text, 0, 1000).map(|number| number as u32)
}

fn max_plies(text: &str) -> Result<u32, String> {
    number(text, 1, u32::MAX.into()).map(|number| number as u32)
}
