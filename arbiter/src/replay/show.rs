//! A recorded game move by move, for a person.

use std::fmt::Write;

use buxtehude::rules::AnyPosition;

use super::{Step, Walk};
use crate::record::{GameRecord, TurnRecord};
use crate::report::{Column, ordinal, table};

/// The columns of the moves; where a seat's number of something stands, seats are in order.
const COLUMNS: [Column; 9] = [
    Column::right("ply"),
    Column::right("seat"),
    Column::left("engine"),
    Column::left("move"),
    Column::left("squares"),
    Column::left("carrots"),
    Column::right("depth"),
    Column::right("ms"),
    Column::left("estimate or score"),
];

/// A game move by move: who moved and what was drawn, every hare's square and carrots after it, and what the
/// engine said; then places and endings. Several lines with a newline at the end. Of a game that cannot be
/// played over again it shows what can.
pub fn show(record: &GameRecord) -> String {
    // Writing to a string never fails.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Game {}, block {}: {}, {} seats, seed {}",
        record.game,
        record.block,
        record.variant,
        record.seats.len(),
        record.seed
    );
    if let Ok(walk) = Walk::of(record) {
        text += &moves(record, &walk);
    }
    for (index, name) in record.seats.iter().enumerate() {
        let place = record.places.get(index).map_or(0, |&place| place as usize);
        let ending = record
            .endings
            .get(index)
            .map_or("?", |ending| ending.name());
        let _ = writeln!(
            text,
            "seat {} {name}: {}, {ending}",
            index + 1,
            ordinal(place)
        );
    }
    if let Some(fault) = &record.fault {
        let _ = writeln!(text, "seat {}: {}", fault.seat, fault.reason);
        for line in &fault.stderr {
            let _ = writeln!(text, "  stderr: {line}");
        }
    }
    text
}

/// The start, every move, and the position after the last one.
fn moves(record: &GameRecord, walk: &Walk) -> String {
    let words = record.moves.split_whitespace();
    let moves = words.filter(|word| !word.starts_with('+')).count();
    let opening = moves.saturating_sub(record.turns.len());
    let rows = walk.steps.iter().enumerate().map(|(index, step)| {
        let turn = index
            .checked_sub(opening)
            .and_then(|index| record.turns.get(index));
        row(index, step, turn, record)
    });
    let table = table(&COLUMNS, rows);
    format!("start {}\n\n{table}\nend   {}\n\n", walk.first, walk.last)
}

fn row(index: usize, step: &Step, turn: Option<&TurnRecord>, record: &GameRecord) -> Vec<String> {
    let name = record.seats.get(step.seat.index());
    let mv = match &step.card {
        Some(card) => format!("{} {card}", step.mv),
        None => step.mv.clone(),
    };
    let (squares, carrots) = holdings(&step.after);
    let mut row = vec![
        (index + 1).to_string(),
        step.seat.to_string(),
        name.cloned().unwrap_or_default(),
        mv,
        squares,
        carrots,
    ];
    row.extend(match turn {
        None => ["".to_string(), "".to_string(), "opening".to_string()],
        Some(turn) => [
            turn.depth.map_or(String::new(), |depth| depth.to_string()),
            format!("{:.1}", turn.micros as f64 / 1000.0),
            opinion(turn),
        ],
    });
    row
}

/// The squares and the carrots of all seats, in columns.
fn holdings(position: &AnyPosition) -> (String, String) {
    match position {
        AnyPosition::Hase(position) => {
            let hares = position.hares().iter();
            let squares: Vec<String> = hares
                .clone()
                .map(|hare| format!("{:>2}", hare.square))
                .collect();
            let carrots: Vec<String> = hares.map(|hare| format!("{:>3}", hare.carrots)).collect();
            (squares.join(" "), carrots.join(" "))
        }
    }
}

/// What the engine thought: its estimate, or else its score.
fn opinion(turn: &TurnRecord) -> String {
    if turn.estimate.is_empty() {
        return turn.score.clone().unwrap_or_default();
    }
    let shares: Vec<String> = turn
        .estimate
        .iter()
        .map(|share| format!("{share:>4}"))
        .collect();
    shares.join(" ").trim_start().to_string()
}
