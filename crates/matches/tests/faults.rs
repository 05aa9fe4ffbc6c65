//! Each kind of misbehaviour costs the engine that game, in bounded time, and costs the other engines nothing.
#![cfg(target_os = "linux")]

use std::fs;
use std::time::Duration;

use crate::common::{processes, table};
use matches::plan::{EngineSpec, Limit};
use matches::record::GameRecord;
use matches::record::ending::Ending;
use processes::{await_death, living_members};
use table::{Table, tiny};

/// Timeout of a step; a longer wait for an engine is the arbiter's fault.
const SHORT: Duration = Duration::from_secs(10);

/// Plays with the offender in the last of two and of three seats, and checks the ending, the places, the fault's
/// message, and that only the offender is dead. Returns the record of three.
fn offend(offender: &EngineSpec, ending: Ending, reason: &str) -> GameRecord {
    offend_at_the(offender, |_| {}, ending, reason)
}

fn offend_at_the(
    offender: &EngineSpec,
    change: impl Fn(&mut Table),
    ending: Ending,
    reason: &str,
) -> GameRecord {
    let mut last = None;
    for seats in [2, 3] {
        let mut engines = vec![tiny(&[]); seats - 1];
        engines.push(offender.clone());
        let mut table = Table::new(engines);
        change(&mut table);
        let mut played = table.play();
        let record = played.record().clone();
        let seen = format!("{seats} seats, {:?}: {record:#?}", played.took);

        let mut endings = vec![Ending::Ended; seats - 1];
        endings.push(ending);
        assert_eq!(record.endings, endings, "{seen}");
        let mut places = vec![1; seats - 1];
        places.push(seats as u32);
        assert_eq!(record.places, places, "{seen}");
        let fault = record.fault.as_ref().expect(&seen);
        assert_eq!(fault.seat, seats as u32, "{seen}");
        assert!(fault.reason.contains(reason), "{reason}? {seen}");
        assert!(played.took < SHORT, "{seen}");

        let dead = played.engines.pop().unwrap();
        assert!(!dead.is_usable(), "{seen}");
        await_death(dead.process_id());
        for engine in played.engines {
            assert!(engine.is_usable(), "{seen}");
            let group = engine.process_id();
            assert_eq!(living_members(group).len(), 1, "{seen}");
            drop(engine);
            await_death(group);
        }
        last = Some(record);
    }
    last.unwrap()
}

fn short_stall(table: &mut Table) {
    table.plan.referee_limits.stall = Duration::from_millis(400);
}

fn with_movetime(milliseconds: u64, go: &str) -> EngineSpec {
    EngineSpec { limit: Limit::movetime(Duration::from_millis(milliseconds)), ..tiny(&[go]) }
}

#[test]
fn an_answer_that_is_no_legal_move() {
    for (go, reason) in [
        ("echo bestmove 63", "63 is illegal"),
        ("echo bestmove 01", "\"01\" is not a move"),
        ("echo bestmove e2e4", "\"e2e4\" is not a move"),
        ("echo bestmove +half", "+half is illegal"),
        ("echo 'bestmove (none)'", "it gave no move; "),
        ("echo bestmove", "expected a move"),
        ("printf 'bestmove \\377\\376\\n'", "is not a move"),
    ] {
        let record = offend(&tiny(&[go]), Ending::IllegalMove, reason);
        assert_eq!(record.turns.len(), 2, "{record:?}");
    }
}

/// A second answer that arrives after the next `go` is taken for the answer to that.
#[test]
fn a_second_bestmove_for_one_go_is_named() {
    let late = "printf 'bestmove 63\\n'; sleep 0.1; echo \"bestmove $1\"";
    let reason = "; another bestmove followed: it is a second bestmove for one go";
    offend(&tiny(&[late]), Ending::IllegalMove, reason);
}

#[test]
fn a_legal_move_counts_despite_other_output() {
    let huge = "info depth 4294967295 score cp 2147483647 nodes 18446744073709551615 pv 1";
    let huge = format!("echo '{huge}'; echo \"bestmove $1\"");
    for (go, flaw) in [
        ("echo \"bestmove $1 or so\"", "bestmove: unexpected \"or\""),
        ("echo \"bestmove $1 ponder\"", "bestmove ponder: missing argument"),
        ("echo \"bestmove $1 estimate 600 x\"", "bestmove: unexpected \"x\""),
        ("echo \"bestmove $1 estimate 600 300\"", "estimate 600 300, expected 2 shares"),
        (&huge, "depth 4294967295, expected at most 10000; score cp 2147483647"),
    ] {
        let played = Table::new(vec![tiny(&[go]), tiny(&[])]).play();
        let record = played.record();
        assert_eq!(record.fault, None, "{go}");
        assert_eq!(record.turns.len(), 6, "{go}");
        for turn in &record.turns {
            let found = turn.flaw.as_deref().unwrap_or_default();
            let is_flawed = turn.seat == 1;
            assert_eq!(
                (found.starts_with(flaw), !found.is_empty()),
                (is_flawed, is_flawed),
                "{turn:?}"
            );
            let believed = (turn.depth, turn.nodes, &turn.score, turn.estimate.len());
            assert_eq!(believed, (None, None, &None, 0), "{turn:?}");
        }
        let flaws: Vec<u64> = record.turn_sums().iter().map(|sums| sums.flaws).collect();
        assert_eq!(flaws, [3, 0], "{go}");
    }
}

#[test]
fn a_long_answer_is_quoted_in_part() {
    let go = "printf 'bestmove '; yes x | tr -d '\\n' | head -c 50000; echo";
    let record = offend(&tiny(&[go]), Ending::IllegalMove, "xxx");
    let reason = record.fault.unwrap().reason;
    assert!(reason.len() < 1000, "{} bytes", reason.len());
}

#[test]
fn an_answer_that_comes_late() {
    let late = with_movetime(100, "sleep 0.6; echo \"bestmove $1\"");
    offend(&late, Ending::TimeForfeit, "over its limit of 100.0 ms; the margin is 10.0 ms");
}

#[test]
fn a_clock_that_runs_out() {
    let slow = EngineSpec {
        limit: Limit::clock(Duration::from_secs(2), Duration::from_millis(1)),
        ..tiny(&["sleep 1.38; echo \"bestmove $1\""])
    };
    let record = offend(&slow, Ending::TimeForfeit, " over its limit of ");
    // The message gives the rest of two seconds, without the time that the engine waited for a busy machine.
    let reason = &record.fault.as_ref().unwrap().reason;
    let left: u64 = reason
        .split("limit of ")
        .nth(1)
        .and_then(|text| text.split('.').next())
        .unwrap()
        .parse()
        .unwrap();
    assert!((600..1200).contains(&left), "{reason}");
    let moves = record.turns.iter().filter(|turn| turn.seat == 3).count();
    assert_eq!(moves, 1, "{record:?}");
}

#[test]
fn no_answer_within_the_time_limit() {
    let reason = "within 1060.0 ms (limit 50.0 + margin 10.0 + wait 1000.0); no output after `go`";
    offend(&with_movetime(50, "sleep 1000"), Ending::Stall, reason);
}

#[test]
fn no_answer_within_the_stall_limit() {
    for go in [
        "sleep 1000",
        // Floods and endless lines, at full speed and slowly.
        "exec yes 'info depth 1 score cp 1 nodes 5'",
        "while :; do echo 'info depth 1 score cp 1'; sleep 0.01; done",
        "exec yes ''",
        "exec tr '\\0' x < /dev/zero",
        "exec cat /dev/urandom",
        "yes >&2",
        // A line without a newline.
        "printf 'bestmove %s' \"$1\"; sleep 1000",
        "printf 'bestmove %s\\r' \"$1\"; sleep 1000",
    ] {
        offend_at_the(&tiny(&[go]), short_stall, Ending::Stall, "within 400.0 ms");
    }
    assert!(most_memory_used() < 200 << 20, "{} bytes", most_memory_used());
}

fn most_memory_used() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kibibytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes * 1024
}

#[test]
fn an_engine_that_never_reads() {
    // The position exceeds the 64 KiB that a pipe holds.
    let mut table = Table::new(vec![tiny(&["", "echo readyok; exec sleep 1000"]), tiny(&[])]);
    let mut position = table.plan.rules.start(2).unwrap();
    while table.game.opening.moves.len() < 80_000 {
        let word = position.legal_actions().swap_remove(0);
        position.play(&word).unwrap();
        table.game.opening.moves.push(word);
    }
    if table.game.opening.moves.len() % 2 == 1 {
        table.game.opening.moves.pop();
    }
    short_stall(&mut table);
    let played = table.play();
    let record = played.record();
    assert!(record.endings.contains(&Ending::Stall), "{:?}", record.fault);
    assert!(played.took < SHORT, "{:?}", played.took);
}

#[test]
fn a_process_that_ends() {
    for (go, reason) in [
        ("exit 3", "exit status: 3"),
        ("kill -SEGV $$", "signal: 11"),
        ("kill -KILL $$", "signal: 9"),
        ("exec >&- 2>&-; sleep 0.05; exit 5", "exit status: 5"),
        // A line cut off by the end of the output is not an answer.
        ("printf 'bestmove %s' \"$1\"; exit 0", "exit status: 0"),
        // A grandchild keeps the pipes open.
        ("sleep 1000 & exit 4", "exit status: 4"),
    ] {
        offend(&tiny(&[go]), Ending::Crash, reason);
    }
}

#[test]
fn the_last_lines_of_standard_error_are_quoted() {
    let go =
        "for i in 1 2 3 4 5 6 7 8 9 10 11; do echo line $i >&2; done; printf 'the end' >&2; exit 3";
    let record = offend(&tiny(&[go]), Ending::Crash, "exit status: 3");
    let stderr = record.fault.unwrap().stderr;
    assert_eq!(stderr.len(), 12, "{stderr:?}");
    assert_eq!((stderr[0].as_str(), stderr[11].as_str()), ("line 1", "the end"));
}

#[test]
fn output_that_is_closed() {
    offend(&tiny(&["exec >&-; sleep 1000"]), Ending::Disconnect, "closed its output");
}

#[test]
fn input_that_is_closed() {
    // Another test's process holds a copy of the input for a moment, if it was started at the same time.
    let go = "exec <&-; sleep 0.5; echo \"bestmove $1\"; exec sleep 1000";
    let record = offend(&tiny(&[go]), Ending::Disconnect, "closed its output or input");
    let moves = record.turns.iter().filter(|turn| turn.seat == 3).count();
    assert_eq!(moves, 1, "{record:?}");
}

#[test]
fn an_engine_that_ends_or_closes_its_output_when_a_game_begins() {
    for (isready, ending) in [
        ("exit 7", Ending::Crash),
        ("kill -ABRT $$", Ending::Crash),
        ("exec >&-; sleep 1000", Ending::Disconnect),
    ] {
        let record = offend(&tiny(&["", isready]), ending, "");
        assert!(record.turns.is_empty() && record.moves.is_empty(), "{record:?}");
    }
}

#[test]
fn an_engine_that_is_never_ready() {
    let mut table = Table::new(vec![tiny(&[]), tiny(&["", "echo not yet"])]);
    table.plan.referee_limits.ready = Duration::from_secs(1);
    let played = table.play();
    let record = played.record();
    assert_eq!(record.endings, [Ending::Ended, Ending::Stall], "{record:?}");
    assert!(record.turns.is_empty(), "{record:?}");
    assert!(played.took < SHORT, "{:?}", played.took);
}

#[test]
fn the_first_offender_loses_when_several_fail_at_the_start() {
    let broken = tiny(&["", "exit 7"]);
    let played = Table::new(vec![tiny(&[]), broken.clone(), broken]).play();
    let record = played.record();
    assert_eq!(record.endings, [Ending::Ended, Ending::Crash, Ending::Ended], "{record:?}");
    let usable: Vec<bool> = played.engines.iter().map(|engine| engine.is_usable()).collect();
    // The third engine was not told of the game.
    assert_eq!(usable, [true, false, true]);
}

#[test]
fn finished_seats_keep_their_places() {
    let last_move = "for mv; do :; done; echo \"bestmove $mv\"";
    let mut table = Table::new(vec![tiny(&[last_move]), tiny(&["exit 1"]), tiny(&[])]);
    table.game.opening = "63,3,0/40,30,1/20,30,0 1 - -".parse().unwrap();
    let played = table.play();
    let record = played.record();
    assert_eq!(record.places, [1, 3, 2], "{record:?}");
    let endings = [Ending::Finish, Ending::Crash, Ending::Ended];
    assert_eq!(record.endings, endings, "{record:?}");
}

#[test]
fn an_engine_whose_seat_has_finished_in_the_opening_is_asked_nothing() {
    let broken = tiny(&["exit 7", "exit 7"]);
    let mut table = Table::new(vec![broken, tiny(&[]), tiny(&[])]);
    table.game.opening = "64,5,0/40,30,1/20,30,0 2 1 -".parse().unwrap();
    let played = table.play();
    let record = played.record();
    assert_eq!(record.fault, None, "{record:?}");
    assert_eq!(record.places, [1, 2, 2], "{record:?}");
    let endings = [Ending::Finish, Ending::MaxPlies, Ending::MaxPlies];
    assert_eq!(record.endings, endings, "{record:?}");
}
