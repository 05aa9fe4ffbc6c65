//! Parsing positions and playing lines.

use buxtehude::rules::Game;
use buxtehude::rules::hase::{Card, HASE_UND_IGEL, Position};

/// Parses a position of the default variant.
pub fn parse(text: &str) -> Position {
    Position::parse(&HASE_UND_IGEL, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Plays the words of a move list; returns the position.
pub fn play_line(position: &Position, line: &[String]) -> Position {
    let mut now = *position;
    for word in line {
        let result = match word.parse::<Card>() {
            Ok(card) => now.draw(card).map_err(|error| error.to_string()),
            Err(_) => now.play(word.parse().expect("a move")).map_err(|error| error.to_string()),
        };
        result.unwrap_or_else(|error| panic!("{word} of {line:?}: {error} in\n{position:?}"));
    }
    now
}
