//! `arbiter verify`: games of deterministic engines are reproduced, and changes are found.

use std::fs;
use std::path::Path;

use crate::common::program;
use matches::spelling::engine_text;
use program::{built_in, directory, run};

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// Plays the legal move with this number from the end; needs the legal moves with each `go`.
const COUNTING: &str = r#"
while read -r line; do
  case $line in
    uci) echo "id name counting"; echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves }
         shift $(( $# > BACK ? $# - 1 - BACK : 0 ))
         echo "info depth 1 score cp BACK"
         echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

/// Plays a match into a new store and a record, by default of the built-in engine.
fn match_of(directory: &Path, arguments: &[&str]) -> (String, String) {
    let path = |name: &str| directory.join(name).display().to_string();
    let (store, record) = (path("match.db"), path("games.jsonl"));
    let files = ["match", "--store", &store, "--record", &record];
    let settings = ["--seed", "9", "--random-plies", "4", "--max-plies", "30"];
    let engine = if arguments.contains(&"--engine") {
        &[][..]
    } else {
        &["--engine", &built_in("name=buxtehude")]
    };
    let (code, stdout, stderr) = run(&[&files[..], &settings, engine, arguments].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    (store, record)
}

fn verify(arguments: &[&str]) -> (i32, String) {
    let (code, stdout, stderr) = run(&[&["verify"], arguments].concat());
    (code, stdout + &stderr)
}

#[test]
fn games_of_the_built_in_engine_come_out_the_same() {
    let directory = directory("verify_same");
    let settings = ["--players", "3", "--games", "12", "--nodes", "400"];
    let (store, record) = match_of(&directory, &settings);
    for (file, arguments, games) in [
        (&store, &[][..], "12 games"),
        (&store, &["--concurrency", "2"], "12 games"),
        (&store, &["--sample", "5"], "3 games"),
        (&store, &["--game", "7"], "1 game"),
        (&record, &["--nodes", "400", "--concurrency", "2"], "12 games"),
        (&record, &["--nodes", "400", "--game", "12"], "1 game"),
    ] {
        let (code, output) = verify(&[&[file.as_str()], arguments].concat());
        let expected = format!("{file}: {games}, all as stored\n");
        assert_eq!((code, output), (0, expected), "{arguments:?}");
    }
    // With fewer nodes, the moves differ.
    let (code, output) = verify(&[&record, "--nodes", "40"]);
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("game 1, ply "), "{output}");
}

#[test]
fn games_of_two_engines_that_follow_an_opening_come_out_the_same() {
    let directory = directory("verify_openings");
    let openings = directory.join("openings");
    fs::write(&openings, "startpos moves 1 +half 4\n2,65,3/0,68,3 2 - -\n").unwrap();
    let engines = ["name=first depth=1", "name=second depth=2"].map(built_in);
    let engines = ["--engine", &engines[0], "--engine", &engines[1]];
    let openings = ["--games", "8", "--openings", openings.to_str().unwrap()];
    let (store, record) = match_of(&directory, &[&engines[..], &openings].concat());
    for arguments in [&[store.as_str()][..], &[&[record.as_str()], &engines[..]].concat()] {
        let (code, output) = verify(arguments);
        assert_eq!(code, 0, "{output}");
        assert!(output.ends_with(": 8 games, all as stored\n"), "{output}");
    }
    let (code, output) = verify(&[&record, "--depth", "1"]);
    assert_eq!(code, 2, "{output}");
    assert!(
        output.contains("game 1: no engine is called \"first\"; give an --engine with this name"),
        "{output}"
    );
}

#[test]
fn another_program_in_the_place_of_the_first_is_found() {
    let directory = directory("verify_replaced");
    let script = directory.join("counting.sh");
    let write = |back: &str| {
        let text = format!("#!/bin/sh\n{}", COUNTING.replace("BACK", back));
        fs::write(&script, text).unwrap();
    };
    write("0");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let engine = format!("{} name=counting legal=on", engine_text(script.to_str().unwrap(), &[]));
    let settings = ["--games", "2", "--nodes", "1", "--engine", &engine];
    let (store, _) = match_of(&directory, &settings);
    let (code, output) = verify(&[&store]);
    assert_eq!(code, 0, "{output}");
    write("1");
    let (code, output) = verify(&[&store]);
    assert_eq!(code, 1, "{output}");
    let note = format!(
        "note: engine counting: {} has changed since the match began\ngame 1, ply 5, seat 1 (counting): stored ",
        script.display()
    );
    assert!(output.starts_with(&note), "{output}");
    assert!(output.ends_with(": 2 games, 2 not as stored\n"), "{output}");
}

#[test]
fn a_changed_record_is_found() {
    let directory = directory("verify_changed");
    let (_, record) = match_of(&directory, &["--games", "2", "--depth", "2"]);
    let text = fs::read_to_string(&record).unwrap();
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let last = &first["turns"][29]["mv"].as_str().unwrap().to_string();
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = first.clone();
        change(&mut changed);
        fs::write(&record, format!("{changed}\n")).unwrap();
        verify(&[&record, "--depth", "2"])
    };

    let (code, output) = with(&|game| game["turns"][3]["score"] = "cp 31999".into());
    assert_eq!(code, 1, "{output}");
    assert!(
        output.starts_with("game 1, ply 8, seat 2 (buxtehude): stored ")
            && output.contains(" score cp 31999, now "),
        "{output}"
    );
    assert_eq!(output.lines().count(), 2, "{output}");

    // In a game ended by its length, the last move can be any legal one.
    let moves = first["moves"].as_str().unwrap().to_string();
    let others = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "1001", "-1", "-2"]
        .into_iter()
        .filter(|other| other != last);
    let found = others.map(|other| {
        with(&|game| {
            let before = moves.rsplit_once(last.as_str()).unwrap().0;
            game["moves"] = format!("{before}{other}").into();
            game["turns"][29]["mv"] = other.into();
        })
    });
    let expected = format!(", now {last}\n");
    let outputs: Vec<(i32, String)> = found.collect();
    assert!(outputs.iter().all(|(code, _)| *code == 1), "{outputs:?}");
    let is_played =
        |output: &str| output.starts_with("game 1, ply 34, seat ") && output.contains(&expected);
    assert!(outputs.iter().any(|(_, output)| is_played(output)), "{outputs:?}");

    // A game with an illegal move is not played.
    let (code, output) = with(&|game| game["moves"] = format!("99 {moves}").into());
    assert_eq!(code, 1, "{output}");
    assert!(output.starts_with("game 1, "), "{output}");
    assert!(output.ends_with(": 1 game, 1 not as stored\n"), "{output}");
}

/// A record that begins after hundreds of blocks can be verified, too.
#[test]
fn a_record_may_begin_anywhere() {
    let directory = directory("verify_late");
    let settings = ["--games", "200", "--depth", "1"];
    let (_, record) = match_of(&directory, &settings);
    let text = fs::read_to_string(&record).unwrap();
    let some: Vec<&str> = text
        .lines()
        .enumerate()
        .filter(|(index, _)| index % 100 > 94)
        .map(|(_, line)| line)
        .collect();
    fs::write(&record, some.join("\n")).unwrap();
    let (code, output) = verify(&[&record, "--depth", "1", "--concurrency", "2"]);
    let expected = format!("{record}: 10 games, all as stored\n");
    assert_eq!((code, output), (0, expected));
}

/// The arbiter's memory is limited to less than a list of all planned games would need.
#[test]
fn a_long_plan_needs_no_memory() {
    let directory = directory("verify_long_plan");
    let settings = ["--games", "2", "--depth", "1"];
    let (store, _) = match_of(&directory, &settings);
    let connection = rusqlite::Connection::open(&store).unwrap();
    let longer =
        "UPDATE settings SET value = json_set(value, '$.games', 100000000) WHERE name = 'plan'";
    connection.execute_batch(longer).unwrap();
    drop(connection);
    let limited = "ulimit -v 1000000; exec \"$0\" verify \"$1\" --trust-commands";
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", limited, ARBITER, &store])
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout, format!("{store}: 2 games, all as stored\n"));
}

#[test]
fn games_by_the_clock_cannot_be_verified() {
    let directory = directory("verify_clock");
    let engines = ["name=slow movetime=1", "name=one depth=1", "name=two depth=2"].map(built_in);
    let mut arguments = vec!["--games", "6"];
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let (store, record) = match_of(&directory, &arguments);
    let expected = "not verifiable: 4 of the games: engine slow has a time for each move\n";
    let (code, output) = verify(&[&store]);
    assert_eq!(
        (code, output),
        (0, format!("{expected}{store}: 2 games, all as stored; 4 not verifiable\n"))
    );
    let (code, output) = verify(&[&record, "--tc", "1+1"]);
    assert_eq!(code, 2, "{output}");
    let (code, output) = verify(&[&store, "--game", "1"]);
    assert_eq!(code, 2, "{output}");
    assert!(output.ends_with(": 0 games, nothing to compare; 1 not verifiable\n"), "{output}");
}

#[test]
fn invalid_requests_are_named() {
    let directory = directory("verify_refused");
    let (store, record) = match_of(&directory, &["--games", "2", "--depth", "1"]);
    for (arguments, expected) in [
        (&["/nowhere/at/all"][..], "error: /nowhere/at/all: "),
        (&[&store, "--depth", "1"], " is a store, which contains its engines"),
        (&[&store, "--game", "9"], "no game 9 in "),
        (&[&store, "--sample", "0"], "expected a whole number of at least 1"),
        (&[&record, "--engine", "depth=1"], "cmd= is missing"),
    ] {
        let (code, output) = verify(arguments);
        assert_eq!(code, 2, "{arguments:?}: {output}");
        assert!(output.contains(expected), "{arguments:?}: {output}");
    }
}
