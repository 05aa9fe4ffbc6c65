//! Argument of `position`: `startpos [players N] | fen <text>`, then `[moves M1 M2 ...]`.

use std::fmt;
use std::ops::RangeInclusive;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, verify};
use nom::sequence::{preceded, terminated};

use super::words::{
    Parsed, all_words, end, expecting, keyword, number, text_until, write_fact, write_list,
};
use super::{PositionCommand, Start};

/// Numbers of players that a game can have.
const PLAYERS: RangeInclusive<u32> = 2..=6;

/// Word that begins the move list; no start may contain it.
const MOVES: &[&str] = &["moves"];

/// Reads the line after the word `position`.
pub(super) fn position(input: &str) -> Parsed<'_, PositionCommand> {
    let start = alt((startpos, fen));
    let (rest, start) = expecting("position", "startpos or fen", start).parse(input)?;
    let (after, expected) = match start {
        Start::Startpos { players: None } => {
            ("position startpos", "players, moves or the end of the line")
        }
        Start::Startpos { .. } => ("position startpos players", "moves or the end of the line"),
        Start::Fen(_) => ("position fen", "moves or the end of the line"),
    };
    let moves = opt(preceded(keyword("moves"), all_words));
    let (rest, moves) = terminated(moves, end(after, expected)).parse(rest)?;
    let moves = moves.unwrap_or_default();
    Ok((rest, PositionCommand { start, moves }))
}

fn startpos(input: &str) -> Parsed<'_, Start> {
    let players = number("position startpos players", PLAYERS);
    preceded(keyword("startpos"), opt(preceded(keyword("players"), cut(players))))
        .map(|players| Start::Startpos { players })
        .parse(input)
}

fn fen(input: &str) -> Parsed<'_, Start> {
    let text = verify(text_until(MOVES), |text: &str| !text.is_empty());
    let text = expecting("position fen", "the text of a position", text);
    preceded(keyword("fen"), cut(text)).map(Start::Fen).parse(input)
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
        }
    }
}
