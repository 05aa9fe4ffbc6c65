//! The possible endings of a seat's game.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a seat's game stopped. Records and tables spell it as its [`Display`](fmt::Display) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "&str", try_from = "String")]
pub enum Ending {
    /// The seat reached its place by the rules, and others were still playing.
    Finish,
    /// The seat is last, because all others have finished.
    Last,
    /// The move was illegal, malformed or missing after `bestmove`.
    IllegalMove,
    /// The answer came later than the limit plus the margin.
    TimeForfeit,
    /// The engine gave no answer before the deadline.
    Stall,
    /// The engine's process ended.
    Crash,
    /// The engine closed its output while its process kept running.
    Disconnect,
    /// The engine interfered with the arbiter, for example by a signal.
    Interference,
    /// Both engines agreed for long enough on the winner.
    Agreed,
    /// The rules know the exact outcome.
    Solved,
    /// The game reached the maximum number of plies.
    MaxPlies,
    /// Another seat's fault ended the game.
    Ended,
}

impl Ending {
    /// All endings with their spelling in records and tables, in the order of the enum.
    pub const ALL: [(Ending, &str); 12] = [
        (Ending::Finish, "finish"),
        (Ending::Last, "last"),
        (Ending::IllegalMove, "illegal move"),
        (Ending::TimeForfeit, "time forfeit"),
        (Ending::Stall, "stall"),
        (Ending::Crash, "crash"),
        (Ending::Disconnect, "disconnect"),
        (Ending::Interference, "interference"),
        (Ending::Agreed, "agreed"),
        (Ending::Solved, "solved"),
        (Ending::MaxPlies, "max plies"),
        (Ending::Ended, "ended"),
    ];

    /// Ending of a seat of `seats` that reached `place`, from 1, by the rules.
    pub const fn by_rules(place: usize, seats: usize) -> Ending {
        if place == seats { Ending::Last } else { Ending::Finish }
    }

    /// Returns the spelling in records and tables.
    pub const fn name(self) -> &'static str {
        Ending::ALL[self as usize].1
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

impl From<Ending> for &str {
    fn from(ending: Ending) -> &'static str {
        ending.name()
    }
}

impl TryFrom<String> for Ending {
    type Error = String;

    /// Parses the spelling in records; the error quotes an unknown one.
    fn try_from(name: String) -> Result<Ending, String> {
        let known = Ending::ALL.into_iter().find(|(_, known)| *known == name);
        let (ending, _) = known.ok_or_else(|| format!("unknown ending {name:?}"))?;
        Ok(ending)
    }
}
