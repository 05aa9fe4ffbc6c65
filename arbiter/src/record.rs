//! What happened in a game: one JSON object a line.

use serde::{Deserialize, Serialize};

use crate::ending::Ending;

/// A finished game with everything needed to replay it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the match, from 1.
    pub game: u64,
    /// The number of its block, from 1.
    pub block: u64,
    /// The name of the variant.
    pub variant: String,
    /// The text of the position at the start.
    pub start: String,
    /// Names of the engines, in seat order.
    pub seats: Vec<String>,
    /// The seed of the match.
    pub seed: u64,
    /// Moves and cards from `start` on, separated by single spaces.
    pub moves: String,
    /// Places in seat order, from 1; shared places as the best of them.
    pub places: Vec<u32>,
    /// Why each seat's game stopped, in seat order.
    pub endings: Vec<Ending>,
    /// The fault that ended the game, or `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Every move that an engine was asked for, in order.
    pub turns: Vec<TurnRecord>,
}

/// What an offender did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The offender's seat, from 1.
    pub seat: u32,
    /// One sentence: what was wrong, with its numbers.
    pub reason: String,
    /// The last lines of the offender's standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

/// One answer of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The seat that moved, from 1.
    pub seat: u32,
    /// The move it gave.
    pub mv: String,
    /// Microseconds from `go` to the answer.
    pub micros: u64,
    /// The last depth reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Each seat's share in permille, from the engine's answer; empty where it gives none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimate: Vec<u16>,
    /// The last score reported, as the protocol spells it (`cp 31`, `mate -2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
}
