//! The possible endings of a seat's game.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a seat's game stopped. Records and tables spell it as its [`Display`](fmt::Display) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ending {
    /// The seat reached its place by the rules, and others were still playing.
    #[serde(rename = "finish")]
    Finish,
    /// The seat is last, because all others have finished.
    #[serde(rename = "last")]
    Last,
    /// The move was illegal, malformed or missing after `bestmove`.
    #[serde(rename = "illegal move")]
    IllegalMove,
    /// The answer came later than the limit plus the margin.
    #[serde(rename = "time forfeit")]
    TimeForfeit,
    /// The engine gave no answer before the deadline.
    #[serde(rename = "stall")]
    Stall,
    /// The engine's process ended.
    #[serde(rename = "crash")]
    Crash,
    /// The engine closed its output while its process kept running.
    #[serde(rename = "disconnect")]
    Disconnect,
    /// The engine interfered with the arbiter, for example by a signal.
    #[serde(rename = "interference")]
    Interference,
    /// Both engines agreed for long enough on the winner.
    #[serde(rename = "agreed")]
    Agreed,
    /// The rules know the exact outcome.
    #[serde(rename = "solved")]
    Solved,
    /// The game reached the maximum number of plies.
    #[serde(rename = "max plies")]
    MaxPlies,
    /// Another seat's fault ended the game.
    #[serde(rename = "ended")]
    Ended,
}

impl Ending {
    /// All endings, in the order of the tables.
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

    /// Returns the spelling in records and tables.
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

    /// `true` if the seat itself is at fault.
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
