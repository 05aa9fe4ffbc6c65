//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use matches::own_files::NamedFile;
use settings::args::{EngineArgs, MatchArgs, ResumeArgs, TournamentArgs};

use crate::signature::Key;

/// Help heading of the flags for fetched engines.
const FETCHED: &str = "Fetched engines";
/// Help heading of the flags that say what a worker trusts.
const TRUST: &str = "Trust";

/// The command line of `fleet`.
#[derive(Debug, Parser)]
#[command(
    name = "fleet",
    version,
    about = "Plays one match on many machines: a coordinator, workers, and NATS JetStream between them",
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    /// Address of the server and credentials
    #[command(flatten)]
    pub server: ServerArgs,

    /// Subcommand
    #[command(subcommand)]
    pub command: Command,
}

/// Address of the server and credentials.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Server")]
pub struct ServerArgs {
    /// NATS server, version 2.10 or later with JetStream, such as nats://host:4222 or tls://host
    #[arg(long, global = true, value_name = "URL", default_value = "nats://127.0.0.1:4222")]
    pub nats: String,

    /// File with NATS credentials
    #[arg(long, global = true, value_name = "FILE")]
    pub creds: Option<PathBuf>,

    /// File with the seed of an nkey, which is also the key of this worker or coordinator
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "creds")]
    pub nkey: Option<PathBuf>,

    /// File with the server's CA certificates, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
}

impl ServerArgs {
    pub fn files(&self) -> Vec<NamedFile> {
        let files = [("--creds", &self.creds), ("--nkey", &self.nkey), ("--tls-ca", &self.tls_ca)];
        let named = |(flag, path): (&str, &Option<PathBuf>)| {
            path.as_deref().map(|path| NamedFile::input(flag, path))
        };
        files.into_iter().filter_map(named).collect()
    }
}

/// Flags of the coordinator.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Fleet")]
pub struct CoordinatorArgs {
    /// Seconds a worker may be silent before another worker gets its games
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value = "30",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    pub ack_wait: u64,

    /// Have two workers play about every N-th block, and count it once they agree; for engines limited by depth or
    /// nodes
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub check_sample: Option<u64>,

    /// Count only the games of the workers whose keys are in this file, one on each line; `fleet work` prints its key.
    /// Not needed if the server listens on this machine alone
    #[arg(long, global = true, value_name = "FILE")]
    pub workers: Option<PathBuf>,

    /// Count the games of everybody who may use the server
    #[arg(long, global = true, conflicts_with = "workers")]
    pub open: bool,

    /// Scale each machine's time limits by its speed: the limits given are for a machine whose built-in engine visits
    /// SPEED positions a second in each slot [default: this machine, with one slot]
    #[arg(
        long,
        global = true,
        value_name = "SPEED",
        num_args = 0..=1,
        default_missing_value = "0",
        value_parser = clap::value_parser!(u64)
    )]
    pub scale_time: Option<u64>,

    /// Share an engine of the match or its rules program, and the files among its arguments, with workers that accept
    /// engines (repeatable)
    #[arg(long, global = true, value_name = "NAME")]
    pub share_engine: Vec<String>,
}

/// Flags of an `arbiter` subcommand and of the coordinator.
#[derive(Debug, Args)]
pub struct Coordinated<A: Args> {
    #[command(flatten)]
    pub args: A,
    #[command(flatten)]
    pub coordinator: CoordinatorArgs,
}

/// Subcommands of `fleet`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Coordinate a match; takes every flag of `arbiter match`, and requires --store
    Match(Box<Coordinated<MatchArgs>>),
    /// Coordinate a tournament; takes every flag of `arbiter tournament`, and requires --store
    Tournament(Box<Coordinated<TournamentArgs>>),
    /// Resume a stored match, however it stopped
    Resume(Box<Coordinated<ResumeArgs>>),
    /// Play games of all open matches, until interrupted
    Work(WorkArgs),
    /// Show open matches and their progress, and workers with their speed and the matches that they refuse
    Status(StatusArgs),
    /// Run the built-in engine on standard input and output
    #[command(hide = true)]
    Engine(EngineArgs),
}

/// Flags of `fleet work`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
EXAMPLES
  fleet work --nats nats://host --concurrency 8
  fleet work --nats nats://host --engine cmd=./mine \\
             --engine cmd=/opt/x name=old dir=/opt

A worker finds the engines and the rules program of a match by name among its
--engine flags; the built-in engine of this program needs none. Each must have
the SHA-256 that the match requires. A worker that lacks one of them plays no
game of the match, and `fleet status` shows why. The arguments must be those of
the match; the match supplies the options.")]
pub struct WorkArgs {
    /// Number of blocks played concurrently
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub concurrency: u16,

    /// An engine on this machine: its program, its arguments, its name in matches unless it is the program's, and its
    /// directory (repeatable)
    #[arg(long, value_name = "cmd=./x args='a b' name=X dir=DIR")]
    pub engine: Vec<String>,

    /// Run shared engines that are not on this machine: each is fetched from the server, checked against its SHA-256,
    /// and run in a bwrap sandbox without access to the files and network of this machine
    #[arg(long, help_heading = FETCHED)]
    pub accept_engines: bool,

    /// Directory for fetched engines [default: buxtehude/engines in the user's cache]
    #[arg(long, value_name = "DIR", help_heading = FETCHED)]
    pub cache: Option<PathBuf>,

    /// Maximum size of that directory, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value = "1024",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = FETCHED
    )]
    pub cache_size: u64,

    /// Memory limit of each fetched engine, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value = "2048",
        value_parser = clap::value_parser!(u64).range(1..1 << 30),
        help_heading = FETCHED
    )]
    pub engine_memory: u64,

    /// Key of a coordinator whose matches to play; `fleet match` prints it (repeatable) [default: any, if the server is
    /// on this machine]
    #[arg(long, value_name = "KEY", help_heading = TRUST)]
    pub coordinator: Vec<Key>,

    /// Play the matches of everybody who may use the server
    #[arg(long, conflicts_with = "coordinator", help_heading = TRUST)]
    pub trust_any_coordinator: bool,

    /// Let matches set this option of engines, although it takes a text, which may name files, or is a button
    /// (repeatable)
    #[arg(long, value_name = "NAME", help_heading = TRUST)]
    pub allow_option: Vec<String>,

    /// Log every line exchanged with the engines to this file, with time stamps
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Label of this worker, shown with its key [default: host name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// Flags of `fleet status`.
#[derive(Clone, Debug, Args)]
pub struct StatusArgs {
    /// Store of a match, to show its progress
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
