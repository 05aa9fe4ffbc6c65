//! Recorded games, as written by the arbiter: one JSON object per line. Only the start, the moves and the places are
//! used.

use std::io::{self, BufRead, Write};

use buxtehude::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL, Move, Position, Ruleset};
use buxtehude::rules::{Game, Turn, is_card};
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub variant: String,
    /// Position at the start of the game.
    pub start: String,
    /// Moves and cards, separated by spaces.
    pub moves: String,
    /// Place of each seat.
    pub places: Vec<u8>,
}

/// The line is not a valid game.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("line {line}: {source}")]
    Unreadable { line: usize, source: io::Error },
    /// The line does not have the form of a game.
    #[error("line {line}: {source}, expected a game with variant, start, moves and places")]
    Form {
        line: usize,
        source: serde_json::Error,
    },
    /// The game breaks a rule.
    #[error("line {line}: {problem}")]
    Rules { line: usize, problem: String },
}

impl Record {
    /// Returns all positions of the game with a seat to move.
    ///
    /// # Errors
    /// Names the word that breaks a rule.
    pub fn positions(&self) -> Result<Vec<Position>, String> {
        let ruleset = ruleset(&self.variant)?;
        let mut position =
            Position::parse(ruleset, &self.start).map_err(|error| error.to_string())?;
        let mut positions = Vec::new();
        for word in self.moves.split_whitespace() {
            if is_card(word) {
                let card = word.parse().map_err(|error| format!("{word}: {error}"))?;
                position
                    .draw(card)
                    .map_err(|error| format!("{word}: {error}"))?;
            } else {
                positions.push(position);
                let mv: Move = word.parse().map_err(|error| format!("{word}: {error}"))?;
                position
                    .play(mv)
                    .map_err(|error| format!("{word}: {error}"))?;
            }
        }
        Ok(positions)
    }

    /// Writes the game as a line.
    ///
    /// # Errors
    /// Any error of `output`.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *output, self)?;
        writeln!(output)
    }
}

/// Returns the ruleset of a variant.
///
/// # Errors
/// Names the known variants.
pub fn ruleset(variant: &str) -> Result<&'static Ruleset, String> {
    let known = [&HASE_UND_IGEL, &HARE_AND_TORTOISE];
    let found = known.into_iter().find(|ruleset| ruleset.name == variant);
    found.ok_or_else(|| {
        format!("unknown variant {variant:?}: expected hase-und-igel or hare-and-tortoise")
    })
}

/// Positions of a game with a seat to move, and the place of each seat.
pub type Played = (Vec<Position>, Vec<u8>);

/// Reads the games that were played to the end; skips the others.
///
/// # Errors
/// [`RecordError`] names the line.
pub fn read(input: impl BufRead) -> Result<Vec<Played>, RecordError> {
    let mut games = Vec::new();
    for (index, line) in input.lines().enumerate() {
        let line_number = index + 1;
        let line = line.map_err(|source| RecordError::Unreadable {
            line: line_number,
            source,
        })?;
        let record: Record = serde_json::from_str(&line).map_err(|source| RecordError::Form {
            line: line_number,
            source,
        })?;
        let refused = |problem| RecordError::Rules {
            line: line_number,
            problem,
        };
        let positions = record.positions().map_err(refused)?;
        let is_over = positions.last().is_some_and(|last| {
            let end = record.moves.split_whitespace().last();
            let mv = end.and_then(|word| word.parse::<Move>().ok());
            mv.is_some_and(|mv| last.play_unchecked(mv).turn() == Turn::Over)
        });
        if is_over {
            games.push((positions, record.places));
        }
    }
    Ok(games)
}
