//! The ways in which a seat's game can end: a closed set.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a seat's game stopped. In records and tables each is spelt as its [`Display`](fmt::Display).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ending {
    /// It reached its place by the rules, other than by being left over.
    #[serde(rename = "finish")]
    Finish,
    /// All others had finished: the last place.
    #[serde(rename = "last")]
    Last,
    /// Its answer was no legal move, or none or rubbish after `bestmove`.
    #[serde(rename = "illegal move")]
    IllegalMove,
    /// It answered later than its limit and the margin allow.
    #[serde(rename = "time forfeit")]
    TimeForfeit,
    /// It did not answer at all while it could be waited for.
    #[serde(rename = "stall")]
    Stall,
    /// Its process ended.
    #[serde(rename = "crash")]
    Crash,
    /// It closed its output, its process going on.
    #[serde(rename = "disconnect")]
    Disconnect,
    /// It meddled with the arbiter, as by a signal.
    #[serde(rename = "interference")]
    Interference,
    /// Both engines agreed for long enough who wins.
    #[serde(rename = "agreed")]
    Agreed,
    /// The rules knew the exact outcome.
    #[serde(rename = "solved")]
    Solved,
    /// The game reached the most plies allowed.
    #[serde(rename = "max plies")]
    MaxPlies,
    /// Another seat's fault ended the game.
    #[serde(rename = "ended")]
    Ended,
}

impl Ending {
    /// All endings, in the order of tables.
    pub const ALL: [Ending; 12] = [
        Ending::Finish,
        Ending::Last,
        Ending::IllegalMove,
        Ending::TimeForfeit,
        Ending::Stall,
        Ending::Crash,
        Ending::Disconnect,
        Ending::Interference,
        Ending::Agreed,
        Ending::Solved,
        Ending::MaxPlies,
        Ending::Ended,
    ];

    /// The spelling in records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Finish => "finish",
            Ending::Last => "last",
            Ending::IllegalMove => "illegal move",
            Ending::TimeForfeit => "time forfeit",
            Ending::Stall => "stall",
            Ending::Crash => "crash",
            Ending::Disconnect => "disconnect",
            Ending::Interference => "interference",
            Ending::Agreed => "agreed",
            Ending::Solved => "solved",
            Ending::MaxPlies => "max plies",
            Ending::Ended => "ended",
        }
    }

    /// Whether the seat itself is at fault.
    pub const fn is_fault(self) -> bool {
        matches!(
            self,
            Ending::IllegalMove
                | Ending::TimeForfeit
                | Ending::Stall
                | Ending::Crash
                | Ending::Disconnect
                | Ending::Interference
        )
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
