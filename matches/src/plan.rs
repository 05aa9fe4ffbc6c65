//! What is to be played, validated: every field is known to be sensible before an engine starts.

mod adjudication;
pub mod binary;
mod bounds;
pub mod deck;
mod isolate;
mod limit;
pub mod numbers;
pub mod openings;
pub mod schedule;
pub mod seed;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use buxtehude::rules::{Variant, is_card};

pub use adjudication::{Adjudication, Resign, ResignTextError};
pub use bounds::Bounds;
pub use isolate::Isolate;
pub use limit::{ClockLimit, Limit, LimitTextError, TimeLimit, clock};

use crate::plan::schedule::LineUps;
use crate::plan::seed::Seed;
use crate::score::Sprt;

/// A whole match or tournament.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The variant played.
    pub variant: &'static Variant,
    /// Number of seats.
    pub seats: usize,
    /// The engines, at least one, with different names.
    pub engines: Vec<EngineSpec>,
    /// Who plays whom.
    pub format: Format,
    /// Whether a block has all orders of its engines, and not only the cyclic rotations of one.
    pub all_orders: bool,
    /// Number of games, a multiple of the games of a block.
    pub games: u64,
    /// Everything random in the match follows from it.
    pub seed: Seed,
    /// Games played at the same time, at least 1.
    pub concurrency: usize,
    /// Whether the engines of each game at a time are pinned to one processor core.
    pub pin: bool,
    /// Whether engines are isolated from each other.
    pub isolate: Isolate,
    /// Random plies played after each opening.
    pub random_plies: u32,
    /// The openings, at least one, used in turn: each for a block of every line-up.
    pub openings: Vec<Opening>,
    /// The referee's patience.
    pub patience: Patience,
    /// When the arbiter ends a game.
    pub adjudication: Adjudication,
    /// The test of the first engine against the second that may end the match, or `None`; there are two engines
    /// then.
    pub sprt: Option<Sprt>,
}

/// Who plays whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Every choice of as many engines as there are seats.
    RoundRobin,
    /// One challenger in each game, against every choice of the other engines.
    Gauntlet {
        /// The first so many engines are the challengers; there are more engines than these.
        challengers: usize,
    },
}

/// When the referee loses patience.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long an engine has for `uciok`, and before each game for `readyok`.
    pub ready: Duration,
    /// How long an engine without a limit of time may think.
    pub stall: Duration,
    /// Plies after which a game is ended.
    pub max_plies: u32,
    /// Games in a row that an engine may lose by its own fault before it is retired; 0 for any number.
    pub failures: u32,
    /// How long a thread rests between two games.
    pub wait: Duration,
}

/// An engine: how to start it and what it may use.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// How far beyond its limit of time it may answer.
    pub margin: Duration,
    /// Whether `go` lists the legal moves as `searchmoves`.
    pub legal: bool,
    /// Whether it thinks while its opponent does; only with two seats.
    pub ponder: bool,
    /// Whether it is started anew for every game.
    pub restart: bool,
    /// The most memory that it may use, or where that cannot be bounded each of its processes may ask for, in MiB.
    pub memory: Option<u64>,
    /// What else they may take of the system.
    pub bounds: Bounds,
}

impl fmt::Display for Format {
    /// `round-robin`, or `gauntlet` with the number of challengers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::RoundRobin => f.write_str("round-robin"),
            Format::Gauntlet { challengers } => write!(f, "gauntlet {challengers}"),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    /// Reads what [`Format`] displays; the error says what would have been accepted.
    fn from_str(text: &str) -> Result<Format, String> {
        let challengers = text.strip_prefix("gauntlet ").map(str::parse);
        match (text, challengers) {
            ("round-robin", _) => Ok(Format::RoundRobin),
            (_, Some(Ok(challengers))) => Ok(Format::Gauntlet { challengers }),
            _ => Err("expected round-robin, or gauntlet and a number".to_string()),
        }
    }
}

impl EngineSpec {
    /// An engine of which nothing is said but its name, program and limit; its margin is 50 ms.
    pub fn new(name: &str, command: impl Into<PathBuf>, limit: Limit) -> EngineSpec {
        EngineSpec {
            name: name.to_string(),
            command: command.into(),
            args: Vec::new(),
            dir: None,
            options: Vec::new(),
            limit,
            margin: Duration::from_millis(50),
            legal: false,
            ponder: false,
            restart: false,
            memory: None,
            bounds: Bounds::default(),
        }
    }
}

impl EngineSpec {
    /// The settings that are not the usual ones, beside limit and options, as in `--engine`.
    pub fn switches(&self) -> Vec<String> {
        let switches = [
            ("legal", self.legal),
            ("ponder", self.ponder),
            ("restart", self.restart),
        ];
        let on = switches.into_iter().filter(|(_, is_on)| *is_on);
        let memory = self.memory.map(|mib| format!("memory={mib}"));
        let bounds = self.bounds.pairs().into_iter();
        on.map(|(key, _)| format!("{key}=on"))
            .chain(memory)
            .chain(bounds.map(|(key, value)| format!("{key}={value}")))
            .collect()
    }
}

impl Plan {
    /// A match of one block between engines, in which all that can be left open is as it is by default, with
    /// seed 1.
    pub fn new(variant: &'static Variant, seats: usize, engines: Vec<EngineSpec>) -> Plan {
        Plan {
            variant,
            seats,
            engines,
            format: Format::RoundRobin,
            all_orders: false,
            games: seats as u64,
            seed: Seed::Number(1),
            concurrency: 1,
            pin: false,
            isolate: Isolate::default(),
            random_plies: 0,
            openings: vec![Opening::default()],
            patience: Patience::default(),
            adjudication: Adjudication::default(),
            sprt: None,
        }
    }

    /// Who sits where in each block.
    pub fn line_ups(&self) -> LineUps {
        LineUps::new(self.format, self.engines.len(), self.seats, self.all_orders)
    }
}

impl Patience {
    /// Whether an engine is retired that has failed so often in a row.
    pub fn retires(&self, failures: u32) -> bool {
        self.failures > 0 && failures >= self.failures
    }
}

/// What holds unless it is said otherwise.
impl Default for Patience {
    fn default() -> Patience {
        Patience {
            ready: Duration::from_secs(10),
            stall: Duration::from_secs(60),
            max_plies: 1000,
            failures: 3,
            wait: Duration::ZERO,
        }
    }
}

/// A start and the moves and cards played from it, all legal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The text of the start, or `None` for the variant's own.
    pub start: Option<String>,
    /// Moves and cards.
    pub moves: Vec<String>,
}

impl Opening {
    /// Cuts it to so many plies, with the cards drawn before the next one.
    pub fn shorten(&mut self, plies: u32) {
        let words = self.moves.iter().enumerate();
        let mut plies_at = words.filter(|(_, word)| !is_card(word));
        if let Some((end, _)) = plies_at.nth(plies as usize) {
            self.moves.truncate(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_belongs_to_the_ply_before_it() {
        for (plies, expected) in [
            (0, ""),
            (1, "1 +half"),
            (2, "1 +half 4"),
            (3, "1 +half 4 2 +x +y"),
            (9, "1 +half 4 2 +x +y"),
        ] {
            assert_eq!(
                shortened("1 +half 4 2 +x +y", plies),
                expected,
                "{plies} plies"
            );
        }
    }

    #[test]
    fn a_roll_before_the_first_ply_stays() {
        for (plies, expected) in [(0, "+6"), (1, "+6 a +2"), (2, "+6 a +2 b")] {
            assert_eq!(shortened("+6 a +2 b", plies), expected, "{plies} plies");
        }
    }

    fn shortened(moves: &str, plies: u32) -> String {
        let mut opening = Opening {
            start: None,
            moves: moves.split(' ').map(String::from).collect(),
        };
        opening.shorten(plies);
        opening.moves.join(" ")
    }
}
