//! The record of an answer: the move and the plausible part of the engine's search information. Implausible values are
//! dropped and recorded as a flaw, which does not cost the game.

use std::time::Duration;

use buxtehude::protocol::Score;
use buxtehude::rules::Seat;

use super::Abandoned;
use crate::plan::rules::{Position, PositionError};
use crate::play::engine::Answer;
use crate::record::printable::{printable, shortened};
use crate::record::{MAX_FLAW, MAX_LINE, TurnRecord, is_estimate, micros};

/// Maximum plausible depth and distance to mate, in plies.
const MAX_PLIES: u32 = 10_000;
/// Maximum plausible number of nodes: a thousand cores for hours.
const MAX_NODES: u64 = 1_000_000_000_000_000;
/// Maximum plausible score in centipawns, positive or negative.
const MAX_CENTIPAWNS: u32 = 100_000;
/// Number of dots after a text that was cut.
const DOTS: usize = 3;

/// Creates the record of an answer of `seat`, which played `mv` in a game of `seats`. `overrun` is the time beyond
/// its limit, and `late_stop` the time charged for late pondering. `legal` words of the principal variation are legal.
pub fn turn_record(
    seat: Seat,
    mv: String,
    answer: Answer,
    [overrun, late_stop]: [Duration; 2],
    legal: usize,
    seats: usize,
) -> TurnRecord {
    let any = |time: Duration| Some(micros(time)).filter(|micros| *micros > 0);
    let mut flaws: Vec<String> = answer.flaw.into_iter().collect();
    let given = answer.best_move.map(|best_move| best_move.estimate);
    let estimates = [given.unwrap_or_default(), answer.info.estimate];
    let mut pv = answer.info.pv;
    pv.truncate(legal);
    let turn = TurnRecord {
        seat: number(seat),
        mv,
        micros: Some(micros(answer.elapsed)),
        overrun: any(overrun),
        waited: any(answer.waited),
        out_of_turn: any(answer.out_of_turn),
        late_stop: any(late_stop),
        depth: believed_number("depth", answer.info.depth, MAX_PLIES, &mut flaws),
        estimate: believed_estimate(estimates, seats, &mut flaws),
        score: believed_score(answer.info.score, &mut flaws),
        nodes: believed_number("nodes", answer.info.nodes, MAX_NODES, &mut flaws),
        pv,
        flaw: None,
    };
    // An estimate may come with the last `info` and with the move.
    flaws.dedup();
    let flaw = flaws.join("; ");
    let flaw = shortened(&printable(&flaw), MAX_FLAW - DOTS).into_owned();
    TurnRecord { flaw: Some(flaw).filter(|flaw| !flaw.is_empty()), ..turn }
}

fn believed_number<T: Copy + Into<u64> + Ord>(
    name: &str,
    said: Option<T>,
    most: T,
    flaws: &mut Vec<String>,
) -> Option<T> {
    let said = said?;
    if said > most {
        let (said, most): (u64, u64) = (said.into(), most.into());
        flaws.push(format!("{name} {said}, expected at most {most}"));
        return None;
    }
    Some(said)
}

fn believed_score(said: Option<Score>, flaws: &mut Vec<String>) -> Option<String> {
    let said = said?;
    let (size, most) = match said {
        Score::Centipawns(hundredths) => (hundredths.unsigned_abs(), MAX_CENTIPAWNS),
        Score::Mate(moves) => (moves.unsigned_abs(), MAX_PLIES),
    };
    if size > most {
        flaws.push(format!("score {said}, expected -{most} to {most}"));
        return None;
    }
    Some(said.to_string())
}

/// Returns the first valid estimate; empty if there is none.
fn believed_estimate(said: [Vec<u16>; 2], seats: usize, flaws: &mut Vec<String>) -> Vec<u16> {
    for estimate in said.into_iter().filter(|estimate| !estimate.is_empty()) {
        if is_estimate(&estimate, seats) {
            return estimate;
        }
        let shares: Vec<String> = estimate.iter().map(u16::to_string).collect();
        let shares = shares.join(" ");
        let shares = shortened(&shares, MAX_FLAW / 2);
        flaws.push(format!("estimate {shares}, expected {seats} shares of 1000"));
    }
    Vec::new()
}

/// Returns the positions after the moves of an answer's principal variation, up to its first illegal move and the
/// maximum length of a record. Asks a rules program about one word at a time, so that no engine can stop it with
/// illegal ones.
///
/// # Errors
/// [`Abandoned`] if a rules program fails.
pub fn positions_of_line(position: &Position, answer: &Answer) -> Result<Vec<Position>, Abandoned> {
    let mut after: Vec<Position> = Vec::new();
    for word in answer.info.pv.iter().take(MAX_LINE) {
        let mut next = after.last().unwrap_or(position).clone();
        match next.play(word) {
            Ok(()) => after.push(next),
            Err(error @ PositionError::Rules(_)) => return Err(error.into()),
            Err(_) => break,
        }
    }
    Ok(after)
}

/// Converts a seat to its number in records, from 1.
pub fn number(seat: Seat) -> u32 {
    u32::from(seat.0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(line: &str, info: &str, seats: usize) -> TurnRecord {
        let answer = Answer::read(Duration::from_millis(1), line.as_bytes(), info.as_bytes());
        turn_record(Seat(0), "5".to_string(), answer, [Duration::ZERO; 2], 0, seats)
    }

    #[test]
    fn what_can_be_true_is_recorded() {
        for (line, info) in [
            (
                "bestmove 5 estimate 600 400",
                "info depth 10000 score cp -100000 nodes 1000000000000000",
            ),
            ("bestmove 5 estimate 1000 0", "info depth 1 score mate 0"),
            // Each share is rounded separately.
            ("bestmove 5 estimate 501 500", "info depth 1 score mate -10000"),
        ] {
            let turn = recorded(line, info, 2);
            assert_eq!(turn.flaw, None, "{line}, {info}");
            assert!(turn.depth.is_some() && turn.score.is_some(), "{line}, {info}");
            assert_eq!(turn.estimate.len(), 2, "{line}, {info}");
        }
    }

    #[test]
    fn what_cannot_be_true_is_a_flaw() {
        for (line, info, flaw) in [
            (
                "bestmove 5",
                "info depth 4294967295 estimate 500 500",
                "depth 4294967295, expected at most 10000",
            ),
            (
                "bestmove 5",
                "info depth 1 score cp 1 nodes 18446744073709551615",
                "nodes 18446744073709551615, expected at most 1000000000000000",
            ),
            (
                "bestmove 5",
                "info depth 1 score cp -2147483648",
                "score cp -2147483648, expected -100000 to 100000",
            ),
            (
                "bestmove 5",
                "info depth 1 score mate 10001",
                "score mate 10001, expected -10000 to 10000",
            ),
            ("bestmove 5 estimate 600 300", "", "estimate 600 300, expected 2 shares of 1000"),
            (
                "bestmove 5 estimate 600 300",
                "info depth 3 estimate 600 300",
                "estimate 600 300, expected 2 shares of 1000",
            ),
            ("bestmove 5 estimate 1001 0", "", "estimate 1001 0, expected 2 shares of 1000"),
            (
                "bestmove 5 estimate 300 400 300",
                "",
                "estimate 300 400 300, expected 2 shares of 1000",
            ),
            ("bestmove 5 ponder", "", "bestmove ponder: missing argument: expected a move"),
        ] {
            assert_eq!(recorded(line, info, 2).flaw.as_deref(), Some(flaw), "{line}, {info}");
        }
        let turn = recorded("bestmove 5 estimate 9 9", "info depth 3 estimate 600 400", 2);
        assert_eq!((turn.depth, turn.estimate), (Some(3), vec![600, 400]));
        assert!(turn.flaw.is_some());
    }

    #[test]
    fn a_flaw_is_short() {
        let line = format!("bestmove 5 estimate{}", " 7".repeat(9000));
        let info = "info depth 4294967295 score cp 2147483647 nodes 18446744073709551615";
        let flaw = recorded(&line, info, 2).flaw.unwrap();
        assert_eq!(flaw.chars().count(), MAX_FLAW, "{flaw}");
    }
}
