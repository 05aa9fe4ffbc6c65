//! The preset `article` as a client sees it: options, output and limits.

use std::collections::HashSet;

use crate::common::client;
use client::Engine;

const POSITION: &str = "position fen 45,26,2/29,19,0 1 - -";

/// An engine with the preset and a position.
fn article() -> Engine {
    let mut engine = Engine::start();
    engine.send("setoption name Preset value article");
    engine.send(POSITION);
    engine
}

/// Output of a search, without time and speed.
fn search(engine: &mut Engine, go: &str) -> Vec<String> {
    engine.send(go);
    let lines = engine.lines_to("bestmove");
    let steady = |line: String| {
        let words: Vec<&str> = line.split(' ').collect();
        let varies = |index: usize| {
            let before = index.checked_sub(1).map(|before| words[before]);
            matches!(before, Some("nps" | "time"))
        };
        let kept = (0..words.len()).filter(|&index| !varies(index));
        kept.map(|index| words[index]).collect::<Vec<_>>().join(" ")
    };
    lines.into_iter().map(steady).collect()
}

fn fact<'a>(line: &'a str, name: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|word| *word != name);
    words.nth(1).unwrap_or_else(|| panic!("no {name} in {line}"))
}

#[test]
fn choosing_the_preset_sets_its_options() {
    let mut engine = article();
    let fresh = search(&mut engine, "go depth 4");
    for option in [
        "Ks value 300", "Kc value 0", "Strategy value relative", "HareModel value chance",
        "Prune value exact", "Caps value 2", "AILevel value 1",
    ] {
        assert_eq!(engine.ask(&format!("setoption name {option}")), [""; 0]);
    }
    let changed = search(&mut engine, "go depth 4");
    assert_ne!(changed, fresh);
    let terms = engine.ask("eval");
    assert!(terms[0].contains(" x 300 ") && terms[0].contains(" x 0 "), "{terms:?}");
    engine.send("setoption name Preset value article");
    assert_eq!(search(&mut engine, "go depth 4"), fresh);
}

#[test]
fn presets_are_the_program_of_the_article_with_other_settings() {
    let author = ["Prune value article", "Caps value 0,0,8,8,4", "AILevel value 4"];
    let best = ["Prune value exact", "Caps value 0", "AILevel value 12"];
    let mut results = HashSet::new();
    for (preset, strategy, options) in [
        ("article", "absolute", author),
        ("faith", "relative", author),
        ("hybrid", "hybrid", author),
        ("article-best", "100", best),
    ] {
        let mut engine = article();
        engine.send(&format!("setoption name Preset value {preset}"));
        let found = search(&mut engine, "go depth 9 nodes 1000000");
        let mut engine = article();
        engine.send("setoption name Preset value article-best");
        engine.send(&format!("setoption name Strategy value {strategy}"));
        for option in options {
            engine.send(&format!("setoption name {option}"));
        }
        assert_eq!(search(&mut engine, "go depth 9 nodes 1000000"), found, "{preset}");
        results.insert(found);
    }
    assert_eq!(results.len(), 4);
}

#[test]
fn the_article_looks_ahead_eight_plies() {
    let mut engine = article();
    let lines = search(&mut engine, "go depth 12");
    let deepest = lines.iter().rev().find(|line| line.starts_with("info depth"));
    assert_eq!(fact(deepest.expect("a depth"), "depth"), "8");
}

#[test]
fn its_options_have_no_effect_on_the_default() {
    let mut engine = Engine::start();
    engine.send(POSITION);
    let (search_before, terms_before) = (search(&mut engine, "go depth 4"), engine.ask("eval"));
    for option in ["Ks value 900", "Strategy value relative", "Caps value 1"] {
        engine.send(&format!("setoption name {option}"));
    }
    assert_eq!(search(&mut engine, "go depth 4"), search_before);
    assert_eq!(engine.ask("eval"), terms_before);
    engine.send("setoption name Preset value article");
    assert_ne!(search(&mut engine, "go depth 4"), search_before);
    engine.send("setoption name Preset value best");
    assert_eq!(search(&mut engine, "go depth 4"), search_before);
}

#[test]
fn each_depth_tells_the_vector_of_its_best_line_once() {
    let mut engine = article();
    engine.send("setoption name MultiPV value 3");
    let lines = search(&mut engine, "go depth 4");
    let infos = lines.iter().filter(|line| line.starts_with("info depth"));
    assert_eq!(infos.clone().count(), 3 * 4, "{lines:#?}");
    let vectors = lines.iter().filter(|line| line.starts_with("info string e "));
    assert_eq!(vectors.clone().count(), 4, "{lines:#?}");
    for (index, line) in lines.iter().enumerate() {
        if line.starts_with("info string e ") {
            assert_eq!(fact(&lines[index - 1], "multipv"), "1", "{lines:#?}");
            assert_eq!(line.split(' ').count(), 3 + 2, "{line}");
        }
    }
    let first_moves: Vec<&str> = infos.rev().take(3).map(|line| fact(line, "pv")).collect();
    assert_eq!(first_moves[2], fact(&lines[lines.len() - 1], "bestmove"));
    assert!(first_moves[0] != first_moves[1] && first_moves[1] != first_moves[2]);
    // The best move is the same without the others.
    engine.send("setoption name MultiPV value 1");
    let alone = search(&mut engine, "go depth 4");
    assert_eq!(alone.last(), lines.last());
}

#[test]
fn the_vector_of_depth_one_is_the_evaluation_of_the_best_move() {
    let mut engine = article();
    let lines = search(&mut engine, "go depth 1");
    let mv = fact(&lines[0], "pv").to_string();
    engine.send(&format!("{POSITION} moves {mv}"));
    let terms = engine.ask("eval");
    let worth: Vec<&str> = terms[..2].iter().map(|line| fact(line, "=").trim()).collect();
    assert_eq!(worth, ["E", "E"]);
    let worth: Vec<&str> = terms[..2].iter().map(|line| fact(line, "E")).collect();
    assert_eq!(lines[1], format!("info string e {}", worth.join(" ")));
}

#[test]
fn limits_hold_as_ever() {
    let mut engine = article();
    for limit in [1, 2, 10, 100, 1000, 54321] {
        let lines = search(&mut engine, &format!("go nodes {limit}"));
        for line in lines.iter().filter(|line| line.starts_with("info depth")) {
            let nodes: u64 = fact(line, "nodes").parse().expect("a number");
            assert!(nodes <= limit, "{line}");
        }
    }
    let lines = search(&mut engine, "go depth 3 searchmoves 3 4");
    assert!(["3", "4"].contains(&fact(&lines[lines.len() - 1], "bestmove")), "{lines:?}");
    for start in ["position startpos", "position startpos players 6"] {
        engine.send(start);
        for go in ["go movetime 5", "go wtime 10 btime 10", "go infinite", "go ponder"] {
            if start.ends_with('6') && go.contains("wtime") {
                continue;
            }
            engine.send(go);
            engine.send("stop");
            let best = engine.line_of("bestmove");
            assert_ne!(fact(&best, "bestmove"), "(none)", "{start}, {go}");
        }
    }
}

#[test]
fn a_hare_that_can_finish_does() {
    let mut engine = article();
    for (position, best) in [
        ("60,15,0/30,40,1 1 - -", "4"),
        ("59,17,0/58,30,0/20,60,2 1 - -", "5"),
        ("62,66,2!/63,11,0 2 - -", "1"),
    ] {
        for strategy in ["absolute", "relative", "hybrid"] {
            engine.send(&format!("setoption name Strategy value {strategy}"));
            engine.send(&format!("position fen {position}"));
            let lines = search(&mut engine, "go depth 6");
            let last = &lines[lines.len() - 1];
            assert_eq!(fact(last, "bestmove"), best, "{strategy} in {position}");
            assert_eq!(fact(&lines[0], "score"), "mate", "{strategy} in {position}");
        }
    }
}

#[test]
fn values_that_no_option_takes_are_refused() {
    let mut engine = Engine::start();
    for (option, problem) in [
        (
            "Preset value finest",
            "Preset: \"finest\" is refused, expected best or tree or search or article or \
             article-best or faith or hybrid",
        ),
        ("Ks value 1001", "Ks: \"1001\" is refused, expected a whole number from 0 to 1000"),
        ("Kp value 1.5", "Kp: \"1.5\" is refused, expected a whole number from 0 to 1000"),
        (
            "Strategy value leslie",
            "Strategy: \"leslie\" is refused, expected absolute, relative, hybrid, or a whole number from 0 to 100",
        ),
        (
            "HareModel value Chance",
            "HareModel: \"Chance\" is refused, expected article or article-penalty or chance",
        ),
        ("Prune value on", "Prune: \"on\" is refused, expected exact or article"),
        (
            "Caps value 0,,8",
            "Caps: \"0,,8\" is refused, expected 1 to 16 whole numbers from 0 to 255 joined by commas, 0 for all \
             moves",
        ),
    ] {
        let lines = engine.ask(&format!("setoption name {option}"));
        assert_eq!(lines, [format!("info string error: option {problem}")]);
    }
}
