//! Scene of the race, for programs that draw it.

use super::position::Position;
use super::track::{FINISH, Square};
use crate::rules::{Board, Fact, Game, Layout, Piece, Scene, Seat, SquareKind, Turn};

/// The track with a hare for each seat. The facts of a seat are carrots, lettuces, place, and a note on its state.
pub(super) fn of(position: &Position) -> Scene {
    let track = &position.ruleset().track;
    let squares = (0..=FINISH).map(|square| kind(track.square(square)));
    let seats = || (0..position.seats() as u8).map(Seat);
    Scene {
        board: Board {
            layout: Layout::Track,
            squares: squares.collect(),
        },
        pieces: seats()
            .map(|seat| Piece {
                seat,
                name: "hare",
                square: position.hare(seat).square.into(),
            })
            .collect(),
        facts: seats().map(|seat| facts(position, seat)).collect(),
    }
}

fn kind(square: Square) -> SquareKind {
    let (name, mark) = match square {
        Square::Start => ("start", "S"),
        Square::Finish => ("finish", "Z"),
        Square::Hare => ("hare", "h"),
        Square::Carrot => ("carrot", "c"),
        Square::Lettuce => ("lettuce", "L"),
        Square::Hedgehog => ("hedgehog", "^"),
        Square::Number(2) => ("place 2", "2"),
        Square::Number(3) => ("place 3", "3"),
        Square::Number(4) => ("place 4", "4"),
        Square::Number(_) => ("place", "#"),
        Square::Flag => ("flag", "F"),
    };
    SquareKind { name, mark }
}

fn facts(position: &Position, seat: Seat) -> Vec<Fact> {
    let hare = position.hare(seat);
    let place = position.place(seat);
    let rank = place.unwrap_or(position.rank(seat).into());
    let note = match position.turn() {
        Turn::Over if place == Some(position.seats()) => "last",
        _ if place.is_some() => "finished",
        Turn::Card(drawing) if drawing == seat => "draws a card",
        _ if position.misses_turn(seat) => "misses a turn",
        _ => "",
    };
    let facts = [
        ("carrots", hare.carrots.to_string()),
        ("lettuces", hare.lettuces.to_string()),
        ("place", rank.to_string()),
        ("note", note.to_string()),
    ];
    facts.map(|(label, value)| Fact { label, value }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::HASE_UND_IGEL;

    #[test]
    fn a_race_with_all_that_can_be_said_of_a_hare() {
        let text = "64,9,0/31,20,1/22,44,2! 2?28 1 -";
        let position = Position::parse(&HASE_UND_IGEL, text).unwrap();
        let scene = of(&position);
        let squares: Vec<usize> = scene.pieces.iter().map(|piece| piece.square).collect();
        assert_eq!(squares, [64, 31, 22], "{}", position.picture());
        let values = |seat: usize| -> Vec<&str> {
            let facts = scene.facts[seat].iter();
            facts.map(|fact| fact.value.as_str()).collect()
        };
        assert_eq!(values(0), ["9", "0", "1", "finished"]);
        assert_eq!(values(1), ["20", "1", "2", "draws a card"]);
        assert_eq!(values(2), ["44", "2", "3", "misses a turn"]);
        let marks: String = scene.board.squares.iter().map(|kind| kind.mark).collect();
        assert!(
            marks.starts_with("Shch3chL^42") && marks.ends_with("hLhZ"),
            "{marks}"
        );
    }
}
