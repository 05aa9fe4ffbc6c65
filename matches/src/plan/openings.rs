//! Openings: where the games of a match begin. In a file there is one a line, as the text of a position
//! or as what follows `position` in the protocol:
//!
//! ```text
//! # three hares, seat 1 on a carrot square
//! 2,65,3/0,68,3/0,68,3 2 - -
//! startpos players 3 moves 1 +half 4
//! ```

use std::io;
use std::path::{Path, PathBuf};

use buxtehude::protocol::{Command, PositionCommand, Start};
use buxtehude::rules::{ActionError, AnyPosition, SetupError, Turn, Variant};
use thiserror::Error;

use crate::plan::Opening;

/// Why a file of openings cannot be used.
#[derive(Debug, Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("{}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// A line is no opening.
    #[error("{}:{line}: {text:?}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
        /// What is wrong with it.
        reason: Box<OpeningError>,
    },
    /// There is no opening in the file.
    #[error("{}: no opening in it, expected one per line", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Why an opening cannot be played.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The line is no argument of `position`.
    #[error("{0}")]
    Form(String),
    /// The start is refused.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A move or card is refused.
    #[error("word {number} of the moves: {reason}")]
    Action {
        /// Which of the moves and cards, from 1.
        number: usize,
        /// What is wrong with it.
        reason: ActionError,
    },
    /// The opening has another number of seats than the match.
    #[error("it is for {found} players, the match has {expected}")]
    Seats {
        /// Seats of the opening.
        found: usize,
        /// Seats of the match.
        expected: usize,
    },
    /// There is nothing left to play.
    #[error("the game is over, expected a position in which someone can move")]
    Over,
}

/// Reads a file of openings, one a line; blank lines and those that begin with `#` are skipped.
///
/// # Errors
/// [`OpeningsError`] names the file and the line.
pub fn read(path: &Path, variant: &Variant, seats: usize) -> Result<Vec<Opening>, OpeningsError> {
    let text = std::fs::read_to_string(path).map_err(|reason| OpeningsError::Read {
        path: path.to_path_buf(),
        reason,
    })?;
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = parse(line, variant, seats).map_err(|reason| OpeningsError::Line {
            path: path.to_path_buf(),
            line: index + 1,
            text: line.to_string(),
            reason: Box::new(reason),
        })?;
        openings.push(opening);
    }
    if openings.is_empty() {
        return Err(OpeningsError::Empty {
            path: path.to_path_buf(),
        });
    }
    Ok(openings)
}

/// Reads one opening and checks that it can be played by so many seats.
///
/// # Errors
/// [`OpeningError`] names what is wrong and what was expected.
pub fn parse(line: &str, variant: &Variant, seats: usize) -> Result<Opening, OpeningError> {
    let first = line.split_whitespace().next();
    let opening = match first {
        Some("startpos" | "fen" | "etude") => parse_command(line, variant, seats)?,
        _ => Opening {
            start: Some(line.to_string()),
            moves: Vec::new(),
        },
    };
    opening.position(variant, seats)?;
    Ok(opening)
}

/// Reads what follows `position` in the protocol.
fn parse_command(line: &str, variant: &Variant, seats: usize) -> Result<Opening, OpeningError> {
    let command = format!("position {line}").parse::<Command>();
    let position = match command {
        Ok(Command::Position(position)) => position,
        Ok(other) => {
            return Err(OpeningError::Form(format!(
                "read as {other}, expected a position"
            )));
        }
        Err(error) => return Err(OpeningError::Form(error.to_string())),
    };
    let start = match position.start {
        // As in the protocol, two players where unsaid.
        Start::Startpos { players } => match players.unwrap_or(2) as usize {
            found if found == seats => None,
            found => {
                return Err(OpeningError::Seats {
                    found,
                    expected: seats,
                });
            }
        },
        Start::Fen(text) => Some(text),
        Start::Etude(line) => Some(variant.parse_etude(&line)?.to_string()),
    };
    Ok(Opening {
        start,
        moves: position.moves,
    })
}

impl Opening {
    /// The opening as a line of a file, for so many seats.
    pub fn line(&self, seats: usize) -> String {
        let start = match &self.start {
            Some(text) => Start::Fen(text.clone()),
            // Two is what is meant where nothing is said, also by engines that know no other number.
            None => Start::Startpos {
                players: u32::try_from(seats).ok().filter(|&players| players != 2),
            },
        };
        let moves = self.moves.clone();
        let command = Command::Position(PositionCommand { start, moves }).to_string();
        command
            .strip_prefix("position ")
            .unwrap_or(&command)
            .to_string()
    }

    /// The position in which the moves of the opening begin.
    ///
    /// # Errors
    /// [`SetupError`] where there is no such position.
    pub fn start(&self, variant: &Variant, seats: usize) -> Result<AnyPosition, SetupError> {
        match &self.start {
            Some(text) => variant.parse(text),
            None => variant.start(seats),
        }
    }

    /// The position to which the opening leads.
    ///
    /// # Errors
    /// [`OpeningError`] where it cannot be played by so many seats, or leaves nothing to play.
    pub fn position(&self, variant: &Variant, seats: usize) -> Result<AnyPosition, OpeningError> {
        let mut position = self.start(variant, seats)?;
        if position.seats() != seats {
            return Err(OpeningError::Seats {
                found: position.seats(),
                expected: seats,
            });
        }
        for (index, word) in self.moves.iter().enumerate() {
            position.play(word).map_err(|reason| OpeningError::Action {
                number: index + 1,
                reason,
            })?;
        }
        match position.turn() {
            Turn::Over => Err(OpeningError::Over),
            _ => Ok(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use buxtehude::rules::VARIANTS;

    use super::*;

    fn position_of(line: &str) -> String {
        let opening = parse(line, &VARIANTS[0], 2).unwrap();
        opening.position(&VARIANTS[0], 2).unwrap().to_string()
    }

    #[test]
    fn a_position_and_what_follows_position_are_openings() {
        for (line, position) in [
            ("45,26,2/29,19,0 1 - BDD", "45,26,2/29,19,0 1 - BDD"),
            ("startpos", "0,68,3/0,68,3 1 - -"),
            (
                "startpos players 2 moves 1 +half 4 4",
                "5,24,3/4,58,3 2 - H",
            ),
            (
                "fen 45,26,2/29,19,0 1 - BDD moves 4",
                "49,16,2/29,19,0 2 - BDD",
            ),
            ("etude 45;26;2;f;29;19;0;f;2", "45,26,2/29,19,0 1 - -"),
        ] {
            assert_eq!(position_of(line), position, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_the_reason() {
        let lines = [
            "banana",
            "startpos players 3",
            "startpos moves 1 9",
            "startpos moves 8",
            "fen 1,68,3/1,68,3 1 - -",
            "64,5,0/60,3,0 2 1 -",
        ];
        let errors = lines.map(|line| match parse(line, &VARIANTS[0], 2) {
            Ok(opening) => panic!("{line:?} is accepted: {opening:?}"),
            Err(error) => format!("{line}\n  {error}"),
        });
        insta::assert_snapshot!(errors.join("\n"));
    }
}
