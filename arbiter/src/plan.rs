//! What is to be played, validated: every field is known to be sensible before an engine starts.

use std::path::PathBuf;
use std::time::Duration;

use buxtehude::rules::Variant;

use crate::score::Sprt;

/// A whole match.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The variant played.
    pub variant: &'static Variant,
    /// Number of seats.
    pub seats: usize,
    /// The engines, at least one, with different names.
    pub engines: Vec<EngineSpec>,
    /// Number of games, a multiple of the seats.
    pub games: u64,
    /// Everything random in the match follows from it.
    pub seed: u64,
    /// Games played at the same time, at least 1.
    pub concurrency: usize,
    /// Random plies played after each opening.
    pub random_plies: u32,
    /// The openings, at least one, used in turn: each for a block of every combination of engines.
    pub openings: Vec<Opening>,
    /// The referee's patience.
    pub patience: Patience,
    /// The test of the first engine against the second that may end the match, or `None`; there are two engines
    /// then.
    pub sprt: Option<Sprt>,
    /// Where every line exchanged with an engine is written.
    pub log: Option<PathBuf>,
    /// Where the games are recorded.
    pub record: Option<PathBuf>,
}

/// When the referee loses patience.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long an engine has for `uciok`, and before each game for `readyok`.
    pub ready: Duration,
    /// How far beyond its limit an engine may answer.
    pub margin: Duration,
    /// How long an engine without a limit of time may think.
    pub stall: Duration,
    /// Plies after which a game is ended.
    pub max_plies: u32,
}

/// An engine: how to start it and what it may use.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// The name in tables and records.
    pub name: String,
    /// The program.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory it is started in; `None` for the arbiter's own.
    pub dir: Option<PathBuf>,
    /// Options to set, in order.
    pub options: Vec<(String, String)>,
    /// The limit of each of its moves.
    pub limit: Limit,
    /// Whether `go` lists the legal moves as `searchmoves`.
    pub legal: bool,
}

/// The limit of an engine's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Time for each move.
    Movetime(Duration),
    /// Plies to search for each move.
    Depth(u32),
    /// Positions to visit for each move.
    Nodes(u64),
    /// A clock for the whole game.
    Clock {
        /// Time at the start.
        time: Duration,
        /// Time gained with each move.
        increment: Duration,
    },
}

/// A start and the moves and cards played from it, all legal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The text of the start, or `None` for the variant's own.
    pub start: Option<String>,
    /// Moves and cards.
    pub moves: Vec<String>,
}
