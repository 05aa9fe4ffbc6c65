//! The command line as typed. What is typed becomes a [`Plan`](crate::plan::Plan) in [`validate`].

mod cost;
mod documents;
mod engine_text;
mod engines;
mod error;
mod files;
mod games;
mod openings;
mod review;
mod shared;
mod talks;
pub mod validate;

use clap::{Parser, Subcommand};

pub use cost::{CostArgs, CostFormat};
pub use documents::{CompletionsArgs, ManArgs};
pub use engine_text::EngineTextError;
pub(crate) use engine_text::{EngineText, KEYS as ENGINE_KEYS};
pub use engines::engines_of;
pub use files::{
    ExplainArgs, ExportArgs, ExportFormat, ReplayArgs, ReportArgs, ReportFormat, ResumeArgs,
    VerifyArgs,
};
pub use games::{FormatArgs, GameArgs, GauntletArgs, MatchArgs, RoundRobinArgs, TournamentArgs};
pub use openings::OpeningsArgs;
pub use review::{ReviewArgs, ReviewFormat};
pub use shared::{LimitArgs, OnInterrupt, OpeningArgs, OpeningOrder, OutputArgs};
pub use talks::{CheckArgs, EngineArgs, FormatArg, ProfileArg, TranscriptArgs};

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
    /// Play a tournament of any number of engines
    Tournament(Box<TournamentArgs>),
    /// Run the built-in engine on standard input and output
    Engine(EngineArgs),
    /// Continue a stored match
    Resume(ResumeArgs),
    /// Print the tables of recorded games
    Report(ReportArgs),
    /// Print recorded games
    Export(ExportArgs),
    /// Check recorded games under the rules, or show one of them
    Replay(ReplayArgs),
    /// Explain what went wrong in a game
    Explain(ExplainArgs),
    /// Make a suite of balanced openings
    Openings(Box<OpeningsArgs>),
    /// Play recorded games again and compare
    Verify(VerifyArgs),
    /// Judge the moves of recorded games by a longer search
    Cost(CostArgs),
    /// Tell skill from luck in recorded games, move by move and card by card
    Review(ReviewArgs),
    /// Check that an engine conforms to the protocol
    Check(CheckArgs),
    /// Run a script against an engine and compare its answers
    Transcript(TranscriptArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print or write manual pages
    Man(ManArgs),
}
