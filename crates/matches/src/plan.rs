//! The plan of a match, validated before any engine starts.
//!
//! A plan has one spelling: its keys are the flags, and those of its engines are the keys of `--engine`. A store keeps
//! it as JSON in this spelling, and a settings file has it in TOML.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use buxtehude::rules::MAX_SEATS;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{MAX_NAME_LENGTH, is_too_long};
use crate::score::Sprt;
use crate::spelling::quote;
use deck::Seed;
pub use limit::{ClockLimit, Isolate, Limit, MAX_MARGIN, ResourceLimits, TimeLimit};
pub use openings::Opening;
use rules::Rules;
use schedule::LineUps;
use syntax::{Concurrency, is_off, milliseconds, pairs, seconds, some_milliseconds, text};

pub mod binary;
pub mod deck;
mod limit;
pub mod openings;
pub mod rules;
pub mod schedule;
pub mod syntax;

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
    pub referee_limits: RefereeLimits,
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

/// The first key of an object in `read` that `written` lacks. Serde cannot refuse unknown keys of a
/// structure with flattened fields.
fn unknown_key<'a>(read: &'a Value, written: &Value) -> Option<&'a str> {
    match (read, written) {
        (Value::Object(read), Value::Object(written)) => {
            read.iter().find_map(|(key, value)| match written.get(key) {
                Some(known) => unknown_key(value, known),
                None => Some(key.as_str()),
            })
        }
        (Value::Array(read), Value::Array(written)) => {
            read.iter().zip(written).find_map(|(value, known)| unknown_key(value, known))
        }
        _ => None,
    }
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
pub struct RefereeLimits {
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
    pub unresolved: UnresolvedEngine,
}

/// Settings of an engine that depend on its offers; empty once the match begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnresolvedEngine {
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
            unresolved: UnresolvedEngine::default(),
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
            openings: vec![Opening::usual(seats)],
            referee_limits: RefereeLimits::default(),
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
        let read: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let plan = Plan::deserialize(&read).map_err(|error| error.to_string())?;
        plan.check()?;
        let written = serde_json::to_value(&plan).map_err(|error| error.to_string())?;
        match unknown_key(&read, &written) {
            Some(key) => Err(format!("{key}: no such setting")),
            None => Ok(plan),
        }
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
        Concurrency::parse::<usize>(&self.concurrency.to_string())
            .map_err(|expected| format!("concurrency: {expected}"))?;
        let sprt = self.sprt.map_or(Ok(()), |sprt| sprt.check());
        sprt.map_err(|error| format!("sprt: {error}"))
    }

    pub fn line_ups(&self) -> LineUps {
        LineUps::new(self.format, self.engines.len(), self.seats, self.all_orders)
    }
}

impl RefereeLimits {
    /// `true` if an engine with this number of consecutive failures is retired.
    pub fn retires(&self, failures: u32) -> bool {
        self.failures > 0 && failures >= self.failures
    }
}

impl Default for RefereeLimits {
    fn default() -> RefereeLimits {
        RefereeLimits {
            ready: Duration::from_secs(10),
            stall: Duration::from_secs(60),
            max_plies: 1000,
            failures: 3,
            wait: Duration::ZERO,
        }
    }
}

/// When the arbiter ends a game early; by default never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Ends a game of two seats once both engines agree on the winner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
    /// Whether a game ends as soon as the rules know its exact outcome.
    pub solved: bool,
}

/// Agreement of both engines of a two-seat game on the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resign {
    /// Number of consecutive moves of each engine that must agree.
    pub moves: u32,
    /// Least estimate of the winner's share, in permille, above 500.
    pub permille: u16,
}

/// Three moves in a row, and 19 games out of 20.
impl Default for Resign {
    fn default() -> Resign {
        Resign { moves: 3, permille: 950 }
    }
}

impl fmt::Display for Resign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "moves={} permille={}", self.moves, self.permille)
    }
}

impl FromStr for Resign {
    type Err = String;

    /// Parses words such as `moves=3 permille=950`; missing words take their defaults. The error names the invalid word
    /// and the accepted ones.
    fn from_str(text: &str) -> Result<Resign, String> {
        let (mut moves, mut permille) = (None, None);
        for word in text.split_whitespace() {
            let is_valid = match word.split_once('=') {
                Some(("moves", value)) => set_once(&mut moves, value, 1..=1000),
                Some(("permille", value)) => set_once(&mut permille, value, 501..=1000),
                _ => false,
            };
            if !is_valid {
                return Err(format!(
                    "{word:?}: expected moves=N from 1 to 1000 or permille=N from 501 to 1000, each at most once"
                ));
            }
        }
        let usual = Resign::default();
        Ok(Resign {
            moves: moves.unwrap_or(usual.moves),
            permille: permille.unwrap_or(usual.permille),
        })
    }
}

/// Sets a field to a number; returns `false` if it was set already or the number is invalid.
fn set_once<T: FromStr + PartialOrd>(
    field: &mut Option<T>,
    value: &str,
    range: RangeInclusive<T>,
) -> bool {
    let is_first = field.is_none();
    *field = value.parse().ok().filter(|number| range.contains(number));
    is_first && field.is_some()
}

/// Largest default budget: more positions hardly make values better.
const MAX_LUCK_NODES: u64 = 300;

/// Least default budget. It costs hardly more than one position, since most of the time goes into reading the game, and
/// is more precise.
const MIN_LUCK_NODES: u64 = 20;

/// Divisor of an engine's nodes per move that gives the default budget. The number of moves of a game is close to the
/// number of values that its luck needs, so measuring takes less than a twentieth of the engines' time. So does the
/// least budget next to engines of a few nodes, whose time mostly goes into the exchange of lines.
const NODES_PER_LUCK_NODE: u64 = 50;

/// Time of an engine that measures luck, in percent of the time of play.
pub const USUAL_LUCK_PERCENT: u32 = 100;
const MAX_LUCK_PERCENT: u32 = 1_000_000;

/// Measurement of the luck of a match's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LuckPlan {
    /// The evaluator; `None` to measure nothing.
    pub by: Option<LuckBy>,
    /// `true` to measure after the last game, rather than after each.
    pub after: bool,
}

/// Evaluator of the positions whose values make luck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LuckBy {
    BuiltIn {
        /// Positions to visit for each value, at least 1.
        nodes: u64,
    },
    /// An engine that is named at the start of each run.
    Engine {
        /// Its largest time, in percent of the time of play.
        percent: u32,
    },
}

impl LuckPlan {
    /// Measures with the built-in engine after each game, on a small budget compared to the limits of the engines.
    pub fn beside(engines: &[EngineSpec]) -> LuckPlan {
        let budget = |engine: &EngineSpec| match engine.limit {
            Limit { time: Some(_), .. } => MAX_LUCK_NODES,
            Limit { nodes: Some(nodes), .. } => nodes / NODES_PER_LUCK_NODE,
            _ => MIN_LUCK_NODES,
        };
        let nodes = engines
            .iter()
            .map(budget)
            .min()
            .unwrap_or(MIN_LUCK_NODES)
            .clamp(MIN_LUCK_NODES, MAX_LUCK_NODES);
        LuckPlan { by: Some(LuckBy::BuiltIn { nodes }), after: false }
    }

    /// `true` if an engine can measure instead of the built-in one, because the budget is the default one.
    pub fn suits_an_engine(&self) -> bool {
        let usual = LuckBy::BuiltIn { nodes: MAX_LUCK_NODES };
        matches!(self.by, Some(LuckBy::Engine { .. }))
            || *self == LuckPlan { by: Some(usual), after: true }
    }
}

impl fmt::Display for LuckPlan {
    /// Writes `off`, or the evaluator with `after` before it if that is set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(by) = self.by else {
            return f.write_str("off");
        };
        if self.after {
            f.write_str("after ")?;
        }
        match by {
            LuckBy::BuiltIn { nodes } => write!(f, "{nodes}"),
            LuckBy::Engine { percent: USUAL_LUCK_PERCENT } => f.write_str("engine"),
            LuckBy::Engine { percent } => write!(f, "engine {percent}%"),
        }
    }
}

impl FromStr for LuckPlan {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form; `after` alone means the built-in engine with 300 positions.
    fn from_str(text: &str) -> Result<LuckPlan, String> {
        let expected = || {
            format!(
                "{text:?}: expected off, a number of positions from 1, engine, or \"engine 50%\" (of the time of \
                 play), or after, alone or before these"
            )
        };
        let (after, rest) = match text.split_once(' ') {
            Some(("after", rest)) => (true, rest.trim_start()),
            _ if text == "after" => (true, ""),
            _ => (false, text),
        };
        let by = match rest {
            "off" if !after => None,
            "" if after => Some(LuckBy::BuiltIn { nodes: MAX_LUCK_NODES }),
            "engine" => Some(LuckBy::Engine { percent: USUAL_LUCK_PERCENT }),
            share if share.starts_with("engine ") => {
                let percent = share["engine ".len()..].trim().strip_suffix('%');
                let percent = percent.and_then(|percent| percent.parse().ok());
                let percent = percent.filter(|percent| (1..=MAX_LUCK_PERCENT).contains(percent));
                Some(LuckBy::Engine { percent: percent.ok_or_else(expected)? })
            }
            nodes => {
                let nodes = nodes.parse().ok().filter(|&nodes| nodes > 0).ok_or_else(expected)?;
                Some(LuckBy::BuiltIn { nodes })
            }
        };
        Ok(LuckPlan { by, after })
    }
}

#[cfg(test)]
mod tests {
    use buxtehude::rules::VARIANTS;

    use super::*;

    #[test]
    fn an_unknown_setting_of_a_plan_is_named() {
        let engine = |name: &str| EngineSpec::new(name, "engine", Limit::nodes(1));
        let plan = Plan::new(&VARIANTS[0], 2, vec![engine("a"), engine("b")]);
        let plan = serde_json::to_value(plan).unwrap();
        let read = |plan: &Value| Plan::from_json(plan.to_string().as_bytes()).map(|_| ());
        assert_eq!(read(&plan), Ok(()));
        for place in ["", "/engine/1"] {
            let mut other = plan.clone();
            other.pointer_mut(place).unwrap()["nets"] = true.into();
            assert_eq!(read(&other), Err("nets: no such setting".to_string()), "{place}");
        }
    }

    #[test]
    fn resignation_reads_as_it_is_displayed() {
        for text in ["moves=3 permille=950", "moves=1 permille=1000"] {
            let resign: Resign = text.parse().unwrap();
            assert_eq!(resign.to_string(), text);
        }
        assert_eq!("".parse(), Ok(Resign::default()));
        assert_eq!("permille=600".parse::<Resign>().unwrap().to_string(), "moves=3 permille=600");
    }

    #[test]
    fn errors_of_resignation_quote_the_word() {
        for word in ["moves", "moves=0", "permille=500", "permille=1001", "score=5", "moves=x"] {
            let error = word.parse::<Resign>().unwrap_err();
            assert!(error.starts_with(&format!("{word:?}: expected moves=")), "{error}");
        }
        let twice = "moves=1 moves=2".parse::<Resign>().unwrap_err();
        assert!(twice.starts_with("\"moves=2\""), "{twice}");
    }

    #[test]
    fn luck_reads_as_it_is_displayed() {
        for text in [
            "off", "300", "after 300", "engine", "after engine", "engine 50%", "after engine 1000%",
        ] {
            assert_eq!(text.parse::<LuckPlan>().unwrap().to_string(), text);
        }
        let default = format!("after {MAX_LUCK_NODES}");
        assert_eq!("after".parse::<LuckPlan>().unwrap().to_string(), default);
        for (limit, nodes) in [
            (Limit::nodes(2000), "40"),
            (Limit::nodes(60), "20"),
            (Limit::nodes(1), "20"),
            (Limit::nodes(1_000_000), "300"),
            (Limit::depth(4), "20"),
            (Limit::movetime(Duration::from_millis(20)), "300"),
        ] {
            let fast = EngineSpec::new("fast", "fast", limit);
            let slow = EngineSpec::new("slow", "slow", Limit::nodes(1_000_000));
            assert_eq!(LuckPlan::beside(&[slow, fast]).to_string(), nodes);
        }
        for text in [
            "", "0", "-1", "after off", "on", "3 after", "after50", "engine 0%", "engine 5",
            "engine %",
        ] {
            assert!(text.parse::<LuckPlan>().is_err(), "{text}");
        }
    }
}
