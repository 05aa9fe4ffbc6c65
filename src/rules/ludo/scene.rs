//! Scene of a position.

use super::{GOAL, Move, PAWNS, Position};
use crate::rules::{
    Board, Fact, Game, Layout, MovePreview, Piece, Scene, Seat, SquareKind, joined,
};

pub(super) fn of(position: &Position) -> Scene {
    let kind = |square| SquareKind {
        name: match square {
            0 => "start",
            GOAL => "goal",
            _ => "way",
        },
        mark: "",
    };
    let seats = Seat::all(position.seats());
    let pieces = seats.clone().flat_map(|seat| {
        position.pawns(seat).map(|square| Piece { seat, name: "pawn", square: usize::from(square) })
    });
    let fact = |seat| Fact { label: "home", value: home(position, seat).to_string() };
    Scene {
        board: Board { layout: Layout::Track, squares: (0..=GOAL).map(kind).collect() },
        pieces: pieces.collect(),
        facts: seats.map(|seat| vec![fact(seat)]).collect(),
    }
}

pub(super) fn preview(position: &Position, mv: Move) -> MovePreview {
    let seat = Seat(position.mover);
    let pawns = position.pawns(seat);
    let pawn = pawns.iter().position(|pawn| *pawn == mv.0).unwrap_or(0);
    MovePreview {
        piece: PAWNS * seat.index() + pawn,
        square: usize::from((mv.0 + position.roll).min(GOAL)),
        facts: Vec::new(),
    }
}

pub(super) fn picture(position: &Position) -> String {
    let line = |seat| {
        let [rear, front] = position.pawns(seat);
        format!("seat {seat}: {rear} {front}")
    };
    let mut lines: Vec<String> = Seat::all(position.seats()).map(line).collect();
    if position.roll > 0 {
        lines.push(format!("rolled {}", position.roll));
    }
    lines.join("\n")
}

pub(super) fn columns(position: &Position) -> Vec<(&'static str, String)> {
    let pawns = Seat::all(position.seats()).map(|seat| joined(position.pawns(seat), ","));
    vec![("pawns", joined(pawns, " "))]
}

fn home(position: &Position, seat: Seat) -> usize {
    let pawns = position.pawns(seat);
    pawns.iter().filter(|pawn| **pawn == GOAL).count()
}
