//! A match in the third game, a dice game, from the first roll to the page: no line of the arbiter knows the game.

use crate::common::{program, stored};
use program::{built_in, content, directory, run};
use stored::export;

#[test]
fn a_match_is_played_stored_replayed_and_reported() {
    for seats in ["2", "4"] {
        let directory = directory(&format!("third_game_{seats}"));
        let store = directory.join("match.db").to_str().unwrap().to_string();
        let engine = |name: &str| built_in(&format!("nodes=50 name={name}"));
        let (code, stdout, stderr) = run(&[
            "match",
            "--variant",
            "ludo",
            "--players",
            seats,
            "--games",
            "8",
            "--seed",
            "3",
            "--random-plies",
            "2",
            "--store",
            &store,
            "--engine",
            &engine("one"),
            "--engine",
            &engine("two"),
        ]);
        assert_eq!(code, 0, "{stdout}{stderr}");

        let games = export(&store, &[]);
        assert_eq!(games.lines().count(), 8, "{games}");
        for game in games.lines() {
            let game: serde_json::Value = serde_json::from_str(game).unwrap();
            let moves = game["moves"].as_str().unwrap();
            assert!(moves.starts_with('+'), "{moves}");
        }
        let record = directory.join("games.jsonl");
        std::fs::write(&record, &games).unwrap();
        let record = record.to_str().unwrap();
        let (code, stdout, stderr) = run(&["replay", record]);
        assert_eq!(code, 0, "{stdout}{stderr}");

        let shown = content(&["replay", record, "--game", "1"]);
        let first_roll = games.split("\"moves\":\"").nth(1).unwrap();
        let words: Vec<&str> = first_roll.split_whitespace().take(2).collect();
        assert!(shown.contains(&words.join(" ")), "{words:?} in\n{shown}");

        let text = export(&store, &["--format", "text"]);
        let again = directory.join("games.txt");
        std::fs::write(&again, &text).unwrap();
        let page = content(&["report", &store]);
        for word in ["pawn", "goal", &words.join(" ")] {
            assert!(page.contains(word), "no {word} in the page");
        }

        let output = content(&["review", &store, "--nodes", "20"]);
        assert!(output.contains(": 8 games, "), "{output}");

        let (code, stdout, stderr) = run(&["verify", &store]);
        assert_eq!(code, 0, "{stdout}{stderr}");
    }
}

#[test]
fn the_engine_passes_the_check_of_it() {
    let engine = env!("CARGO_BIN_EXE_arbiter");
    let (code, said, stderr) = run(&["check", "--variant", "ludo", engine, "engine"]);
    assert_eq!(code, 0, "{said}{stderr}");
    let (code, said, stderr) = run(&["check", "--only", "ludo", engine, "engine"]);
    assert_eq!(code, 0, "{said}{stderr}");
    assert!(said.contains(" 0 warnings, 0 skipped"), "{said}");
}
