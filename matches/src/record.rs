//! What happened in a game. In a file it is one JSON object a line, in which all that the wall clock said
//! is under one key, `clock`.

pub mod digest;
pub mod ending;
pub mod line;
mod machine;
pub mod printable;
pub mod seed;

use buxtehude::rules::is_card;
use serde::{Deserialize, Serialize};

use ending::Ending;
use line::Line;
pub use machine::Machine;
use seed::Seed;

/// The most words of a principal variation that a record keeps.
pub const MAX_LINE: usize = 12;

/// The most characters that a record keeps of the flaw of an answer.
pub const MAX_FLAW: usize = 100;

/// What the fault of an answer that came too late is called where nothing of the clock is told.
const TOO_LATE: &str = "it answered later than its limit and the margin allow";

/// A finished game with everything needed to replay it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Line", into = "Line")]
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
    pub seed: Seed,
    /// Moves and cards from `start` on, separated by single spaces.
    pub moves: String,
    /// Places in seat order, from 1; shared places as the best of them.
    pub places: Vec<u32>,
    /// Why each seat's game stopped, in seat order.
    pub endings: Vec<Ending>,
    /// The fault that ended the game, or `None`.
    pub fault: Option<Fault>,
    /// Every move that an engine was asked for, in order.
    pub turns: Vec<TurnRecord>,
    /// Why it was begun before and played again, in order; mostly none.
    pub replays: Vec<Replay>,
    /// Who played it, in a match on many machines; `None` elsewhere.
    pub machine: Option<Machine>,
}

impl GameRecord {
    /// How many moves there are, those of the opening too.
    pub fn plies(&self) -> usize {
        let words = self.moves.split_whitespace();
        words.filter(|word| !is_card(word)).count()
    }

    /// How many moves come before those that engines were asked for; none where there are fewer than those.
    pub fn opening_plies(&self) -> usize {
        self.plies().saturating_sub(self.turns.len())
    }

    /// What the turns of each seat add up to, in seat order.
    pub fn turn_sums(&self) -> Vec<TurnSums> {
        let mut sums = vec![TurnSums::default(); self.seats.len()];
        for turn in &self.turns {
            if let Some(sums) = sums.get_mut((turn.seat as usize).wrapping_sub(1)) {
                sums.turns += u64::from(turn.micros.is_some());
                sums.micros += turn.micros.unwrap_or(0);
                sums.depth_turns += u64::from(turn.depth.is_some());
                sums.depths += u64::from(turn.depth.unwrap_or(0));
                sums.waited += turn.waited.unwrap_or(0);
                sums.out_of_turn += turn.out_of_turn.unwrap_or(0);
                sums.late_stops += turn.late_stop.unwrap_or(0);
                sums.flaws += u64::from(turn.flaw.is_some());
            }
        }
        sums
    }

    /// The same game without anything that the wall clock said: no times of answers, and of an answer that
    /// came too late only that it did.
    ///
    /// Deterministic engines limited by depth or nodes play games of which nothing else depends on the clock.
    pub fn without_clock(mut self) -> GameRecord {
        for turn in &mut self.turns {
            turn.micros = None;
            turn.overrun = None;
            turn.waited = None;
            turn.out_of_turn = None;
            turn.late_stop = None;
        }
        self.replays = Vec::new();
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

/// What the shares of an estimate add up to.
const WHOLE: u32 = 1000;

/// Whether numbers can be an estimate: a share in permille for each of so many seats, all of which make a whole but
/// for their rounding.
///
/// # Examples
/// ```
/// use arbiter::record::is_estimate;
///
/// assert!(is_estimate(&[333, 333, 333], 3));
/// assert!(!is_estimate(&[600, 300], 2));
/// ```
pub fn is_estimate(shares: &[u16], seats: usize) -> bool {
    let numbers = || shares.iter().copied().map(u32::from);
    let is_whole = numbers().sum::<u32>().abs_diff(WHOLE) <= seats as u32;
    shares.len() == seats && is_whole && numbers().all(|share| share <= WHOLE)
}

/// What the turns of a seat add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnSums {
    /// Answers of which the time is known.
    pub turns: u64,
    /// Microseconds used for them.
    pub micros: u64,
    /// Answers with a depth.
    pub depth_turns: u64,
    /// The sum of these depths.
    pub depths: u64,
    /// Microseconds that it waited for a processor.
    pub waited: u64,
    /// Microseconds of processors that it used out of turn.
    pub out_of_turn: u64,
    /// Microseconds that the ends of its pondering took beyond the grace.
    pub late_stops: u64,
    /// Answers of which something other than the move was no good.
    pub flaws: u64,
}

/// A game that was begun, and played again since a loss in it may have been somebody else's fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The seat that would have lost, from 1.
    pub seat: u32,
    /// Why it was no loss, in one sentence.
    pub reason: String,
    /// Each seat's share in permille just before: the mean of what the engines said last. Empty where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<u16>,
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
    /// What else is known, or `None` in a record without the clock. In a file it is under the key of the clock.
    #[serde(skip)]
    pub evidence: Option<Evidence>,
}

/// The last moments of an engine that is at fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The last lines each way, oldest first.
    pub lines: Vec<SaidLine>,
    /// How its process ended.
    pub exit: Option<String>,
    /// The most memory that it had, in KiB.
    pub memory_kib: Option<u64>,
    /// Its time on processors, in microseconds.
    pub cpu_micros: Option<u64>,
}

/// A line of a talk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaidLine {
    /// Microseconds since the engine was started.
    pub micros: u64,
    /// Who said it.
    pub from: Speaker,
    /// The line; of a long one the two ends.
    pub text: String,
}

/// Who said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The arbiter.
    Arbiter,
    /// The engine.
    Engine,
}

/// One answer of an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnRecord {
    /// The seat that moved, from 1.
    pub seat: u32,
    /// The move it gave.
    pub mv: String,
    /// Microseconds from `go` to the answer, or `None` in a record without the clock.
    pub micros: Option<u64>,
    /// Microseconds by which the answer was later than its limit of time, within the margin; else `None`.
    pub overrun: Option<u64>,
    /// How many of `micros` the engine could not run, or was not heard, for want of a processor: they are not to its
    /// debit. `None` where nothing was measured.
    pub waited: Option<u64>,
    /// Microseconds of processors that the engine used since its answer before, when it was neither its turn nor was it
    /// to ponder; `None` where nothing was measured.
    pub out_of_turn: Option<u64>,
    /// Microseconds beyond the grace that the end of its pondering took after `stop`, charged to this turn; `None` for
    /// none.
    pub late_stop: Option<u64>,
    /// The last depth reported.
    pub depth: Option<u32>,
    /// Each seat's share in permille, from the engine's answer; empty where it gives none.
    pub estimate: Vec<u16>,
    /// The last score reported, as the protocol spells it (`cp 31`, `mate -2`).
    pub score: Option<String>,
    /// The last number of positions reported.
    pub nodes: Option<u64>,
    /// The principal variation last reported, moves and cards, as far as the rules allow it; at most
    /// [`MAX_LINE`] words.
    pub pv: Vec<String>,
    /// What was wrong with the answer beside its move, and so is not recorded: one short sentence, at most
    /// [`MAX_FLAW`] characters.
    pub flaw: Option<String>,
}
