//! Levels, ratings, the aim and weight files, as a client sees them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::client;
use buxtehude::eval::hase::Weights;
use buxtehude::search::LEVELS;
use client::Engine;

const POSITIONS: &[&str] = &[
    "position startpos",
    "position startpos players 3",
    "position fen 22,31,2!/26,55,2 1 - BD",
    "position fen 64,5,0/61,22,0/40,30,0 2 1 -",
    "position startpos players 6",
];

/// Output of a search, without time and speed.
fn search(engine: &mut Engine, go: &str) -> Vec<String> {
    engine.send(go);
    let steady = |line: &String| {
        let words = line.split(' ').collect::<Vec<_>>();
        let varies = |index: usize| index > 0 && ["nps", "time"].contains(&words[index - 1]);
        let kept = (0..words.len()).filter(|&index| !varies(index));
        kept.map(|index| words[index]).collect::<Vec<_>>().join(" ")
    };
    engine.lines_to("bestmove").iter().map(steady).collect()
}

fn error_of(engine: &mut Engine, line: &str) -> String {
    let lines = engine.ask(line);
    assert_eq!(lines.len(), 1, "{line}: {lines:?}");
    let error = lines[0].strip_prefix("info string error: ");
    error.unwrap_or_else(|| panic!("{lines:?}")).into()
}

/// Writes a file of zero weights, under which all positions look equal, for the default variant and two seats.
fn even_weights(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("even two.net");
    let weights = Weights::zero("hase-und-igel", 2);
    std::fs::write(&path, weights.to_bytes()).unwrap();
    path
}

#[test]
fn the_lowest_level_answers_at_once_with_a_legal_move() {
    let mut engine = Engine::start();
    engine.ask("setoption name Level value 1");
    for position in POSITIONS {
        engine.send(position);
        let legal = engine.ask("query legal");
        let legal: Vec<String> = legal[0].split(' ').skip(1).map(String::from).collect();
        for go in ["go movetime 3600000", "go depth 96", "go nodes 1000000000", "go nodes 1"] {
            let start = Instant::now();
            let answer = search(&mut engine, go).pop().unwrap();
            let best = answer.split(' ').nth(1).unwrap().to_string();
            assert!(legal.contains(&best), "{position}, {go}: {answer}");
            assert!(start.elapsed() < Duration::from_secs(60), "{position}, {go}");
        }
    }
}

#[test]
fn a_search_without_limit_waits_for_stop_at_any_level() {
    let mut engine = Engine::start();
    engine.ask("setoption name Level value 1");
    for go in ["go", "go infinite"] {
        engine.send(go);
        let lines = engine.fence();
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
        engine.send("stop");
        engine.line_of("bestmove");
    }
}

#[test]
fn a_level_is_reproducible() {
    let lines = |level: usize| {
        let mut engine = Engine::start();
        engine.ask(&format!("setoption name Level value {level}"));
        let search = |position: &&str| {
            engine.send(position);
            search(&mut engine, "go nodes 300")
        };
        POSITIONS.iter().flat_map(search).collect::<Vec<_>>()
    };
    for level in [1, 5, 9] {
        assert_eq!(lines(level), lines(level));
        assert_ne!(lines(level), lines(10));
    }
}

#[test]
fn a_rating_counts_where_it_is_asked_for_and_is_that_of_a_level() {
    let mut engine = Engine::start();
    engine.ask("position startpos players 3");
    let full = search(&mut engine, "go nodes 2000");
    engine.ask(&format!("setoption name UCI_Elo value {}", LEVELS[2].elo));
    assert_eq!(search(&mut engine, "go nodes 2000"), full);
    engine.ask("setoption name UCI_LimitStrength value true");
    let rated = search(&mut engine, "go nodes 2000");
    assert_ne!(rated, full);
    engine.ask("setoption name UCI_LimitStrength value false");
    engine.ask("setoption name Level value 3");
    assert_eq!(search(&mut engine, "go nodes 2000"), rated);
    engine.ask("setoption name Level value 10");
    assert_eq!(search(&mut engine, "go nodes 2000"), full);
}

#[test]
fn levels_and_ratings_out_of_bounds_are_refused() {
    let mut engine = Engine::start();
    let (least, most) = (LEVELS[0].elo, LEVELS[LEVELS.len() - 1].elo);
    for (option, expected) in [
        ("Level value 0", "from 1 to 10".to_string()),
        ("Level value 11", "from 1 to 10".to_string()),
        ("UCI_Elo value 1", format!("from {least} to {most}")),
        ("UCI_Elo value 9999", format!("from {least} to {most}")),
        ("UCI_LimitStrength value yes", "true or false".to_string()),
        ("Aim value first", "placement or win".to_string()),
    ] {
        let error = error_of(&mut engine, &format!("setoption name {option}"));
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn the_article_has_no_levels() {
    let mut engine = Engine::start();
    engine.ask("setoption name Preset value article");
    engine.send("position startpos");
    let full = search(&mut engine, "go depth 3");
    engine.ask("setoption name Level value 1");
    assert_eq!(search(&mut engine, "go depth 3"), full);
}

#[test]
fn with_the_aim_to_win_a_certain_first_place_is_taken() {
    let mut engine = Engine::start();
    engine.ask("setoption name Aim value win");
    engine.send("position fen 63,1,0/60,30,0/58,40,0 1 - -");
    let lines = search(&mut engine, "go nodes 2000");
    assert!(lines.last().unwrap().starts_with("bestmove 1 "), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(" score mate 1 ")), "{lines:?}");
}

#[test]
fn the_aim_counts_only_while_the_first_place_of_several_is_open() {
    for (position, counts) in [
        ("position startpos", false),
        ("position fen 64,5,0/61,22,0/40,30,0 2 1 -", false),
        ("position fen 21,34,3/17,52,2/22,20,2! 2 - FS", true),
    ] {
        let mut engine = Engine::start();
        engine.send(position);
        let placement = search(&mut engine, "go nodes 3000");
        engine.ask("setoption name Aim value win");
        let win = search(&mut engine, "go nodes 3000");
        assert_eq!(win != placement, counts, "{position}: {win:?}");
        for line in &win {
            let estimate = line.split(' ').skip_while(|word| *word != "estimate").skip(1);
            let shares = estimate.map_while(|word| word.parse::<u32>().ok());
            assert_eq!(shares.sum::<u32>(), 1000, "{position}: {line}");
        }
    }
}

#[test]
fn a_file_of_weights_counts_for_its_variant_and_seats() {
    let folder = tempfile::tempdir().unwrap();
    let path = even_weights(&folder);
    let mut engine = Engine::start();
    let two = "position startpos moves 5 4";
    let three = "position startpos players 3 moves 5 4 2";
    let ask = |engine: &mut Engine, position: &str| {
        engine.send(position);
        let eval = engine.ask("eval");
        (eval, search(engine, "go nodes 1000"))
    };
    let shipped = [ask(&mut engine, two), ask(&mut engine, three)];
    engine.send(two);
    let answer = engine.ask(&format!("setoption name EvalFile value {}", path.display()));
    assert_eq!(answer, [""; 0]);
    let own = ask(&mut engine, two);
    assert!(own.0.contains(&"estimate 500 500".into()), "{own:?}");
    assert_ne!(own.1, shipped[0].1);
    assert_eq!(ask(&mut engine, three), shipped[1]);
    for back in ["EvalFile value <shipped>", "EvalFile value", "EvalFile"] {
        engine.ask(&format!("setoption name EvalFile value {}", path.display()));
        assert_eq!(ask(&mut engine, two), own);
        engine.ask(&format!("setoption name {back}"));
        assert_eq!(ask(&mut engine, two), shipped[0]);
    }
}

#[test]
fn a_wrong_file_of_weights_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = even_weights(&folder);
    let wrong = folder.path().join("wrong.net");
    std::fs::write(&wrong, b"no weights").unwrap();
    let mut engine = Engine::start();
    engine.ask(&format!("setoption name EvalFile value {}", path.display()));
    engine.send("position startpos moves 5 4");
    let before = engine.ask("eval");
    for (path, expected) in [
        (wrong.clone(), "expected a first line"),
        (folder.path().join("absent"), "cannot be read: "),
        (folder.path().to_path_buf(), "expected a regular file"),
    ] {
        let error =
            error_of(&mut engine, &format!("setoption name evalfile value {}", path.display()));
        assert!(error.starts_with("option EvalFile: "), "{error}");
        assert!(error.contains(expected), "{error}");
        assert_eq!(engine.ask("eval"), before);
    }
}
