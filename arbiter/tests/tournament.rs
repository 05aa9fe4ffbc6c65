//! Tournaments: the pairings, and that a game depends only on the settings.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{program, stored};
use matches::spelling::engine_text;
use program::{directory, run};
use stored::export;

/// Arguments of a tournament of four engines in three seats.
fn four(format: &[&str], more: &[&str]) -> Vec<String> {
    let mut all: Vec<String> =
        ["tournament"].iter().chain(format).map(|word| word.to_string()).collect();
    let script = crate::common::ENGINE;
    for (name, part) in [("alpha", 1), ("beta", 2), ("gamma", 3), ("delta", 4)] {
        // Each engine has its own deterministic choice of moves.
        let go = format!("shift $(( $# * {part} / 5 )); echo \"bestmove $1\"");
        let engine = format!("{} name={name} legal=on", engine_text("/bin/sh", &[script, &go]));
        all.extend(["--engine".to_string(), engine]);
    }
    let settings = [
        "--players", "3", "--nodes", "1", "--max-plies", "40", "--seed", "5", "--random-plies", "2",
    ];
    all.extend(settings.iter().chain(more).map(|word| word.to_string()));
    all
}

fn go(arguments: &[String]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (code, stdout, stderr) = run(&arguments);
    assert_eq!(code, 0, "{arguments:?}\n{stdout}{stderr}");
    stdout
}

/// Games printed by a dry run: number of the block, seats, and start.
fn scheduled(text: &str) -> Vec<(u64, Vec<String>, String)> {
    let game = |line: &str| {
        let parts: Vec<&str> = line.split("  ").collect();
        let [_, block, seats, cards, start] = parts[..] else {
            panic!("{line:?}");
        };
        let block = block.strip_prefix("block ").unwrap().parse().unwrap();
        let seats = seats.split(", ").map(String::from).collect();
        (block, seats, format!("{cards} {start}"))
    };
    text.lines().map(game).collect()
}

#[test]
fn a_round_robin_has_every_engine_in_every_seat_against_all_others() {
    let text = go(&four(&["round-robin"], &["--rounds", "2", "--dry-run"]));
    let games = scheduled(&text);
    assert_eq!(games.len(), 2 * 4 * 3, "{text}");
    let mut seated: BTreeMap<(usize, String), u32> = BTreeMap::new();
    let mut met: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut beginnings: BTreeMap<u64, String> = BTreeMap::new();
    for (block, seats, beginning) in games {
        let known = beginnings.entry(block).or_insert_with(|| beginning.clone());
        assert_eq!(*known, beginning, "block {block}");
        for (seat, name) in seats.iter().enumerate() {
            *seated.entry((seat, name.clone())).or_default() += 1;
            for other in seats.iter().filter(|other| *other != name) {
                *met.entry((name.clone(), other.clone())).or_default() += 1;
            }
        }
    }
    assert!(seated.len() == 12 && seated.values().all(|&times| times == 6), "{seated:?}");
    assert!(met.len() == 12 && met.values().all(|&times| times == 12), "{met:?}");
    assert_eq!(beginnings.len(), 8);
}

#[test]
fn all_orders_plays_all_seatings() {
    let text = go(&four(&["round-robin"], &["--all-orders", "--dry-run"]));
    let mut games = scheduled(&text);
    assert_eq!(games.len(), 4 * 6, "{text}");
    games.sort();
    games.dedup();
    assert_eq!(games.len(), 24, "{text}");
}

#[test]
fn a_gauntlet_has_one_challenger_in_each_game() {
    for challengers in [1, 2] {
        let number = challengers.to_string();
        let format = ["gauntlet", "--challengers", &number];
        let text = go(&four(&format, &["--dry-run"]));
        let names = &["alpha", "beta"][..challengers];
        let games = scheduled(&text);
        let line_ups = [3, 2][challengers - 1];
        assert_eq!(games.len(), line_ups * 3, "{text}");
        for (_, seats, _) in games {
            let found = seats.iter().filter(|seat| names.contains(&seat.as_str())).count();
            assert_eq!(found, 1, "{seats:?} in {text}");
        }
    }
}

#[test]
fn the_games_are_the_same_however_many_are_played_at_a_time() {
    let mut exports = Vec::new();
    for concurrency in ["1", "2", "8"] {
        let test = format!("concurrency_{concurrency}");
        let store = directory(&format!("{test}_store")).join("tournament.db");
        let path = store.to_str().unwrap();
        let more = ["--rounds", "2", "--concurrency", concurrency, "--store", path];
        go(&four(&["round-robin"], &more));
        let text = export(path, &["--without-clock"]);
        assert_eq!(text.lines().count(), 24);
        exports.push(text);
    }
    assert!(exports.iter().all(|text| *text == exports[0]), "the games differ");
}

#[test]
fn an_interrupted_tournament_resumes_to_the_same_result() {
    let directory = directory("resumed_tournament");
    let [whole, part] =
        ["whole.db", "part.db"].map(|name| directory.join(name).to_str().unwrap().to_string());
    let more = ["--rounds", "3", "--all-orders", "--store"];
    go(&four(&["round-robin"], &[&more[..], &[&whole]].concat()));
    go(&four(&["round-robin"], &[&more[..], &[&part]].concat()));
    // As if the tournament had been killed after some games, not the first ones.
    let connection = rusqlite::Connection::open(&part).unwrap();
    for table in ["turns", "seats"] {
        connection.execute(&format!("DELETE FROM {table} WHERE game % 3 = 1"), []).unwrap();
    }
    let deleted = connection.execute("DELETE FROM games WHERE number % 3 = 1", []).unwrap();
    assert_eq!(deleted, 24);
    drop(connection);
    let (code, stdout, stderr) = run(&["resume", &part, "--concurrency", "2"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let [whole, part] = [whole, part].map(|path| run(&["export", &path, "--without-clock"]).1);
    assert_eq!(whole.lines().count(), 72);
    assert!(whole == part, "the games differ");
}

#[test]
fn openings_come_in_the_requested_order() {
    let directory = directory("openings_order");
    let file = directory.join("openings");
    let lines = ["2 4", "4 5", "5 7", "7 9", "9 10", "10 2"]
        .map(|moves| format!("startpos players 3 moves {moves}\n"));
    fs::write(&file, lines.concat()).unwrap();
    let begins = |more: &[&str]| -> Vec<String> {
        let file = [
            "--openings",
            file.to_str().unwrap(),
            "--rounds",
            "2",
            "--random-plies",
            "0",
            "--dry-run",
        ];
        let all = four(&["round-robin"], &[&file[..], more].concat());
        // Remove the default, since the last of two equal flags would count.
        let mut all = all;
        let at = all.iter().position(|word| word == "--random-plies").unwrap();
        all.drain(at..at + 2);
        let games = scheduled(&go(&all));
        let moves = |text: &str| {
            text.rsplit_once("moves ").map_or(String::new(), |(_, moves)| moves.to_string())
        };
        games.iter().step_by(12).map(|(_, _, text)| moves(text)).collect()
    };
    assert_eq!(begins(&[]), ["2 4", "4 5"]);
    assert_eq!(begins(&["--openings-start", "6"]), ["10 2", "2 4"]);
    assert_eq!(begins(&["--openings-plies", "1"]), ["2", "4"]);
    let random = begins(&["--openings-order", "random"]);
    assert_eq!(random, begins(&["--openings-order", "random"]));
    let others = (1..20).map(|seed| {
        begins(&["--openings-order", "random", "--openings-start", &(seed % 6 + 1).to_string()])
    });
    assert!(others.into_iter().any(|other| other != random));
}
