//! The random mover of the examples: its answers, and a match with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::common::program;
use buxtehude::rules::{VARIANTS, Variant};
use matches::record::GameRecord;
use matches::spelling::engine_text;
use program::{built_in, directory, run};

/// Path of the program, which cargo builds next to the arbiter when it tests the whole package.
fn random_mover() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_arbiter"))
        .with_file_name("examples")
        .join(format!("random_mover{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{path:?} is missing: expected `cargo test -p arbiter`, or `cargo build -p arbiter --examples` before"
    );
    path
}

fn answers(seed: u64, lines: &str) -> String {
    let mut child = Command::new(random_mover())
        .arg(seed.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = lines.to_string();
    // In a thread, since its answers may fill the pipe before it has read all lines.
    let writer = thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_legal_move_is_as_likely() {
    let mut lines = String::new();
    for carrots in 0..2000 {
        writeln!(lines, "position fen 0,68,3/0,{carrots},3 1 - -\ngo depth 1").unwrap();
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in answers(0, &lines).lines() {
        *counts.entry(line.to_string()).or_default() += 1;
    }
    let legal = VARIANTS[0].start(2).unwrap().legal_actions();
    assert_eq!(counts.len(), legal.len(), "{counts:?}");
    let expected = 2000 / legal.len();
    for mv in legal {
        let count = counts[&format!("bestmove {mv}")];
        // About 200 times each; the standard deviation is 13.
        assert!(count.abs_diff(expected) < 60, "{mv}: {counts:?}");
    }
}

#[test]
fn the_answer_depends_only_on_the_position_line_and_the_seed() {
    let of_seeds = |position: &str| -> String {
        let line = format!("position fen 26,40,3/40,60,3 1 - -{position}\ngo\n");
        (0..20).map(|seed| answers(seed, &line)).collect()
    };
    let first = of_seeds("");
    assert!(first.lines().any(|line| line != first.lines().next().unwrap()), "{first}");
    assert_eq!(first, of_seeds(""));
    let come_back = " moves 1001 1001 1002 1002";
    assert_ne!(first, of_seeds(come_back), "a position that has come back");
}

#[test]
fn a_client_can_choose_the_variant_and_errors_are_reported() {
    let said = answers(
        0,
        "uci\nisready\nsetoption name UCI_Variant value hare-and-tortoise\n\
         position startpos\ngo searchmoves 8\nposition startpos moves 15\nfly\n\
         position fen 64,5,0/3,5,0 2 1 -\ngo\nquit\n",
    );
    let lines: Vec<&str> = said.lines().collect();
    let (default, names) = (VARIANTS[0].name, Variant::names().join(" var "));
    let offer = format!("option name UCI_Variant type combo default {default} var {names}");
    // Square 8 is a hedgehog only in the older variant.
    assert_eq!(lines[2..6], [offer.as_str(), "uciok", "readyok", "bestmove 8"], "{said}");
    for (line, begin) in lines[6..8].iter().zip(["15 is illegal", "unknown command"]) {
        assert!(line.starts_with(&format!("info string error: {begin}")), "{line}");
    }
    assert_eq!(lines[8..], ["bestmove (none)"], "{said}");
}

/// Games of a match with the built-in engine, by number.
fn games(test: &str) -> Vec<GameRecord> {
    let record = directory(test).join("games.jsonl");
    let program = random_mover();
    let random = |seed: u64| {
        let seed = seed.to_string();
        format!("{} name=random{seed}", engine_text(program.to_str().unwrap(), &[&seed]))
    };
    let engines = [random(0), random(1), built_in("name=built-in")];
    let mut arguments = vec!["match", "--players", "3", "--games", "6", "--depth", "1"];
    arguments.extend(["--seed", "3", "--record", record.to_str().unwrap()]);
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let (code, stdout, stderr) = run(&arguments);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let text = std::fs::read_to_string(&record).unwrap();
    let read = |line| matches::archive::replay::read(line).unwrap();
    let mut records: Vec<GameRecord> = text.lines().map(read).collect();
    records.sort_by_key(|record| record.game);
    records
}

#[test]
fn it_plays_whole_games_the_same_each_time() {
    let records = games("random_mover");
    assert_eq!(records.len(), 6);
    let mut wins = 0;
    for record in &records {
        assert_eq!(record.fault, None, "{record:?}");
        assert_eq!(matches::archive::replay::check(record).len(), 0, "{record:?}");
        let built_in = record.seats.iter().position(|name| name == "built-in");
        wins += u32::from(record.places[built_in.unwrap()] == 1);
    }
    assert!(wins >= 5, "the engine won {wins} of 6: {records:?}");
    let again = games("random_mover_again");
    for (record, again) in records.iter().zip(&again) {
        assert_eq!(record.moves, again.moves, "game {}", record.game);
    }
}
