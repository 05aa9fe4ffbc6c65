//! Openings, the positions from which the games of a match start. A file has one per line, as the text of a position or
//! as the arguments of the protocol's `position`:
//!
//! ```text
//! # three hares, seat 1 on a carrot square
//! 2,65,3/0,68,3/0,68,3 2 - -
//! startpos players 3 moves 1 +half 4
//! ```

use std::fmt;
use std::path::Path;

use buxtehude::protocol::{Command, PositionCommand, Start};
use buxtehude::rules::{Turn, is_card};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::input_file;
use crate::plan::rules::external::RulesError;
use crate::plan::rules::{Position, PositionError, Rules};

/// A start position and the legal moves and cards played from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// Text of the start position; `None` for the variant's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Moves and cards.
    pub moves: Vec<String>,
}

impl Opening {
    /// Cuts the opening after `plies` plies and the cards that they draw.
    pub fn shorten(&mut self, plies: u32) {
        let words = self.moves.iter().enumerate();
        let mut plies_at = words.filter(|(_, word)| !is_card(word));
        if let Some((end, _)) = plies_at.nth(plies as usize) {
            self.moves.truncate(end);
        }
    }
}

/// An opening that cannot be read or played.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct OpeningError {
    message: String,
    /// The failure of the rules program that shows in it.
    fault: Option<RulesError>,
}

impl OpeningError {
    fn new(message: String) -> OpeningError {
        OpeningError { message, fault: None }
    }

    /// Names the place of the error, such as its line.
    fn at(self, place: impl fmt::Display) -> OpeningError {
        OpeningError { message: format!("{place}: {}", self.message), ..self }
    }

    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        self.fault.as_ref()
    }
}

impl From<PositionError> for OpeningError {
    fn from(error: PositionError) -> OpeningError {
        let fault = error.fault_of_rules().cloned();
        OpeningError { message: error.to_string(), fault }
    }
}

/// Reads a file of openings, one per line; skips blank lines and lines that begin with `#`.
///
/// # Errors
/// [`OpeningError`] names the file and the line.
pub fn read(path: &Path, rules: &Rules, seats: usize) -> Result<Vec<Opening>, OpeningError> {
    let place = path.display();
    let text = input_file::read_text(path)
        .map_err(|error| OpeningError::new(format!("{place}: {error}")))?;
    let openings = of_lines(text.lines(), &format!("{place}:"), rules, seats)?;
    if openings.is_empty() {
        let reason = format!("{place}: the file contains no openings; expected one per line");
        return Err(OpeningError::new(reason));
    }
    Ok(openings)
}

/// Parses the lines of a file or a list like [`read`]; `place` goes before the number of a line in errors.
///
/// # Errors
/// [`OpeningError`] names the line.
pub fn of_lines<'a>(
    lines: impl IntoIterator<Item = &'a str>,
    place: &str,
    rules: &Rules,
    seats: usize,
) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = parse(line, rules, seats)
            .map_err(|error| error.at(format_args!("{place}{}: {line:?}", index + 1)))?;
        openings.push(opening);
    }
    Ok(openings)
}

/// Parses an opening and checks that it can be played with `seats` seats, unless the rules are of a program, which need
/// not run yet.
///
/// # Errors
/// [`OpeningError`] names the invalid part and the accepted form.
pub fn parse(line: &str, rules: &Rules, seats: usize) -> Result<Opening, OpeningError> {
    let first = line.split_whitespace().next();
    let opening = match first {
        Some("startpos" | "fen") => parse_command(line, seats)?,
        _ => Opening { start: Some(line.to_string()), moves: Vec::new() },
    };
    if rules.built_in().is_some() {
        opening.position(rules, seats)?;
    }
    Ok(opening)
}

/// Parses the arguments of the protocol's `position`.
fn parse_command(line: &str, seats: usize) -> Result<Opening, OpeningError> {
    let command = format!("position {line}").parse::<Command>();
    let position = match command {
        Ok(Command::Position(position)) => position,
        Ok(other) => {
            return Err(OpeningError::new(format!("read as {other}, expected a position")));
        }
        Err(error) => return Err(OpeningError::new(error.to_string())),
    };
    let start = match position.start {
        // As in the protocol, the default is two players.
        Start::Startpos { players } => {
            check_seats(players.unwrap_or(2) as usize, seats)?;
            None
        }
        Start::Fen(text) => Some(text),
    };
    Ok(Opening { start, moves: position.moves })
}

fn check_seats(found: usize, expected: usize) -> Result<(), OpeningError> {
    if found == expected {
        return Ok(());
    }
    let reason = format!("the opening is for {found} players, but the match has {expected}");
    Err(OpeningError::new(reason))
}

impl Opening {
    /// Returns the opening as a line of a file.
    pub fn line(&self, seats: usize) -> String {
        let start = match &self.start {
            Some(text) => Start::Fen(text.clone()),
            // Two is the default, and engines that know no other number may not understand `players`.
            None => Start::Startpos {
                players: u32::try_from(seats).ok().filter(|&players| players != 2),
            },
        };
        let moves = self.moves.clone();
        let command = Command::Position(PositionCommand { start, moves }).to_string();
        command.trim_start_matches("position ").to_string()
    }

    /// Returns the start position, before the moves of the opening.
    ///
    /// # Errors
    /// [`PositionError`] if the start position is invalid.
    pub fn start(&self, rules: &Rules, seats: usize) -> Result<Position, PositionError> {
        match &self.start {
            Some(text) => rules.parse(text),
            None => rules.start(seats),
        }
    }

    /// Returns the position at the end of the opening.
    ///
    /// # Errors
    /// [`OpeningError`] if the opening cannot be played with `seats` seats, or ends the game.
    pub fn position(&self, rules: &Rules, seats: usize) -> Result<Position, OpeningError> {
        let position = self.start(rules, seats)?;
        check_seats(position.seats(), seats)?;
        let (mut after, error) = position.walk(self.moves.iter().map(String::as_str));
        if let Some(reason) = error {
            let number = after.len() + 1;
            return Err(OpeningError::from(reason).at(format_args!("word {number} of the moves")));
        }
        let position = after.pop().unwrap_or(position);
        match position.turn() {
            Turn::Over => {
                let reason = "the game is over; expected a position with a legal move";
                Err(OpeningError::new(reason.to_string()))
            }
            _ => Ok(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use buxtehude::rules::VARIANTS;

    use super::*;

    fn position_of(line: &str) -> String {
        let rules = Rules::from(&VARIANTS[0]);
        let opening = parse(line, &rules, 2).unwrap();
        opening.position(&rules, 2).unwrap().to_string()
    }

    #[test]
    fn a_position_and_what_follows_position_are_openings() {
        for (line, position) in [
            ("45,26,2/29,19,0 1 - BDD", "45,26,2/29,19,0 1 - BDD"),
            ("startpos", "0,68,3/0,68,3 1 - -"),
            ("startpos players 2 moves 1 +half 4 4", "5,24,3/4,58,3 2 - H"),
            ("fen 45,26,2/29,19,0 1 - BDD moves 4", "49,16,2/29,19,0 2 - BDD"),
        ] {
            assert_eq!(position_of(line), position, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_the_reason() {
        let lines = [
            "banana", "startpos players 3", "startpos moves 1 9", "startpos moves 8",
            "fen 1,68,3/1,68,3 1 - -", "64,5,0/60,3,0 2 1 -",
        ];
        let errors = lines.map(|line| match parse(line, &Rules::from(&VARIANTS[0]), 2) {
            Ok(opening) => panic!("{line:?} is accepted: {opening:?}"),
            Err(error) => format!("{line}\n  {error}"),
        });
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn a_card_belongs_to_the_ply_before_it() {
        for (plies, expected) in [
            (0, ""),
            (1, "1 +half"),
            (2, "1 +half 4"),
            (3, "1 +half 4 2 +x +y"),
            (9, "1 +half 4 2 +x +y"),
        ] {
            assert_eq!(shortened("1 +half 4 2 +x +y", plies), expected, "{plies} plies");
        }
    }

    #[test]
    fn a_roll_before_the_first_ply_stays() {
        for (plies, expected) in [(0, "+6"), (1, "+6 a +2"), (2, "+6 a +2 b")] {
            assert_eq!(shortened("+6 a +2 b", plies), expected, "{plies} plies");
        }
    }

    fn shortened(moves: &str, plies: u32) -> String {
        let mut opening =
            Opening { start: None, moves: moves.split(' ').map(String::from).collect() };
        opening.shorten(plies);
        opening.moves.join(" ")
    }
}
