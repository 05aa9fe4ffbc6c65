//! The form of a record in a file: what the clock said stands apart from what was played.

use serde::{Deserialize, Serialize};

use super::{Fault, GameRecord, TurnRecord};
use crate::ending::Ending;

/// A record as it is written and read.
#[derive(Serialize, Deserialize)]
pub struct Line {
    game: u64,
    block: u64,
    variant: String,
    start: String,
    seats: Vec<String>,
    seed: u64,
    moves: String,
    places: Vec<u32>,
    endings: Vec<Ending>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    turns: Vec<LineTurn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<Clock>,
}

#[derive(Serialize, Deserialize)]
struct LineTurn {
    seat: u32,
    mv: String,
    /// Where records had the time before they had a `clock`.
    #[serde(default, skip_serializing)]
    micros: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    estimate: Vec<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<String>,
}

/// All that the wall clock said.
#[derive(Serialize, Deserialize)]
struct Clock {
    /// Of each turn the microseconds from `go` to the answer, `null` where they are not known.
    micros: Vec<Option<u64>>,
}

impl From<GameRecord> for Line {
    fn from(record: GameRecord) -> Line {
        let micros: Vec<Option<u64>> = record.turns.iter().map(|turn| turn.micros).collect();
        let is_timed = micros.iter().any(Option::is_some);
        let turn = |turn: TurnRecord| LineTurn {
            seat: turn.seat,
            mv: turn.mv,
            micros: None,
            depth: turn.depth,
            estimate: turn.estimate,
            score: turn.score,
        };
        Line {
            game: record.game,
            block: record.block,
            variant: record.variant,
            start: record.start,
            seats: record.seats,
            seed: record.seed,
            moves: record.moves,
            places: record.places,
            endings: record.endings,
            fault: record.fault,
            turns: record.turns.into_iter().map(turn).collect(),
            clock: is_timed.then_some(Clock { micros }),
        }
    }
}

impl From<Line> for GameRecord {
    fn from(line: Line) -> GameRecord {
        let micros = line.clock.map_or(Vec::new(), |clock| clock.micros);
        let micros = micros.into_iter().chain(std::iter::repeat(None));
        let turn = |(turn, micros): (LineTurn, Option<u64>)| TurnRecord {
            seat: turn.seat,
            mv: turn.mv,
            micros: micros.or(turn.micros),
            depth: turn.depth,
            estimate: turn.estimate,
            score: turn.score,
        };
        GameRecord {
            game: line.game,
            block: line.block,
            variant: line.variant,
            start: line.start,
            seats: line.seats,
            seed: line.seed,
            moves: line.moves,
            places: line.places,
            endings: line.endings,
            fault: line.fault,
            turns: line.turns.into_iter().zip(micros).map(turn).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"{"game":1,"block":1,"variant":"v","start":"s","seats":["a","b"],"seed":1,"moves":"5","places":[1,2],"endings":["ended","time forfeit"],"fault":{"seat":2,"reason":"it answered after 93.4 ms"},"turns":[{"seat":1,"mv":"5","micros":71}]}"#;

    fn read(line: &str) -> GameRecord {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn write(record: &GameRecord) -> String {
        serde_json::to_string(record).unwrap()
    }

    #[test]
    fn all_that_the_clock_said_is_under_one_key() {
        let record = read(OLD);
        assert_eq!(record.turns[0].micros, Some(71));
        let line = write(&record);
        assert!(
            line.contains(r#""turns":[{"seat":1,"mv":"5"}],"clock":{"micros":[71]}"#),
            "{line}"
        );
        assert_eq!(read(&line), record);
    }

    #[test]
    fn without_the_clock_nothing_of_it_is_told() {
        let record = read(OLD).without_clock();
        assert_eq!(record.turns[0].micros, None);
        let line = write(&record);
        for told in ["clock", "micros", "71", "93.4"] {
            assert!(!line.contains(told), "{told:?} in {line}");
        }
        assert_eq!(read(&line), record);
    }
}
