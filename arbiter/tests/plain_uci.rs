//! Engines that know only plain UCI can play a game for two.

use std::fs;

use crate::common::program;
use matches::record::GameRecord;
use matches::spelling::engine_text;
use program::{directory, run};

const OPENINGS: &str = "\
startpos
fen 1h1h1h1h/8/8/8/8/8/8/2F5 w - - 0 1
fen 1h1h1h1h/8/8/8/8/8/3F4/8 b - - 0 1 moves b8a7
";

#[test]
fn engines_of_plain_uci_can_play_and_extra_output_is_ignored() {
    let directory = directory("plain_uci");
    let file = |name: &str| directory.join(name).display().to_string();
    fs::write(file("openings"), OPENINGS).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/plain_uci.sh");
    let command = engine_text("/bin/sh", &[script]);
    let engine = |name: &str| format!("{command} name={name} legal=on");
    let (code, stdout, stderr) = run(&[
        "match",
        "--variant",
        "fox-and-hounds",
        "--tc",
        "600+1",
        "--games",
        "6",
        "--openings",
        &file("openings"),
        "--engine",
        &engine("first"),
        "--engine",
        &engine("second"),
        "--record",
        &file("games.jsonl"),
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("(Plain 1.0 [upstream: , 64 bit])"), "{stdout}");

    let text = fs::read_to_string(file("games.jsonl")).unwrap();
    let records: Vec<GameRecord> =
        text.lines().map(|line| matches::archive::replay::read(line).unwrap()).collect();
    assert_eq!(records.len(), 6);
    for record in records {
        assert_eq!(record.fault, None, "{record:?}");
        assert_eq!(record.places.iter().sum::<u32>(), 3, "{record:?}");
        assert!(record.turns.len() > 5, "{record:?}");
        for turn in &record.turns {
            assert_eq!(turn.depth, Some(2), "{turn:?}");
            assert_eq!(turn.score.as_deref(), Some("cp -14"), "{turn:?}");
            assert!(turn.estimate.is_empty(), "{turn:?}");
        }
    }
}
