//! The argument of `go`: limits in any order, each at most once, or `perft D` alone.

use std::fmt;

use nom::Parser;
use nom::multi::many1;

use super::error::{ArgumentError, Expected, GoError};
use super::excerpt::Excerpt;
use super::words::{
    Mismatch, Parsed, expecting, number, numbers, word, word_but, write_fact, write_list,
};
use super::{Clock, ClockTimes, Command, Go};

/// All words that `go` knows; a list of moves ends at the next of them.
pub const GO_WORDS: [&str; 15] = [
    "depth",
    "nodes",
    "movetime",
    "infinite",
    "ponder",
    "searchmoves",
    "time",
    "inc",
    "movestogo",
    "wtime",
    "btime",
    "winc",
    "binc",
    "perft",
    "mate",
];

/// The deepest perft. No count comes near it; a deeper one could not even be begun, since each ply takes its
/// share of the stack.
pub const MAX_PERFT_DEPTH: u32 = 255;

/// Reads what stands behind the word `go`, to the end of the line: [`Command::Go`] or [`Command::Perft`].
pub(super) fn go(input: &str) -> Result<Command, GoError> {
    let mut draft = Draft::default();
    let mut rest = input;
    let mut seen = Vec::new();
    while let Ok((behind, name)) = word(rest) {
        if seen.contains(&name) {
            let found = Excerpt::new(name);
            return Err(GoError::Repeated { found });
        }
        seen.push(name);
        rest = draft.read(name, behind)?;
    }
    let Some(depth) = draft.perft else {
        return Ok(Command::Go(draft.finish()?));
    };
    match seen.iter().find(|name| **name != "perft") {
        Some(other) => Err(GoError::PerftMixed {
            found: Excerpt::new(other),
        }),
        None => Ok(Command::Perft(depth)),
    }
}

impl fmt::Display for Go {
    /// Writes each limit with a blank before it, `searchmoves` last: some engines take all words behind it for moves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        write_fact(f, "depth", self.depth)?;
        write_fact(f, "nodes", self.nodes)?;
        write_fact(f, "movetime", self.movetime)?;
        if let Some(clock) = &self.clock {
            clock.fmt(f)?;
        }
        write_list(f, "searchmoves", &self.searchmoves)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.time {
            ClockTimes::Seats { time, inc } => {
                write_list(f, "time", time)?;
                write_list(f, "inc", inc)?;
            }
            ClockTimes::Uci {
                wtime,
                btime,
                winc,
                binc,
            } => {
                write_fact(f, "wtime", *wtime)?;
                write_fact(f, "btime", *btime)?;
                write_fact(f, "winc", *winc)?;
                write_fact(f, "binc", *binc)?;
            }
        }
        write_fact(f, "movestogo", self.movestogo)
    }
}

/// What was read so far; the clocks are put together at the end, for their words come in any order.
#[derive(Default)]
struct Draft {
    go: Go,
    perft: Option<u32>,
    time: Option<Vec<i64>>,
    inc: Option<Vec<u64>>,
    wtime: Option<i64>,
    btime: Option<i64>,
    winc: Option<u64>,
    binc: Option<u64>,
    movestogo: Option<u32>,
}

impl Draft {
    /// Reads the argument of the word `name` from `input` and returns what stands behind it.
    fn read<'a>(&mut self, name: &str, input: &'a str) -> Result<&'a str, GoError> {
        const TIMES: std::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;
        const INCREMENTS: std::ops::RangeInclusive<u64> = 0..=u64::MAX;
        let rest = match name {
            "depth" => set(
                &mut self.go.depth,
                number("go depth", 1..=u32::MAX).parse(input),
            )?,
            "nodes" => set(
                &mut self.go.nodes,
                number("go nodes", 1..=u64::MAX).parse(input),
            )?,
            "movetime" => set(
                &mut self.go.movetime,
                number("go movetime", 1..=u64::MAX).parse(input),
            )?,
            "infinite" => {
                self.go.infinite = true;
                input
            }
            "ponder" => {
                self.go.ponder = true;
                input
            }
            "searchmoves" => {
                let (rest, moves) = searchmoves(input)?;
                self.go.searchmoves = moves;
                rest
            }
            "time" => set(&mut self.time, numbers("go time", TIMES).parse(input))?,
            "inc" => set(&mut self.inc, numbers("go inc", INCREMENTS).parse(input))?,
            "wtime" => set(&mut self.wtime, number("go wtime", TIMES).parse(input))?,
            "btime" => set(&mut self.btime, number("go btime", TIMES).parse(input))?,
            "winc" => set(&mut self.winc, number("go winc", INCREMENTS).parse(input))?,
            "binc" => set(&mut self.binc, number("go binc", INCREMENTS).parse(input))?,
            "movestogo" => set(
                &mut self.movestogo,
                number("go movestogo", 1..=u32::MAX).parse(input),
            )?,
            "perft" => set(
                &mut self.perft,
                number("go perft", 0..=MAX_PERFT_DEPTH).parse(input),
            )?,
            "mate" => return Err(GoError::Mate),
            _ => {
                let found = Excerpt::new(name);
                return Err(GoError::UnknownWord { found });
            }
        };
        Ok(rest)
    }

    fn finish(mut self) -> Result<Go, GoError> {
        let mut go = std::mem::take(&mut self.go);
        let movestogo = self.movestogo;
        go.clock = self.times()?.map(|time| Clock { time, movestogo });
        match (&go.clock, movestogo) {
            (None, Some(_)) => Err(GoError::NoClock {
                found: "movestogo",
                expected: "time, wtime or btime",
            }),
            _ => Ok(go),
        }
    }

    fn times(self) -> Result<Option<ClockTimes>, GoError> {
        let seats = first_given(&[("time", self.time.is_some()), ("inc", self.inc.is_some())]);
        let uci = first_given(&[
            ("wtime", self.wtime.is_some()),
            ("btime", self.btime.is_some()),
            ("winc", self.winc.is_some()),
            ("binc", self.binc.is_some()),
        ]);
        match (seats, uci) {
            (None, None) => Ok(None),
            (Some(seats), Some(uci)) => Err(GoError::MixedClocks { seats, uci }),
            (Some(found), None) => {
                let expected = "time";
                let time = self.time.ok_or(GoError::NoClock { found, expected })?;
                let inc = self.inc.unwrap_or_default();
                let (times, incs) = (time.len(), inc.len());
                if incs != 0 && incs != times {
                    return Err(GoError::IncrementCount { times, incs });
                }
                Ok(Some(ClockTimes::Seats { time, inc }))
            }
            (None, Some(found)) => {
                if self.wtime.is_none() && self.btime.is_none() {
                    let expected = "wtime or btime";
                    return Err(GoError::NoClock { found, expected });
                }
                Ok(Some(ClockTimes::Uci {
                    wtime: self.wtime,
                    btime: self.btime,
                    winc: self.winc,
                    binc: self.binc,
                }))
            }
        }
    }
}

fn searchmoves(input: &str) -> Parsed<'_, Vec<String>> {
    let moves = many1(word_but(&GO_WORDS).map(str::to_owned));
    expecting(
        "go searchmoves",
        Expected::Words("at least one move"),
        moves,
    )
    .parse(input)
}

/// Stores what was parsed and returns the rest of the line.
fn set<'a, T>(slot: &mut Option<T>, parsed: Parsed<'a, T>) -> Result<&'a str, GoError> {
    let (rest, value) = parsed?;
    *slot = Some(value);
    Ok(rest)
}

fn first_given(words: &[(&'static str, bool)]) -> Option<&'static str> {
    words
        .iter()
        .find(|(_, given)| *given)
        .map(|(word, _)| *word)
}

impl From<nom::Err<Mismatch<'_>>> for GoError {
    fn from(error: nom::Err<Mismatch<'_>>) -> Self {
        GoError::Argument(ArgumentError::from(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_go_word_is_known() {
        for name in GO_WORDS {
            let parsed = go(name);
            assert!(
                !matches!(parsed, Err(GoError::UnknownWord { .. })),
                "{name}: {parsed:?}"
            );
        }
    }
}
