//! The limits of an engine: of its moves, in the text form `movetime=20 depth=9` or `tc=40/60+0.5`, and of its system
//! resources.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::syntax::{Depth, Milliseconds, Positive};

/// Limit of an engine's moves: at least one of time, depth and nodes. The search ends at the first that it reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub struct Limit {
    pub time: Option<TimeLimit>,
    /// Plies to search per move.
    pub depth: Option<u32>,
    /// Nodes to visit per move.
    pub nodes: Option<u64>,
}

/// Largest default margin.
pub const MAX_MARGIN: Duration = Duration::from_millis(50);
/// Smallest default margin.
const MIN_MARGIN: Duration = Duration::from_millis(10);
/// The default margin is this part of the time for a move.
const MARGIN_PART: u32 = 20;
/// Longest time of a clock.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Number of moves in a game, for the time per move of a clock without periods.
const MOVES_OF_A_GAME: u32 = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    Move(Duration),
    /// A clock for the whole game.
    Clock(ClockLimit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLimit {
    /// Number of moves per period; `None` if `time` is for the whole game. Each period adds `time` to the clock.
    pub moves: Option<u32>,
    /// Time at the start, and of each period.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

impl TimeLimit {
    /// Allowed time of an answer beyond the limit, unless the user sets it: a twentieth of the time for a move, from 10
    /// to 50 ms.
    pub fn margin(self) -> Duration {
        let time = match self {
            TimeLimit::Move(time) => time,
            TimeLimit::Clock(clock) => {
                clock.time / clock.moves.unwrap_or(MOVES_OF_A_GAME).max(1) + clock.increment
            }
        };
        (time / MARGIN_PART).clamp(MIN_MARGIN, MAX_MARGIN)
    }
}

impl Limit {
    const NONE: Limit = Limit { time: None, depth: None, nodes: None };

    pub const fn movetime(time: Duration) -> Limit {
        Limit { time: Some(TimeLimit::Move(time)), ..Limit::NONE }
    }

    pub const fn depth(depth: u32) -> Limit {
        Limit { depth: Some(depth), ..Limit::NONE }
    }

    pub const fn nodes(nodes: u64) -> Limit {
        Limit { nodes: Some(nodes), ..Limit::NONE }
    }

    /// Sets a clock for the whole game.
    pub const fn clock(time: Duration, increment: Duration) -> Limit {
        Limit::of_clock(ClockLimit { moves: None, time, increment })
    }

    pub const fn of_clock(clock: ClockLimit) -> Limit {
        Limit { time: Some(TimeLimit::Clock(clock)), ..Limit::NONE }
    }

    /// Describes the limit: `clock 40/60+0.5 s, depth 9`.
    pub fn in_words(&self) -> String {
        let time = self.time.map(|time| match time {
            TimeLimit::Move(time) => format!("{} ms a move", time.as_millis()),
            TimeLimit::Clock(clock) => format!("clock {clock} s"),
        });
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let nodes = self.nodes.map(|nodes| match nodes {
            1 => "1 node".to_string(),
            _ => format!("{nodes} nodes"),
        });
        let parts: Vec<String> = [time, depth, nodes].into_iter().flatten().collect();
        parts.join(", ")
    }

    pub fn is_timeless(&self) -> bool {
        self.time.is_none()
    }

    /// Parses the value of `movetime`, `depth`, `nodes` or `tc`.
    ///
    /// # Errors
    /// The accepted values.
    pub fn of_key(key: &str, value: &str) -> Result<Limit, String> {
        match key {
            "movetime" => {
                Milliseconds::parse(value).map(|ms| Limit::movetime(Duration::from_millis(ms)))
            }
            "depth" => Depth::parse(value).map(Limit::depth),
            "nodes" => Positive::parse(value).map(Limit::nodes),
            "tc" => value.parse().map(Limit::of_clock),
            _ => Err("expected movetime, depth, nodes or tc".to_string()),
        }
    }

    /// Merges two limits; where both set the same one, `self` wins.
    pub fn or(self, other: Limit) -> Limit {
        Limit {
            time: self.time.or(other.time),
            depth: self.depth.or(other.depth),
            nodes: self.nodes.or(other.nodes),
        }
    }
}

impl fmt::Display for Limit {
    /// Writes the form of `--engine`, to the millisecond: `tc=40/60+0.5 depth=9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.map(|time| match time {
            TimeLimit::Move(time) => format!("movetime={}", time.as_millis()),
            TimeLimit::Clock(clock) => format!("tc={clock}"),
        });
        let depth = self.depth.map(|depth| format!("depth={depth}"));
        let nodes = self.nodes.map(|nodes| format!("nodes={nodes}"));
        let parts: Vec<String> = [time, depth, nodes].into_iter().flatten().collect();
        f.write_str(&parts.join(" "))
    }
}

impl fmt::Display for ClockLimit {
    /// Writes `moves/seconds+seconds`, without the moves if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        let (time, increment) = (self.time.as_secs_f64(), self.increment.as_secs_f64());
        write!(f, "{time}+{increment}")
    }
}

/// The keys of a limit, each with its value as on the command line.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Keys {
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
}

impl From<Limit> for Keys {
    fn from(limit: Limit) -> Keys {
        let (movetime, tc) = match limit.time {
            Some(TimeLimit::Move(time)) => (u64::try_from(time.as_millis()).ok(), None),
            Some(TimeLimit::Clock(clock)) => (None, Some(clock.to_string())),
            None => (None, None),
        };
        Keys { movetime, tc, depth: limit.depth, nodes: limit.nodes }
    }
}

impl TryFrom<Keys> for Limit {
    type Error = String;

    fn try_from(keys: Keys) -> Result<Limit, String> {
        let values = [
            ("movetime", keys.movetime.map(|time| time.to_string())),
            ("tc", keys.tc),
            ("depth", keys.depth.map(|depth| depth.to_string())),
            ("nodes", keys.nodes.map(|nodes| nodes.to_string())),
        ];
        let mut limit = Limit::NONE;
        for (key, value) in values {
            if let Some(value) = value {
                let parsed = Limit::of_key(key, &value);
                limit = limit.or(parsed.map_err(|expected| format!("{key}={value}: {expected}"))?);
            }
        }
        Ok(limit)
    }
}

impl FromStr for Limit {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`Limit`]; the error names the invalid word and the accepted
    /// values.
    fn from_str(text: &str) -> Result<Limit, String> {
        let mut all = Limit::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let limit = Limit::of_key(key, value);
            all = all.or(limit.map_err(|expected| format!("{word}: {expected}"))?);
        }
        Ok(all)
    }
}

impl FromStr for ClockLimit {
    type Err = String;

    /// Parses a clock: `seconds`, `seconds+seconds` or `moves/seconds+seconds`; the first seconds may be
    /// `minutes:seconds`.
    fn from_str(text: &str) -> Result<ClockLimit, String> {
        if ["inf", "infinite"].contains(&text) {
            return Err(
                "expected a time; to play without one, leave it out and set depth or nodes".into(),
            );
        }
        let expected = || {
            "expected seconds+seconds such as 10+0.1, or moves/seconds+seconds such as 40/60+0.5; the first seconds \
             above 0, none above a day, 1 to 10000 moves"
                .to_string()
        };
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let number = moves.parse().ok();
                let number = number.filter(|number| (1..=10_000).contains(number));
                (Some(number.ok_or_else(expected)?), rest)
            }
            None => (None, text),
        };
        let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (minutes, time) = time.split_once(':').unwrap_or(("0", time));
        let time = seconds(time).zip(seconds(minutes)).map(|(time, minutes)| time + 60 * minutes);
        let limit = time
            .filter(|time| *time <= DAY)
            .zip(seconds(increment))
            .filter(|(time, _)| !time.is_zero());
        let (time, increment) = limit.ok_or_else(expected)?;
        Ok(ClockLimit { moves, time, increment })
    }
}

/// Parses a number of seconds, to the millisecond.
fn seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 =
        text.parse().ok().filter(|seconds| plain && *seconds <= DAY.as_secs_f64())?;
    Some(Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// Limits of the system resources of an engine, except memory; `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceLimits {
    /// CPU time of each process, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u64>,
    /// Number of processes and threads of the engine at a time; requires isolation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Size of a file that the engine writes, in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesize: Option<u64>,
    /// Whether the engine has access to the network; without access, isolation is required.
    #[serde(skip_serializing_if = "is_on")]
    pub net: bool,
}

/// `true` for access to the network, which is not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_on(net: &bool) -> bool {
    *net
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits { cpu: None, processes: None, filesize: None, net: true }
    }
}

impl ResourceLimits {
    /// Returns the keys with their values in the form of `--engine`, without those that have no limit.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let numbers =
            [("cpu", self.cpu), ("processes", self.processes), ("filesize", self.filesize)];
        let numbers =
            numbers.into_iter().filter_map(|(key, value)| Some((key, value?.to_string())));
        let net = (!self.net).then(|| ("net", "off".to_string()));
        numbers.chain(net).collect()
    }

    /// Returns the first key that requires isolation, if there is one.
    pub fn need_of_isolation(&self) -> Option<&'static str> {
        match self {
            ResourceLimits { net: false, .. } => Some("net=off"),
            ResourceLimits { processes: Some(_), .. } => Some("processes"),
            _ => None,
        }
    }
}

/// Whether engines are isolated from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolate {
    /// If the system allows it.
    #[default]
    Auto,
    /// Always; without support of the system the match fails.
    On,
    Off,
}

impl fmt::Display for Isolate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isolate::Auto => "auto",
            Isolate::On => "on",
            Isolate::Off => "off",
        })
    }
}

impl FromStr for Isolate {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`Isolate`]; the error names the accepted values.
    fn from_str(text: &str) -> Result<Isolate, String> {
        match text {
            "auto" => Ok(Isolate::Auto),
            "on" => Ok(Isolate::On),
            "off" => Ok(Isolate::Off),
            _ => Err("expected auto, on or off".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_grows_with_the_time_for_a_move() {
        for (limit, margin) in [
            ("movetime=20", 10),
            ("movetime=200", 10),
            ("movetime=400", 20),
            ("movetime=1000", 50),
            ("movetime=60000", 50),
            ("tc=8+0.2", 20),
            ("tc=10/4+0", 20),
        ] {
            let limit: Limit = limit.parse().unwrap();
            let found = limit.time.unwrap().margin();
            assert_eq!(found, Duration::from_millis(margin), "{limit}");
        }
    }

    #[test]
    fn a_limit_reads_as_it_is_displayed() {
        let milliseconds = Duration::from_millis;
        let clock = Limit::clock(milliseconds(1500), milliseconds(10));
        let with_moves = "tc=40/60+0.5".parse::<Limit>().unwrap();
        for limit in [
            Limit::movetime(milliseconds(1)),
            Limit::depth(7),
            Limit::nodes(i64::MAX as u64),
            Limit::clock(milliseconds(90_001), milliseconds(0)),
            clock,
            with_moves,
            with_moves.or(Limit::depth(3)).or(Limit::nodes(8)),
        ] {
            assert_eq!(limit.to_string().parse(), Ok(limit), "{limit}");
        }
    }

    #[test]
    fn a_clock_may_be_in_minutes_and_seconds() {
        for (text, seconds) in [("tc=1:30+0.5", "tc=90+0.5"), ("tc=40/0:30.5", "tc=40/30.5")] {
            assert_eq!(text.parse::<Limit>(), seconds.parse());
        }
    }

    #[test]
    fn a_word_that_is_no_limit_is_named() {
        for text in ["depth=x", "depth=3 st=1", "tc=0", "tc=inf", "tc=1:-1", "tc=:", "tc=1440:1"] {
            let error = text.parse::<Limit>().unwrap_err();
            assert!(error.contains("expected"), "{error}");
        }
    }
}
