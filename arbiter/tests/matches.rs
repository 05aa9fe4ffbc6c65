//! Whole matches, played by the program with engines in separate processes.

use std::path::Path;

use crate::common::program;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::spelling::engine_text;
use program::{arbiter, built_in, content, crashing, directory, run, scattered, spent};

fn records(path: &Path) -> Vec<GameRecord> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut records: Vec<GameRecord> =
        text.lines().map(|line| matches::archive::replay::read(line).unwrap()).collect();
    records.sort_by_key(|record| record.game);
    records
}

/// Plays a match of three scattered engines and returns its output and its records.
fn three_seats(test: &str, arguments: &[&str]) -> (String, Vec<GameRecord>) {
    let directory = directory(test);
    let record = directory.join("games.jsonl");
    let engines = [("alpha", 1), ("beta", 2), ("gamma", 3)]
        .map(|(name, seed)| scattered(&directory, name, seed));
    let mut all = vec!["match", "--players", "3", "--games", "6", "--nodes", "1"];
    all.extend(["--max-plies", "200", "--record", record.to_str().unwrap()]);
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(arguments);
    let (code, stdout, stderr) = run(&all);
    assert_eq!(code, 0, "{stdout}{stderr}");
    (stdout, records(&record))
}

#[test]
fn without_engines_three_levels_play_and_the_match_is_stored() {
    let directory = directory("first_match");
    let quick = ["match", "--players", "3", "--games", "3", "--depth", "2"];
    let play = |more: &[&str]| {
        let mut arbiter = arbiter(&[&quick[..], more].concat());
        let output = arbiter.current_dir(&directory).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let files = || std::fs::read_dir(&directory).unwrap().count();
    for more in [&[][..], &["--engine", &built_in("name=buxtehude")]] {
        play(&[&["--store", "none"], more].concat());
    }
    play(&["--engine", &built_in("name=buxtehude")]);
    assert_eq!(files(), 0);
    for name in ["match-1.db", "match-2.db"] {
        let stdout = play(&["--seed", "1", "--random-plies", "4"]);
        assert!(stdout.contains(&format!("note: stored in {name};")), "{stdout}");
        assert!(stdout.contains(&format!(", stored in {name}\n")), "{stdout}");
    }
    assert_eq!(files(), 2);
    let store = directory.join("match-2.db").display().to_string();
    let (_, lines, _) = run(&["export", &store]);
    for line in lines.lines() {
        let record = matches::archive::replay::read(line).unwrap();
        let mut names = record.seats.clone();
        names.sort_unstable();
        assert_eq!(names, ["level-10", "level-4", "level-7"]);
        assert_eq!(record.fault, None);
        let flaws = matches::archive::replay::check(&record);
        assert_eq!(flaws.len(), 0, "{record:?}");
        for turn in &record.turns {
            assert_eq!(turn.estimate.iter().sum::<u16>(), 1000, "{turn:?}");
            assert!(turn.depth.is_some_and(|depth| depth <= 2), "{turn:?}");
            // A tree that is kept from the last move may need no more.
            assert!(turn.nodes.is_some(), "{turn:?}");
        }
    }
    assert_eq!(lines.lines().count(), 3);
}

#[test]
fn a_board_game_is_played_recorded_and_shown() {
    let directory = directory("board_game");
    let record = directory.join("games.jsonl");
    let (code, stdout, stderr) = run(&[
        "match",
        "--engine",
        &built_in("name=buxtehude"),
        "--variant",
        "rabbits-and-wolves",
        "--games",
        "4",
        "--depth",
        "3",
        "--random-plies",
        "2",
        "--record",
        record.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let records = records(&record);
    assert_eq!(records.len(), 4, "{stdout}");
    for record in &records {
        assert_eq!(record.variant, "fox-and-hounds");
        assert_eq!(record.fault, None);
        assert_eq!(matches::archive::replay::check(record).len(), 0, "{record:?}");
        let mut endings = record.endings.clone();
        endings.sort_by_key(|ending| *ending != Ending::Finish);
        assert_eq!(endings, [Ending::Finish, Ending::Last], "{record:?}");
        let shown = arbiter::reports::show(record);
        let heading =
            shown.lines().find(|line| line.contains("engine")).unwrap_or_else(|| panic!("{shown}"));
        let headings: Vec<&str> = heading.split_whitespace().collect();
        assert_eq!(headings[3..6], ["move", "rabbit", "wolves"], "{shown}");
    }
}

#[test]
fn a_match_is_reported_recorded_and_replayed() {
    let (output, records) = three_seats("whole_match", &["--seed", "7", "--random-plies", "4"]);
    for words in ["6 games in 2 blocks of 3", "seed 7", "alpha", "share", "seat", "6/6"] {
        assert!(output.contains(words), "no {words:?} in\n{output}");
    }
    let numbers: Vec<(u64, u64)> =
        records.iter().map(|record| (record.game, record.block)).collect();
    assert_eq!(numbers, [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2)]);
    assert_eq!(records[0].seats, ["alpha", "beta", "gamma"]);
    assert_eq!(records[1].seats, ["beta", "gamma", "alpha"]);
    for record in &records {
        assert_eq!(record.fault, None);
        assert_eq!(matches::archive::replay::check(record).len(), 0, "{record:?}");
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole_match/games.jsonl");
    let path = path.to_str().unwrap();
    let (code, stdout, stderr) = run(&["replay", path]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert_eq!(stdout, format!("{path}: 6 games, all in order\n"));
}

#[test]
fn the_cards_of_a_block_are_the_same_in_every_rotation() {
    let (_, records) = three_seats("same_cards", &["--seed", "11", "--random-plies", "2"]);
    let cards = |record: &GameRecord| -> Vec<String> {
        let words = record.moves.split(' ').filter(|word| word.starts_with('+'));
        words.map(String::from).collect()
    };
    for pair in records.windows(2).filter(|pair| pair[0].block == pair[1].block) {
        let (one, other) = (cards(&pair[0]), cards(&pair[1]));
        let common = one.len().min(other.len());
        assert!(common > 3, "{one:?} {other:?}");
        assert_eq!(one[..common], other[..common]);
    }
    assert_ne!(cards(&records[0])[..4], cards(&records[3])[..4]);
}

#[test]
fn the_same_seed_gives_the_same_match_at_any_concurrency() {
    // Engines whose moves depend on their history would continue from the last game; with one legal move per turn, they
    // have no choice.
    let directory = directory("same_match");
    let first = directory.join("first.sh");
    let script = "while read -r line; do case $line in uci) echo uciok ;; isready) echo readyok ;; \
                  go*) set -- ${line#*searchmoves }; echo \"bestmove $1\" ;; quit) exit ;; esac; done";
    std::fs::write(&first, script).unwrap();
    let engine = format!("{} legal=on", engine_text("/bin/sh", &[first.to_str().unwrap()]));
    let play = |name: &str, concurrency: &str| {
        let record = directory.join(name);
        let (code, stdout, stderr) = run(&[
            "match",
            "--engine",
            &engine,
            "--games",
            "8",
            "--depth",
            "1",
            "--seed",
            "3",
            "--random-plies",
            "6",
            "--max-plies",
            "60",
            "--concurrency",
            concurrency,
            "--record",
            record.to_str().unwrap(),
        ]);
        assert_eq!(code, 0, "{stdout}{stderr}");
        records(&record).into_iter().map(GameRecord::without_clock).collect::<Vec<_>>()
    };
    let alone = play("alone", "1");
    assert_eq!(alone.len(), 8);
    assert_eq!(alone, play("together", "3"));
}

#[test]
fn the_built_in_engine_plays_the_same_match_again() {
    let directory = directory("same_built_in");
    let engine = built_in("name=buxtehude");
    let play = |name: &str, concurrency: &str| {
        let record = directory.join(name);
        let mut arguments = vec!["match", "--players", "3", "--games", "6", "--depth", "3"];
        arguments.extend(["--seed", "5", "--concurrency", concurrency]);
        arguments.extend(["--engine", &engine, "--record", record.to_str().unwrap()]);
        let (code, stdout, stderr) = run(&arguments);
        assert_eq!(code, 0, "{stdout}{stderr}");
        let records = records(&record).into_iter();
        records.map(GameRecord::without_clock).collect::<Vec<_>>()
    };
    let alone = play("alone", "1");
    assert_eq!(alone.len(), 6);
    assert_eq!(alone, play("together", "2"));
}

#[test]
fn an_engine_that_crashes_loses_the_game_and_the_match_continues() {
    let directory = directory("crash");
    let record = directory.join("games.jsonl");
    let (code, stdout, stderr) = run(&[
        "match",
        "--engine",
        &scattered(&directory, "good", 1),
        "--engine",
        &crashing(&directory, "bad"),
        "--games",
        "4",
        "--nodes",
        "1",
        "--retire",
        "0",
        "--record",
        record.to_str().unwrap(),
    ]);
    assert_eq!(code, 4, "{stdout}{stderr}");
    let records = records(&record);
    assert_eq!(records.len(), 4);
    for record in &records {
        let bad = record.seats.iter().position(|name| name == "bad").unwrap();
        assert_eq!(record.endings[bad], Ending::Crash, "{record:?}");
        assert_eq!(record.endings[1 - bad], Ending::Ended, "{record:?}");
        assert_eq!(record.places[bad], 2, "{record:?}");
        assert_eq!(matches::archive::replay::check(record).len(), 0, "{record:?}");
    }
    for words in ["Faults: 4", "4 crash", "stderr: out of carrots"] {
        assert!(stdout.contains(words), "no {words:?} in\n{stdout}");
    }
}

#[test]
fn an_engine_that_does_not_restart_loses_its_games() {
    let directory = directory("spent");
    let record = directory.join("games.jsonl");
    let engines = [scattered(&directory, "good", 1), spent(&directory, "spent")];
    let mut arguments = vec!["match", "--players", "3", "--games", "6", "--nodes", "1"];
    arguments.extend(["--random-plies", "3", "--record", record.to_str().unwrap()]);
    arguments.extend(["--retire", "0"]);
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let (code, stdout, stderr) = run(&arguments);
    assert_eq!(code, 4, "{stdout}{stderr}");
    let records = records(&record);
    assert_eq!(records.len(), 6, "{stdout}");
    for record in &records {
        let spent = record.seats.iter().position(|name| name == "spent").unwrap();
        assert_eq!(record.endings[spent], Ending::Crash, "{record:?}");
        assert_eq!(record.places[spent], 3, "{record:?}");
        assert_eq!(matches::archive::replay::check(record).len(), 0, "{record:?}");
    }
    assert!(stdout.contains("worn out"), "{stdout}");
}

#[test]
fn a_game_that_cannot_be_recorded_stops_the_match() {
    let directory = directory("full_disk");
    let engine = scattered(&directory, "only", 1);
    let (code, stdout, stderr) = run(&[
        "match", "--engine", &engine, "--nodes", "1", "--games", "1000", "--max-plies", "10",
        "--record", "/dev/full",
    ]);
    assert_eq!(code, 3, "{stdout}{stderr}");
    assert!(stderr.contains("--record: game 1 and later games cannot be recorded"), "{stderr}");
    for wrong in ["interrupted", "recorded in"] {
        assert!(!stdout.contains(wrong), "{wrong:?} in\n{stdout}");
    }
}

#[test]
fn flaws_are_explained_once_and_a_match_says_that_it_is_not_stored() {
    let directory = directory("flaws");
    let flawed = scattered(&directory, "flawed", 1);
    let script = directory.join("flawed.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, text.replace("bestmove $1", "bestmove $1 or so")).unwrap();
    let good = scattered(&directory, "good", 1);
    let [store, record] =
        ["match.db", "games.jsonl"].map(|name| directory.join(name).to_str().unwrap().to_string());
    let playing = [
        "match", "--engine", &flawed, "--engine", &good, "--nodes", "1", "--games", "4",
        "--max-plies", "10",
    ];
    content(&[&playing[..], &["--store", &store]].concat());
    let explained = content(&["explain", &store]);
    let flaw = "bestmove: unexpected \"or\"";
    assert_eq!(explained.matches(flaw).count(), 4, "{explained}");
    for (seat, ply) in [(1, 1), (2, 2)] {
        let line = format!("flaw of flawed, seat {seat}, ply {ply}, and 4 more: {flaw}");
        assert_eq!(explained.matches(&line).count(), 2, "{explained}");
    }
    for command in ["explain", "replay"] {
        let shown = content(&[command, &store, "--game", "1"]);
        let times = if command == "explain" { 1 } else { 5 };
        assert_eq!(shown.matches(flaw).count(), times, "{shown}");
    }

    let output = content(&playing);
    assert!(output.contains(", not stored: `--store FILE` keeps the games\n"), "{output}");
    let output = content(&[&playing[..], &["--record", &record]].concat());
    assert!(output.contains(&format!(", recorded in {record}, not stored\n")), "{output}");
    assert_eq!(content(&["explain", &record]).matches(flaw).count(), 4);
    let [one, other] = ["one", "other"].map(|name| scattered(&directory, name, 2));
    content(&[
        "match",
        "--engine",
        &one,
        "--engine",
        &other,
        "--nodes",
        "1",
        "--max-plies",
        "4",
        "--store",
        &format!("{store}2"),
    ]);
    assert_eq!(content(&["explain", &format!("{store}2")]), "no game has a fault or a flaw\n");
}

#[test]
fn games_are_appended_to_a_record() {
    let directory = directory("append");
    let record = directory.join("games.jsonl");
    std::fs::write(&record, "{\"game\":1,\"cut off").unwrap();
    let engine = scattered(&directory, "only", 1);
    let arguments = [
        "match",
        "--engine",
        &engine,
        "--nodes",
        "1",
        "--max-plies",
        "10",
        "--record",
        record.to_str().unwrap(),
    ];
    for lines in [3, 5] {
        let (code, stdout, stderr) = run(&arguments);
        assert_eq!(code, 0, "{stdout}{stderr}");
        let text = std::fs::read_to_string(&record).unwrap();
        assert_eq!(text.lines().count(), lines, "{text}");
    }
    let (code, stdout, _) = run(&["replay", record.to_str().unwrap()]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("games.jsonl:1: not a game record"), "{stdout}");
    assert!(stdout.contains("5 games, 1 wrong"), "{stdout}");
}

#[test]
fn clocks_are_kept_and_sent_under_tc_alone() {
    let directory = directory("clocks");
    let log = directory.join("lines");
    let record = directory.join("games.jsonl");
    let engine = |limit: &str| built_in(&format!("name={limit} {limit}"));
    let (code, stdout, stderr) = run(&[
        "match",
        "--players",
        "3",
        "--tc",
        "0.5+0.01",
        "--margin",
        "5000",
        "--engine",
        &engine("depth=2"),
        "--engine",
        &engine("movetime=5"),
        "--engine",
        &engine("tc=0.5+0.01"),
        "--log",
        log.to_str().unwrap(),
        "--record",
        record.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    for record in records(&record) {
        assert_eq!(record.fault, None, "{record:?}");
    }
    let log = std::fs::read_to_string(log).unwrap();
    let mut clocks = 0;
    for line in log.lines().filter(|line| line.contains("] > go")) {
        let (name, go) = line.split_once("] > ").unwrap();
        if name.contains(" depth=2[") {
            assert_eq!(go, "go depth 2");
        } else if name.contains(" movetime=5[") {
            assert_eq!(go, "go movetime 5");
        } else {
            clocks += 1;
            assert!(go.starts_with("go time "), "{line}");
            let words = go.split(' ').count();
            assert_eq!(words, 9, "two words of three numbers each: {line}");
        }
    }
    assert!(clocks > 10, "{log}");
}

/// The words of a crash of Node.js: a place, the reason, a stack trace, and the version.
#[test]
fn a_crash_is_shown_with_its_first_and_last_words() {
    let directory = directory("crash_words");
    let script = directory.join("crash.sh");
    let go =
        "printf '%s\\n' 'hare.js:3' '' 'Error: out of carrots' >&2; for i in 1 2 3 4 5 6 7 8 9; do
        echo '    at frame' $i >&2; done; printf '\\nNode.js v20\\n' >&2; exit 3";
    let engine = format!(
        "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) {go};; esac; done"
    );
    std::fs::write(&script, engine).unwrap();
    let engine = format!("{} name=node", engine_text("/bin/sh", &[script.to_str().unwrap()]));
    let games = ["match", "--games", "2", "--nodes", "1", "--luck", "off"];
    let (code, stdout, stderr) = run(&[
        &games[..],
        &["--engine", &engine, "--engine", &built_in("name=buxtehude")],
    ]
    .concat());
    assert_eq!(code, 4, "{stdout}{stderr}");
    let words = "    stderr: hare.js:3\n    stderr: Error: out of carrots\n    stderr:     at frame 1\n    \
        stderr:     at frame 2\n    stderr:     at frame 3\n    stderr: [4 lines]\n    stderr:     at frame 8\n    \
        stderr:     at frame 9\n    stderr: Node.js v20\n";
    assert!(stdout.contains(words), "{stdout}");
}

#[test]
fn real_engines_ponder() {
    let directory = directory("ponder_real");
    let log = directory.join("talk.log");
    let (code, stdout, stderr) = run(&[
        "match",
        "--each",
        "ponder=on margin=1000",
        "--movetime",
        "40",
        "--games",
        "2",
        "--max-plies",
        "40",
        "--log",
        log.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let log = std::fs::read_to_string(log).unwrap();
    let said = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    let (ponders, hits, stops) = (said("> go ponder"), said("> ponderhit"), said("> stop"));
    assert!(
        hits > 0 && ponders == hits + stops,
        "{ponders} ponders, {hits} hits, {stops} stops\n{stdout}"
    );
}
