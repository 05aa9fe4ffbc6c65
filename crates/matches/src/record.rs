//! The record of a game. In a file it is one JSON object per line; everything that depends on the wall clock is under
//! the key `clock`.

pub mod digest;
pub mod ending;
pub mod line;
pub mod printable;

use std::fmt;
use std::ops::AddAssign;
use std::str::FromStr;
use std::time::Duration;

use buxtehude::rules::is_card;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use ending::Ending;
use line::Line;

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

    /// The answer behind each move, in order; `None` for the moves of the opening.
    pub fn answers(&self) -> impl Iterator<Item = Option<&TurnRecord>> {
        let opening = std::iter::repeat_n(None, self.opening_plies());
        opening.chain(self.turns.iter().map(Some))
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
pub const SUM_OF_SHARES: u32 = 1000;

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
    let is_whole = numbers().sum::<u32>().abs_diff(SUM_OF_SHARES) <= seats as u32;
    shares.len() == seats && is_whole && numbers().all(|share| share <= SUM_OF_SHARES)
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

/// Billionths of all points in a permille.
const BILLIONTHS: f64 = 1e6;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Luck {
    /// Identity of the evaluator: its name or hash, and its budget.
    pub by: String,
    /// Gain of each seat from all cards, in permille of the points, rounded to [`Luck::round`]; the sum is near 0.
    pub shares: Vec<f64>,
}

impl Luck {
    /// Rounds a number of permille to a billionth of all points, so that sums do not depend on their order.
    pub fn round(permille: f64) -> f64 {
        // Adding zero turns -0 into 0.
        (permille * BILLIONTHS).round() / BILLIONTHS + 0.0
    }

    /// Luck of each seat in billionths of all points.
    pub fn billionths(&self) -> impl Iterator<Item = i64> {
        self.shares.iter().map(|share| (share * BILLIONTHS).round() as i64)
    }

    /// `true` if there is one finite number for each of `seats` seats, all within the points and with a sum near 0.
    pub fn is_valid(&self, seats: usize) -> bool {
        let sum: f64 = self.shares.iter().sum();
        self.shares.len() == seats
            && self.shares.iter().all(|share| share.abs() <= MAX_LUCK)
            && sum.abs() < seats as f64 / BILLIONTHS
    }
}

/// Maximum luck of a seat in permille, by absolute value; one card moves it by at most 1000.
const MAX_LUCK: f64 = 1e6;

/// Bytes of a key.
const KEY_BYTES: usize = 16;

/// Source of all randomness in a match. As text it is a decimal number or 32 hexadecimal digits.
///
/// # Examples
/// ```
/// use matches::record::Seed;
///
/// assert_eq!("7".parse(), Ok(Seed::Number(7)));
/// let key = Seed::Key(*b"sixteen letters!");
/// assert_eq!(key.to_string().parse(), Ok(key));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// A number, short enough to type, and to find by trial and error.
    Number(u64),
    /// A key of 128 bits.
    Key([u8; KEY_BYTES]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a whole number from 0 to 18446744073709551615, or 32 hexadecimal digits")]
pub struct SeedTextError;

impl Default for Seed {
    fn default() -> Seed {
        Seed::Number(1)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seed::Number(number) => write!(f, "{number}"),
            Seed::Key(key) => key.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

impl FromStr for Seed {
    type Err = SeedTextError;

    fn from_str(text: &str) -> Result<Seed, SeedTextError> {
        if text.len() != 2 * KEY_BYTES {
            let number = text.parse().map(Seed::Number);
            return number.map_err(|_| SeedTextError);
        }
        if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(SeedTextError);
        }
        let key = u128::from_str_radix(text, 16).map_err(|_| SeedTextError)?;
        Ok(Seed::Key(key.to_be_bytes()))
    }
}

impl Serialize for Seed {
    /// Writes a number as a number and a key as text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Seed::Number(number) => serializer.serialize_u64(*number),
            Seed::Key(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a seed: a number or a text")]
        enum Form {
            Number(u64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(Seed::Number(number)),
            Form::Text(text) => {
                let wrong = |error| de::Error::custom(format!("seed {text:?}: {error}"));
                text.parse().map_err(wrong)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_they_were() {
        let numbers = [12.345_678_9, -0.000_000_4, 1000.0 / 3.0, -999.999_999_9];
        let rounded = numbers.map(Luck::round);
        for number in rounded {
            assert_eq!(number.to_string().parse::<f64>().unwrap(), number);
            assert_eq!(Luck::round(number), number);
        }
        let luck = Luck { by: String::new(), shares: rounded.into() };
        let billionths: Vec<i64> = luck.billionths().collect();
        assert_eq!(billionths, [12_345_679, 0, 333_333_333, -1_000_000_000]);
    }

    #[test]
    fn luck_adds_up_to_nothing() {
        let is_valid = |shares: &[f64]| {
            let by = String::new();
            let shares = shares.to_vec();
            Luck { by, shares }.is_valid(2)
        };
        assert!(is_valid(&[1.5, -1.5]) && is_valid(&[0.0, 0.0]));
        assert!(!is_valid(&[1.5, -1.4]) && !is_valid(&[0.0]) && !is_valid(&[f64::NAN, 0.0]));
        assert!(!is_valid(&[1e7, -1e7]));
    }

    const KEY: Seed = Seed::Key([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
    const DIGITS: &str = "000102030405060708090a0b0c0d0eff";

    #[test]
    fn a_seed_is_a_number_or_a_key() {
        for (text, seed) in [
            ("0", Seed::Number(0)),
            ("18446744073709551615", Seed::Number(u64::MAX)),
            (DIGITS, KEY),
        ] {
            assert_eq!(text.parse(), Ok(seed), "{text}");
            assert_eq!(seed.to_string(), text);
        }
        for text in [
            "",
            "-1",
            "7 ",
            "18446744073709551616",
            "banana",
            &DIGITS[1..],
            "+00102030405060708090a0b0c0d0eff",
            &format!("{DIGITS}0"),
        ] {
            assert_eq!(text.parse::<Seed>(), Err(SeedTextError), "{text}");
        }
    }

    #[test]
    fn a_number_is_one_in_json_and_a_key_is_a_text() {
        for (seed, json) in [(Seed::Number(7), "7".to_string()), (KEY, format!("\"{DIGITS}\""))] {
            assert_eq!(serde_json::to_string(&seed).unwrap(), json);
            assert_eq!(serde_json::from_str::<Seed>(&json).unwrap(), seed);
        }
        assert_eq!(serde_json::from_str::<Seed>("\"7\"").unwrap(), Seed::Number(7));
        let error = serde_json::from_str::<Seed>("\"x\"").unwrap_err().to_string();
        assert!(error.contains("seed \"x\": expected a whole number"), "{error}");
        assert!(serde_json::from_str::<Seed>("-1").is_err());
    }
}
