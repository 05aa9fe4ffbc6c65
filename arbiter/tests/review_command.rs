//! `arbiter review`, with an engine that returns fixed estimates and with the built-in one.

use std::fs;
use std::path::Path;

use crate::common::program;
use matches::spelling::engine_text;
use program::{built_in, content, crashing, directory, run, scattered};
use serde_json::{Value, json};

/// A game whose first ply is the opening, and where the move `0` was forced.
const MOVES: &str = "2 7 4 +half 0 4 2";

/// An engine that prefers 3 for the second move of seat 1, and elsewhere the first legal move. The value of a position
/// depends only on the last move or card.
const KNOWN: &str = r#"
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    position*) position=$line ;;
    go*) set -- ${line#*searchmoves }
         best=$1
         case $position in
           *' +half '*) shares='400 600' ;;
           *' moves 2 7') shares='600 400'; best=3 ;;
           *' moves 2 7 3') shares='720 280' ;;
           *' moves 2 7 4 +half') shares='300 700' ;;
           *' moves 2 7 4 +'*) shares='600 400' ;;
           *' moves 2') shares='500 500' ;;
           *) shares='400 600' ;;
         esac
         echo "bestmove $best estimate $shares" ;;
    quit) exit ;;
  esac
done
"#;

/// The `--engine` string of an engine in shell code.
fn engine(directory: &Path, name: &str, script: &str) -> String {
    let path = directory.join(format!("{name}.sh"));
    fs::write(&path, script).unwrap();
    format!("{} name={name} legal=on", engine_text("/bin/sh", &[path.to_str().unwrap()]))
}

/// The game of [`MOVES`] as a line of a record.
fn game(number: u64, seats: [&str; 2]) -> Value {
    let turns = [(2, "7"), (1, "4"), (2, "0"), (1, "4"), (2, "2")];
    let turns: Vec<Value> =
        turns.iter().map(|(seat, mv)| json!({ "seat": seat, "mv": mv })).collect();
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

fn review(arguments: &[&str]) -> (i32, String) {
    let (code, stdout, stderr) = run(&[&["review"], arguments].concat());
    (code, stdout + &stderr)
}

fn review_json(arguments: &[&str]) -> Value {
    let text = content(&[&["review", "--format", "json"], arguments].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn number(value: &Value) -> f64 {
    let number = value.as_f64();
    number.unwrap_or_else(|| panic!("no number: {value}"))
}

/// The numbers of a list, without rounding errors.
fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|value| (number(value) * 1e6).round() / 1e6).collect()
}

/// Plays a match of the built-in engine at three levels.
fn match_of_three(directory: &Path, games: &str) -> String {
    let store = directory.join("match.db").display().to_string();
    let [a, b, c] = ["name=a nodes=60", "name=b nodes=20", "name=c nodes=5"].map(built_in);
    content(&[
        "match", "--store", &store, "--seed", "9", "--players", "3", "--games", games,
        "--random-plies", "4", "--nodes", "20", "--engine", &a, "--engine", &b, "--engine", &c,
    ]);
    store
}

#[test]
fn a_game_by_an_engine_whose_estimates_are_known() {
    let directory = directory("review_known");
    let (engine, record) = (engine(&directory, "known", KNOWN), record(&directory));
    let arguments = [&record, "--engine", &engine, "--depth", "7"];
    for (test, more) in [("one_game", &["--game", "2"][..]), ("all_games", &[])] {
        let (code, output) = review(&[&arguments[..], more].concat());
        assert_eq!(code, 0, "{output}");
        insta::assert_snapshot!(test, output.replace(directory.to_str().unwrap(), "DIR"));
    }
    let output = review_json(&[&arguments[..], &["--game", "1"]].concat());
    let review = &output["reviews"][0];
    let moves = review["moves"].as_array().unwrap();
    let of_moves = |key: &str| {
        let values = moves.iter().map(|reviewed| reviewed[key].clone());
        values.collect::<Value>()
    };
    assert_eq!(of_moves("ply"), json!([2, 3, 4, 5, 6]));
    assert_eq!(of_moves("word"), json!([2, 3, 5, 6, 7]));
    assert_eq!(of_moves("seat"), json!([2, 1, 2, 1, 2]));
    assert_eq!(of_moves("move"), json!(["7", "4", "0", "4", "2"]));
    assert_eq!(of_moves("is_forced"), json!([false, false, true, false, false]));
    assert_eq!(of_moves("best"), json!(["1", "3", "0", "4", "2"]));
    // After 4, two of the fifteen cards are worth 300, the others 600.
    let mean = (2.0 * 300.0 + 13.0 * 600.0) / 15.0;
    let rounded = |number: f64| (number * 1e6).round() / 1e6;
    assert_eq!(numbers(&of_moves("loss")), [200.0, 720.0 - mean, 0.0, 0.0, 0.0].map(rounded));
    let before: Vec<f64> = moves.iter().map(|reviewed| number(&reviewed["before"][0])).collect();
    assert_eq!(before, [500.0, 600.0, 300.0, 400.0, 400.0]);
    let noise: Vec<f64> = moves.iter().map(|reviewed| number(&reviewed["noise"][0])).collect();
    assert_eq!(noise, [-100.0, 120.0, 100.0, 0.0, 0.0]);
    let cards = moves[1]["cards"].as_array().unwrap();
    assert_eq!(
        (cards.len(), &cards[0]["card"], &cards[0]["seat"]),
        (1, &json!("+half"), &json!(1))
    );
    assert_eq!(numbers(&cards[0]["luck"]), [300.0 - mean, mean - 300.0].map(rounded));
    assert_eq!(
        (numbers(&review["start"]), numbers(&review["end"])),
        (vec![500.0; 2], vec![400.0, 600.0])
    );
    let sums: Vec<f64> = ["start", "skill", "gifts", "luck", "noise", "verdict", "result"]
        .iter()
        .map(|key| rounded(number(&review["sums"][0][key])))
        .collect();
    let expected = [500.0, mean - 720.0, 200.0, 300.0 - mean, 120.0, 100.0, 500.0];
    assert_eq!(sums, expected.map(rounded));
    // The worst moves and the losses per move that had an alternative, over both games.
    let output = review_json(&arguments);
    let worst = |game: u64, ply: usize, seat: usize, engine: &str, better: [&str; 2]| {
        let [mv, best] = better;
        json!([game, ply, seat, engine, mv, best])
    };
    let found: Vec<Value> = output["worst"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bad| {
            json!([bad["game"], bad["ply"], bad["seat"], bad["engine"], bad["move"], bad["best"]])
        })
        .collect();
    let expected = [
        worst(1, 2, 2, "b", ["7", "1"]),
        worst(2, 2, 2, "a", ["7", "1"]),
        worst(1, 3, 1, "a", ["4", "3"]),
        worst(2, 3, 1, "b", ["4", "3"]),
    ];
    assert_eq!(found, expected);
    assert_eq!(output["worst"][2]["position"], "2,65,3/7,40,3! 1 - -");
    let of_seat = |seat: usize, key: &str| rounded(number(&output["seats"][seat][key]));
    assert_eq!(of_seat(0, "loss_per_move"), rounded((720.0 - mean) / 2.0));
    assert_eq!(of_seat(1, "loss_per_move"), 100.0);
    assert_eq!((of_seat(0, "costly"), of_seat(1, "costly")), (0.5, 0.5));
}

#[test]
fn an_engine_that_reviews_itself_finds_no_loss() {
    let directory = directory("review_itself");
    let path = |name: &str| directory.join(name).display().to_string();
    let (openings, record) = (path("openings"), path("games.jsonl"));
    fs::write(&openings, "startpos moves 1 +half 4\n2,65,3/0,68,3 2 - -\n").unwrap();
    let settings = ["--openings", &openings, "--games", "4", "--seed", "9"];
    // Reviews are by the tree.
    let engine = built_in("name=buxtehude option.Preset=tree");
    let files = ["match", "--engine", &engine, "--record", &record, "--depth", "1"];
    content(&[&files[..], &settings].concat());
    let output = review_json(&[&record, "--depth", "1"]);
    assert_eq!((&output["games"], &output["worst"]), (&json!(4), &json!([])));
    assert_eq!(output["engines"][0]["loss_per_move"], 0.0, "{output}");
}

#[test]
fn the_steps_of_real_games_add_up_at_any_concurrency() {
    let directory = directory("review_real");
    let store = match_of_three(&directory, "6");
    let record = directory.join("games.jsonl").display().to_string();
    fs::write(&record, content_of_export(&store)).unwrap();
    let games = ["--game", "1", "--game", "4", "--game", "6"];
    let output = review_json(&[&[store.as_str(), "--nodes", "50"], &games[..]].concat());
    for (file, concurrency) in [(&store, "3"), (&record, "1")] {
        let more = [file.as_str(), "--nodes", "50", "--concurrency", concurrency];
        assert_eq!(review_json(&[&more[..], &games[..]].concat()), output);
    }
    let reviews = output["reviews"].as_array().unwrap();
    assert_eq!(reviews.len(), 3);
    for review in reviews {
        for (seat, sums) in review["sums"].as_array().unwrap().iter().enumerate() {
            let steps = ["start", "skill", "gifts", "luck", "noise", "verdict"];
            let sum: f64 = steps.iter().map(|step| number(&sums[step])).sum();
            let place = number(&review["places"][seat]);
            assert!((sum - (3.0 - place) * 1000.0 / 3.0).abs() < 1e-9, "{review}");
            assert_eq!(sums["verdict"], 0.0);
        }
    }
}

fn content_of_export(store: &str) -> String {
    let (code, stdout, _) = run(&["export", store]);
    assert_eq!(code, 0, "{stdout}");
    stdout
}

#[test]
fn over_many_games_luck_evens_out_and_weak_engines_lose_by_their_moves() {
    let directory = directory("review_many");
    let store = match_of_three(&directory, "60");
    let output = review_json(&[&store, "--nodes", "100", "--concurrency", "2"]);
    assert_eq!(output["games"], 60, "{output}");
    let lines = || {
        let engines = output["engines"].as_array().unwrap();
        engines.iter().chain(output["seats"].as_array().unwrap())
    };
    for line in lines() {
        let luck = &line["luck"];
        // Twice the 95 % interval, because of the number of tests.
        assert!(number(&luck["mean"]).abs() < 2.0 * number(&luck["error"]), "{line}");
        assert!(number(&luck["error"]) > 1.0, "{line}");
    }
    let skill: Vec<f64> = lines().take(3).map(|line| number(&line["skill"]["mean"])).collect();
    assert!(skill[0] > skill[2] + 50.0 && skill[0] < 0.0, "{skill:?}");
}

#[test]
fn only_selected_games_are_reviewed() {
    let directory = directory("review_sample");
    let (engine, record) = (engine(&directory, "known", KNOWN), record(&directory));
    let games = |arguments: &[&str]| {
        let all = [&record, "--engine", &engine, "--depth", "7"];
        let output = review_json(&[&all[..], arguments].concat());
        (output["games"].clone(), output["reviews"].as_array().map(Vec::len))
    };
    assert_eq!(games(&["--games", "1"]), (json!(1), None));
    assert_eq!(games(&["--sample", "2"]), (json!(1), None));
    assert_eq!(games(&[]), (json!(2), None));
    assert_eq!(games(&["--game", "2"]), (json!(1), Some(1)));
    assert_eq!(games(&["--game", "2", "--game", "1"]), (json!(2), Some(2)));
    let (code, output) = review(&[&record, "--game", "3", "--engine", &engine]);
    let expected = format!("error: --game: {record} has no valid game 3\n");
    assert_eq!((code, output), (2, expected));
}

#[test]
fn a_game_that_is_not_in_order_is_left_out_of_a_review() {
    let directory = directory("review_wrong");
    let (engine, record) = (engine(&directory, "known", KNOWN), record(&directory));
    let mut wrong = game(3, ["a", "b"]);
    wrong["moves"] = MOVES.replace("+half", "+show 9").into();
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, format!("{wrong}\nno game\n{text}")).unwrap();
    let arguments = [&record, "--engine", &engine, "--depth", "7"];
    let (code, output) = review(&arguments);
    assert_eq!(code, 1, "{output}");
    let heading = format!("{record}: 2 games, 10 moves reviewed by known (depth 7); 2 left out\n");
    assert!(output.starts_with(&heading), "{output}");
    let unreadable = format!("{record}:2: not a game record: ");
    assert!(output.contains(&unreadable), "{output}");
    assert!(output.contains(&format!("{record}: game 3: ")), "{output}");
    fs::write(&record, format!("{wrong}\n")).unwrap();
    let (code, output) = review(&arguments);
    let expected = format!("error: {record}: no game to review\n");
    assert_eq!((code, output.ends_with(&expected)), (2, true), "{output}");
}

#[test]
fn what_a_fault_cost_is_neither_skill_nor_luck() {
    let directory = directory("review_fault");
    let bad = crashing(&directory, "bad");
    let good = scattered(&directory, "good", 3);
    let record = directory.join("games.jsonl").display().to_string();
    let files = ["match", "--record", &record, "--depth", "1", "--games", "2"];
    run(&[&files[..], &["--engine", &bad, "--engine", &good]].concat());
    let output = review_json(&[&record, "--nodes", "20"]);
    assert_eq!(output["engines"][0]["engine"], "bad", "{output}");
    let of_bad = |key: &str| number(&output["engines"][0][key]["mean"]);
    assert_eq!(of_bad("result"), 0.0, "{output}");
    let steps = ["start", "skill", "gifts", "luck", "noise"];
    let expected: f64 = steps.iter().map(|step| of_bad(step)).sum();
    assert!((of_bad("verdict") + expected).abs() < 1e-9, "{output}");
    let (_, text) = review(&[&record, "--nodes", "20"]);
    assert!(text.contains("verdict"), "{text}");
}

/// Plays a legal move without an estimate.
const MUTE: &str = r#"
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves }; echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn an_engine_without_estimates_reviews_nothing() {
    let directory = directory("review_mute");
    let (mute, record) = (engine(&directory, "mute", MUTE), record(&directory));
    let dumb = "error: engine mute, asked about \"startpos moves 2\": it gave no estimate; expected \
                `estimate` with 2 shares of 1000 in its `bestmove` or `info`\n";
    let nowhere = "error: engine all: ";
    let lost = engine(&directory, "lost", &KNOWN.replace("best=$1", "best=none"));
    let no_move = "error: engine lost, asked about \"startpos moves 2\": its best move is none; expected one of 1 3 4 ";
    for (engine, expected) in [
        (mute.as_str(), dumb),
        (&lost, no_move),
        ("depth=0", "error: --engine \"depth=0\": depth="),
        ("cmd=/nowhere/at/all", nowhere),
    ] {
        let (code, stdout, stderr) = run(&["review", &record, "--engine", engine]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{engine}: {stderr}");
        assert!(stderr.starts_with(expected), "{engine}: {stderr}");
    }
    for (arguments, expected) in [
        (&["/nowhere/at/all"][..], "error: /nowhere/at/all: "),
        (&[&record, "--game", "0"], "error: invalid value '0' for '--game <N>'"),
        (
            &[&record, "--game", "1", "--sample", "2"],
            "error: the argument '--game <N>' cannot be used with",
        ),
        (&[&record, "--games", "0"], "error: invalid value '0' for '--games <N>'"),
        (&[&record, "--sample", "0"], "error: invalid value '0' for '--sample <K>'"),
        (
            &[&record, "--movetime", "5", "--tc", "1+1"],
            "error: the argument '--movetime <MS>' cannot be used with",
        ),
    ] {
        let (code, output) = review(arguments);
        assert_eq!((code, output.starts_with(expected)), (2, true), "{output}");
    }
}
