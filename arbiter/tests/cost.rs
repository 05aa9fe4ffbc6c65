//! `arbiter cost`, with a judge that returns fixed estimates and with the built-in engine.

use std::fs;
use std::path::Path;

use crate::common::program;
use program::{content, crashing, directory, run, scattered};
use serde_json::{Value, json};

/// A game whose first ply is the opening, and in which the move `0` was forced.
const MOVES: &str = "2 7 4 +half 0 4 2";

/// Positions and `go` commands sent to the judge, the value of MultiPV at the time, and the judge's answers.
const TALK: &[(&str, &str, u32, &[&str])] = &[
    // The judge prefers the played move.
    (
        "startpos moves 2",
        "go depth 7",
        1,
        &["bestmove 7 estimate 400 600"],
    ),
    // Another move is worth 125 more to seat 1. Earlier lines, bounds and other moves do not count.
    (
        "startpos moves 2 7",
        "go depth 7",
        1,
        &["info depth 7 estimate 600 400 pv 3 1", "bestmove 3"],
    ),
    (
        "startpos moves 2 7",
        "go depth 7 searchmoves 3 4",
        2,
        &[
            "info depth 1 multipv 1 estimate 900 100 pv 4",
            "info depth 1 multipv 2 estimate 100 900 pv 3 1",
            "info depth 7 multipv 1 estimate 600 400 pv 3 1",
            "info depth 7 multipv 2 estimate 475 525 pv 4",
            "info depth 8 multipv 1 estimate 0 1000 score cp 9 upperbound pv 3",
            "info depth 8 multipv 2 estimate 0 1000 pv 10",
            "bestmove 3",
        ],
    ),
    // In the joint search, the played move turns out to be better.
    (
        "startpos moves 2 7 4 +half 0",
        "go depth 7",
        1,
        &["bestmove 3 estimate 500 500"],
    ),
    (
        "startpos moves 2 7 4 +half 0",
        "go depth 7 searchmoves 3 4",
        2,
        &[
            "info depth 7 multipv 1 estimate 510 490 pv 4",
            "info depth 7 multipv 2 estimate 500 500 pv 3",
            "bestmove 4",
        ],
    ),
    // The answer lacks one move, which is then searched alone: its cost for seat 2 is 10.
    (
        "startpos moves 2 7 4 +half 0 4",
        "go depth 7",
        1,
        &["bestmove 9 estimate 400 600"],
    ),
    (
        "startpos moves 2 7 4 +half 0 4",
        "go depth 7 searchmoves 9 2",
        2,
        &["info depth 7 multipv 1 estimate 390 610 pv 9", "bestmove 9"],
    ),
    (
        "startpos moves 2 7 4 +half 0 4",
        "go depth 7 searchmoves 2",
        1,
        &["bestmove 2 estimate 400 600"],
    ),
];

/// A judge that knows only the answers of [`TALK`] and otherwise returns no move.
fn judge(directory: &Path) -> String {
    let mut answers = String::new();
    for (position, go, lines, answer) in TALK {
        let said: Vec<String> = answer.iter().map(|line| format!("echo '{line}'")).collect();
        answers += &format!(
            "'{lines} position {position} {go}') {} ;;\n",
            said.join("; ")
        );
    }
    let script = format!(
        r#"
lines=1
while read -r line; do
  case $line in
    uci) echo 'option name MultiPV type spin default 1 min 1 max 9'; echo uciok ;;
    isready) echo readyok ;;
    'setoption name MultiPV value '*) lines=${{line##* }} ;;
    position*) position=$line ;;
    go*) case "$lines $position $line" in
{answers}*) echo 'bestmove (none) estimate 500 500' ;;
         esac ;;
    quit) exit ;;
  esac
done
"#
    );
    let path = directory.join("judge.sh");
    fs::write(&path, script).unwrap();
    format!("cmd=/bin/sh args={} name=known", path.display())
}

/// The game of [`MOVES`] as a line of a record.
fn game(number: u64, seats: [&str; 2]) -> Value {
    let turns = [(2, "7"), (1, "4"), (2, "0"), (1, "4"), (2, "2")];
    let turns: Vec<Value> = turns
        .iter()
        .map(|(seat, mv)| json!({ "seat": seat, "mv": mv }))
        .collect();
    json!({
        "game": number, "block": 1, "variant": "hase-und-igel", "start": "0,68,3/0,68,3 1 - -",
        "seats": seats, "seed": 1, "moves": MOVES, "places": [1, 1],
        "endings": ["max plies", "max plies"], "turns": turns,
    })
}

/// Writes a record of two such games with exchanged seats.
fn record(directory: &Path) -> String {
    let path = directory.join("games.jsonl");
    let games = [game(1, ["a", "b"]), game(2, ["b", "a"])];
    fs::write(&path, games.map(|game| format!("{game}\n")).concat()).unwrap();
    path.display().to_string()
}

fn cost(arguments: &[&str]) -> (i32, String) {
    let (code, stdout, stderr) = run(&[&["cost"], arguments].concat());
    (code, stdout + &stderr)
}

fn cost_json(arguments: &[&str]) -> Value {
    let text = content(&[&["cost", "--format", "json"], arguments].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Plays a match of the built-in engine into a store and a record.
fn match_of(directory: &Path, arguments: &[&str]) -> (String, String) {
    let path = |name: &str| directory.join(name).display().to_string();
    let (store, record) = (path("match.db"), path("games.jsonl"));
    let files = [
        "match", "--store", &store, "--record", &record, "--seed", "9",
    ];
    content(&[&files[..], arguments].concat());
    (store, record)
}

#[test]
fn costs_by_a_judge_whose_estimates_are_known() {
    let directory = directory("cost_known");
    let (judge, record) = (judge(&directory), record(&directory));
    let arguments = [&record, "--engine", &judge, "--depth", "7"];
    let (code, output) = cost(&arguments);
    assert_eq!(code, 0, "{output}");
    insta::assert_snapshot!(output.replace(directory.to_str().unwrap(), "DIR"));
    let sums = |key: &str, name: Value, numbers: [f64; 4]| {
        let [cost, error, per_move, dear] = numbers;
        json!({
            key: name, "games": 2, "moves": 4, "cost_per_game": cost, "error": error,
            "cost_per_move": per_move, "dear": dear,
        })
    };
    let first = |game: u64, engine: &str| {
        json!({
            "game": game, "ply": 3, "seat": 1, "engine": engine, "cost": 125,
            "position": "2,65,3/7,40,3! 1 - -", "played": "4", "best": "3",
        })
    };
    let last = |game: u64, engine: &str| {
        json!({
            "game": game, "ply": 6, "seat": 2, "engine": engine, "cost": 10,
            "position": "10,18,3/7,50,2 2 - H", "played": "2", "best": "9",
        })
    };
    // Mean of 125 and 10; Student's t for one degree of freedom.
    let of_both = [67.5, 12.706 * 57.5, 33.75, 0.25];
    let expected = json!({
        "judge": "known", "limit": "depth=7", "games": 2, "left_out": 0, "moves": 8,
        "engines": [sums("engine", "a".into(), of_both), sums("engine", "b".into(), of_both)],
        "seats": [
            sums("seat", 1.into(), [125.0, 0.0, 62.5, 0.5]),
            sums("seat", 2.into(), [10.0, 0.0, 5.0, 0.0]),
        ],
        "worst": [first(1, "a"), first(2, "b"), last(1, "b"), last(2, "a")],
    });
    assert_eq!(cost_json(&arguments), expected);
}

#[test]
fn an_engine_that_judges_itself_finds_no_cost() {
    let directory = directory("cost_itself");
    let openings = directory.join("openings");
    fs::write(&openings, "startpos moves 1 +half 4\n2,65,3/0,68,3 2 - -\n").unwrap();
    let openings = ["--openings", openings.to_str().unwrap(), "--games", "4"];
    let (store, record) = match_of(&directory, &[&openings[..], &["--depth", "1"]].concat());
    for file in [&store, &record] {
        let told = cost_json(&[file, "--depth", "1"]);
        assert_eq!((&told["games"], &told["worst"]), (&json!(4), &json!([])));
        assert_eq!(told["engines"][0]["cost_per_game"], 0.0, "{told}");
    }
}

#[test]
fn a_longer_search_finds_costs_which_text_and_json_tell_alike() {
    let directory = directory("cost_longer");
    let settings = ["--players", "3", "--depth", "1", "--random-plies", "4"];
    let (store, _) = match_of(&directory, &settings);
    let arguments = [store.as_str(), "--depth", "3", "--worst", "4"];
    let told = cost_json(&arguments);
    let number = |value: &Value| {
        value
            .as_f64()
            .unwrap_or_else(|| panic!("no number: {told}"))
    };
    let whole = |value: &Value| value.to_string();
    let text = content(&[&["cost"], &arguments[..]].concat());
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let mut lines = Vec::new();
    for (key, table) in [("engine", &told["engines"]), ("seat", &told["seats"])] {
        for line in table.as_array().unwrap() {
            let name = line[key].as_str().map(String::from);
            lines.push(vec![
                name.unwrap_or_else(|| whole(&line[key])),
                whole(&line["games"]),
                whole(&line["moves"]),
                format!("{:.1}", number(&line["cost_per_game"])),
                format!("{:.1}", number(&line["error"])),
                format!("{:.2}", number(&line["cost_per_move"])),
                format!("{:.1}", 100.0 * number(&line["dear"])),
                "%".to_string(),
            ]);
        }
    }
    let worst = told["worst"].as_array().unwrap();
    for judged in worst {
        let text = |key: &str| judged[key].as_str().unwrap().to_string();
        let mut line: Vec<String> = ["game", "ply", "seat"]
            .map(|key| whole(&judged[key]))
            .into();
        line.extend([text("engine"), whole(&judged["cost"])]);
        line.extend([text("played"), text("best")]);
        line.extend(text("position").split(' ').map(String::from));
        lines.push(line);
    }
    for line in &lines {
        assert!(rows.iter().any(|row| row == line), "{line:?}: {text}");
    }
    assert_eq!((lines.len(), worst.len()), (1 + 3 + 4, 4), "{text}");
    let costs: Vec<f64> = worst.iter().map(|judged| number(&judged["cost"])).collect();
    assert!(costs.is_sorted_by(|one, other| one >= other), "{costs:?}");
    assert!(costs[3] > 10.0, "{costs:?}");
    let moves: f64 = told["seats"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seat| number(&seat["moves"]))
        .sum();
    assert_eq!(moves, number(&told["moves"]));
    let heading = format!("{store}: 3 games, {moves} moves judged by buxtehude (depth 3)\n");
    assert!(text.starts_with(&heading), "{text}");
    let at_a_time = [&arguments[..], &["--concurrency", "3"]].concat();
    assert_eq!(cost_json(&at_a_time), told);
}

#[test]
fn only_selected_games_are_judged() {
    let directory = directory("cost_sample");
    let (judge, record) = (judge(&directory), record(&directory));
    let games = |arguments: &[&str]| {
        let all = [&record, "--engine", &judge, "--depth", "7"];
        let told = cost_json(&[&all[..], arguments].concat());
        let worst = told["worst"].as_array().unwrap();
        let worst: Vec<u64> = worst
            .iter()
            .map(|judged| judged["game"].as_u64().unwrap())
            .collect();
        (told["games"].as_u64().unwrap(), worst)
    };
    assert_eq!(games(&["--games", "1"]), (1, vec![1, 1]));
    assert_eq!(games(&["--sample", "2"]), (1, vec![1, 1]));
    assert_eq!(games(&["--games", "5", "--worst", "3"]), (2, vec![1, 2, 1]));
}

#[test]
fn an_invalid_game_is_skipped() {
    let directory = directory("cost_wrong");
    let (judge, record) = (judge(&directory), record(&directory));
    let mut wrong = game(3, ["a", "b"]);
    wrong["moves"] = MOVES.replace("+half", "+show 9").into();
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, format!("{wrong}\nno game\n{text}")).unwrap();
    let arguments = [&record, "--engine", &judge, "--depth", "7"];
    let (code, output) = cost(&arguments);
    assert_eq!(code, 1, "{output}");
    let heading = format!("{record}: 2 games, 8 moves judged by known (depth 7); 2 left out\n");
    assert!(output.starts_with(&heading), "{output}");
    assert!(
        output.contains(&format!("{record}:2: not a game record: ")),
        "{output}"
    );
    assert!(output.contains(&format!("{record}: game 3: ")), "{output}");
    fs::write(&record, format!("{wrong}\n")).unwrap();
    let (code, output) = cost(&arguments);
    assert_eq!(code, 2, "{output}");
    assert!(
        output.ends_with(&format!("error: {record}: no game to judge\n")),
        "{output}"
    );
}

#[test]
fn a_game_with_a_fault_is_judged_up_to_it() {
    let directory = directory("cost_fault");
    let bad = crashing(&directory, "bad");
    let good = scattered(&directory, "good", 3);
    let record = directory.join("games.jsonl").display().to_string();
    let files = ["match", "--record", &record, "--depth", "1", "--games", "2"];
    run(&[&files[..], &["--engine", &bad, "--engine", &good]].concat());
    let told = cost_json(&[&record, "--depth", "2"]);
    assert_eq!(told["games"], 2, "{told}");
    assert_eq!(told["engines"][0]["engine"], "bad", "{told}");
    // The engine crashes at its fifth move of each game.
    let moves = told["engines"][0]["moves"].as_u64().unwrap();
    assert!((1..=8).contains(&moves), "{told}");
}

/// Plays a legal move without an estimate, and offers the option of its first argument.
const MUTE: &str = r#"
while read -r line; do
  case $line in
    uci) [ "$1" ] && echo "option name $1 type spin default 1 min 1 max 9"; echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves }; echo "info depth 1 score cp 5 pv $1"; echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn an_engine_that_cannot_judge_is_rejected() {
    let directory = directory("cost_no_judge");
    let (known, record) = (judge(&directory), record(&directory));
    let script = directory.join("mute.sh");
    fs::write(&script, MUTE).unwrap();
    let mute = |offer: &str| {
        let path = script.display();
        format!("cmd=/bin/sh args='{path} {offer}' name=mute legal=on")
    };
    let narrow = "error: engine mute has no option \"MultiPV\": it offers ";
    let dumb = "error: engine mute, asked about \"startpos moves 2\": it gave no estimate; expected \
                `estimate` with 2 shares of 1000 in its `bestmove` or `info`\n";
    let lost = "error: engine known, asked about \"startpos moves 2\": its best move is (none); expected \
                one of 1 3 4 5 6 7 ";
    for (engine, expected) in [
        (mute("MultiPV"), dumb),
        (mute(""), narrow),
        (mute("Hash"), narrow),
        // The judge has no answer to this limit.
        (format!("{known} depth=9"), lost),
        ("depth=0".to_string(), "error: --engine \"depth=0\": depth="),
        ("cmd=/nowhere/at/all".to_string(), "error: engine all: "),
    ] {
        let (code, stdout, stderr) = run(&["cost", &record, "--engine", &engine]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{engine}: {stderr}");
        assert!(stderr.starts_with(expected), "{engine}: {stderr}");
    }
    for (arguments, expected) in [
        (&["/nowhere/at/all"][..], "error: /nowhere/at/all: "),
        (
            &[&record, "--games", "0"],
            "expected a whole number of at least 1",
        ),
        (
            &[&record, "--sample", "0"],
            "expected a whole number of at least 1",
        ),
        (
            &[&record, "--movetime", "5", "--tc", "1+1"],
            "cannot be used with",
        ),
    ] {
        let (code, output) = cost(arguments);
        assert_eq!(code, 2, "{arguments:?}: {output}");
        assert!(output.contains(expected), "{arguments:?}: {output}");
    }
}
