//! Drawing of the board as text.

use super::board::Square;
use super::position::{Position, RABBIT};
use crate::rules::{Game, Turn};

/// Draws the board with row 8 at the top: `F` is the rabbit, `h` a wolf, `.` a free dark square.
pub(super) fn draw(position: &Position) -> String {
    let mut picture = String::new();
    for row in (0..8).rev() {
        let mut line = format!("{}", row + 1);
        for file in 0..8 {
            let dark = Square::at(row, file);
            line.push(' ');
            line.push(dark.map_or(' ', |square| position.letter_on(square).unwrap_or('.')));
        }
        picture.push_str(line.trim_end());
        picture.push('\n');
    }
    picture.push_str("  a b c d e f g h\n");
    picture.push_str(match (position.turn(), position.winner()) {
        (Turn::Over, Some(RABBIT)) => "seat 1, the rabbit, has won",
        (Turn::Over, _) => "seat 2, the wolves, has won",
        (Turn::Seat(RABBIT), _) => "seat 1, the rabbit, moves",
        _ => "seat 2, the wolves, moves",
    });
    picture
}
