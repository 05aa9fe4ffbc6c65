//! The text of a position, `<board> <turn> - - <half-move clock> <full-move number>` as in chess: formats, parses and
//! validates it.

use std::fmt;

use super::board::Square;
use super::position::{Position, RABBIT, WOLVES};
use crate::rules::PositionError;
use crate::rules::number::whole_number;

impl fmt::Display for Position {
    /// Writes the text of the position. The counters have no meaning and are always `0 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..8).rev() {
            let mut free = 0;
            for file in 0..8 {
                let letter = Square::at(row, file).and_then(|square| self.letter_on(square));
                match letter {
                    None => free += 1,
                    Some(letter) if free == 0 => write!(f, "{letter}")?,
                    Some(letter) => {
                        write!(f, "{free}{letter}")?;
                        free = 0;
                    }
                }
            }
            if free > 0 {
                write!(f, "{free}")?;
            }
            f.write_str(if row > 0 { "/" } else { " " })?;
        }
        let turn = if self.mover() == RABBIT { 'w' } else { 'b' };
        write!(f, "{turn} - - 0 1")
    }
}

/// Parses and validates the text of a position. Missing fields at the end default to `w - - 0 1`.
pub(super) fn parse(text: &str) -> Result<Position, PositionError> {
    let mut fields = text.split(' ');
    // Even an empty text has one, empty, field.
    let (rabbit, wolves) = parse_board(fields.next().unwrap_or_default())?;
    let mover = match fields.next() {
        None | Some("w") => RABBIT,
        Some("b") => WOLVES,
        Some(text) => {
            let expected = "`w` for the rabbit or `b` for the wolves";
            return Err(PositionError::expected("turn", expected, text));
        }
    };
    for (field, text) in ["castling", "en passant"].into_iter().zip(&mut fields) {
        if text != "-" {
            return Err(PositionError::expected(field, "`-`", text));
        }
    }
    for field in ["half-move clock", "full-move number"] {
        let Some(text) = fields.next() else {
            break;
        };
        whole_number(text, u32::MAX)
            .map_err(|problem| PositionError::new(field, format!("{text:?} {problem}")))?;
    }
    if fields.next().is_some() {
        let found = text.split(' ').count();
        let form = "<board> <turn> - - <half-move clock> <full-move number>";
        let problem = format!("expected the end behind `{form}`, found {found} fields");
        return Err(PositionError::new("full-move number", problem));
    }
    let position = Position::new(rabbit, wolves, mover);
    // `parse_board` has found one rabbit and four wolves on different squares.
    Ok(position.unwrap_or_else(|| unreachable!("no position: {text:?}")))
}

/// Returns the rabbit's square and the set of the wolves.
fn parse_board(text: &str) -> Result<(Square, u32), PositionError> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        let expected = "8 rows joined by `/`, row 8 first";
        return Err(PositionError::expected("board", expected, rows.len()));
    }
    let mut rabbits = Vec::new();
    let mut wolves = 0u32;
    for (row, text) in (0..8).rev().zip(rows) {
        for (letter, file) in parse_row(row, text)? {
            let square = Square::at(row, file).ok_or_else(|| {
                let name = format!("{}{}", char::from(b'a' + file), row + 1);
                let problem = format!(
                    "`{letter}` on {name}, a light square, expected dark ones such as a1 or b2"
                );
                PositionError::new("square", problem)
            })?;
            match letter {
                'F' => rabbits.push(square),
                _ => wolves |= square.bit(),
            }
        }
    }
    let &[rabbit] = rabbits.as_slice() else {
        return Err(PositionError::expected("rabbit", "one `F`", rabbits.len()));
    };
    match wolves.count_ones() {
        4 => Ok((rabbit, wolves)),
        found => Err(PositionError::expected("wolves", "four `h`", found)),
    }
}

/// Letters of a row with their files. Rows and files count from 0.
fn parse_row(row: u8, text: &str) -> Result<Vec<(char, u8)>, PositionError> {
    let wrong = || {
        let row = row + 1;
        let problem = format!(
            "row {row}: expected 8 squares, `F` the rabbit, `h` a wolf and a number for free ones in a row, \
             found {text:?}"
        );
        PositionError::new("board", problem)
    };
    let mut letters = Vec::new();
    let mut file = 0;
    let mut after_number = false;
    for letter in text.chars() {
        let free = match letter {
            'F' | 'h' => None,
            '1'..='8' if !after_number => letter.to_digit(10),
            _ => return Err(wrong()),
        };
        if free.is_none() {
            letters.push((letter, file));
        }
        after_number = free.is_some();
        file += free.unwrap_or(1) as u8;
        if file > 8 {
            return Err(wrong());
        }
    }
    if file == 8 { Ok(letters) } else { Err(wrong()) }
}
