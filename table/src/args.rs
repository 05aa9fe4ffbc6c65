//! What is typed, and what it means.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use buxtehude::rules::VARIANTS;
use clap::{Args, Parser, Subcommand};
use matches::plan::seed::Seed;
use matches::plan::{EngineSpec, Isolate, Limit, Plan};
use settings::args::engines_of;
use settings::args::validate::{ArgsError, chosen_seed};

use crate::api::{EtudeShelf, GameShelf, SearchBounds, ShelfError};
use crate::board::Chance;
use crate::pool;

/// The limit of an engine that names none of its own.
const USUAL_LIMIT: Limit = Limit::movetime(Duration::from_millis(500));

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "table",
    version,
    about = "A board in the browser: play against engines, analyse, look at recorded games",
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do instead of serving the table.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How the table is served.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What the program can do beside serving the table.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the built-in engine on standard input and output
    Engine {
        /// Arguments of the engine
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

/// `table`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Where to listen; port 0 for any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,

    /// A further name by which browsers may call the server (repeatable)
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,

    /// Open the table in the browser
    #[arg(long)]
    pub open: bool,

    /// An engine, as in `arbiter match` (repeatable); the built-in one where none is named
    #[arg(long, value_name = "\"cmd=./x KEY=VALUE...\"")]
    pub engine: Vec<String>,

    /// Engine processes at a time, of all engines [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub processes: Option<u16>,

    /// Searches that may wait for a process
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u16).range(0..=256))]
    pub queue: u16,

    /// The longest search that may be asked for
    #[arg(
        long,
        value_name = "MS",
        default_value = "60000",
        value_parser = clap::value_parser!(u64).range(1..=86_400_000),
    )]
    pub longest_search: u64,

    /// How far beyond its time an engine may answer
    #[arg(long, value_name = "MS", default_value = "2000", value_parser = clap::value_parser!(u64).range(0..=600_000))]
    pub margin: u64,

    /// How long an engine may take to get ready
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub ready: u64,

    /// After how long a process that nobody asks is ended
    #[arg(
        long,
        value_name = "MS",
        default_value = "300000",
        value_parser = clap::value_parser!(u64).range(1..=86_400_000),
    )]
    pub idle: u64,

    /// The most memory of each process, in MiB, unless its engine has memory= of its own
    #[arg(
        long,
        value_name = "MIB",
        default_value = "2048",
        value_parser = clap::value_parser!(u64).range(16..=1_048_576),
    )]
    pub memory: u64,

    /// The most that a request may set the option Hash to, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value = "256",
        value_parser = clap::value_parser!(i64).range(1..=1_048_576),
    )]
    pub most_hash: i64,

    /// The most that a request may set the option Threads to
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(i64).range(1..=1024))]
    pub most_threads: i64,

    /// Whether engines are isolated from each other: auto, on or off
    #[arg(long, value_name = "auto|on|off", default_value = "auto")]
    pub isolate: Isolate,

    /// A file of etudes, which can be judged in the browser (repeatable)
    #[arg(long, value_name = "FILE")]
    pub etudes: Vec<PathBuf>,

    /// The variant of the etudes
    #[arg(long, value_name = "NAME", default_value = VARIANTS[0].name)]
    pub etudes_variant: String,

    /// A file of recorded games, a store or JSON Lines (repeatable)
    #[arg(long, value_name = "FILE")]
    pub games: Vec<PathBuf>,

    /// The seed of all cards: the same game, the same card [default: the system's random numbers]
    #[arg(long, value_name = "N")]
    pub seed: Option<Seed>,

    /// A file with the seed, a number or 32 hexadecimal digits
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub seed_file: Option<PathBuf>,
}

impl ServeArgs {
    /// The engines.
    ///
    /// # Errors
    /// [`ArgsError`] about `--engine`.
    pub fn engines(&self) -> Result<Vec<EngineSpec>, ArgsError> {
        let mut engines = engines_of(&self.engine, USUAL_LIMIT, Duration::ZERO)?;
        for engine in &mut engines {
            engine.memory = engine.memory.or(Some(self.memory));
            // Every search has a limit of time, so that it matters what an engine gets of the processors.
            engine.limit = engine
                .limit
                .or(Limit::movetime(Duration::from_millis(self.longest_search)));
        }
        Ok(engines)
    }

    /// What decides about the isolation of engines.
    pub fn plan(&self, engines: Vec<EngineSpec>) -> Plan {
        Plan {
            isolate: self.isolate,
            ..Plan::new(&VARIANTS[0], 2, engines)
        }
    }

    /// Where cards come from.
    ///
    /// # Errors
    /// [`ArgsError`] about `--seed-file`.
    pub fn chance(&self) -> Result<Chance, ArgsError> {
        if self.seed.is_none() && self.seed_file.is_none() {
            return Ok(Chance::System);
        }
        Ok(Chance::Seeded(chosen_seed(
            self.seed,
            self.seed_file.as_deref(),
        )?))
    }

    /// The files of etudes.
    ///
    /// # Errors
    /// [`ShelfError`] about `--etudes`, or the variant.
    pub fn etude_shelf(&self) -> Result<EtudeShelf, ShelfError> {
        EtudeShelf::new(&self.etudes, &self.etudes_variant)
    }

    /// The files of games.
    ///
    /// # Errors
    /// [`ShelfError`] about `--games`.
    pub fn game_shelf(&self) -> Result<GameShelf, ShelfError> {
        GameShelf::new(&self.games)
    }

    /// What the pool of engines may use.
    pub fn pool_bounds(&self) -> pool::Bounds {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        pool::Bounds {
            processes: self.processes.map_or_else(processors, usize::from),
            queue: self.queue.into(),
            ready: Duration::from_millis(self.ready),
            margin: Duration::from_millis(self.margin),
            idle: Duration::from_millis(self.idle),
        }
    }

    /// What a client may ask of an engine.
    pub fn search_bounds(&self) -> SearchBounds {
        SearchBounds {
            longest: Duration::from_millis(self.longest_search),
            hash: self.most_hash,
            threads: self.most_threads,
        }
    }
}
