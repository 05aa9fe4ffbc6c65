//! Engines that fail repeatedly, and the arbiter's messages about them.

use std::fs;

use crate::common::program;
use program::{arbiter, crashing, directory, run, scattered};
use serde_json::Value;

fn events(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
fn an_engine_that_fails_too_often_in_a_row_is_retired() {
    let directory = directory("retired");
    let engines = [
        scattered(&directory, "alpha", 1),
        crashing(&directory, "weak"),
        scattered(&directory, "beta", 2),
    ];
    let stream = directory.join("events.jsonl");
    let store = directory.join("match.db");
    let mut all =
        vec!["tournament", "round-robin", "--rounds", "5", "--nodes", "1", "--max-plies", "40"];
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    let (store, stream) = (store.to_str().unwrap(), stream.to_str().unwrap());
    all.extend(["--retire", "2", "--events", stream, "--store", store]);
    let (code, stdout, stderr) = run(&all);
    assert_eq!(code, 4, "{stdout}{stderr}");
    let word = "weak is retired: it failed 2 times in a row; games with it are not played";
    assert!(stdout.contains(word), "{stdout}");
    assert!(stdout.contains("12 of 30 games"), "{stdout}");
    assert!(stdout.contains("retired: weak"), "{stdout}");
    // The other engines play all games among themselves.
    let events = events(&fs::read_to_string(stream).unwrap());
    let ends = of_kind(&events, "end");
    let without_weak = ends.iter().filter(|end| {
        let seats = end["record"]["seats"].as_array().unwrap();
        seats.iter().all(|seat| seat != "weak")
    });
    assert_eq!((ends.len(), without_weak.count()), (12, 10));
    assert_eq!(of_kind(&events, "retired")[0]["engine"], "weak");
    let faults = of_kind(&events, "fault");
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert_eq!((&faults[0]["engine"], &faults[0]["ending"]), (&"weak".into(), &"crash".into()));
    // The engine stays retired unless it is forgiven.
    let (code, stdout, _) = run(&["resume", store]);
    assert_eq!(code, 4, "{stdout}");
    for words in [
        "12 of 30 games stored in earlier runs",
        "weak: retired in an earlier run; --forgive lets it play again",
        "12 of 30 games in ",
    ] {
        assert!(stdout.contains(words), "no {words:?} in {stdout}");
    }
    let (code, stdout, _) = run(&["resume", store, "--forgive"]);
    assert_eq!(code, 4, "{stdout}");
    assert!(stdout.contains("14 of 30 games in "), "{stdout}");
}

/// Plays 3 of 8 games, which retire an engine.
fn retired(test: &str) -> String {
    let directory = directory(test);
    let store = directory.join("match.db").to_str().unwrap().to_string();
    let engines = [scattered(&directory, "alpha", 1), crashing(&directory, "weak")];
    let (code, stdout, stderr) = run(&[
        "match", "--engine", &engines[0], "--engine", &engines[1], "--games", "8", "--nodes", "1",
        "--store", &store,
    ]);
    assert_eq!(code, 4, "{stdout}{stderr}");
    assert!(stdout.contains("3 of 8 games in "), "{stdout}");
    store
}

fn change(store: &str, statements: &str) {
    rusqlite::Connection::open(store).unwrap().execute_batch(statements).unwrap();
}

#[test]
fn a_forgiven_engine_that_fails_once_is_not_called_retired() {
    let store = retired("forgiven");
    let (code, stdout, _) = run(&["resume", &store, "--forgive"]);
    assert!(code == 4 && stdout.contains("6 of 8 games in "), "{code} {stdout}");
    // As if it had been interrupted after its first game.
    let tables = ["turns", "seats"].map(|table| format!("DELETE FROM {table} WHERE game > 4;"));
    change(&store, &format!("{} DELETE FROM games WHERE number > 4", tables.concat()));
    let (code, stdout, _) = run(&["resume", &store]);
    assert!(code == 4 && !stdout.contains("retired in an earlier run"), "{code} {stdout}");
    let words = "6 of 8 games in ";
    assert!(stdout.contains(words) && stdout.contains("retired: weak\n"), "{stdout}");
    let (code, stdout, _) = run(&["resume", &store]);
    assert!(code == 4 && stdout.contains("retired in an earlier run"), "{code} {stdout}");
}

/// The export of a tournament at a concurrency, where one engine crashes at the 21st move of a game.
fn export_at(concurrency: &str) -> String {
    let directory = directory(&format!("retired_at_{concurrency}"));
    let store = directory.join("match.db").to_str().unwrap().to_string();
    let weak = crashing(&directory, "weak");
    let script = directory.join("weak.sh");
    let later = fs::read_to_string(&script).unwrap().replace("moves = 5", "moves = 21");
    fs::write(&script, later).unwrap();
    let engines = [scattered(&directory, "alpha", 1), weak, scattered(&directory, "beta", 2)];
    let mut arguments = vec!["tournament", "round-robin", "--rounds", "8", "--nodes", "1"];
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    arguments.extend(["--variant", "fox-and-hounds", "--random-plies", "12", "--seed", "7"]);
    arguments.extend(["--concurrency", concurrency, "--store", &store]);
    let (code, stdout, stderr) = run(&arguments);
    assert_eq!(code, 4, "{stdout}{stderr}");
    run(&["export", &store, "--without-clock"]).1
}

#[test]
fn failures_count_in_the_order_of_the_schedule() {
    let alone = export_at("1");
    let games: Vec<Value> = events(&alone);
    let is_of_weak = |game: &&Value| game["seats"].as_array().unwrap().contains(&"weak".into());
    let of_weak = games.iter().filter(is_of_weak);
    let is_good: Vec<bool> = of_weak.map(|game| game["fault"].is_null()).collect();
    // It retires by its last three games of those here, and after good games between failures.
    assert!(is_good.ends_with(&[false; 3]) && is_good.len() < 32, "{is_good:?}");
    assert!(is_good.windows(2).filter(|pair| pair == &[false, true]).count() > 3, "{is_good:?}");
    for concurrency in ["2", "4", "7"] {
        assert_eq!(export_at(concurrency), alone, "at concurrency {concurrency}");
    }
}

#[test]
fn a_match_ends_when_no_engine_is_left() {
    let directory = directory("nobody_left");
    let engines = [scattered(&directory, "alpha", 1), crashing(&directory, "weak")];
    let (code, stdout, stderr) = run(&[
        "match", "--engine", &engines[0], "--engine", &engines[1], "--games", "1000000000000",
        "--nodes", "1",
    ]);
    assert_eq!(code, 4, "{stdout}{stderr}");
    assert!(stdout.contains("3 of 1000000000000 games"), "{stdout}");
}

#[test]
fn retire_0_retires_no_engine() {
    let directory = directory("never_retired");
    let engines = [scattered(&directory, "alpha", 1), crashing(&directory, "weak")];
    let (code, stdout, stderr) = run(&[
        "match", "--engine", &engines[0], "--engine", &engines[1], "--games", "8", "--nodes", "1",
        "--retire", "0",
    ]);
    assert_eq!(code, 4, "{stdout}{stderr}");
    assert!(stdout.contains("8/8") && !stdout.contains("retired"), "{stdout}");
}

#[test]
fn the_stream_of_events_tells_the_whole_match() {
    let directory = directory("events");
    let engines = [scattered(&directory, "alpha", 1), scattered(&directory, "beta", 2)];
    let stream = directory.join("events.jsonl");
    let path = stream.to_str().unwrap();
    let (code, stdout, stderr) = run(&[
        "match", "--engine", &engines[0], "--engine", &engines[1], "--games", "4", "--nodes", "1",
        "--max-plies", "30", "--events", path, "--concurrency", "2", "--seed", "3",
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let events = events(&fs::read_to_string(&stream).unwrap());
    let start = &events[0];
    assert_eq!((&start["event"], &start["version"]), (&"start".into(), &1.into()), "{start}");
    assert_eq!(
        (&start["games"], &start["engines"][1]["name"]),
        (&4.into(), &"beta".into()),
        "{start}"
    );
    let finish = events.last().unwrap();
    assert_eq!(finish["event"], "finish");
    assert_eq!(
        (&finish["outcome"], &finish["code"], &finish["games"]),
        (&"done".into(), &0.into(), &4.into())
    );
    assert_eq!(of_kind(&events, "begin").len(), 4);
    assert_eq!(of_kind(&events, "standings").len(), 4);
    for end in of_kind(&events, "end") {
        let game = &end["game"];
        let words: Vec<&str> = events
            .iter()
            .filter(|event| event["game"] == *game)
            .filter_map(|event| event["move"].as_str().or(event["card"].as_str()))
            .collect();
        assert_eq!(words.join(" "), end["record"]["moves"].as_str().unwrap(), "{end}");
    }
}

#[test]
fn a_game_that_ended_badly_is_explained() {
    let directory = directory("explained");
    let store = directory.join("match.db");
    let path = store.to_str().unwrap();
    let engines = [scattered(&directory, "alpha", 1), crashing(&directory, "weak")];
    let (code, _, _) = run(&[
        "match", "--engine", &engines[0], "--engine", &engines[1], "--nodes", "1", "--store", path,
    ]);
    assert_eq!(code, 4);
    for file in [path.to_string(), format!("{path}.jsonl")] {
        if file != path {
            fs::write(&file, run(&["export", path]).1).unwrap();
        }
        let (code, stdout, stderr) = run(&["explain", &file, "1"]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        for words in [
            "game 1 of block 1",
            "weak, seat 2: crash: its process ended with exit status: 3",
            "its process: exit status: 3",
            "peak memory: ",
            "CPU time: ",
            "> go nodes 1 searchmoves",
            "< bestmove",
            "out of carrots",
        ] {
            assert!(stdout.contains(words), "no {words:?} in\n{stdout}");
        }
        let (code, stdout, _) = run(&["explain", &file]);
        assert_eq!((code, stdout.matches("weak, seat").count()), (0, 2), "{stdout}");
        let (code, _, stderr) = run(&["explain", &file, "9"]);
        assert_eq!((code, stderr), (2, format!("error: {file}: no game 9 in this file\n")));
    }
}

#[test]
fn on_interrupt_finish_completes_running_games() {
    let directory = directory("finished_games");
    let engines = [scattered(&directory, "alpha", 1), scattered(&directory, "beta", 2)];
    let store = directory.join("match.db");
    let path = store.to_str().unwrap();
    let mut command = arbiter(&[
        "match", "--engine", &engines[0], "--engine", &engines[1], "--games", "100000", "--nodes",
        "1", "--store", path, "--on-interrupt", "finish", "--max-plies", "50",
    ]);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = std::time::Instant::now();
    while !store.exists() || run(&["export", path]).1.lines().count() < 2 {
        assert!(begun.elapsed().as_secs() < 60, "no game is stored");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{stdout}{stderr}");
    assert!(stderr.contains("stopping after the running games"), "{stderr}");
    let stored = run(&["export", path]).1.lines().count();
    assert!(stdout.contains(&format!("{stored} of 100000 games")), "{stored}: {stdout}");
}
