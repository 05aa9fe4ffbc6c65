//! Matches whose rules come from another program: from its first answer to replay and report, and its faults.

use std::fs;
use std::path::Path;

use matches::score::half_width;
use matches::spelling::engine_text;
use scraper::{Html, Selector};
use serde_json::Value;

use crate::common::{program, stepped, stored};
use program::{built_in, content, directory, run};
use stepped::{list, text};
use stored::{export, numbers};

const PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/pig.py");
const HOLD_AT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/hold_at.py");
const MOVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/engine.py");
const RACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/race_rules.py");
const BAD_PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/bad_pig.py");

fn mover(name: &str) -> String {
    format!("{} legal=on name={name}", engine_text("python3", &[MOVER]))
}

fn pig() -> String {
    format!("{} name=pig", engine_text("python3", &[PIG]))
}

/// Passes on the answers of [`pig`], and fails at the given one unless there is a file `mended`.
fn bad_pig(fault: &str, answer: &str, mended: &str) -> String {
    let command = engine_text("python3", &[BAD_PIG, PIG, fault, answer, mended]);
    format!("{command} name=pig")
}

/// Plays a match between two engines that move at random.
fn play(rules: &str, store: &str, options: &[&str]) -> (i32, String, String) {
    let (one, other) = (mover("one"), mover("other"));
    let engines = ["--engine", &one, "--engine", &other];
    let game = ["match", "--rules", rules, "--store", store];
    run(&[&game[..], &engines, options].concat())
}

fn path(directory: &Path, name: &str) -> String {
    directory.join(name).to_str().unwrap().to_string()
}

#[test]
fn a_match_is_played_stored_replayed_and_reported() {
    let directory = directory("rules_match");
    for (seats, games) in [("2", 8), ("3", 6)] {
        let store = path(&directory, &format!("{seats}.db"));
        let games = games.to_string();
        let options =
            ["--players", seats, "--games", &games, "--concurrency", "2", "--random-plies", "3"];
        let (code, stdout, stderr) = play(&pig(), &store, &options);
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stdout.starts_with(&format!("pig, {seats} seats, ")), "{stdout}");

        let all_in_order = format!("{store}: {games} games, all in order\n");
        assert_eq!(content(&["replay", &store]), all_in_order);
        let shown = content(&["replay", &store, "--game", "1"]);
        assert!(shown.contains(&format!("start startpos players {seats}\n")), "{shown}");
        assert!(content(&["report", &store]).contains("pig"));
        let settings = content(&["export", &store, "--format", "config"]);
        assert!(
            settings.contains("[rules]\n") && settings.contains("name = \"pig\""),
            "{settings}"
        );

        // A record does not say which program gave the rules.
        let record = path(&directory, &format!("{seats}.jsonl"));
        fs::write(&record, export(&store, &[])).unwrap();
        let (code, stdout, _) = run(&["replay", &record]);
        assert!(code == 1 && stdout.contains("unknown variant \"pig\""), "{stdout}");
        let text = content(&["replay", &record, "--rules", &pig()]);
        assert!(text.ends_with("all in order\n"), "{text}");
        let tampered = fs::read_to_string(&record).unwrap().replacen(" hold ", " +4 ", 1);
        fs::write(&record, tampered).unwrap();
        let (code, stdout, _) = run(&["replay", &record, "--rules", &pig()]);
        assert!(code == 1 && stdout.contains("+4 is illegal"), "{stdout}");
    }
}

fn shown_games(page: &str) -> Vec<Value> {
    let page = Html::parse_document(page);
    let script = Selector::parse("#shown-games").unwrap();
    let json: String = page.select(&script).next().unwrap().text().collect();
    let shown: Value = serde_json::from_str(&json).unwrap();
    list(&shown["games"]).to_vec()
}

/// The words of a game and its pictures by the rules of Pig for two seats, one picture at the start and after each move
/// with its roll.
fn pictures_of_pig(moves: &str) -> Vec<String> {
    let (mut scores, mut seat, mut sum) = ([0, 0], 0, 0);
    let mut words = moves.split(' ');
    let mut pictures = vec!["scores 0 0 and this turn 0".to_string()];
    while let Some(word) = words.next() {
        let roll = (word == "roll").then(|| words.next()).flatten();
        match roll.map(|roll| roll.parse().unwrap()) {
            Some(1) => (seat, sum) = (1 - seat, 0),
            Some(number) => sum += number,
            None => {
                scores[seat] += sum;
                (seat, sum) = (1 - seat, 0);
            }
        }
        let [one, other] = scores;
        pictures.push(format!("scores {one} {other} and this turn {sum}"));
    }
    pictures
}

#[test]
fn a_page_shows_pictures_or_without_the_program_the_moves() {
    let directory = directory("rules_page");
    let (store, record) = (path(&directory, "m.db"), path(&directory, "m.jsonl"));
    let (one, other) = (mover("one"), mover("other"));
    let rules = pig();
    let (code, stdout, stderr) = run(&[
        "match", "--rules", &rules, "--games", "2", "--random-plies", "3", "--max-plies", "60",
        "--engine", &one, "--engine", &other, "--store", &store,
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let lines = export(&store, &[]);
    fs::write(&record, &lines).unwrap();
    let records: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let with_program = shown_games(&content(&["report", &store]));
    let without = shown_games(&content(&["report", &record]));
    assert_eq!((with_program.len(), without.len()), (2, 2));
    for ((game, bare), record) in with_program.iter().zip(&without).zip(&records) {
        assert_eq!(game["flaw"], Value::Null);
        assert!(game["positions"]["board"].is_null(), "{game}");
        let expected = pictures_of_pig(&text(&record["moves"]));
        let steps = list(&game["positions"]["steps"]);
        assert!(steps.len() > 60 && steps.len() + 1 == expected.len(), "{game}");
        let mut picture = text(&game["positions"]["picture"][0]);
        assert_eq!(picture, expected[0]);
        for (step, after) in steps.iter().zip(&expected[1..]) {
            if let Some(changed) = step.get("x") {
                assert_eq!(changed[0][0], Value::from(0));
                picture = text(&changed[0][1]);
            }
            assert_eq!(picture, *after, "{game}");
        }

        let flaw = text(&bare["flaw"]);
        assert!(
            flaw.contains("unknown variant") && flaw.ends_with("a program in --rules"),
            "{flaw}"
        );
        assert_eq!(bare["positions"].get("picture"), None);
        let bare_steps = list(&bare["positions"]["steps"]);
        assert_eq!(bare_steps.len(), steps.len());
        assert_eq!((&bare["opening"], &game["opening"]), (&Value::from(3), &Value::from(3)));
        for (ply, (bare, step)) in bare_steps.iter().zip(steps).enumerate() {
            let words = [&step["m"], step.get("c").unwrap_or(&Value::Null)];
            assert_eq!([&bare["m"], bare.get("c").unwrap_or(&Value::Null)], words);
            // The record names no seats for the opening.
            assert_eq!(bare.get("s"), step.get("s").filter(|_| ply >= 3));
            assert_eq!(bare.get("t"), step.get("t"));
            assert_eq!(bare.get("x"), None);
        }
    }
    let page = path(&directory, "page.html");
    let crash = bad_pig("crash", "30", "none");
    let (code, stdout, stderr) = run(&["replay", &record, "--rules", &crash]);
    assert!(code == 5 && stdout.is_empty() && stderr.contains("out of dice"), "{stdout}{stderr}");
    let (code, stdout, stderr) = run(&["report", &record, "--output", &page, "--rules", &crash]);
    assert_eq!(code, 5, "{stdout}{stderr}");
    assert!(
        stderr.starts_with("error: rules program pig: ") && stderr.contains("out of dice"),
        "{stderr}"
    );
    for command in ["report", "replay", "export", "explain", "review", "verify"] {
        let (code, _, stderr) = run(&[command, &record, "--rules", "cmd=true name=pig"]);
        assert_eq!(code, 5, "{command}: {stderr}");
    }
    let broken = shown_games(&fs::read_to_string(&page).unwrap());
    assert_eq!(broken.len(), 2);
    for game in broken {
        assert!(text(&game["flaw"]).contains("out of dice"), "{game}");
    }
    let shown = content(&["replay", &store, "--game", "1"]);
    let last = pictures_of_pig(&text(&records[0]["moves"])).pop().unwrap();
    assert!(shown.contains(&format!("\n\n{last}\n\nseat 1 ")), "{shown}");
}

#[test]
fn a_match_by_the_rules_of_the_engine_is_the_built_in_one_but_for_the_name() {
    let directory = directory("rules_equal");
    let arbiter = env!("CARGO_BIN_EXE_arbiter");
    for (variant, seats) in
        [("hase-und-igel", "2"), ("hare-and-tortoise", "4"), ("fox-and-hounds", "2")]
    {
        let command = engine_text(arbiter, &["engine", "rules", variant]);
        let rules = format!("{command} name=x variant={variant} draws=game");
        let engine = |name: &str| built_in(&format!("nodes=20 name={name}"));
        let played = |source: &[&str], name: &str| {
            let store = path(&directory, &format!("{variant}.{name}.db"));
            let (one, other) = (engine("one"), engine("other"));
            let rest = [
                "--players", seats, "--games", "8", "--seed", "5", "--random-plies", "3", "--luck",
                "off", "--engine", &one, "--engine", &other, "--store", &store,
            ];
            let (code, stdout, stderr) = run(&[&["match"], source, &rest].concat());
            assert_eq!(code, 0, "{stdout}{stderr}");
            let text = content(&["verify", &store]);
            assert!(text.ends_with("8 games, all as stored\n"), "{text}");
            let games = export(&store, &["--without-clock"]);
            let games = games.lines().map(|line| {
                let mut game: Value = serde_json::from_str(line).unwrap();
                let fields = game.as_object_mut().unwrap();
                for field in ["variant", "digest"] {
                    fields.remove(field);
                }
                game
            });
            games.collect::<Vec<Value>>()
        };
        let built_in = played(&["--variant", variant], "built-in");
        assert_eq!(built_in.len(), 8);
        assert_eq!(played(&["--rules", &rules], "rules"), built_in, "{variant}");
    }
}

#[test]
fn the_rolls_of_a_seat_are_the_same_in_all_games_of_a_block() {
    let directory = directory("rules_draws");
    let rolls = |draws: &str| {
        let store = path(&directory, &format!("{draws}.db"));
        let rules = format!("{} draws={draws}", pig());
        let [one, other] = ["20", "12"].map(|limit| engine_text("python3", &[HOLD_AT, limit]));
        let engines = ["--engine", &one, "--engine", &other];
        let game = ["match", "--rules", &rules, "--store", &store];
        let (code, stdout, stderr) =
            run(&[&game[..], &engines, &["--games", "2", "--seed", "1"]].concat());
        assert_eq!(code, 0, "{stdout}{stderr}");
        let games = export(&store, &[]);
        let rolls_of = |line: &str| {
            let game: Value = serde_json::from_str(line).unwrap();
            let mut rolls = [Vec::new(), Vec::new()];
            let mut seat = 0;
            for word in game["moves"].as_str().unwrap().split(' ') {
                match word {
                    "roll" => {}
                    "hold" => seat = 1 - seat,
                    roll => {
                        rolls[seat].push(roll.to_string());
                        if roll == "+1" {
                            seat = 1 - seat;
                        }
                    }
                }
            }
            rolls
        };
        games.lines().map(rolls_of).collect::<Vec<_>>()
    };
    let same = |games: &[[Vec<String>; 2]], seat: usize| {
        let pairs = games[0][seat].iter().zip(&games[1][seat]);
        assert!(pairs.len() > 10, "{games:?}");
        pairs.clone().all(|(one, other)| one == other)
    };
    let by_seat = rolls("seat");
    assert!(same(&by_seat, 0) && same(&by_seat, 1), "{by_seat:?}");
    let by_game = rolls("game");
    assert!(!(same(&by_game, 0) && same(&by_game, 1)), "{by_game:?}");
}

#[test]
fn winnings_are_counted_beside_places() {
    let directory = directory("rules_stake");
    let (store, record) = (path(&directory, "m.db"), path(&directory, "m.jsonl"));
    let rules = format!("{} name=race", engine_text("python3", &[RACE, "stake"]));
    let (code, stdout, stderr) = play(&rules, &store, &["--games", "20", "--seed", "1"]);
    assert_eq!(code, 0, "{stdout}{stderr}");

    let games = export(&store, &[]);
    let (mut winnings, mut blocks) = (0, Vec::new());
    for line in games.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let won = list(&game["winnings"]);
        let seats = list(&game["seats"]).iter().zip(list(&game["places"]));
        for (won, (engine, place)) in won.iter().zip(seats) {
            assert_eq!(*place == 1, [1, 3].contains(&won.as_u64().unwrap()));
            if engine == "one" {
                winnings += won.as_u64().unwrap();
            }
        }
        if game["game"].as_u64().unwrap().is_multiple_of(2) {
            blocks.push((winnings as f64) / 2.0);
            winnings = 0;
        }
    }
    assert_eq!(blocks.len(), 10);
    let mean = blocks.iter().sum::<f64>() / 10.0;
    let error = half_width(&blocks).unwrap();
    let report = content(&["report", &store, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let one = &report["engines"][0];
    assert!((one["winnings"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((one["winnings_error"].as_f64().unwrap() - error).abs() < 1e-9);
    assert!(stdout.contains("winnings") && stdout.contains(&format!(" {mean:.2} ")), "{stdout}");

    let swapped = games.replacen("\"winnings\":[3,0]", "\"winnings\":[0,3]", 1);
    assert_ne!(swapped, games);
    fs::write(&record, swapped).unwrap();
    let (code, stdout, _) = run(&["replay", &record, "--rules", &rules]);
    let expected = "winnings: [0, 3], but the moves show [3, 0]";
    assert!(code == 1 && stdout.contains(expected), "{stdout}");
}

#[test]
fn a_bad_rules_program_ends_the_match_but_loses_no_game() {
    for (fault, expected) in [
        ("hang", "did not answer in time"),
        ("crash", "out of dice"),
        ("garbage", "expected"),
        ("offer", "each move once"),
        ("refuse", "changed my mind"),
        ("flood", "a line of more than 1048576 bytes"),
    ] {
        let directory = directory(&format!("rules_{fault}"));
        let (store, mended) = (path(&directory, "match.db"), path(&directory, "mended"));
        let rules = bad_pig(fault, "700", &mended);
        let options = ["--games", "10", "--ready", "3000", "--isolate", "off"];
        let (code, stdout, stderr) = play(&rules, &store, &options);
        assert_eq!(code, 5, "{fault}: {stdout}{stderr}");
        assert!(
            stderr.contains("rules program pig: ") && stderr.contains(expected),
            "{fault}: {stderr}"
        );
        assert!(stdout.contains("with --changed-engines\n"), "{stdout}");
        let before = numbers(&store);
        assert!((1..10).contains(&before.len()), "{fault}: {before:?}");
        fs::write(&mended, "").unwrap();
        let (code, stdout, stderr) = run(&["resume", &store]);
        assert_eq!(code, 0, "{fault}: {stdout}{stderr}");
        assert_eq!(numbers(&store).len(), 10, "{fault}: {stdout}");
    }
}

#[test]
fn games_under_other_rules_are_checked_again_and_dropped_on_request() {
    let directory = directory("wrong_rules");
    let (store, record) = (path(&directory, "a match.db"), path(&directory, "games.jsonl"));
    let script = path(&directory, "pig.py");
    let right = fs::read_to_string(PIG).unwrap();
    let inverted = right.replace("other > own", "other < own");
    assert_ne!(inverted, right);
    fs::write(&script, inverted).unwrap();
    let rules = format!("{} name=pig", engine_text("python3", &[&script]));
    let options = ["--games", "6", "--random-plies", "3", "--record", &record];
    let (code, stdout, stderr) = play(&rules, &store, &options);
    assert_eq!(code, 0, "{stdout}{stderr}");
    content(&["report", &store, "--format", "text"]);

    fs::write(&script, right).unwrap();
    let forget = "DELETE FROM turns WHERE game > 4; DELETE FROM seats WHERE game > 4; DELETE FROM games WHERE \
        number > 4";
    for (numbers, accepts) in
        [("1, 2, 3, 4, 5, 6", &[][..]), ("1, 2, 3, 4", &["--changed-engines"])]
    {
        let wrong = format!("games {numbers} are wrong by the rules as they are now (game 1: ");
        for format in ["text", "html", "json"] {
            let (code, stdout, stderr) = run(&["report", &store, "--format", format]);
            assert!(code == 1 && !stdout.is_empty(), "{code} {stderr}");
            assert!(stderr.contains(&wrong), "{stderr}");
            let command = format!("; `arbiter resume '{store}' --drop-wrong` plays them anew\n");
            assert!(stderr.contains(&command), "{stderr}");
        }
        let (code, _, stderr) = run(&[&["resume", &store], accepts].concat());
        assert!(code == 1 && stderr.contains(&wrong), "{code} {stderr}");
        assert!(stderr.contains("; --drop-wrong plays them anew\n"), "{stderr}");
        rusqlite::Connection::open(&store).unwrap().execute_batch(forget).unwrap();
    }
    let (code, _, stderr) = run(&["resume", &store, "--drop-wrong", "--record", &record]);
    assert!(code == 2 && stderr.contains("has game 1, which is wrong"), "{code} {stderr}");
    assert_eq!(numbers(&store), (1..=4).collect());

    let (code, stdout, stderr) = run(&["resume", &store, "--drop-wrong"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("note: 4 games dropped as wrong by the rules\n"), "{stdout}");
    assert_eq!(content(&["replay", &store]), format!("{store}: 6 games, all in order\n"));
    content(&["report", &store, "--format", "text"]);
    content(&["resume", &store]);
    content(&["resume", &store, "--drop-wrong"]);
}

#[test]
fn rules_that_cannot_be_used_are_refused_before_the_match() {
    let engine = mover("one");
    for (rules, code, expected) in [
        ("name=pig", 2, "cmd= is missing"),
        ("cmd=x name=hase-und-igel", 2, "is a built-in game"),
        ("cmd=x movetime=5", 2, "movetime= does not apply to rules"),
        ("cmd=x draws=never", 2, "draws=never: expected game or seat"),
        ("cmd=/nonexistent/rules name=pig", 5, "rules program pig: cannot start"),
        ("cmd=true name=pig", 5, "rules program pig: "),
        (&format!("{} draws=seat", pig().replace("pig.py", "nothing.py")), 5, "No such file"),
    ] {
        let (found, stdout, stderr) =
            run(&["match", "--rules", rules, "--engine", &engine, "--store", "none"]);
        assert_eq!(found, code, "{rules}: {stdout}{stderr}");
        assert!(stderr.contains(expected), "{rules}: {stderr}");
    }
    let (code, _, stderr) =
        run(&["match", "--rules", &pig(), "--luck", "300", "--engine", &engine]);
    assert!(code == 2 && stderr.contains("--luck-engine"), "{stderr}");
    let limited = format!("{} processes=4", pig());
    let match_of = ["match", "--isolate", "off", "--store", "none", "--engine", &engine];
    for more in [&[][..], &["--dry-run"]] {
        let (code, _, stderr) = run(&[&match_of[..], &["--rules", &limited], more].concat());
        let expected = "error: --rules: engine pig: processes requires isolation, ";
        assert!(code == 2 && stderr.starts_with(expected), "{stderr}");
    }
    // A schedule is printed without the limits of engines, which do not run.
    let alone = format!("{} processes=4", mover("other"));
    let (code, _, stderr) = run(&[&match_of[..], &["--engine", &alone, "--dry-run"]].concat());
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn openings_are_checked_with_the_rules_program_before_the_match() {
    let directory = directory("rules_openings");
    let (openings, settings) = (path(&directory, "openings.txt"), path(&directory, "match.toml"));
    let (engine, rules) = (mover("one"), pig());
    fs::write(&openings, "startpos moves fly\n").unwrap();
    let rest = ["--engine", &engine, "--store", "none"];
    let typed = ["match", "--rules", &rules, "--openings", &openings];
    for more in [&[][..], &["--dry-run"]] {
        let (code, stdout, stderr) = run(&[&typed[..], &rest, more].concat());
        let expected = "error: --openings \"startpos moves fly\": word 1 of the moves: fly is ";
        assert!(code == 2 && stdout.is_empty() && stderr.starts_with(expected), "{stdout}{stderr}");
    }
    let (code, stdout, stderr) =
        run(&[&["match", "--rules", &rules, "--games", "2", "--dry-run"], &rest[..]].concat());
    assert!(code == 0 && stdout.lines().count() == 2, "{stdout}{stderr}");

    fs::write(&settings, "[rules]\ncmd = 'true'\nname = 'pig'\n").unwrap();
    let (code, _, stderr) = run(&[&["match", "--config", &settings], &rest[..]].concat());
    let expected = format!("error: --config: {settings}: rules: rules program pig: ");
    assert!(code == 5 && stderr.starts_with(&expected), "{stderr}");
}
