//! The record of a game. In a file it is one JSON object per line; everything that depends on the wall clock is under
//! the key `clock`.

pub mod digest;
pub mod ending;
pub mod line;
pub mod luck;
pub mod printable;
pub mod seed;

use std::ops::AddAssign;
use std::time::Duration;

use buxtehude::rules::is_card;
use serde::{Deserialize, Serialize};

use ending::Ending;
use line::Line;
pub use luck::Luck;
use seed::Seed;

/// Maximum number of characters of an engine's name.
pub const MAX_NAME_LENGTH: usize = 200;

/// Maximum number of words of a principal variation in a record.
pub const MAX_LINE: usize = 12;

/// Maximum number of characters of [`TurnRecord::flaw`].
pub const MAX_FLAW: usize = 100;

/// Reason of a time forfeit in a record without the clock. Digests depend on this text.
const TOO_LATE: &str = "it answered later than its limit and the margin allow";

/// `true` if a name has more than [`MAX_NAME_LENGTH`] characters.
pub fn is_too_long(name: &str) -> bool {
    name.chars().nth(MAX_NAME_LENGTH).is_some()
}

/// A finished game with everything needed to replay it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Line", into = "Line")]
pub struct GameRecord {
    /// Number of the game in the match, from 1.
    pub game: u64,
    /// Number of the block, from 1.
    pub block: u64,
    pub variant: String,
    /// Text of the start position.
    pub start: String,
    /// Names of the engines, in seat order.
    pub seats: Vec<String>,
    /// Seed of the match.
    pub seed: Seed,
    /// Moves and cards from `start`, separated by single spaces.
    pub moves: String,
    /// Places in seat order, from 1; seats that share places all have the best of them.
    pub places: Vec<u32>,
    /// Winnings in seat order if the game had a stake and was played to its end; otherwise empty.
    pub winnings: Vec<u32>,
    /// Why each seat's game stopped, in seat order.
    pub endings: Vec<Ending>,
    /// The fault that ended the game, or `None`.
    pub fault: Option<Fault>,
    /// Every move that an engine chose, in order.
    pub turns: Vec<TurnRecord>,
    /// Earlier attempts at this game that were abandoned, in order; usually none.
    pub reruns: Vec<Rerun>,
    /// Machine that played the game, in a match on several machines; otherwise `None`.
    pub machine: Option<Machine>,
    /// Luck of each seat; `None` if it was not measured.
    pub luck: Option<Luck>,
}

impl GameRecord {
    /// Number of moves, including the opening.
    pub fn plies(&self) -> usize {
        let words = self.moves.split_whitespace();
        words.filter(|word| !is_card(word)).count()
    }

    /// Number of moves before the first move of an engine; 0 if there are fewer moves than turns.
    pub fn opening_plies(&self) -> usize {
        self.plies().saturating_sub(self.turns.len())
    }

    /// Name of the engine in a seat, from 1.
    pub fn engine_in(&self, seat: u32) -> Option<&str> {
        let index = (seat as usize).wrapping_sub(1);
        self.seats.get(index).map(String::as_str)
    }

    /// The fault that ended the game, with the offender's name and ending; these are `?` if the record lacks them.
    pub fn named_fault(&self) -> Option<(&Fault, &str, &'static str)> {
        let fault = self.fault.as_ref()?;
        let ending = self.endings.get((fault.seat as usize).wrapping_sub(1));
        let name = self.engine_in(fault.seat).unwrap_or("?");
        Some((fault, name, ending.map_or("?", |ending| ending.name())))
    }

    /// Totals of each seat's turns, in seat order.
    pub fn turn_sums(&self) -> Vec<TurnSums> {
        let mut sums = vec![TurnSums::default(); self.seats.len()];
        for turn in &self.turns {
            if let Some(sums) = sums.get_mut((turn.seat as usize).wrapping_sub(1)) {
                *sums += TurnSums {
                    turns: u64::from(turn.micros.is_some()),
                    micros: turn.micros.unwrap_or(0),
                    depth_turns: u64::from(turn.depth.is_some()),
                    depths: u64::from(turn.depth.unwrap_or(0)),
                    waited: turn.waited.unwrap_or(0),
                    overruns: turn.overrun.unwrap_or(0),
                    out_of_turn: turn.out_of_turn.unwrap_or(0),
                    late_stops: turn.late_stop.unwrap_or(0),
                    flaws: u64::from(turn.flaw.is_some()),
                };
            }
        }
        sums
    }

    /// Removes everything that depends on the wall clock: all times, the reruns and the machine. The reason of a time
    /// forfeit no longer names the time.
    ///
    /// If the engines are deterministic and limited by depth or nodes, the result is the same on every machine.
    pub fn without_clock(mut self) -> GameRecord {
        for turn in &mut self.turns {
            turn.micros = None;
            turn.overrun = None;
            turn.waited = None;
            turn.out_of_turn = None;
            turn.late_stop = None;
        }
        self.reruns = Vec::new();
        self.machine = None;
        if let Some(fault) = &mut self.fault {
            fault.evidence = None;
            let seat = (fault.seat as usize).wrapping_sub(1);
            if self.endings.get(seat) == Some(&Ending::TimeForfeit) {
                fault.reason = TOO_LATE.to_string();
            }
        }
        self
    }
}

pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Sum of the shares of an estimate.
const WHOLE: u32 = 1000;

/// `true` if `shares` is a valid estimate for `seats` seats: one share in permille per seat, with a sum of 1000 up to
/// rounding.
///
/// # Examples
/// ```
/// use matches::record::is_estimate;
///
/// assert!(is_estimate(&[333, 333, 333], 3));
/// assert!(!is_estimate(&[600, 300], 2));
/// ```
pub fn is_estimate(shares: &[u16], seats: usize) -> bool {
    let numbers = || shares.iter().copied().map(u32::from);
    let is_whole = numbers().sum::<u32>().abs_diff(WHOLE) <= seats as u32;
    shares.len() == seats && is_whole && numbers().all(|share| share <= WHOLE)
}

/// Totals of a seat's turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnSums {
    /// Number of answers with a known time.
    pub turns: u64,
    /// Time of these answers, in microseconds.
    pub micros: u64,
    /// Number of answers with a depth.
    pub depth_turns: u64,
    /// Sum of these depths.
    pub depths: u64,
    /// Time that the engine waited for a processor, in microseconds.
    pub waited: u64,
    /// Time beyond the limits, in microseconds.
    pub overruns: u64,
    /// CPU time used out of turn, in microseconds.
    pub out_of_turn: u64,
    /// Time beyond the grace period that the engine took to stop pondering, in microseconds.
    pub late_stops: u64,
    /// Number of answers with a flaw other than the move.
    pub flaws: u64,
}

impl AddAssign for TurnSums {
    fn add_assign(&mut self, other: TurnSums) {
        self.turns += other.turns;
        self.micros += other.micros;
        self.depth_turns += other.depth_turns;
        self.depths += other.depths;
        self.waited += other.waited;
        self.overruns += other.overruns;
        self.out_of_turn += other.out_of_turn;
        self.late_stops += other.late_stops;
        self.flaws += other.flaws;
    }
}

/// An attempt at a game that was abandoned and rerun, because the loss may not have been the engine's fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerun {
    /// Seat that would have lost, from 1.
    pub seat: u32,
    /// Why the attempt does not count, in one sentence.
    pub reason: String,
    /// Each seat's share in permille at that moment: the mean of the engines' last estimates. Empty if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<u16>,
}

/// An engine's fault, which ended a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The offender's seat, from 1.
    pub seat: u32,
    /// The fault in one sentence, with its numbers.
    pub reason: String,
    /// The last lines of the offender's standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// Further evidence; `None` in a record without the clock. In a file it is under the key of the clock.
    #[serde(skip)]
    pub evidence: Option<Evidence>,
}

/// State of an engine at the moment of its fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The last lines in both directions, oldest first.
    pub lines: Vec<SaidLine>,
    /// Exit status of the engine's process.
    pub exit: Option<String>,
    /// Peak memory, in KiB.
    pub memory_kib: Option<u64>,
    /// CPU time, in microseconds.
    pub cpu_micros: Option<u64>,
}

/// A line that the arbiter or an engine sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaidLine {
    /// Time since the start of the engine, in microseconds.
    pub micros: u64,
    pub from: Speaker,
    /// The line; only its beginning and end if it is long.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    Arbiter,
    Engine,
}

/// The machine that played a game. In a file it is under the key of the clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
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

/// An engine's answer to one `go`. In a file, its times are under the key of the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The seat that moved, from 1.
    pub seat: u32,
    pub mv: String,
    /// Time from `go` to the answer, in microseconds; `None` in a record without the clock.
    #[serde(skip)]
    pub micros: Option<u64>,
    /// Excess of the answer over its time limit, within the margin, in microseconds; `None` if there is none.
    #[serde(skip)]
    pub overrun: Option<u64>,
    /// Part of `micros` that the engine waited for a processor, or its answer waited for the arbiter. It does not count
    /// against the engine's clock. `None` if it was not measured.
    #[serde(skip)]
    pub waited: Option<u64>,
    /// CPU time in microseconds that the engine used since its previous answer while it was neither to move nor to
    /// ponder; before its first answer, also time beyond its budget for the start of a game. `None` if it was not
    /// measured.
    #[serde(skip)]
    pub out_of_turn: Option<u64>,
    /// Time beyond the grace period that the engine took to answer the `stop` of its pondering, in microseconds. It is
    /// charged to this turn. `None` if the answer came in time.
    #[serde(skip)]
    pub late_stop: Option<u64>,
    /// Last reported depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Each seat's share in permille, from the engine's answer; empty if the engine gives none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimate: Vec<u16>,
    /// Last reported score, as the protocol spells it (`cp 31`, `mate -2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Last reported number of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Moves and cards of the last reported principal variation, up to the first illegal one; at most [`MAX_LINE`]
    /// words.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "line::words")]
    pub pv: Vec<String>,
    /// A flaw of the answer other than its move, as one short sentence of at most [`MAX_FLAW`] characters. The flawed
    /// part is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flaw: Option<String>,
}
