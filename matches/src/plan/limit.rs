//! What an engine may use for its moves.

pub mod text;

use std::fmt;
use std::time::Duration;

pub use text::LimitTextError;
pub use text::clock;

/// The limit of an engine's moves: any of time, depth and nodes, at least one; whichever is reached first
/// holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Its time.
    pub time: Option<TimeLimit>,
    /// Plies to search for each move.
    pub depth: Option<u32>,
    /// Positions to visit for each move.
    pub nodes: Option<u64>,
}

/// A limit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// Time for each move.
    Move(Duration),
    /// A clock for the whole game.
    Clock(ClockLimit),
}

/// What a clock gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLimit {
    /// Moves for which `time` is given, and after which it is given once more; `None` for the whole game.
    pub moves: Option<u32>,
    /// Time at the start.
    pub time: Duration,
    /// Time gained with each move.
    pub increment: Duration,
}

impl Limit {
    /// Time for each move.
    pub const fn movetime(time: Duration) -> Limit {
        Limit {
            time: Some(TimeLimit::Move(time)),
            depth: None,
            nodes: None,
        }
    }

    /// Plies for each move.
    pub const fn depth(depth: u32) -> Limit {
        Limit {
            time: None,
            depth: Some(depth),
            nodes: None,
        }
    }

    /// Positions for each move.
    pub const fn nodes(nodes: u64) -> Limit {
        Limit {
            time: None,
            depth: None,
            nodes: Some(nodes),
        }
    }

    /// A clock for the whole game.
    pub const fn clock(time: Duration, increment: Duration) -> Limit {
        Limit {
            time: Some(TimeLimit::Clock(ClockLimit {
                moves: None,
                time,
                increment,
            })),
            depth: None,
            nodes: None,
        }
    }

    /// It in words: `clock 40/60+0.5 s, depth 9`.
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

    /// Whether nothing of it depends on time.
    pub fn is_timeless(&self) -> bool {
        self.time.is_none()
    }

    /// Both limits: `self` where both say something of the same.
    pub fn or(self, other: Limit) -> Limit {
        Limit {
            time: self.time.or(other.time),
            depth: self.depth.or(other.depth),
            nodes: self.nodes.or(other.nodes),
        }
    }
}

impl fmt::Display for Limit {
    /// Spelt as in `--engine`, to the millisecond: `tc=40/60+0.5 depth=9`.
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
    /// `moves/seconds+seconds`, without the moves where there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        let (time, increment) = (self.time.as_secs_f64(), self.increment.as_secs_f64());
        write!(f, "{time}+{increment}")
    }
}
