//! `arbiter replay` finds impossible games and names the flaw.

use crate::common::program;
use matches::archive::replay;
use matches::record::ending::Ending;
use matches::record::{Fault, GameRecord};
use program::{built_in, directory, run, scattered};

/// Games of a short match; the last one ended by the rules.
fn match_of(test: &str) -> (std::path::PathBuf, Vec<GameRecord>) {
    let directory = directory(test);
    let path = directory.join("games.jsonl");
    let (alpha, beta) = (scattered(&directory, "alpha", 1), scattered(&directory, "beta", 2));
    let (code, stdout, stderr) = run(&[
        "match",
        "--engine",
        &alpha,
        "--engine",
        &beta,
        "--nodes",
        "1",
        "--games",
        "4",
        "--seed",
        "1",
        "--random-plies",
        "3",
        "--max-plies",
        "5000",
        "--record",
        path.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let text = std::fs::read_to_string(&path).unwrap();
    let records = text.lines().map(|line| replay::read(line).unwrap()).collect();
    (path, records)
}

#[test]
fn a_tampered_game_is_caught() {
    let (_, records) = match_of("tampered");
    let genuine = &records[0];
    assert_eq!(replay::check(genuine).len(), 0, "{genuine:?}");
    let tampered = |tamper: &dyn Fn(&mut GameRecord)| {
        let mut record = genuine.clone();
        tamper(&mut record);
        let flaws: Vec<String> = replay::check(&record).iter().map(ToString::to_string).collect();
        flaws.join("; ")
    };
    let flaws: [(&str, String); 14] = [
        ("variant: ", tampered(&|record| record.variant = "chess".into())),
        ("start: ", tampered(&|record| record.start = "0,68,3/9,68 1 - -".into())),
        ("seats: 3 entries", tampered(&|record| record.seats.push("gamma".into()))),
        ("places: 1 entries", tampered(&|record| record.places.truncate(1))),
        ("moves: expected words", tampered(&|record| record.moves.push(' '))),
        ("word 1 of the moves", tampered(&|record| record.moves.insert_str(0, "64 "))),
        ("is not a move", tampered(&|record| record.moves.push_str(" banana"))),
        ("places: ", tampered(&|record| record.places.reverse())),
        ("endings: seat 1", tampered(&|record| record.endings[0] = Ending::Crash)),
        ("endings: seat 2", tampered(&|record| record.endings[1] = Ending::MaxPlies)),
        ("turn 3: seat 2 with", tampered(&|record| record.turns[2].mv = "64".into())),
        ("turn 1: seat 6 with", tampered(&|record| record.turns[0].seat = 6)),
        ("turn 1: ", tampered(&|record| drop(record.turns.pop()))),
        (
            "fault: a fault of seat 1, but the endings show none",
            tampered(&|record| {
                record.fault = Some(Fault {
                    seat: 1,
                    reason: "none".into(),
                    stderr: Vec::new(),
                    evidence: None,
                });
            }),
        ),
    ];
    for (expected, found) in flaws {
        assert!(found.contains(expected), "expected {expected:?}, found {found:?}");
    }
}

#[test]
fn a_change_in_a_file_is_found_even_if_the_rules_allow_it() {
    let (path, _) = match_of("changed_since");
    let genuine = std::fs::read_to_string(&path).unwrap();
    let file = path.to_str().unwrap();
    for (from, to) in [
        (r#""score":"cp 0""#, r#""score":"cp 1""#),
        (r#""alpha""#, r#""gamma""#),
        (r#""seed":1"#, r#""seed":2"#),
        (r#""block":1"#, r#""block":9"#),
        (r#""depth":1"#, r#""depth":2"#),
    ] {
        assert!(genuine.contains(from), "no {from} in {genuine}");
        std::fs::write(&path, genuine.replacen(from, to, 1)).unwrap();
        let (code, stdout, _) = run(&["replay", file]);
        assert_eq!(code, 1, "{from}: {stdout}");
        let named = format!("{file}:1: game 1: digest: ");
        assert!(stdout.starts_with(&named), "{from}: {stdout}");
        assert!(stdout.ends_with(": 4 games, 1 wrong\n"), "{from}: {stdout}");
        // An export of a forged game does not pass as genuine.
        let exported = run(&["export", file]).1;
        std::fs::write(&path, exported).unwrap();
        assert_eq!(run(&["replay", file]).1, stdout, "{from}");
    }
    // Times are not part of the digest, and older games have none.
    let (first, rest) = genuine.split_once('\n').unwrap();
    let micros = first.find(r#""micros":["#).unwrap() + r#""micros":["#.len();
    let first = format!("{}1{}", &first[..micros], &first[micros..]);
    let digest = first.find(r#","digest""#).unwrap();
    for (first, verdict) in [
        (first.clone(), "all in order"),
        (format!("{}}}", &first[..digest]), "all in order; 1 without a digest"),
    ] {
        std::fs::write(&path, format!("{first}\n{rest}")).unwrap();
        let (code, stdout, _) = run(&["replay", file]);
        assert_eq!((code, stdout), (0, format!("{file}: 4 games, {verdict}\n")));
    }
}

#[test]
fn a_changed_store_is_found() {
    let directory = directory("changed_store");
    let store = directory.join("match.db").display().to_string();
    let settings = [
        "match",
        "--engine",
        &built_in("name=buxtehude"),
        "--depth",
        "1",
        "--max-plies",
        "12",
        "--store",
        &store,
    ];
    let (code, _, stderr) = run(&settings);
    assert_eq!(code, 0, "{stderr}");
    let connection = rusqlite::Connection::open(&store).unwrap();
    for (change, back) in [
        (
            "UPDATE turns SET estimate = '999 1' WHERE game = 2 AND number = 3",
            "UPDATE turns SET estimate = (SELECT value FROM kept) WHERE game = 2 AND number = 3",
        ),
        (
            "UPDATE seats SET ending = 'agreed' WHERE game = 2",
            "UPDATE seats SET ending = 'max plies' WHERE game = 2",
        ),
        (
            "UPDATE games SET block = 7 WHERE number = 2",
            "UPDATE games SET block = 1 WHERE number = 2",
        ),
    ] {
        let keep = "CREATE TEMP TABLE IF NOT EXISTS kept AS
            SELECT estimate AS value FROM turns WHERE game = 2 AND number = 3";
        connection.execute_batch(&format!("{keep}; {change}")).unwrap();
        let (code, stdout, _) = run(&["replay", &store]);
        assert_eq!(code, 1, "{change}: {stdout}");
        assert!(stdout.starts_with(&format!("{store}: game 2: ")), "{change}: {stdout}");
        assert!(stdout.contains("game 2: digest: "), "{change}: {stdout}");
        connection.execute_batch(back).unwrap();
        assert_eq!(run(&["replay", &store]).0, 0, "{back}");
    }
    let slower = "UPDATE seats SET micros = micros + 1 WHERE game = 1 AND seat = 2";
    connection.execute_batch(slower).unwrap();
    let (code, stdout, _) = run(&["replay", &store]);
    assert_eq!(code, 1, "{stdout}");
    let named = format!("{store}: game 1: seats: the totals of turns");
    assert!(stdout.starts_with(&named), "{stdout}");
    connection.execute_batch(&slower.replace("+ 1", "- 1")).unwrap();
    let rename = "UPDATE engines SET name = 'other'";
    connection.execute_batch(rename).unwrap();
    let (code, stdout, _) = run(&["replay", &store]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.ends_with(": 2 games, 2 wrong\n"), "{stdout}");
}

#[test]
fn a_game_cut_short_is_neither_over_nor_stopped() {
    let (_, records) = match_of("cut_short");
    let mut record = records[0].clone();
    while !record.moves.ends_with(|last: char| last.is_ascii_digit()) {
        record.moves.pop();
    }
    let last = record.moves.rfind(' ').unwrap();
    record.moves.truncate(last);
    record.turns.pop();
    let flaws: Vec<String> = replay::check(&record).iter().map(ToString::to_string).collect();
    assert_eq!(flaws.len(), 1, "{flaws:?}");
    assert!(flaws[0].contains("the moves do not end the game"), "{flaws:?}");
}

#[test]
fn a_wrong_file_is_reported_line_by_line() {
    let (path, mut records) = match_of("wrong_file");
    records[1].places = vec![1, 1];
    records[3].moves.insert_str(0, "8 ");
    let lines = records.iter().map(|record| serde_json::to_string(record).unwrap());
    let text: Vec<String> = lines.chain(["{}".to_string()]).collect();
    std::fs::write(&path, text.join("\n")).unwrap();
    let path = path.to_str().unwrap();
    let (code, stdout, stderr) = run(&["replay", path]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{stdout}");
    assert!(lines[0].starts_with(&format!("{path}:2: game 2: places: [1, 1]")), "{stdout}");
    assert!(lines[1].starts_with(&format!("{path}:4: game 4: word 1 of the moves: 8")), "{stdout}");
    assert!(
        lines[2].starts_with(&format!("{path}:5: not a game record: missing field `game`")),
        "{stdout}"
    );
    assert_eq!(lines[3], format!("{path}: 5 games, 3 wrong"));
}

#[test]
fn a_game_is_shown_move_by_move() {
    let (path, records) = match_of("shown");
    let path = path.to_str().unwrap();
    let (code, stdout, stderr) = run(&["replay", path, "--game", "3"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let moves = records[2].moves.split(' ').filter(|word| !word.starts_with('+')).count();
    let shown = stdout.lines().filter(|line| line.contains(" alpha ") || line.contains(" beta "));
    let rows = shown.filter(|line| !line.starts_with("seat")).count();
    assert_eq!(rows, moves, "{stdout}");
    assert!(stdout.contains("Game 3, block 2: hase-und-igel, 2 seats, seed 1"), "{stdout}");
    assert_eq!(stdout.matches("opening").count(), 3, "{stdout}");
    let (code, _, stderr) = run(&["replay", path, "--game", "9"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no game 9 in "), "{stderr}");
}
