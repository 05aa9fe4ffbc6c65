//! The command line.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use buxtehude::rules::VARIANTS;
use clap::builder::TypedValueParser;
use clap::{Args, Parser, Subcommand, value_parser};
use matches::plan::deck::Seed;
use matches::plan::{EngineSpec, Isolate, Limit};
use matches::run::exit::ExitError;
use settings::args::engines_of;
use settings::config::chosen_seed;

const USUAL_LIMIT: Limit = Limit::movetime(Duration::from_millis(500));
// Bounds of times in milliseconds, and of memory in MiB.
const TEN_MINUTES: u64 = 600_000;
const MILLISECONDS_PER_DAY: u64 = 86_400_000;
const TIB: u64 = 1_048_576;

/// The command line of `table`.
#[derive(Debug, Parser)]
#[command(
    name = "table",
    version,
    about = "A board in the browser: play against engines, analyse, look at recorded games",
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// Subcommand, if any.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Settings of the server.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// Subcommands other than serving the table.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the built-in engine on standard input and output
    Engine {
        /// Arguments of the engine
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

/// Parses a time in milliseconds.
fn milliseconds(range: RangeInclusive<u64>) -> impl TypedValueParser<Value = Duration> {
    value_parser!(u64).range(range).map(Duration::from_millis)
}

/// Settings of the server.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; port 0 for any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,

    /// Additional host name under which browsers may reach the server (repeatable)
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,

    /// Open the table in the browser
    #[arg(long)]
    pub open: bool,

    /// An engine, as in `arbiter match` (repeatable) [default: the built-in engine]
    #[arg(long, value_name = "cmd=./x KEY=VALUE...")]
    pub engine: Vec<String>,

    #[command(flatten)]
    pub limits: SearchLimits,

    /// Isolation of engines from each other: auto, on or off
    #[arg(long, value_name = "auto|on|off", default_value = "auto")]
    pub isolate: Isolate,

    /// A file of etudes, which are puzzles in the browser (repeatable)
    #[arg(long, value_name = "FILE")]
    pub etudes: Vec<PathBuf>,

    /// Variant of the etudes
    #[arg(long, value_name = "NAME", default_value = VARIANTS[0].name)]
    pub etudes_variant: String,

    /// A file of recorded games: a store or JSON Lines (repeatable)
    #[arg(long, value_name = "FILE")]
    pub games: Vec<PathBuf>,

    /// Append the finished games of people to this file of records, as in `arbiter match`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Seed for all cards: the same game draws the same card [default: random]
    #[arg(long, value_name = "N")]
    pub seed: Option<Seed>,

    /// File with the seed: a number or 32 hexadecimal digits
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub seed_file: Option<PathBuf>,
}

/// Limits on searches and engine processes.
#[derive(Clone, Copy, Debug, Args)]
pub struct SearchLimits {
    /// Maximum number of engine processes, of all engines [default: number of processors]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub processes: Option<u16>,

    /// Maximum number of searches that wait for a process
    #[arg(long, value_name = "N", default_value = "32", value_parser = value_parser!(u16).range(0..=256))]
    pub queue: u16,

    /// Maximum time of a search that clients request
    #[arg(long, value_name = "MS", default_value = "60000", value_parser = milliseconds(1..=MILLISECONDS_PER_DAY))]
    pub longest_search: Duration,

    /// Extra time after its limit before an engine times out
    #[arg(long, value_name = "MS", default_value = "2000", value_parser = milliseconds(0..=TEN_MINUTES))]
    pub margin: Duration,

    /// Time that an engine may take to get ready
    #[arg(long, value_name = "MS", default_value = "30000", value_parser = milliseconds(1..=TEN_MINUTES))]
    pub ready: Duration,

    /// Time after which an idle engine process is quit
    #[arg(long, value_name = "MS", default_value = "300000", value_parser = milliseconds(1..=MILLISECONDS_PER_DAY))]
    pub idle: Duration,

    /// Memory limit of each process, in MiB, unless its engine has memory=
    #[arg(long, value_name = "MIB", default_value = "2048", value_parser = value_parser!(u64).range(16..=TIB))]
    pub memory: u64,

    /// Maximum of the option Hash in requests, in MiB
    #[arg(long, value_name = "MIB", default_value = "256", value_parser = value_parser!(i64).range(1..=TIB as i64))]
    pub most_hash: i64,

    /// Maximum of the option Threads in requests
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(i64).range(1..=1024))]
    pub most_threads: i64,
}

impl ServeArgs {
    /// Parses the engines.
    ///
    /// # Errors
    /// [`ExitError`] about `--engine`.
    pub fn engines(&self) -> Result<Vec<EngineSpec>, ExitError> {
        let mut engines = engines_of(&self.engine, None, USUAL_LIMIT)?;
        for engine in &mut engines {
            engine.memory = engine.memory.or(Some(self.limits.memory));
            // Every search has a time limit, so the CPU time that an engine gets matters.
            engine.limit = engine.limit.or(Limit::movetime(self.limits.longest_search));
        }
        Ok(engines)
    }

    /// Returns the seed of all cards, if there is one.
    ///
    /// # Errors
    /// [`ExitError`] about `--seed-file`.
    pub fn chosen_seed(&self) -> Result<Option<Seed>, ExitError> {
        let is_given = self.seed.is_some() || self.seed_file.is_some();
        is_given.then(|| chosen_seed(self.seed, self.seed_file.as_deref())).transpose()
    }
}

impl SearchLimits {
    pub fn processes(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        self.processes.map_or_else(processors, usize::from)
    }
}
