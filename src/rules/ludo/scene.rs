//! Scene of a position.

use super::{GOAL, Move, PAWNS, Position};
use crate::rules::{Board, Fact, Game, Layout, MovePreview, Piece, Scene, Seat, SquareKind};

fn seats(position: &Position) -> impl Iterator<Item = Seat> {
    (0..position.seats() as u8).map(Seat)
}

pub(super) fn of(position: &Position) -> Scene {
    let kind = |square| SquareKind {
        name: match square {
            0 => "start",
            GOAL => "goal",
            _ => "way",
        },
        mark: "",
    };
    let pieces = seats(position).flat_map(|seat| {
        position.pawns(seat).map(|square| Piece {
            seat,
            name: "pawn",
            square: usize::from(square),
        })
    });
    let fact = |seat| Fact {
        label: "home",
        value: home(position, seat).to_string(),
    };
    Scene {
        board: Board {
            layout: Layout::Track,
            squares: (0..=GOAL).map(kind).collect(),
        },
        pieces: pieces.collect(),
        facts: seats(position).map(|seat| vec![fact(seat)]).collect(),
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
    let mut lines: Vec<String> = seats(position).map(line).collect();
    if position.roll > 0 {
        lines.push(format!("rolled {}", position.roll));
    }
    lines.join("\n")
}

pub(super) fn columns(position: &Position) -> Vec<(&'static str, String)> {
    let all: Vec<String> = seats(position)
        .map(|seat| {
            let [rear, front] = position.pawns(seat);
            format!("{rear},{front}")
        })
        .collect();
    vec![("pawns", all.join(" "))]
}

fn home(position: &Position, seat: Seat) -> usize {
    let pawns = position.pawns(seat);
    pawns.iter().filter(|pawn| **pawn == GOAL).count()
}
