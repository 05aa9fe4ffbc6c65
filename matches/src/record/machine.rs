//! The machine that played a game of a match on several machines, and its state at that time.

use serde::{Deserialize, Serialize};

/// The machine that played a game. In a file it is under the key of the clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the machine's worker.
    pub worker: String,
    /// Number of games that the machine plays at a time.
    pub slots: u32,
    /// Duration of the game on the machine in microseconds, including everything before the first move.
    pub micros: u64,
    /// Median lag of the machine's arbiter in the last minute or two, in microseconds.
    pub lag_median: u64,
    /// 99th percentile of this lag, in microseconds.
    pub lag_p99: u64,
    /// Nodes per second of the built-in engine in each slot while all slots are busy; `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<u64>,
    /// Time limits in permille of the match's own; `None` if they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<u32>,
}
