//! Helpers for tests of the store: its content, and the output of a match about it.

use std::collections::BTreeSet;
use std::path::Path;

use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};

use super::program::run;

/// Heading of the column that depends on the clock.
const CLOCK_COLUMN: &str = "ms/move";

pub fn export(file: &str, arguments: &[&str]) -> String {
    export_with_digest(file, arguments).0
}

pub fn export_with_digest(file: &str, arguments: &[&str]) -> (String, String) {
    let (code, stdout, stderr) = run(&[&["export", file], arguments].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");
    let digest =
        stderr.strip_prefix("digest of ").and_then(|text| text.trim_end().split_once(": "));
    let (_, digest) = digest.unwrap_or_else(|| panic!("no digest alone in {stderr:?}"));
    (stdout, digest.to_string())
}

/// Numbers of the games in a store.
pub fn numbers(store: &str) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    let store = Store::open(Path::new(store)).unwrap();
    let read = store.for_each_game(Extent::Summary, |game| {
        numbers.insert(game.record.game);
        Ok::<(), ArchiveError>(())
    });
    assert!(read.is_ok(), "{read:?}");
    numbers
}

/// Numbers of the games that a match reports as finished; asserts that each occurs once.
pub fn printed(stdout: &str) -> BTreeSet<u64> {
    let mut printed = BTreeSet::new();
    for line in stdout.lines() {
        let number = line.split_once("  game ").and_then(|(count, rest)| {
            let is_count = count.trim().split('/').all(|part| part.parse::<u64>().is_ok());
            rest.split_once(": ").filter(|_| is_count)?.0.trim().parse().ok()
        });
        if let Some(number) = number {
            assert!(printed.insert(number), "game {number} twice in\n{stdout}");
        }
    }
    printed
}

/// Tables and faults printed by a match, a resumed match or a report, without the columns that depend on the clock.
pub fn tables(stdout: &str) -> String {
    let from = stdout.find('─').unwrap_or_else(|| panic!("no table in {stdout}"));
    let text = &stdout[from..];
    // A match ends with an empty line and a line of its own.
    let text = text.rsplit_once("\n\n").filter(|(_, last)| last.contains("stored in"));
    let text = text.map_or(&stdout[from..], |(text, _)| text);
    let heading = text.lines().nth(1).unwrap();
    let column = heading
        .find(CLOCK_COLUMN)
        .map(|bytes| heading[..bytes].chars().count())
        .unwrap_or_else(|| panic!("no {CLOCK_COLUMN} in {text}"));
    let mut lines: Vec<String> = text.trim_end().lines().map(String::from).collect();
    for line in lines.iter_mut().skip(3).take_while(|line| !line.starts_with('─')) {
        let is_clock = |index| (column..column + CLOCK_COLUMN.len()).contains(&index);
        let masked = line.chars().enumerate();
        *line = masked.map(|(index, c)| if is_clock(index) { '*' } else { c }).collect();
    }
    lines.join("\n")
}
