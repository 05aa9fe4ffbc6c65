//! The plan of a match, validated before any engine starts.
//!
//! A plan has one spelling: its keys are the flags, and those of its engines are the keys of `--engine`. A store keeps
//! it as JSON in this spelling, and a settings file has it in TOML.

mod adjudication;
pub mod binary;
pub mod deck;
mod limit;
mod luck;
pub mod numbers;
pub mod openings;
pub mod rules;
mod sandbox;
pub mod schedule;
pub mod seed;
pub mod spelling;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use buxtehude::rules::{MAX_SEATS, is_card};
use serde::{Deserialize, Serialize};

pub use adjudication::{Adjudication, Resign};
pub use limit::{ClockLimit, Limit, MAX_MARGIN, TimeLimit};
pub use luck::{LuckBy, LuckPlan, USUAL_LUCK_PERCENT};
pub use sandbox::{Isolate, ResourceLimits};

use crate::plan::numbers::concurrency;
use crate::plan::rules::Rules;
use crate::plan::schedule::LineUps;
use crate::plan::seed::Seed;
use crate::record::{MAX_NAME_LENGTH, is_too_long};
use crate::score::Sprt;
use crate::spelling::quote;
use spelling::{is_off, milliseconds, pairs, seconds, some_milliseconds, text};

pub const MAX_ENGINES: usize = 1000;

/// A whole match or tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    #[serde(flatten)]
    pub rules: Rules,
    #[serde(rename = "players")]
    pub seats: usize,
    #[serde(with = "text")]
    pub format: Format,
    /// Whether a block contains all orders of its engines, not only the cyclic rotations of one.
    pub all_orders: bool,
    /// Number of games, a multiple of the games per block.
    pub games: u64,
    /// Source of all randomness in the match.
    #[serde(with = "text")]
    pub seed: Seed,
    /// Number of games played at the same time, at least 1.
    pub concurrency: usize,
    /// Whether each concurrent game pins its engines to one processor core.
    pub pin: bool,
    #[serde(with = "text")]
    pub isolate: Isolate,
    /// Number of random plies after each opening.
    pub random_plies: u32,
    /// Openings, at least one, used in turn; with each, every line-up plays a block.
    pub openings: Vec<Opening>,
    #[serde(flatten)]
    pub patience: Patience,
    #[serde(flatten)]
    pub adjudication: Adjudication,
    /// Test of the first engine against the second that may end the match early. It requires exactly two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    #[serde(with = "text")]
    pub luck: LuckPlan,
    /// The engines, at least one, with different names.
    #[serde(rename = "engine")]
    pub engines: Vec<EngineSpec>,
}

/// Pairing of the engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Every combination of engines that fills the seats.
    RoundRobin,
    /// One challenger in each game, against every combination of the other engines.
    Gauntlet {
        /// Number of challengers, which come first in the list; less than the number of engines.
        challengers: usize,
    },
}

/// Timeouts and limits of the referee.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Patience {
    /// Timeout for `uciok`, and for `readyok` before each game.
    #[serde(with = "milliseconds")]
    pub ready: Duration,
    /// Timeout for the move of an engine without a time limit.
    #[serde(with = "seconds")]
    pub stall: Duration,
    /// Number of plies after which the arbiter ends a game.
    pub max_plies: u32,
    /// Number of consecutive games lost by its own fault after which an engine is retired; 0 for never.
    #[serde(rename = "retire")]
    pub failures: u32,
    /// Pause of a thread between two games.
    #[serde(with = "milliseconds")]
    pub wait: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Name in tables and records.
    pub name: String,
    #[serde(rename = "cmd")]
    pub command: PathBuf,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory; `None` for the arbiter's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    #[serde(flatten)]
    pub limit: Limit,
    /// Allowed time of an answer beyond the time limit; `None` for [`TimeLimit::margin`], or more if the arbiter lags.
    #[serde(default, with = "some_milliseconds", skip_serializing_if = "Option::is_none")]
    pub margin: Option<Duration>,
    /// Whether `go` lists the legal moves as `searchmoves`.
    #[serde(default, skip_serializing_if = "is_off")]
    pub legal: bool,
    /// Whether it ponders; only with two seats.
    #[serde(default, skip_serializing_if = "is_off")]
    pub ponder: bool,
    /// Whether it is restarted for every game. Always written, since matches and tournaments have different defaults.
    pub restart: bool,
    /// Memory limit in MiB: of the whole engine, or of each of its processes where the system cannot limit the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    #[serde(flatten)]
    pub bounds: ResourceLimits,
    /// Options to set, in order.
    #[serde(rename = "option", default, with = "pairs", skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    #[serde(skip)]
    pub draft: Draft,
}

/// Settings of an engine that depend on its offers; empty once the match begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Whether its `id name` replaces its name.
    pub is_nameless: bool,
    /// Names of the options to set only if it offers them.
    pub optional: Vec<String>,
}

impl fmt::Display for Format {
    /// Writes `round-robin`, or `gauntlet` with the number of challengers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::RoundRobin => f.write_str("round-robin"),
            Format::Gauntlet { challengers } => write!(f, "gauntlet {challengers}"),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`Format`]; the error names the accepted values.
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
    /// Creates an engine with a name, program and limit, and defaults for the rest.
    pub fn new(name: &str, command: impl Into<PathBuf>, limit: Limit) -> EngineSpec {
        EngineSpec {
            name: name.to_string(),
            command: command.into(),
            args: Vec::new(),
            dir: None,
            options: Vec::new(),
            limit,
            margin: None,
            legal: false,
            ponder: false,
            restart: false,
            memory: None,
            bounds: ResourceLimits::default(),
            draft: Draft::default(),
        }
    }

    /// Returns the settings that differ from their defaults, except limit and options, in the form of `--engine`.
    pub fn switches(&self) -> Vec<String> {
        let switches = [("legal", self.legal), ("ponder", self.ponder), ("restart", self.restart)];
        let on = switches.into_iter().filter(|(_, is_on)| *is_on);
        let memory = self.memory.map(|mib| format!("memory={mib}"));
        let bounds = self.bounds.pairs().into_iter();
        on.map(|(key, _)| format!("{key}=on"))
            .chain(memory)
            .chain(bounds.map(|(key, value)| format!("{key}={value}")))
            .collect()
    }

    /// The settings as a text for `--engine`.
    pub fn words(&self) -> String {
        let pair = |key: &str, value: &str| format!("{key}={}", quote(value));
        let mut words = vec![pair("cmd", &self.command.to_string_lossy())];
        let arguments = self.args.iter().map(|argument| quote(argument)).collect::<Vec<_>>();
        words.extend((!arguments.is_empty()).then(|| pair("args", &arguments.join(" "))));
        words.push(pair("name", &self.name));
        words.extend(self.dir.as_ref().map(|dir| pair("dir", &dir.to_string_lossy())));
        let options = self.options.iter();
        words.extend(options.map(|(name, value)| quote(&format!("option.{name}={value}"))));
        words.push(self.limit.to_string());
        words.extend(self.switches());
        words.join(" ")
    }
}

impl Plan {
    /// Creates a match of one block with seed 1 and defaults for the rest.
    pub fn new(rules: impl Into<Rules>, seats: usize, engines: Vec<EngineSpec>) -> Plan {
        Plan {
            rules: rules.into(),
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
            luck: LuckPlan::default(),
        }
    }

    /// Reads a plan of unknown origin, such as a stored one, and checks it. Leaves positions by a rules program
    /// unchecked, because the program must not run yet.
    ///
    /// # Errors
    /// Why the JSON is no plan, or the setting at fault and the accepted values.
    pub fn from_json(json: &[u8]) -> Result<Plan, String> {
        let plan: Plan = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), String> {
        let wrong = |key: &str, expected: &str| Err(format!("{key}: {expected}"));
        if !(2..=MAX_SEATS).contains(&self.seats) {
            return wrong("players", &format!("expected a whole number from 2 to {MAX_SEATS}"));
        }
        if self.rules.built_in().is_some()
            && let Err(error) = self.rules.start(self.seats)
        {
            return wrong("players", &error.to_string());
        }
        if self.engines.is_empty() || self.engines.len() > MAX_ENGINES {
            return wrong("engine", &format!("expected 1 to {MAX_ENGINES}"));
        }
        if self.engines.iter().any(|engine| is_too_long(&engine.name)) {
            let expected = format!("expected names of at most {MAX_NAME_LENGTH} characters");
            return wrong("engine", &expected);
        }
        if let Format::Gauntlet { challengers } = self.format
            && !(1..self.engines.len()).contains(&challengers)
        {
            return wrong("format", "expected at least 1 challenger and 1 other engine");
        }
        if self.openings.is_empty() {
            return wrong("openings", "there are none");
        }
        concurrency(&self.concurrency.to_string())
            .map_err(|expected| format!("concurrency: {expected}"))?;
        let sprt = self.sprt.map_or(Ok(()), |sprt| sprt.check());
        sprt.map_err(|error| format!("sprt: {error}"))
    }

    pub fn line_ups(&self) -> LineUps {
        LineUps::new(self.format, self.engines.len(), self.seats, self.all_orders)
    }
}

impl Patience {
    /// `true` if an engine with this number of consecutive failures is retired.
    pub fn retires(&self, failures: u32) -> bool {
        self.failures > 0 && failures >= self.failures
    }
}

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

/// A start position and the legal moves and cards played from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// Text of the start position; `None` for the variant's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Moves and cards.
    pub moves: Vec<String>,
}

impl Opening {
    /// Cuts the opening after `plies` plies and the cards that they draw.
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
            assert_eq!(shortened("1 +half 4 2 +x +y", plies), expected, "{plies} plies");
        }
    }

    #[test]
    fn a_roll_before_the_first_ply_stays() {
        for (plies, expected) in [(0, "+6"), (1, "+6 a +2"), (2, "+6 a +2 b")] {
            assert_eq!(shortened("+6 a +2 b", plies), expected, "{plies} plies");
        }
    }

    fn shortened(moves: &str, plies: u32) -> String {
        let mut opening =
            Opening { start: None, moves: moves.split(' ').map(String::from).collect() };
        opening.shorten(plies);
        opening.moves.join(" ")
    }
}
