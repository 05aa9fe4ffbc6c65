//! The arbiter's command line as typed.

mod conformance;
mod files;
mod openings;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use matches::plan::{Isolate, Limit};
use settings::args::{EngineArgs, MatchArgs, ResumeArgs, TournamentArgs};
use settings::config::{self, ParseError};

pub use conformance::{CheckArgs, CheckRulesArgs, TranscriptArgs};
pub use files::{
    ExplainArgs, ExportArgs, ExportFormat, FileArgs, ReplayArgs, ReportArgs, ReportFormat,
    ReviewArgs, ReviewFormat, VerifyArgs,
};
pub use openings::OpeningsArgs;

/// Limit of each search of a judging engine if the user sets none. A node limit makes the results reproducible.
const JUDGE_LIMIT: Limit = Limit::nodes(10_000);

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

/// Parses the arbiter's command line, with the settings of the file that it names, if any.
///
/// # Errors
/// The parser rejects the words, or a setting of the file is wrong.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, ParseError> {
    let (mut cli, typed) = config::parse::<Cli>(words)?;
    match &mut cli.command {
        Command::Match(args) => config::fill_in_match(args, &typed)?,
        Command::Tournament(args) => config::fill_in_tournament(args, &typed)?,
        _ => {}
    }
    Ok(cli)
}
