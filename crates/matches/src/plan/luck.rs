//! Settings for the luck of games.

use std::fmt;
use std::str::FromStr;

use super::{EngineSpec, Limit};

/// Largest default budget: more positions hardly make values better.
const MAX_NODES: u64 = 300;

/// Least default budget. It costs hardly more than one position, since most of the time goes into reading the game, and
/// is more precise.
const MIN_NODES: u64 = 20;

/// Divisor of an engine's nodes per move that gives the default budget. The number of moves of a game is close to the
/// number of values that its luck needs, so measuring takes less than a twentieth of the engines' time. So does the
/// least budget next to engines of a few nodes, whose time mostly goes into the exchange of lines.
const PART: u64 = 50;

/// Time of an engine that measures luck, in percent of the time of play.
pub const USUAL_LUCK_PERCENT: u32 = 100;
const MAX_PERCENT: u32 = 1_000_000;

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
            Limit { time: Some(_), .. } => MAX_NODES,
            Limit { nodes: Some(nodes), .. } => nodes / PART,
            _ => MIN_NODES,
        };
        let nodes = engines.iter().map(budget).min().unwrap_or(MIN_NODES);
        let nodes = nodes.clamp(MIN_NODES, MAX_NODES);
        LuckPlan { by: Some(LuckBy::BuiltIn { nodes }), after: false }
    }

    /// `true` if an engine can measure instead of the built-in one, because the budget is the default one.
    pub fn suits_an_engine(&self) -> bool {
        let usual = LuckBy::BuiltIn { nodes: MAX_NODES };
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
            "" if after => Some(LuckBy::BuiltIn { nodes: MAX_NODES }),
            "engine" => Some(LuckBy::Engine { percent: USUAL_LUCK_PERCENT }),
            share if share.starts_with("engine ") => {
                let percent = share["engine ".len()..].trim().strip_suffix('%');
                let percent = percent.and_then(|percent| percent.parse().ok());
                let percent = percent.filter(|percent| (1..=MAX_PERCENT).contains(percent));
                Some(LuckBy::Engine { percent: percent.ok_or_else(expected)? })
            }
            nodes => {
                let nodes = nodes.parse().ok().filter(|&nodes| nodes > 0);
                let nodes = nodes.ok_or_else(expected)?;
                Some(LuckBy::BuiltIn { nodes })
            }
        };
        Ok(LuckPlan { by, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_back_as_it_was() {
        for text in [
            "off", "300", "after 300", "engine", "after engine", "engine 50%", "after engine 1000%",
        ] {
            assert_eq!(text.parse::<LuckPlan>().unwrap().to_string(), text);
        }
        let default = format!("after {MAX_NODES}");
        assert_eq!("after".parse::<LuckPlan>().unwrap().to_string(), default);
        for (limit, nodes) in [
            (Limit::nodes(2000), "40"),
            (Limit::nodes(60), "20"),
            (Limit::nodes(1), "20"),
            (Limit::nodes(1_000_000), "300"),
            ("depth=4".parse().unwrap(), "20"),
            ("movetime=20".parse().unwrap(), "300"),
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
