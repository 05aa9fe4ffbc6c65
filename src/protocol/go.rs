//! Argument of `go`: limits in any order, each at most once, then perhaps `searchmoves`; or `perft D` alone.

use std::fmt;

use nom::Parser;
use nom::multi::many1;

use super::clock::ClockDraft;
use super::error::{ArgumentError, GoError};
use super::excerpt::Excerpt;
use super::words::{Mismatch, Parsed, expecting, number, set, word, write_fact, write_list};
use super::{Command, Go};

/// Largest depth of a perft. No count could finish at this depth, and a deeper one would overflow the stack, since each
/// ply takes its share of it.
pub const MAX_PERFT_DEPTH: u32 = 255;

/// Reads the line after the word `go`: [`Command::Go`] or [`Command::Perft`].
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
        let clock = draft.clocks.finish()?;
        return Ok(Command::Go(Go { clock, ..draft.go }));
    };
    match seen.iter().find(|name| **name != "perft") {
        Some(other) => Err(GoError::PerftMixed { found: Excerpt::new(other) }),
        None => Ok(Command::Perft(depth)),
    }
}

impl fmt::Display for Go {
    /// Writes each limit with a space before it, and `searchmoves` last.
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

/// The words read so far.
#[derive(Default)]
struct Draft {
    go: Go,
    perft: Option<u32>,
    clocks: ClockDraft,
}

impl Draft {
    /// Reads the argument of the word `name` from `input` and returns the rest.
    fn read<'a>(&mut self, name: &str, input: &'a str) -> Result<&'a str, GoError> {
        let Draft { go, perft, clocks } = self;
        let rest = match name {
            "depth" => set(&mut go.depth, number("go depth", 1..=u32::MAX), input)?,
            "nodes" => set(&mut go.nodes, number("go nodes", 1..=u64::MAX), input)?,
            "movetime" => set(&mut go.movetime, number("go movetime", 1..=u64::MAX), input)?,
            "infinite" => {
                go.infinite = true;
                input
            }
            "ponder" => {
                go.ponder = true;
                input
            }
            "searchmoves" => {
                let (rest, moves) = searchmoves(input)?;
                go.searchmoves = moves;
                rest
            }
            "perft" => set(perft, number("go perft", 0..=MAX_PERFT_DEPTH), input)?,
            "mate" => return Err(GoError::Mate),
            _ => match clocks.read(name, input) {
                Some(rest) => rest?,
                None => {
                    let found = Excerpt::new(name);
                    return Err(GoError::UnknownWord { found });
                }
            },
        };
        Ok(rest)
    }
}

/// Reads all words to the end of the line, as Stockfish does: a move may be called `time` or `depth`.
fn searchmoves(input: &str) -> Parsed<'_, Vec<String>> {
    let moves = many1(word.map(str::to_owned));
    expecting("go searchmoves", "at least one move", moves).parse(input)
}

impl From<nom::Err<Mismatch<'_>>> for GoError {
    fn from(error: nom::Err<Mismatch<'_>>) -> Self {
        GoError::Argument(ArgumentError::from(error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::GO_WORDS;
    use super::*;

    #[test]
    fn every_go_word_is_known() {
        for name in GO_WORDS {
            let parsed = go(name);
            assert!(!matches!(parsed, Err(GoError::UnknownWord { .. })), "{name}: {parsed:?}");
        }
    }
}
