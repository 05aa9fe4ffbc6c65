//! An engine's answer to `go`: its move, and the information about its search.

use std::time::Duration;

use buxtehude::protocol::{BestMove, Info, Reply};

/// The answer to a `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Time from sending `go` to the arrival of the answer.
    pub elapsed: Duration,
    /// Part of this time that the engine waited for a processor, or its answer waited for the arbiter.
    pub waited: Duration,
    /// CPU time used out of turn since its previous answer.
    pub out_of_turn: Duration,
    /// The move, or why it is malformed.
    pub best_move: Result<BestMove, String>,
    /// Why the rest of the answer is malformed; the move counts nevertheless.
    pub flaw: Option<String>,
    /// Last reported depth, score and estimate.
    pub info: Info,
}

/// Kind of a line that an engine sends during a search.
pub enum Kind {
    BestMove,
    /// Information about the best line.
    Info,
    /// Information about a line other than the best.
    Lesser,
    Other,
}

/// `true` if the first word of a line is `bestmove`.
pub fn is_best_move(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"bestmove");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// Determines the kind of a line without parsing it, because engines may print thousands of lines.
///
/// An `info` line counts if it has a depth and a score or an estimate, unless the score is only a bound.
pub fn kind(line: &[u8]) -> Kind {
    if is_best_move(line) {
        return Kind::BestMove;
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    if words.next() != Some(b"info") {
        return Kind::Other;
    }
    let (mut has_depth, mut has_value, mut is_best) = (false, false, true);
    while let Some(word) = words.next() {
        match word {
            b"depth" => has_depth = true,
            b"score" | b"estimate" => has_value = true,
            b"multipv" => is_best = words.next() == Some(b"1"),
            b"lowerbound" | b"upperbound" => return Kind::Other,
            b"pv" | b"string" => break,
            _ => {}
        }
    }
    match has_depth && has_value {
        true if is_best => Kind::Info,
        true => Kind::Lesser,
        false => Kind::Other,
    }
}

impl Answer {
    /// Time that the engine used itself.
    pub fn used(&self) -> Duration {
        self.elapsed.saturating_sub(self.waited)
    }

    /// Puts a flaw before the answer's own.
    pub fn with_flaw(self, flaw: Option<String>) -> Answer {
        let flaws: Vec<String> = flaw.into_iter().chain(self.flaw).collect();
        Answer { flaw: Some(flaws.join("; ")).filter(|flaw| !flaw.is_empty()), ..self }
    }

    /// Parses an answer with no waiting time, from its line and the last `info` line before it.
    pub fn read(elapsed: Duration, line: &[u8], info: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(line);
        let (best_move, flaw) = match text.trim().parse() {
            Ok(Reply::BestMove(best_move)) => (Ok(best_move), None),
            Ok(other) => (Err(format!("{other}: expected a bestmove")), None),
            Err(error) => match move_alone(&text) {
                Some(best_move) => (Ok(best_move), Some(error.to_string())),
                None => (Err(error.to_string()), None),
            },
        };
        Answer {
            elapsed,
            waited: Duration::ZERO,
            out_of_turn: Duration::ZERO,
            best_move,
            flaw,
            info: read_info(info).unwrap_or_default(),
        }
    }
}

/// Returns the move of an answer whose rest is malformed; `None` if the move is malformed, too.
fn move_alone(line: &str) -> Option<BestMove> {
    let words = line.split([' ', '\t', '\r']).filter(|word| !word.is_empty());
    let beginning: Vec<&str> = words.take(2).collect();
    match beginning.join(" ").parse() {
        Ok(Reply::BestMove(best_move)) => Some(best_move),
        _ => None,
    }
}

/// Returns the words of an `info string error` line after this beginning, in any case and with or without a colon.
pub fn error_words(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line.trim_ascii();
    for word in [&b"info"[..], b"string", b"error"] {
        let (beginning, after) = rest.split_at_checked(word.len())?;
        if !beginning.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = after.trim_ascii_start();
    }
    Some(rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start())
}

/// Parses an `info` line; `None` if it is malformed.
pub fn read_info(line: &[u8]) -> Option<Info> {
    match String::from_utf8_lossy(line).trim().parse() {
        Ok(Reply::Info(info)) => Some(info),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use buxtehude::protocol::Score;

    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (line, expected) in [
            ("bestmove 5", "bestmove"),
            (" \tbestmove\r", "bestmove"),
            ("bestmoves 5", "other"),
            ("info depth 3 score cp 5 pv 1", "info"),
            ("info depth 3 estimate 600 400", "info"),
            ("info depth 3 multipv 1 score cp 5", "info"),
            ("info depth 3 multipv 2 score cp 5", "lesser"),
            ("info depth 3 multipv 2 score cp 5 lowerbound", "other"),
            ("info depth 3 multipv 2 currmove 5", "other"),
            ("info depth 3 score cp 5 lowerbound pv 1", "other"),
            ("info depth 3 score cp 5 upperbound", "other"),
            ("info depth 3 currmove 5", "other"),
            ("info score cp 3", "other"),
            ("info string depth score", "other"),
            ("info", "other"),
            ("", "other"),
        ] {
            let found = match kind(line.as_bytes()) {
                Kind::BestMove => "bestmove",
                Kind::Info => "info",
                Kind::Lesser => "lesser",
                Kind::Other => "other",
            };
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn an_answer_is_read_with_its_info() {
        let answer = Answer::read(
            Duration::from_millis(3),
            b"bestmove 5 estimate 600 400\r",
            b"info depth 7 score cp -31 nodes 5 pv 5 3",
        );
        let best_move = answer.best_move.unwrap();
        assert_eq!(best_move.best.as_deref(), Some("5"));
        assert_eq!(best_move.estimate, [600, 400]);
        assert_eq!(answer.info.depth, Some(7));
        assert_eq!(answer.info.score, Some(Score::Centipawns(-31)));
    }

    #[test]
    fn a_move_stands_whatever_is_behind_it() {
        for (line, flaw) in [
            (&b"bestmove 5 6"[..], "bestmove: unexpected \"6\""),
            (b"bestmove 5 ponder", "bestmove ponder: missing argument"),
            (b"bestmove 5 ponder estimate 1 2", "bestmove ponder: unexpected \"estimate\""),
            (b"\tbestmove\t5 estimate x\r", "bestmove estimate: \"x\" is not"),
            (b"bestmove 5 estimate -1 1001", "bestmove estimate: \"-1\" is not"),
            (b"bestmove 5 estimate 70000 0", "bestmove estimate: \"70000\" is not"),
            (b"bestmove 5 \x1b[31m", "bestmove: unexpected \"\\u{1b}[31m\""),
        ] {
            let answer = Answer::read(Duration::ZERO, line, b"");
            let best_move = answer.best_move.unwrap();
            assert_eq!((best_move.best.as_deref(), best_move.ponder), (Some("5"), None));
            assert!(best_move.estimate.is_empty());
            let found = answer.flaw.unwrap();
            assert!(found.starts_with(flaw), "{found}");
        }
    }

    #[test]
    fn rubbish_is_quoted() {
        for line in [&b"bestmove"[..], b"bestmove ponder 5", b"bestmove estimate 500 500"] {
            let answer = Answer::read(Duration::ZERO, line, b"");
            let error = answer.best_move.unwrap_err();
            assert!(error.starts_with("bestmove: "), "{error}");
        }
    }
}
