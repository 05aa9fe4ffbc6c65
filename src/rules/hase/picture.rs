//! Drawing of the race as text: the track in rows, and a table of the hares.

use std::fmt::Write;

use super::position::Position;
use super::track::{FINISH, Square};
use crate::rules::{Game, Seat, Turn};

/// Squares per row of the drawing.
const ROW: u8 = 16;

/// Draws the race. The squares are `h` hare, `c` carrot, `L` lettuce, `^` hedgehog, `2` to `4` number and `F` flag.
/// Under a square is the seat whose hare is on it.
pub(super) fn draw(position: &Position) -> String {
    let mut picture = String::new();
    for first in (0..=FINISH).step_by(ROW.into()) {
        draw_row(&mut picture, position, first);
    }
    picture.push_str("seat  square  carrots  lettuces  place\n");
    let mover = position.turn().seat();
    for (index, hare) in position.hares().iter().enumerate() {
        let seat = Seat(index as u8);
        let place = position.place(seat);
        let rank = place.unwrap_or(position.rank(seat).into());
        let note = match position.turn() {
            Turn::Over if place == Some(position.seats()) => "  last",
            _ if place.is_some() => "  finished",
            Turn::Card(drawing) if drawing == seat => "  draws a card",
            _ if position.misses_turn(seat) => "  misses a turn",
            _ => "",
        };
        let pointer = if mover == Some(seat) { '>' } else { ' ' };
        // Writing to a string never fails.
        let _ = writeln!(
            picture,
            "{pointer}{seat:>3}  {:>6}  {:>7}  {:>8}  {rank:>5}{note}",
            hare.square, hare.carrots, hare.lettuces
        );
    }
    picture.truncate(picture.trim_end().len());
    picture
}

fn draw_row(picture: &mut String, position: &Position, first: u8) {
    let squares = first..=(first + ROW - 1).min(FINISH);
    let mut numbers = String::new();
    let mut kinds = String::new();
    let mut hares = String::new();
    for square in squares {
        let kind = match position.ruleset().track.square(square) {
            Square::Start => 'S',
            Square::Finish => 'Z',
            Square::Hare => 'h',
            Square::Carrot => 'c',
            Square::Lettuce => 'L',
            Square::Hedgehog => '^',
            Square::Number(place) => char::from(b'0' + place),
            Square::Flag => 'F',
        };
        let here: String = (0..position.seats() as u8)
            .map(Seat)
            .filter(|&seat| position.hare(seat).square == square)
            .map(|seat| seat.to_string())
            .collect();
        let width = here.len().max(2) + 1;
        numbers += &format!("{square:>width$}");
        kinds += &format!("{kind:>width$}");
        hares += &format!("{here:>width$}");
    }
    for line in [numbers, kinds, hares] {
        picture.push_str(line.trim_end());
        picture.push('\n');
    }
}
