//! Engines that think on their opponent's time.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use buxtehude::rules::{Seat, VARIANTS};

use crate::common::table;
use matches::plan::deck::Deck;
use matches::plan::rules::{Position, Rules};
use matches::plan::{EngineSpec, Limit};
use matches::play::log::Log;
use matches::record::GameRecord;
use matches::record::ending::Ending;
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
    play_with(test, [engine, tiny(&["echo \"bestmove $3\""])], 4, |_| {})
}

/// Plays a game of some plies that `change` prepares; returns its record and its log.
fn play_with(
    test: &str,
    engines: [EngineSpec; 2],
    plies: u32,
    change: impl FnOnce(&mut Table),
) -> (GameRecord, String) {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.log"));
    let mut table = Table::new(engines.into());
    table.log = Log::create(&log).unwrap();
    table.plan.referee_limits.ready = Duration::from_secs(1);
    table.plan.referee_limits.max_plies = plies;
    change(&mut table);
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
    let expected = "it did not answer within 1050.0 ms (margin 50.0 + wait 1000.0); no output after `stop`: does it \
        flush its output after each line?";
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
    assert!(reason.contains(" over its limit of 100.0 ms; the margin is "), "{reason}");
}

#[test]
fn the_expected_move_after_a_card_is_no_hit() {
    let rules = Rules::from(&VARIANTS[0]);
    let mut position = Position::from(VARIANTS[0].start(2).unwrap());
    position.play("2").unwrap();
    position.play("1").unwrap();
    let draws = |seed: &u64| {
        let mut deck = Deck::new((*seed).into(), rules.draws());
        deck.draw(Seat(1), &position.outcomes()) == "+behind"
    };
    let seed = (0..1000).find(draws).unwrap();
    let again = "if [ \"$n\" ]; then echo bestmove 4; else n=1; echo bestmove 1; fi";
    let (record, log) = play_with("ponder_card", [ponderer("4", ""), tiny(&[again])], 4, |table| {
        table.game.deck_seed = seed.into();
    });
    assert_eq!(record.endings, [Ending::MaxPlies; 2], "{log}");
    assert!(record.moves.starts_with("2 1 +behind 4 "), "{}", record.moves);
    assert!(log.contains("> position startpos moves 2 4\n"), "{log}");
    assert_eq!((said(&log, "> ponderhit"), said(&log, "> stop")), (0, 2), "{log}");
}

/// The engine ponders once, and answers `go ponder` at once.
#[test]
fn a_bestmove_before_ponderhit_is_a_flaw_and_costs_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let answered = directory.path().join("answered");
    let answered = answered.display();
    for expected in ["4", "5"] {
        let early = format!(
            "case $rest in *ponder*) echo \"bestmove $1\"; : > '{answered}' ;; \
             *) echo \"bestmove $2${{said- ponder {expected}}}\"; said= ;; esac"
        );
        let early = EngineSpec { args: tiny(&[&early, "", "", "", ":"]).args, ..ponderer("", "") };
        let patient = format!(
            "until [ -e '{answered}' ]; do sleep 0.01; done; rm '{answered}'; echo bestmove 4"
        );
        let (record, log) = play_with("ponder_early", [early, tiny(&[&patient])], 3, |_| {});
        assert_eq!(record.endings, [Ending::MaxPlies; 2], "{record:?}\n{log}");
        assert_eq!(said(&log, "> ponderhit") + said(&log, "> stop"), 0, "{log}");
        let flaws: Vec<Option<&str>> =
            record.turns.iter().map(|turn| turn.flaw.as_deref()).collect();
        let flaw = "bestmove before ponderhit or stop: \"bestmove 1\"";
        assert_eq!(flaws, [None, None, Some(flaw)], "{log}");
    }
}
