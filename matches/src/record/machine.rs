//! Which machine played a game of a match on many machines, and how it was then.

use serde::{Deserialize, Serialize};

/// The machine that played a game. In a file it is under the key of the clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The name of its worker.
    pub worker: String,
    /// Games that it plays at a time.
    pub slots: u32,
    /// Microseconds that the game took there, with all that came before its first move.
    pub micros: u64,
    /// The median lag of its arbiter in the last minute or two, in microseconds.
    pub lag_median: u64,
    /// The lag that 99 in 100 did not exceed then, in microseconds.
    pub lag_p99: u64,
    /// Positions a second that the built-in engine visits in each of its slots while all of them are busy; `None` where
    /// that was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<u64>,
    /// The limits of time that held, in permille of those of the match; `None` where they were the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<u32>,
}
