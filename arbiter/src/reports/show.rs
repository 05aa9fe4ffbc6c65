//! A recorded game move by move, as readable text.

use std::fmt::Write;

use matches::archive::replay::{Replay, Step};
use matches::plan::rules::Position;
use matches::record::printable::{ends_of, printable};
use matches::record::{GameRecord, TurnRecord};
use matches::report::{Column, ordinal, table};

/// Columns to the left of the position.
const MOVE: [Column; 4] =
    [Column::right("ply"), Column::right("seat"), Column::left("engine"), Column::left("move")];

/// Columns to the right of the position.
const OPINION: [Column; 3] =
    [Column::right("depth"), Column::right("ms"), Column::left("estimate or score")];

/// Shows a game move by move: mover and card, the position after the move in a few columns, and the engine's report;
/// then places and endings. A game with an illegal move is shown up to it. The text ends with a newline.
pub fn show(record: &GameRecord) -> String {
    // Writing to a string never fails.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Game {}, block {}: {}, {} seats, seed {}",
        record.game,
        record.block,
        printable(&record.variant),
        record.seats.len(),
        record.seed
    );
    if let Ok(walk) = Replay::of(record) {
        text += &moves(record, &walk);
    }
    for (index, name) in record.seats.iter().enumerate() {
        let place = record.places.get(index).map_or(0, |&place| place as usize);
        let ending = record.endings.get(index).map_or("?", |ending| ending.name());
        let _ =
            writeln!(text, "seat {} {}: {}, {ending}", index + 1, printable(name), ordinal(place));
    }
    if let Some(fault) = &record.fault {
        let _ = writeln!(text, "seat {}: {}", fault.seat, printable(&fault.reason));
        for line in &fault.stderr {
            let _ = writeln!(text, "  stderr: {}", printable(line));
        }
    }
    text
}

/// The start, every move, and the position after the last one.
fn moves(record: &GameRecord, walk: &Replay) -> String {
    let opening = record.opening_plies();
    let rows = walk.steps.iter().enumerate().map(|(index, step)| {
        let turn = index.checked_sub(opening).and_then(|index| record.turns.get(index));
        row(index, step, turn, record)
    });
    let position = walk.first.columns().into_iter();
    let position = position.map(|(heading, _)| Column::left(heading));
    let columns: Vec<Column> = MOVE.into_iter().chain(position).chain(OPINION).collect();
    let table = table(&columns, rows);
    let picture = picture(&walk.last).map_or_else(String::new, |picture| picture + "\n\n");
    let [first, last] = [&walk.first, &walk.last].map(Position::to_string);
    format!("start {}\n\n{table}\nend   {}\n\n{picture}", ends_of(&first), ends_of(&last))
}

/// The picture that a rules program draws; the columns show other positions.
fn picture(position: &Position) -> Option<String> {
    match position {
        Position::BuiltIn(_) => None,
        Position::External(_) => Position::pictures(&[position]).ok()?.pop()?,
    }
}

fn row(index: usize, step: &Step, turn: Option<&TurnRecord>, record: &GameRecord) -> Vec<String> {
    let name = record.seats.get(step.seat.index());
    let words = [step.rolled.as_ref(), Some(&step.mv), step.card.as_ref()];
    let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
    let mut row = vec![
        (index + 1).to_string(),
        step.seat.to_string(),
        name.cloned().unwrap_or_default(),
        words.join(" "),
    ];
    row.extend(step.after.columns().into_iter().map(|(_, cell)| cell));
    row.extend(match turn {
        None => ["".to_string(), "".to_string(), "opening".to_string()],
        Some(turn) => [
            turn.depth.map_or(String::new(), |depth| depth.to_string()),
            turn.micros.map_or(String::new(), |micros| format!("{:.1}", micros as f64 / 1000.0)),
            opinion(turn),
        ],
    });
    row
}

/// The engine's estimate, or else its score, and the flaw of its answer.
fn opinion(turn: &TurnRecord) -> String {
    let flaw = turn.flaw.as_ref().map(|flaw| format!("flaw: {flaw}"));
    let value = Some(value(turn)).filter(|value| !value.is_empty());
    let said: Vec<String> = value.into_iter().chain(flaw).collect();
    said.join("; ")
}

fn value(turn: &TurnRecord) -> String {
    if turn.estimate.is_empty() {
        return turn.score.clone().unwrap_or_default();
    }
    let shares: Vec<String> = turn.estimate.iter().map(|share| format!("{share:>4}")).collect();
    shares.join(" ").trim_start().to_string()
}
