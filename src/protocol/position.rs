//! Argument of `position`: `startpos [players N] | fen <text> | etude <line>`, then `[moves M1 M2 ...]`.

use std::fmt;

use super::error::ArgumentError;
use super::words::{Words, write_fact, write_list};
use super::{PositionCommand, Start};

/// Word that begins the move list; no start may contain it.
const MOVES: &[&str] = &["moves"];

/// Reads the line after the word `position`.
pub(super) fn position(mut words: Words<'_>) -> Result<PositionCommand, ArgumentError> {
    const KINDS: [&str; 3] = ["startpos", "fen", "etude"];
    let kind = words.expect("position", "startpos, fen or etude", |word| {
        KINDS.into_iter().find(|kind| *kind == word)
    })?;
    let moves_or_end = "moves or the end of the line";
    let (start, after, expected) = match kind {
        "startpos" if words.keyword("players") => {
            let after = "position startpos players";
            let players = Some(words.number(after, 2..=6)?);
            (Start::Startpos { players }, after, moves_or_end)
        }
        "startpos" => (
            Start::Startpos { players: None },
            "position startpos",
            "players, moves or the end of the line",
        ),
        "fen" => {
            let after = "position fen";
            let text = words.text(after, "the text of a position", MOVES)?;
            (Start::Fen(text), after, moves_or_end)
        }
        _ => {
            let after = "position etude";
            let line = words.word(after, "an etude line", MOVES)?;
            let expected = "one word, then moves or the end of the line";
            (Start::Etude(line), after, expected)
        }
    };
    let has_moves = words.keyword("moves");
    let moves = has_moves.then(|| words.words_until(&[]));
    words.end(after, expected)?;
    let moves = moves.unwrap_or_default();
    Ok(PositionCommand { start, moves })
}

impl fmt::Display for PositionCommand {
    /// Writes the argument, without the word `position`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.start.fmt(f)?;
        write_list(f, "moves", &self.moves)
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Start::Startpos { players } => {
                f.write_str("startpos")?;
                write_fact(f, "players", *players)
            }
            Start::Fen(text) => write!(f, "fen {text}"),
            Start::Etude(line) => write!(f, "etude {line}"),
        }
    }
}
