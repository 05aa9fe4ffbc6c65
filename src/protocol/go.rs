//! Argument of `go`: limits in any order, each at most once, or `perft D` alone.

use std::fmt;

use super::clock::ClockDraft;
use super::error::{ArgumentError, Excerpt, GoError};
use super::vocabulary::GO_WORDS;
use super::words::{Words, write_fact, write_list};
use super::{Command, Go};

/// Largest depth of a perft. No count could finish at this depth, and a deeper one would overflow the stack, since each
/// ply takes its share of it.
pub const MAX_PERFT_DEPTH: u32 = 255;

/// Reads the line after the word `go`: [`Command::Go`] or [`Command::Perft`].
pub(super) fn go(mut words: Words<'_>) -> Result<Command, GoError> {
    let mut go = Go::default();
    let mut clocks = ClockDraft::default();
    let mut perft = None;
    let mut seen = Vec::new();
    while let Some(name) = words.next() {
        let found = || Excerpt::new(name);
        if seen.contains(&name) {
            return Err(GoError::Repeated { found: found() });
        }
        seen.push(name);
        match name {
            "depth" => go.depth = Some(words.number("go depth", 1..=u32::MAX)?),
            "nodes" => go.nodes = Some(words.number("go nodes", 1..=u64::MAX)?),
            "movetime" => go.movetime = Some(words.number("go movetime", 1..=u64::MAX)?),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => go.searchmoves = searchmoves(&mut words)?,
            "perft" => perft = Some(words.number("go perft", 0..=MAX_PERFT_DEPTH)?),
            "mate" => return Err(GoError::Mate),
            _ if clocks.read(name, &mut words)? => {}
            _ => return Err(GoError::UnknownWord { found: found() }),
        }
    }
    let Some(depth) = perft else {
        go.clock = clocks.finish()?;
        return Ok(Command::Go(go));
    };
    match seen.into_iter().find(|name| *name != "perft") {
        Some(other) => Err(GoError::PerftMixed {
            found: Excerpt::new(other),
        }),
        None => Ok(Command::Perft(depth)),
    }
}

fn searchmoves(words: &mut Words<'_>) -> Result<Vec<String>, ArgumentError> {
    let mut moves = vec![words.word("go searchmoves", "at least one move", &GO_WORDS)?];
    moves.extend(words.words_until(&GO_WORDS));
    Ok(moves)
}

impl fmt::Display for Go {
    /// Writes each limit with a space before it. `searchmoves` comes last, since some engines take all words after it
    /// for moves.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_go_word_is_known() {
        for name in GO_WORDS {
            let parsed = go(Words::of(name));
            assert!(
                !matches!(parsed, Err(GoError::UnknownWord { .. })),
                "{name}: {parsed:?}"
            );
        }
    }
}
