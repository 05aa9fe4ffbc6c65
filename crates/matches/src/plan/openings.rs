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
use std::str::FromStr;

use buxtehude::protocol::{Command, PositionCommand, Start};
use buxtehude::rules::{Turn, is_card};
use serde::{Deserialize, Serialize};

use crate::input_file;
use crate::plan::rules::{Position, PositionError, Rules};

/// A start position and the legal moves and cards played from it. Its text is a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Opening {
    pub start: Start,
    /// Moves and cards.
    pub moves: Vec<String>,
}

impl Opening {
    /// Returns the variant's own start for a number of seats.
    pub fn usual(seats: usize) -> Opening {
        // Two is the default, and engines that know no other number may not understand `players`.
        let players = u32::try_from(seats).ok().filter(|&players| players != 2);
        Opening { start: Start::Startpos { players }, moves: Vec::new() }
    }

    /// Returns the start with a text, which may be the variant's own.
    pub fn of_text(text: &str, rules: &Rules, seats: usize) -> Opening {
        if rules.start(seats).is_ok_and(|usual| usual.to_string() == text) {
            Opening::usual(seats)
        } else {
            Opening { start: Start::Fen(text.to_string()), moves: Vec::new() }
        }
    }

    /// Cuts the opening after `plies` plies and the cards that they draw.
    pub fn shorten(&mut self, plies: u32) {
        let words = self.moves.iter().enumerate();
        let mut plies_at = words.filter(|(_, word)| !is_card(word));
        if let Some((end, _)) = plies_at.nth(plies as usize) {
            self.moves.truncate(end);
        }
    }
}

/// Reads a file of openings, one per line; skips blank lines and lines that begin with `#`.
///
/// # Errors
/// A message that names the file and the line.
pub fn read(path: &Path, rules: &Rules, seats: usize) -> Result<Vec<Opening>, String> {
    let place = path.display();
    let text = input_file::read_text(path).map_err(|error| format!("{place}: {error}"))?;
    let openings = of_lines(text.lines(), &format!("{place}:"), rules, seats)?;
    if openings.is_empty() {
        return Err(format!("{place}: the file contains no openings; expected one per line"));
    }
    Ok(openings)
}

/// Parses the lines of a file or a list like [`read`]; `place` goes before the number of a line in errors.
///
/// # Errors
/// A message that names the line.
pub fn of_lines<'a>(
    lines: impl IntoIterator<Item = &'a str>,
    place: &str,
    rules: &Rules,
    seats: usize,
) -> Result<Vec<Opening>, String> {
    let mut openings = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = parse(line, rules, seats)
            .map_err(|error| format!("{place}{}: {line:?}: {error}", index + 1))?;
        openings.push(opening);
    }
    Ok(openings)
}

/// Parses an opening and checks that it can be played with `seats` seats, unless the rules are of a program, which need
/// not run yet.
///
/// # Errors
/// A message that names the invalid part and the accepted form.
pub fn parse(line: &str, rules: &Rules, seats: usize) -> Result<Opening, String> {
    let opening: Opening = line.parse()?;
    if rules.built_in().is_some() {
        opening.position(rules, seats).map_err(|error| error.to_string())?;
    }
    Ok(opening)
}

impl FromStr for Opening {
    type Err = String;

    /// Parses a line of a file; the error names the invalid part and the accepted form.
    fn from_str(line: &str) -> Result<Opening, String> {
        if !matches!(line.split_whitespace().next(), Some("startpos" | "fen")) {
            return Ok(Opening { start: Start::Fen(line.to_string()), moves: Vec::new() });
        }
        match format!("position {line}").parse::<Command>() {
            // As in the protocol, the default is two players.
            Ok(Command::Position(PositionCommand {
                start: Start::Startpos { players },
                moves,
            })) => Ok(Opening { moves, ..Opening::usual(players.unwrap_or(2) as usize) }),
            Ok(Command::Position(PositionCommand { start, moves })) => Ok(Opening { start, moves }),
            Ok(other) => Err(format!("read as {other}, expected a position")),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Opening { start, moves } = self.clone();
        PositionCommand { start, moves }.fmt(f)
    }
}

impl TryFrom<String> for Opening {
    type Error = String;

    fn try_from(line: String) -> Result<Opening, String> {
        line.parse()
    }
}

impl From<Opening> for String {
    fn from(opening: Opening) -> String {
        opening.to_string()
    }
}

impl Opening {
    /// Returns the start position, before the moves of the opening.
    ///
    /// # Errors
    /// [`PositionError`] if the start position is invalid.
    pub fn start(&self, rules: &Rules) -> Result<Position, PositionError> {
        match &self.start {
            Start::Startpos { players } => rules.start(players.unwrap_or(2) as usize),
            Start::Fen(text) => rules.parse(text),
        }
    }

    /// Returns the position at the end of the opening.
    ///
    /// # Errors
    /// [`PositionError`] if the opening cannot be played with `seats` seats, or ends the game.
    pub fn position(&self, rules: &Rules, seats: usize) -> Result<Position, PositionError> {
        let start = self.start(rules)?;
        if start.seats() != seats {
            let found = start.seats();
            let reason = format!("the opening is for {found} players, but the match has {seats}");
            return Err(PositionError::Opening(reason));
        }
        let (mut after, error) = start.walk(self.moves.iter().map(String::as_str));
        match (error, after.last().unwrap_or(&start).turn()) {
            (Some(fault @ PositionError::Rules(_)), _) => Err(fault),
            (Some(reason), _) => {
                let number = after.len() + 1;
                Err(PositionError::Opening(format!("word {number} of the moves: {reason}")))
            }
            (None, Turn::Over) => {
                let reason = "the game is over; expected a position with a legal move";
                Err(PositionError::Opening(reason.to_string()))
            }
            (None, _) => Ok(after.pop().unwrap_or(start)),
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
        let mut opening: Opening = format!("startpos moves {moves}").parse().unwrap();
        opening.shorten(plies);
        opening.moves.join(" ")
    }
}
