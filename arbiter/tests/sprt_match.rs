//! Whole matches that an SPRT ends: the built-in engine against the random mover.

use std::path::Path;

use crate::common::program;
use matches::record::GameRecord;
use matches::spelling::engine_text;
use program::{built_in, directory, run};

/// The two engines, the built-in one first.
fn engines() -> [String; 2] {
    let arbiter = env!("CARGO_BIN_EXE_arbiter");
    let random = Path::new(arbiter)
        .with_file_name("examples")
        .join(format!("random_mover{}", std::env::consts::EXE_SUFFIX));
    assert!(
        random.exists(),
        "{random:?} is missing: expected `cargo test -p arbiter`, or `cargo build -p arbiter --examples` before"
    );
    [
        built_in("name=built-in"),
        format!("{} name=random", engine_text(random.to_str().unwrap(), &[])),
    ]
}

/// Plays a match of these engines at depth 1; returns its exit status, output and records.
fn play(test: &str, engines: &[&String], arguments: &[&str]) -> (i32, String, Vec<GameRecord>) {
    let record = directory(test).join("games.jsonl");
    let mut all = vec!["match", "--depth", "1", "--seed", "7", "--random-plies", "4"];
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(["--record", record.to_str().unwrap()]);
    all.extend(arguments);
    let (code, stdout, stderr) = run(&all);
    let text = std::fs::read_to_string(&record).unwrap_or_default();
    let games = text.lines().map(|line| matches::archive::replay::read(line).unwrap());
    (code, stdout + &stderr, games.collect())
}

/// The output about strength, without the times in the tables.
fn strength(output: &str) -> String {
    let is_about_it = |line: &&str| {
        let labels = ["  pairs", "  normalized", "  LLR"];
        line.contains(" against ") || labels.iter().any(|label| line.starts_with(label))
    };
    let lines: Vec<&str> = output.lines().filter(is_about_it).collect();
    lines.join("\n")
}

#[test]
fn the_stronger_engine_is_accepted_early_and_the_weaker_one_refused() {
    let [strong, weak] = engines();
    let sprt = ["--games", "1000", "--sprt", "elo0=0", "elo1=200"];
    let (code, output, games) = play("sprt_stronger", &[&strong, &weak], &sprt);
    assert_eq!(code, 10, "{output}");
    assert!(games.len() < 200, "{output}");
    for words in ["at most 1000 games", "H1 accepted", "ended by the test"] {
        assert!(output.contains(words), "no {words:?} in\n{output}");
    }
    let (code, output, games) = play("sprt_weaker", &[&weak, &strong], &sprt);
    assert_eq!(code, 11, "{output}");
    assert!(games.len() < 200, "{output}");
    assert!(output.contains("H0 accepted"), "{output}");
}

#[test]
fn three_seats_are_tested_the_same_at_any_concurrency() {
    let [strong, weak] = engines();
    let at = |test, concurrency| {
        let arguments = ["--players", "3", "--concurrency", concurrency, "--sprt", "elo1=100"];
        let (code, output, _) = play(test, &[&strong, &weak], &arguments);
        assert_eq!(code, 10, "{output}");
        strength(&output)
    };
    let alone = at("sprt_alone", "1");
    assert!(alone.contains("blocks of 3 games"), "{alone}");
    assert_eq!(alone, at("sprt_together", "3"));
}

#[test]
fn a_test_without_a_verdict_is_a_match_that_was_played() {
    let [strong, weak] = engines();
    let arguments = ["--games", "4", "--sprt"];
    let (code, output, games) = play("sprt_open", &[&strong, &weak], &arguments);
    assert_eq!((code, games.len()), (0, 4), "{output}");
    assert!(output.contains("undecided"), "{output}");
}
