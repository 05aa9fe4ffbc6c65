//! Arguments that several commands share: openings, limits and output files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use matches::plan::Limit;
use matches::plan::clock;
use matches::plan::numbers::{depth, milliseconds, positive, up_to_1000};
use matches::run::{OnInterrupt, Outputs};

// Headings of the help text.
pub(super) const GAMES: &str = "Games";
pub(super) const ENGINES: &str = "Engines";
pub(super) const LIMITS: &str = "Limits";
pub(super) const OPENINGS: &str = "Openings";
pub(super) const RUNNING: &str = "Running";
pub(super) const EARLY_ENDS: &str = "Early ends";
pub(super) const OUTPUT: &str = "Output";

/// Output files of a running match.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct OutputArgs {
    /// Log every line exchanged with the engines to this file, with time stamps
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub log: Option<PathBuf>,

    /// Append every finished game to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Stream all events of the match to this file, one JSON object per line (docs/formats.md)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub events: Option<PathBuf>,

    /// Print interim tables every N games
    #[arg(long, value_name = "N", value_parser = positive, hide_short_help = true)]
    pub report_every: Option<u64>,

    /// Drop or finish running games on an interrupt (SIGINT, SIGTERM); a second interrupt drops them
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Interrupt::Drop)]
    #[arg(hide_possible_values = true, help_heading = RUNNING, hide_short_help = true)]
    pub on_interrupt: Interrupt,
}

impl OutputArgs {
    pub fn outputs(&self) -> Outputs {
        Outputs {
            log: self.log.clone(),
            record: self.record.clone(),
            events: self.events.clone(),
            report_every: self.report_every,
            on_interrupt: match self.on_interrupt {
                Interrupt::Drop => OnInterrupt::Drop,
                Interrupt::Finish => OnInterrupt::Finish,
            },
        }
    }
}

/// Values of `--on-interrupt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Interrupt {
    /// Drop running games
    Drop,
    /// Finish running games
    Finish,
}

/// Openings of the games.
#[derive(Debug, Args)]
#[command(next_help_heading = OPENINGS)]
pub struct OpeningArgs {
    /// File of openings, one per line: the text of a position, or the arguments of the protocol's `position`
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,

    /// Order of the openings: sequential, or random by the seed
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = OpeningOrder::Sequential)]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    pub openings_order: OpeningOrder,

    /// First opening to play, counted from 1 in that order
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive, hide_short_help = true)]
    pub openings_start: u64,

    /// Play at most this many plies of each opening
    #[arg(long, value_name = "K", value_parser = up_to_1000, hide_short_help = true)]
    pub openings_plies: Option<u32>,

    /// Random plies played after each opening
    #[arg(long, value_name = "K", default_value = "0", value_parser = up_to_1000)]
    pub random_plies: u32,
}

/// The order of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpeningOrder {
    /// As in the file
    Sequential,
    /// Shuffled by the seed
    Random,
}

/// Limits of engines that set none: at most one time limit.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = LIMITS)]
pub struct LimitArgs {
    /// Time for each move, in milliseconds [default: 100 if there is no other limit]
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub movetime: Option<u64>,

    /// Plies to search for each move
    #[arg(long, value_name = "PLIES", value_parser = depth)]
    pub depth: Option<u32>,

    /// Positions to visit for each move
    #[arg(long, value_name = "N", value_parser = positive)]
    pub nodes: Option<u64>,

    /// Clock: seconds, increment in seconds per move, and moves to the next time control
    #[arg(long, value_name = "[MOVES/]SECONDS[+SECONDS]", value_parser = clock, conflicts_with = "movetime")]
    pub tc: Option<Limit>,
}
