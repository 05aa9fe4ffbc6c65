//! The limits of an engine's moves.

pub mod text;

use std::fmt;
use std::time::Duration;

pub use text::LimitTextError;
pub use text::clock;

/// Limit of an engine's moves: at least one of time, depth and nodes. The search ends at the first that it reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Time limit.
    pub time: Option<TimeLimit>,
    /// Plies to search per move.
    pub depth: Option<u32>,
    /// Nodes to visit per move.
    pub nodes: Option<u64>,
}

/// A time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// Time per move.
    Move(Duration),
    /// A clock for the whole game.
    Clock(ClockLimit),
}

/// The times of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLimit {
    /// Number of moves per period; `None` if `time` is for the whole game. Each period adds `time` to the clock.
    pub moves: Option<u32>,
    /// Time at the start, and of each period.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

impl Limit {
    /// Limits the time per move.
    pub const fn movetime(time: Duration) -> Limit {
        Limit {
            time: Some(TimeLimit::Move(time)),
            depth: None,
            nodes: None,
        }
    }

    /// Limits the plies per move.
    pub const fn depth(depth: u32) -> Limit {
        Limit {
            time: None,
            depth: Some(depth),
            nodes: None,
        }
    }

    /// Limits the nodes per move.
    pub const fn nodes(nodes: u64) -> Limit {
        Limit {
            time: None,
            depth: None,
            nodes: Some(nodes),
        }
    }

    /// Sets a clock for the whole game.
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

    /// `true` if there is no time limit.
    pub fn is_timeless(&self) -> bool {
        self.time.is_none()
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
