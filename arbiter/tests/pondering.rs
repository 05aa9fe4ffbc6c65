//! Engines that think on their opponent's time.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::{program, table};
use matches::plan::{EngineSpec, Limit};
use matches::play::log::Log;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use program::{directory, run};
use table::{Table, tiny};

/// An engine that plays its second legal move, ponders on its opponent's `expected` move, and answers `ponderhit` and
/// `stop` with `hit`.
fn ponderer(expected: &str, hit: &str) -> EngineSpec {
    let go =
        format!("case $rest in *ponder*) ;; *) echo \"bestmove $2 ponder {expected}\" ;; esac");
    EngineSpec {
        ponder: true,
        limit: Limit::movetime(Duration::from_secs(5)),
        ..tiny(&[&go, "", "", "", hit])
    }
}

/// Plays a game of two plies per seat that begins with 2 and 4; returns its record and its log.
fn play(test: &str, engine: EngineSpec) -> (GameRecord, String) {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.log"));
    let mut table = Table::new(vec![engine, tiny(&["echo \"bestmove $3\""])]);
    table.log = Log::create(&log).unwrap();
    table.plan.patience.ready = Duration::from_secs(1);
    table.plan.patience.max_plies = 4;
    let played = table.play();
    let record = played.record().clone();
    (record, fs::read_to_string(log).unwrap())
}

fn said(log: &str, text: &str) -> usize {
    log.lines().filter(|line| line.contains(text)).count()
}

#[test]
fn the_move_that_was_expected_is_a_hit() {
    let (record, log) = play("ponder_hit", ponderer("4", ""));
    assert_eq!(record.endings, [Ending::MaxPlies; 2], "{log}");
    assert_eq!(record.moves.split(' ').take(2).collect::<Vec<_>>(), ["2", "4"], "{log}");
    assert!(log.contains("> position startpos moves 2 4\n"), "{log}");
    assert!(said(&log, "> go ponder movetime 5000 searchmoves") > 0, "{log}");
    assert!(said(&log, "> ponderhit") > 0, "{log}");
}

#[test]
fn a_different_move_stops_pondering_and_a_new_search_begins() {
    let (record, log) = play("ponder_miss", ponderer("5", ""));
    assert_eq!(record.endings, [Ending::MaxPlies; 2], "{log}");
    let (ponders, hits, stops) =
        (said(&log, "> go ponder"), said(&log, "> ponderhit"), said(&log, "> stop"));
    assert!(ponders > 0 && ponders == hits + stops && stops > 0, "{log}");
    assert_eq!(said(&log, "> go movetime"), 2 - hits, "{log}");
}

#[test]
fn an_unplayable_move_is_not_pondered_on() {
    for expected in ["63", "x", "+half"] {
        let (record, log) = play("ponder_illegal", ponderer(expected, ""));
        assert_eq!(record.endings, [Ending::MaxPlies; 2], "{expected}: {log}");
        assert_eq!(said(&log, "> go ponder"), 0, "{expected}: {log}");
    }
}

#[test]
fn an_engine_that_does_not_stop_loses_the_game() {
    let (record, log) = play("ponder_deaf", ponderer("5", ":"));
    assert_eq!(record.endings, [Ending::Stall, Ending::Ended], "{record:?}\n{log}");
    let reason = record.fault.unwrap().reason;
    // The margin and one second, no matter how long its limit is.
    let expected = "it did not answer within 1050.0 ms; no output after `stop`: does it flush its output after each \
        line?";
    assert_eq!(reason, expected, "{log}");
}

#[test]
fn what_the_end_of_pondering_takes_is_charged_to_the_next_move() {
    let hit = "case $command in stop) sleep 0.6 ;; esac; echo \"bestmove $1\"";
    let (record, log) = play("ponder_late", ponderer("5", hit));
    assert_eq!(record.endings, [Ending::MaxPlies; 2], "{log}");
    let charged: Vec<u64> = record.turns.iter().filter_map(|turn| turn.late_stop).collect();
    // Pondering that ends after the game costs nothing.
    assert_eq!((charged.len(), said(&log, "> stop")), (1, 2), "{log}");
    assert!(charged.iter().all(|micros| (250_000..5_000_000).contains(micros)), "{charged:?}");
    let left = (5_000_000 - charged[0]) / 1000;
    assert!(log.contains(&format!("> go movetime {left} ")), "{log}");

    let quick =
        EngineSpec { limit: Limit::movetime(Duration::from_millis(100)), ..ponderer("5", hit) };
    let (record, log) = play("ponder_too_late", quick);
    assert_eq!(record.endings, [Ending::TimeForfeit, Ending::Ended], "{log}");
    let reason = record.fault.unwrap().reason;
    assert!(reason.contains(", and stopped pondering "), "{reason}");
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
    let log = fs::read_to_string(log).unwrap();
    let (ponders, hits, stops) =
        (said(&log, "> go ponder"), said(&log, "> ponderhit"), said(&log, "> stop"));
    assert!(
        hits > 0 && ponders == hits + stops,
        "{ponders} ponders, {hits} hits, {stops} stops\n{stdout}"
    );
}
