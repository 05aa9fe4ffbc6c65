//! The JSON form of a record, which separates the clock from the game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use buxtehude::rules::MAX_SEATS;

use super::{
    Evidence, Fault, GameRecord, Luck, MAX_NAME_LENGTH, Machine, Rerun, TurnRecord, is_too_long,
};
use crate::record::Seed;
use crate::record::ending::Ending;

/// A record as one JSON line.
#[derive(Serialize, Deserialize)]
pub struct Line {
    game: u64,
    block: u64,
    variant: String,
    start: String,
    seats: Vec<String>,
    seed: Seed,
    moves: String,
    places: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    winnings: Vec<u32>,
    endings: Vec<Ending>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    turns: Vec<TurnRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<Clock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    luck: Option<Luck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<String>,
}

/// Everything that depends on the wall clock.
#[derive(Default, Serialize, Deserialize)]
struct Clock {
    /// Time from `go` to the answer of each turn, in microseconds; `null` if it is unknown.
    micros: Vec<Option<u64>>,
    /// Excess of turns over their time limit in microseconds, by number of the turn, from 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    overruns: BTreeMap<usize, u64>,
    /// Microseconds that the engine waited for a processor, by number of the turn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    waited: BTreeMap<usize, u64>,
    /// Microseconds of CPU time used out of turn before a turn, by number of the turn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    out_of_turn: BTreeMap<usize, u64>,
    /// Microseconds charged because pondering stopped late, by number of the turn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    late_stops: BTreeMap<usize, u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reruns: Vec<Rerun>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<Machine>,
}

impl Line {
    pub fn new(mut record: GameRecord, digest: Option<String>) -> Line {
        let micros: Vec<Option<u64>> = record.turns.iter().map(|turn| turn.micros).collect();
        let times = |of: fn(&TurnRecord) -> Option<u64>| -> BTreeMap<usize, u64> {
            let turns = record.turns.iter().zip(1..);
            turns.filter_map(|(turn, number)| Some((number, of(turn)?))).collect()
        };
        let overruns = times(|turn| turn.overrun);
        let waited = times(|turn| turn.waited);
        let out_of_turn = times(|turn| turn.out_of_turn);
        let late_stops = times(|turn| turn.late_stop);
        let fault = record.fault.as_mut();
        let evidence = fault.and_then(|fault| fault.evidence.take());
        let is_timed = evidence.is_some()
            || record.machine.is_some()
            || !record.reruns.is_empty()
            || micros.iter().any(Option::is_some);
        Line {
            game: record.game,
            block: record.block,
            variant: record.variant,
            start: record.start,
            seats: record.seats,
            seed: record.seed,
            moves: record.moves,
            places: record.places,
            winnings: record.winnings,
            endings: record.endings,
            fault: record.fault,
            turns: record.turns,
            clock: is_timed.then_some(Clock {
                micros,
                overruns,
                waited,
                out_of_turn,
                late_stops,
                reruns: record.reruns,
                evidence,
                machine: record.machine,
            }),
            luck: record.luck,
            digest,
        }
    }
}

impl TryFrom<Line> for GameRecord {
    type Error = String;

    /// The error names a list or a name that is longer than any match writes.
    fn try_from(line: Line) -> Result<GameRecord, String> {
        let seats = line.seats.len();
        if seats > MAX_SEATS {
            return Err(format!("{seats} seats, expected at most {MAX_SEATS}"));
        }
        if line.seats.iter().any(|name| is_too_long(name)) {
            return Err(format!("expected names of at most {MAX_NAME_LENGTH} characters"));
        }
        let Clock { micros, overruns, waited, out_of_turn, late_stops, reruns, evidence, machine } =
            line.clock.unwrap_or_default();
        let mut turns = line.turns;
        for (turn, number) in turns.iter_mut().zip(1..) {
            turn.micros = micros.get(number - 1).copied().flatten();
            turn.overrun = overruns.get(&number).copied();
            turn.waited = waited.get(&number).copied();
            turn.out_of_turn = out_of_turn.get(&number).copied();
            turn.late_stop = late_stops.get(&number).copied();
        }
        Ok(GameRecord {
            game: line.game,
            block: line.block,
            variant: line.variant,
            start: line.start,
            seats: line.seats,
            seed: line.seed,
            moves: line.moves,
            places: line.places,
            winnings: line.winnings,
            endings: line.endings,
            fault: line.fault.map(|fault| Fault { evidence, ..fault }),
            turns,
            reruns,
            machine,
            luck: line.luck,
        })
    }
}

/// Serde form of a list of words: one text, separated by spaces.
pub(super) mod words {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(words: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&words.join(" "))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<String>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(text.split_whitespace().map(String::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TOO_LATE;
    use crate::record::digest::StoredGame;

    const GAME: &str = concat!(
        r#"{"game":1,"block":1,"variant":"v","start":"s","seats":["a","b"],"seed":1,"moves":"5","places":[1,2],"#,
        r#""endings":["ended","time forfeit"],"fault":{"seat":2,"reason":"it answered after 93.4 ms"},"#,
        r#""turns":[{"seat":1,"mv":"5"}],"clock":{"micros":[71]}}"#
    );

    fn read(line: &str) -> GameRecord {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn write(record: &GameRecord) -> String {
        serde_json::to_string(record).unwrap()
    }

    #[test]
    fn overruns_and_evidence_are_under_that_key_too() {
        let mut record = read(GAME);
        record.turns[0].overrun = Some(9);
        let evidence = Evidence { exit: Some("signal: 9".to_string()), ..Evidence::default() };
        record.fault.as_mut().unwrap().evidence = Some(evidence);
        let line = write(&record);
        let clock = r#""clock":{"micros":[71],"overruns":{"1":9},"evidence":{"lines":[],"exit":"signal: 9""#;
        assert!(line.contains(clock), "{line}");
        assert_eq!(read(&line), record);
        let line = write(&record.without_clock());
        assert!(!line.contains("evidence") && !line.contains("overruns"), "{line}");
    }

    #[test]
    fn a_game_has_the_digest_of_what_was_played() {
        let record = read(GAME);
        assert_eq!(record.clone().without_clock().digest(), record.digest());
        let change = |change: &dyn Fn(&mut GameRecord)| {
            let mut changed = record.clone();
            change(&mut changed);
            changed.digest()
        };
        for changed in [
            change(&|record| record.start.push('x')),
            change(&|record| record.moves.push('x')),
            change(&|record| record.seats.reverse()),
            change(&|record| record.places.reverse()),
            change(&|record| record.winnings = vec![0, 2]),
            change(&|record| record.endings.reverse()),
            change(&|record| record.seed = Seed::Number(2)),
            change(&|record| record.fault = None),
            change(&|record| record.turns[0].estimate = vec![1]),
            change(&|record| record.turns[0].pv.push("5".to_string())),
        ] {
            assert_ne!(changed, record.digest());
        }
        assert_eq!(change(&|record| record.turns[0].micros = Some(5)), record.digest());
    }

    /// Expected value from `sha256sum` of the line that `export --without-clock` prints, without its digest.
    #[test]
    fn a_digest_is_that_of_a_line() {
        let line = write(&read(GAME).without_clock());
        let (rest, digest) = line.split_once(r#","digest":""#).unwrap();
        assert_eq!(digest, "49863cf6d8abb257c9e1ee974d9c59b4\"}");
        let expected = GAME.replace("it answered after 93.4 ms", TOO_LATE);
        assert_eq!(format!("{rest}}}"), expected.replace(r#","clock":{"micros":[71]}"#, ""));
    }

    #[test]
    fn a_digest_is_kept_as_it_was() {
        let stored: StoredGame = serde_json::from_str(GAME).unwrap();
        assert_eq!(stored.digest, None);
        let line = serde_json::to_string(&stored).unwrap();
        assert!(!line.contains("digest"), "{line}");
        let line = write(&stored.record).replace(r#""moves":"5""#, r#""moves":"6""#);
        let stored: StoredGame = serde_json::from_str(&line).unwrap();
        assert_eq!(stored.digest, Some(read(GAME).digest()));
        assert_eq!(serde_json::to_string(&stored).unwrap(), line);
    }

    #[test]
    fn without_the_clock_nothing_of_it_is_told() {
        let record = read(GAME).without_clock();
        assert_eq!(record.turns[0].micros, None);
        let line = write(&record);
        for told in ["clock", "micros", "71", "93.4"] {
            assert!(!line.contains(told), "{told:?} in {line}");
        }
        assert_eq!(read(&line), record);
    }
}
