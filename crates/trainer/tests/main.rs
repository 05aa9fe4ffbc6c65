//! Tests of the trainer, in one program because linking takes most of the time.

mod command;
mod endings;
mod facts;
mod learning;
mod measuring;

use std::path::PathBuf;

use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{AnyPosition, Game as _, Turn};
use matches::record::{GameRecord, TurnRecord};
use tempfile::TempDir;
use trainer::records;

fn position(text: &str) -> Position {
    Position::parse(&HASE_UND_IGEL, text).unwrap()
}

/// Record of a game; the engines chose the moves after the `|`, if there is one.
fn game(names: &[&str], start: &str, moves: &str) -> GameRecord {
    let (opening, own) = moves.split_once("| ").unwrap_or(("", moves));
    let start = position(start);
    let mut last = AnyPosition::Hase(start);
    let mut turns = Vec::new();
    let words = opening.split_whitespace().map(|word| (word, false));
    for (word, is_own) in words.chain(own.split_whitespace().map(|word| (word, true))) {
        if let (Turn::Seat(seat), true) = (last.turn(), is_own) {
            turns.push(TurnRecord {
                seat: u32::from(seat.0) + 1,
                mv: word.to_string(),
                ..TurnRecord::default()
            });
        }
        last.play(word).unwrap();
    }
    let AnyPosition::Hase(last) = last else {
        unreachable!("a game does not change");
    };
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    GameRecord { turns, ..records::record(&names, &start, moves.replace("| ", ""), &last) }
}

/// Writes a file of these games in a temporary folder.
fn file(games: &[GameRecord]) -> (TempDir, PathBuf) {
    let lines = games.iter().map(|game| serde_json::to_string(game).unwrap() + "\n");
    file_of(&lines.collect::<String>())
}

fn file_of(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.jsonl");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}
