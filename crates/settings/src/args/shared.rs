//! Arguments that several commands share: openings, limits and output files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use matches::plan::syntax::some_text;
use matches::plan::syntax::{Depth, Milliseconds, Positive, UpTo1000};
use matches::plan::{ClockLimit, Limit};
use matches::run::{OnInterrupt, Outputs};

use super::values::no_flags;

// Headings of the help text.
pub(super) const GAMES: &str = "Games";
pub(super) const ENGINES: &str = "Engines";
pub(super) const LIMITS: &str = "Limits";
pub(super) const OPENINGS: &str = "Openings";
pub(super) const RUNNING: &str = "Running";
pub(super) const EARLY_ENDS: &str = "Early ends";
pub(super) const OUTPUT: &str = "Output";

/// Output files of a running match.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
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
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub report_every: Option<Positive>,

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
            report_every: self.report_every.map(|number| number.0),
            on_interrupt: match self.on_interrupt {
                Interrupt::Drop => OnInterrupt::Drop,
                Interrupt::Finish => OnInterrupt::Finish,
            },
        }
    }
}

/// Values of `--on-interrupt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interrupt {
    /// Drop running games
    Drop,
    /// Finish running games
    Finish,
}

/// Openings of the games.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = OPENINGS)]
pub struct OpeningArgs {
    /// File of openings, one per line: the text of a position, or the arguments of the protocol's `position`
    #[arg(long, value_name = "FILE")]
    pub openings: Option<Openings>,

    /// Order of the openings: sequential, or random by the seed
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = OpeningOrder::Sequential)]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    pub openings_order: OpeningOrder,

    /// First opening to play, counted from 1 in that order
    #[arg(long, value_name = "N", default_value = "1", hide_short_help = true)]
    pub openings_start: Positive,

    /// Play at most this many plies of each opening
    #[arg(long, value_name = "K", hide_short_help = true)]
    pub openings_plies: Option<UpTo1000>,

    /// Random plies played after each opening
    #[arg(long, value_name = "K", default_value = "0")]
    pub random_plies: UpTo1000,
}

/// The file of `--openings`, or its lines in a settings file.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of a file, or a list of its lines")]
pub enum Openings {
    File(PathBuf),
    Lines(Vec<String>),
}

impl From<OsString> for Openings {
    fn from(path: OsString) -> Openings {
        Openings::File(path.into())
    }
}

/// The order of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// As in the file
    Sequential,
    /// Shuffled by the seed
    Random,
}

/// Limits of engines that set none: at most one time limit.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = LIMITS)]
pub struct LimitArgs {
    /// Time for each move, in milliseconds [default: 100 if there is no other limit]
    #[arg(long, value_name = "MS")]
    pub movetime: Option<Milliseconds>,

    /// Plies to search for each move
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<Depth>,

    /// Positions to visit for each move
    #[arg(long, value_name = "N")]
    pub nodes: Option<Positive>,

    /// Clock: seconds, increment in seconds per move, and moves to the next time control
    #[arg(long, value_name = "[MOVES/]SECONDS[+SECONDS]", conflicts_with = "movetime")]
    #[serde(deserialize_with = "some_text::deserialize")]
    pub tc: Option<ClockLimit>,
}

no_flags!(OutputArgs, OpeningArgs);

impl LimitArgs {
    /// The limits given, combined; `None` without any.
    pub fn limit(&self) -> Option<Limit> {
        let movetime = self.movetime.map(|ms| Limit::movetime(Duration::from_millis(ms.0)));
        let clock = self.tc.map(Limit::of_clock);
        let depth = self.depth.map(|depth| Limit::depth(depth.0 as u32));
        let nodes = self.nodes.map(|nodes| Limit::nodes(nodes.0));
        [movetime, clock, depth, nodes].into_iter().flatten().reduce(Limit::or)
    }
}
