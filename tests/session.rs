//! Behaviour of a session that a transcript cannot show: commands during a search, the ways to end, timing, and
//! reproducible searches.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::client;
use client::{DEADLINE, Engine};

/// Two hares, one of which misses its turn, and a race with finished hares.
const STARTS: &[&str] = &[
    "position startpos",
    "position startpos players 3",
    "position startpos players 6",
    "position fen 22,31,2!/26,55,2 1 - BD",
    "position fen 64,5,0/61,22,0/40,30,0 2 1 -",
];

const SEARCHING: &str =
    "info string error: a search is running: expected `stop` and its `bestmove` first";
const WORKING: &str = "info string error: `perft` or `bench` is running: expected `stop` \
    or its end first";

fn best_moves(lines: &[String]) -> Vec<&String> {
    let is_best_move = |line: &&String| line.starts_with("bestmove");
    lines.iter().filter(is_best_move).collect()
}

fn errors(lines: &[String]) -> Vec<&String> {
    let is_error = |line: &&String| line.starts_with("info string error");
    lines.iter().filter(is_error).collect()
}

#[test]
fn ready_is_said_during_a_search() {
    let mut engine = Engine::start();
    engine.send("position startpos players 4");
    engine.send("go movetime 3000");
    let start = Instant::now();
    for _ in 0..10 {
        let lines = engine.fence();
        assert_eq!(best_moves(&lines), [""; 0], "{lines:?}");
    }
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    engine.send("stop");
    engine.line_of("bestmove");
}

#[test]
fn a_search_that_has_hardly_begun_stops_with_a_move() {
    let mut engine = Engine::start();
    for start in STARTS {
        engine.send(start);
        for go in ["go infinite", "go depth 90", "go ponder", "go movetime 60000"] {
            for _ in 0..20 {
                engine.send_bytes(format!("{go}\nstop\nisready\n").as_bytes());
                let lines = engine.lines_to("readyok");
                let answers = best_moves(&lines);
                assert_eq!(answers.len(), 1, "{start}, {go}: {lines:?}");
                assert!(!answers[0].contains("(none)"), "{start}, {go}: {lines:?}");
            }
        }
    }
}

#[test]
fn stop_ends_the_current_search_before_the_next_go() {
    let mut engine = Engine::start();
    for _ in 0..100 {
        engine.send_bytes(b"go infinite\nstop\ngo depth 1\nstop\ngo perft 200\nstop\nisready\n");
        let lines = engine.lines_to("readyok");
        assert_eq!(best_moves(&lines).len(), 2, "{lines:?}");
        assert_eq!(errors(&lines), [""; 0], "{lines:?}");
        assert!(lines.contains(&"info string perft stopped".into()), "{lines:?}");
    }
}

#[test]
fn a_position_sent_during_a_search_holds_for_the_next() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.send("position startpos players 3 moves 4");
    let shown = engine.ask("d");
    assert!(shown.contains(&"Fen: 4,58,3/0,68,3/0,68,3 2 - -".into()), "{shown:?}");
    engine.send("stop");
    let estimate = engine.line_of("bestmove");
    let estimate = estimate.split_once("estimate ").expect(&estimate).1;
    assert_eq!(estimate.split(' ').count(), 2, "{estimate}");
    engine.send("go depth 1");
    let estimate = engine.line_of("bestmove");
    let estimate = estimate.split_once("estimate ").expect(&estimate).1;
    assert_eq!(estimate.split(' ').count(), 3, "{estimate}");
}

#[test]
fn disturbing_commands_are_rejected_during_a_search() {
    let disturbing = [
        "setoption name Hash value 1",
        "setoption name UCI_Variant value hare-and-tortoise",
        "ucinewgame",
        "uginewgame",
        "go depth 1",
        "go perft 1",
        "bench 1",
    ];
    for busy in ["go infinite", "go perft 200", "bench 90"] {
        let mut engine = Engine::start();
        engine.send(busy);
        let is_search = busy == "go infinite";
        let error = if is_search { SEARCHING } else { WORKING };
        // A search answers at its end; other work has no answer for another `go`.
        let answers = |command: &str| {
            let is_answered = command.starts_with("go ") && command != "go perft 1" && !is_search;
            usize::from(is_answered)
        };
        for command in disturbing {
            let lines = engine.ask(command);
            assert_eq!(errors(&lines), [error], "{busy}, {command}");
            let moves = best_moves(&lines).len();
            assert_eq!(moves, answers(command), "{busy}, {command}: {lines:?}");
        }
        for malformed in ["go depth 0", "go mate 1", "hop", "go \u{1f407}"] {
            let lines = engine.ask(malformed);
            assert_eq!(errors(&lines).len(), 1, "{busy}, {malformed}: {lines:?}");
            let moves = best_moves(&lines).len();
            assert_eq!(moves, answers(malformed), "{busy}, {malformed}: {lines:?}");
        }
        for helper in ["d", "eval", "help", "ugi", "uci", "query legal"] {
            let lines = engine.ask(helper);
            assert_eq!(errors(&lines), [""; 0], "{busy}, {helper}");
        }
        let shown = engine.ask("d");
        let start = "Fen: 0,68,3/0,68,3 1 - -";
        assert!(shown.contains(&start.into()), "the variant is as before: {shown:?}");
        let lines = engine.ask("stop");
        let moves = best_moves(&lines).len();
        assert_eq!(moves, usize::from(is_search), "{busy}: {lines:?}");
        let lines = engine.ask("setoption name Hash value 1");
        assert_eq!(lines, [""; 0], "{busy}: nothing runs any more");
    }
}

#[test]
fn a_pondered_move_is_held_until_ponderhit() {
    let mut engine = Engine::start();
    engine.send("go ponder depth 1");
    engine.line_of("info depth 1");
    let lines = engine.fence();
    assert_eq!(best_moves(&lines), [""; 0]);
    engine.send("ponderhit");
    engine.line_of("bestmove ");
    assert_eq!(errors(&engine.ask("ponderhit")).len(), 1);

    engine.send("go ponder movetime 300");
    engine.fence();
    let start = Instant::now();
    engine.send("ponderhit");
    engine.line_of("bestmove");
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(240), "{elapsed:?}");

    engine.send("position startpos moves 6");
    engine.send("go ponder movetime 60000");
    engine.fence();
    let lines = engine.ask("ponderhit");
    assert_eq!(best_moves(&lines).len(), 1, "a card is due, at once: {lines:?}");

    engine.send("position startpos");
    engine.send("go ponder");
    engine.ask("ponderhit");
    let lines = engine.ask("isready");
    assert_eq!(best_moves(&lines), [""; 0], "without a limit, the search continues");
}

#[test]
fn infinite_holds_the_answer_after_ponderhit_too() {
    let mut engine = Engine::start();
    for start in ["position startpos", "position startpos moves 6", "position startpos players 3"] {
        engine.send(start);
        for limit in ["depth 2", "nodes 200", "movetime 1", "wtime 1 btime 1", ""] {
            // A game of three has other clocks, which the first error would answer.
            if limit.contains("wtime") && start.contains("players") {
                continue;
            }
            engine.send(&format!("go ponder infinite {limit}"));
            engine.fence();
            engine.send("ponderhit");
            for _ in 0..20 {
                let lines = engine.fence();
                assert_eq!(best_moves(&lines), [""; 0], "{start}, {limit}");
            }
            engine.send("stop");
            engine.line_of("bestmove");
        }
    }
}

/// Commands that leave the engine with a game of five whose tables it has to build, and the line that ends their
/// answer.
const WITHOUT_TABLES: &[(&[&str], &str)] = &[
    (&["position startpos players 5"], ""),
    (&["go infinite", "position startpos players 5", "stop"], "bestmove"),
    (&["go infinite", "position startpos players 5", "isready", "stop"], "bestmove"),
    (
        &[
            "go infinite", "position startpos players 3", "position startpos players 5", "isready",
            "stop",
        ],
        "bestmove",
    ),
    (&["go depth 4", "position startpos players 5"], "bestmove"),
    (&["position startpos players 5", "bench 1"], "Nodes/second"),
    (&["bench 1", "position startpos players 5"], "Nodes/second"),
    (&["setoption name EvalFile value <shipped>", "position startpos players 5"], ""),
];

#[test]
fn isready_prepares_a_position_that_came_while_the_engine_was_busy() {
    let mut engine = Engine::start();
    for (commands, end) in WITHOUT_TABLES {
        let times: Vec<[Duration; 2]> = (0..8)
            .map(|_| {
                engine.ask("position startpos");
                engine.send_bytes((commands.join("\n") + "\n").as_bytes());
                if !end.is_empty() {
                    engine.line_of(end);
                }
                engine.fence();
                [(), ()].map(|()| {
                    let begin = Instant::now();
                    engine.send("go movetime 1");
                    engine.line_of("bestmove");
                    begin.elapsed()
                })
            })
            .collect();
        // The shortest time of all rounds is least distorted by other load on the machine.
        let [first, second] = [0, 1].map(|go| times.iter().map(|times| times[go]).min().unwrap());
        let limit = second + Duration::from_millis(6);
        assert!(first < limit, "{commands:?}: {first:?}, then {second:?}");
    }
}

#[test]
fn a_known_result_is_answered_at_once_unless_it_has_to_wait() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Variant value fox-and-hounds");
    engine.fence();
    for go in ["go", "go wtime 600000 btime 600000", "go movetime 600000", "go nodes 1"] {
        engine.send(go);
        engine.line_of("info depth 44");
        engine.line_of("bestmove e1d2 ponder b8a7");
    }
    for (go, release) in [
        ("go infinite", "stop"),
        ("go infinite movetime 1", "stop"),
        ("go ponder", "ponderhit"),
        ("go ponder wtime 600000 btime 600000", "ponderhit"),
        ("go ponder", "stop"),
    ] {
        engine.send(go);
        engine.line_of("info depth 44");
        let lines = engine.fence();
        assert_eq!(best_moves(&lines), [""; 0], "{go}");
        engine.send(release);
        engine.line_of("bestmove e1d2 ponder b8a7");
    }
}

/// Each `go` gets one `bestmove`, also behind work that has none, and whether or not the `go` is valid.
#[test]
fn a_go_behind_other_work_is_answered() {
    for busy in ["bench 90", "go perft 200"] {
        for go in ["go depth 1", "go depth 0", "go infinite"] {
            let mut engine = Engine::start();
            engine.send_bytes(format!("{busy}\n{go}\nstop\n").as_bytes());
            let lines = engine.fence();
            assert_eq!(best_moves(&lines).len(), 1, "{busy}, {go}: {lines:?}");
            engine.send("go depth 1");
            engine.line_of("bestmove");
        }
    }
}

#[test]
fn the_end_of_a_session_ends_the_search_without_a_word() {
    for busy in ["go infinite", "go perft 200", "bench 90", "go ponder depth 1", "isready"] {
        for end in ["quit\n", "quit"] {
            let mut engine = Engine::start();
            engine.send(busy);
            engine.send("d");
            engine.lines_to("Legal:");
            engine.send_bytes(end.as_bytes());
            let (lines, status) = engine.finish();
            let words: Vec<&String> =
                lines.iter().filter(|line| !line.starts_with("info depth")).collect();
            assert_eq!(words, [""; 0], "{busy}, {end:?}");
            assert!(status.success(), "{busy}, {end:?}: {status}");
        }
    }
}

#[test]
fn a_closed_output_ends_the_engine_quietly() {
    for commands in ["isready\n", "go infinite\n", "bench 3\n"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_buxtehude"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        // The input stays open, so its end is not what ends the engine.
        let mut input = child.stdin.take().unwrap();
        let _ = input.write_all(commands.as_bytes());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > DEADLINE {
                let _ = child.kill();
                panic!("{commands:?}: the engine does not end");
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(status.success(), "{commands:?}: {status}");
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "", "{commands:?}");
    }
}

#[test]
fn a_clock_that_has_run_out_is_answered_at_once() {
    let mut engine = Engine::start();
    for (start, go) in [
        (STARTS[0], "go wtime 0 btime 0"),
        (STARTS[0], "go wtime -500 btime 9000"),
        (STARTS[0], "go wtime -9223372036854775808 btime 1 winc 0"),
        (STARTS[1], "go time 0 90000 90000 inc 0 0 0"),
        (STARTS[2], "go time -1 -1 -1 -1 -1 -1"),
        (STARTS[0], "go time 0 0 movetime 60000"),
        (STARTS[0], "go p1time 0 p2time 9000 p1inc 0 p2inc 0"),
        (STARTS[2], "go p1time -1 p6time 90000"),
    ] {
        engine.send(start);
        let begin = Instant::now();
        engine.send(go);
        let answer = engine.line_of("bestmove");
        let elapsed = begin.elapsed();
        assert!(elapsed < Duration::from_secs(1), "{go}: {elapsed:?}");
        assert!(!answer.contains("(none)"), "{go}: {answer}");
    }
}

#[test]
fn a_movetime_is_used_and_kept() {
    let mut engine = Engine::start();
    for start in STARTS {
        engine.send(start);
        engine.fence();
        let begin = Instant::now();
        engine.send("go movetime 200");
        engine.line_of("bestmove");
        let elapsed = begin.elapsed();
        let is_choice = !start.contains('!');
        let least = if is_choice { 160 } else { 0 };
        assert!(elapsed >= Duration::from_millis(least), "{start}: {elapsed:?}");
        assert!(elapsed < Duration::from_secs(2), "{start}: {elapsed:?}");
    }
    engine.send("position startpos");
    for longest in ["18446744073710", "18446744073709551615"] {
        engine.send(&format!("go movetime {longest}"));
        engine.line_of("info depth 4");
        let lines = engine.ask("stop");
        assert_eq!(best_moves(&lines).len(), 1, "{longest}: {lines:?}");
    }
}

#[test]
fn a_limit_of_nodes_is_kept() {
    let mut engine = Engine::start();
    for start in STARTS {
        engine.send(start);
        for most in [1, 2, 100, 20_000] {
            engine.send(&format!("go nodes {most}"));
            for line in engine.lines_to("bestmove") {
                let Some((_, facts)) = line.split_once(" nodes ") else {
                    continue;
                };
                let nodes: u64 = facts.split(' ').next().unwrap().parse().unwrap();
                assert!(nodes <= most, "{start}, {most}: {line}");
            }
        }
    }
}

#[test]
fn a_search_of_fixed_depth_is_reproducible() {
    fn search(engine: &mut Engine, start: &str, depth: u32) -> Vec<String> {
        engine.send(start);
        engine.send(&format!("go depth {depth}"));
        engine.lines_to("bestmove").iter().map(|line| without_speed(line)).collect()
    }
    let mut first = Engine::start();
    let mut second = Engine::start();
    for (start, depth) in STARTS.iter().zip([5, 4, 3, 5, 5]) {
        let expected = search(&mut first, start, depth);
        assert!(expected.len() > 1, "{start}: {expected:?}");
        first.send("ucinewgame");
        assert_eq!(search(&mut first, start, depth), expected, "{start}");
        first.send("ucinewgame");
        second.ask("go nodes 1000");
        second.ask("stop");
        second.ask("setoption name Hash value 16");
        assert_eq!(search(&mut second, start, depth), expected, "{start}");
    }
}

/// An `info` line without the fields that depend on time.
fn without_speed(line: &str) -> String {
    let mut words = line.split(' ');
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if matches!(word, "nps" | "time") {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

#[test]
fn the_debug_log_has_all_lines_once_it_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("debug.log");
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true");
    engine.send(&format!("setoption name Debug Log File value {}", path.display()));
    engine.fence();
    engine.send("position fen 63,10,0/60,10,0 2 - -");
    engine.send("go depth 1");
    let answer = engine.line_of("bestmove");
    engine.send("setoption name Debug Log File value <empty>");
    engine.fence();
    let log = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.contains(&">> position fen 63,10,0/60,10,0 2 - -"), "{log}");
    assert!(lines.contains(&format!("<< {answer}").as_str()), "{log}");
    let end = ">> setoption name Debug Log File value <empty>";
    let end = lines.iter().position(|line| *line == end).expect(&log);
    assert!(lines[end..].iter().all(|line| line.starts_with(">>")), "{log}");

    // The second seat is to move, and its chance to win comes first.
    let info = lines.iter().find(|line| line.contains(" wdl ")).unwrap();
    let numbers = |name: &str, count: usize| -> Vec<u16> {
        let behind = info.split_once(&format!(" {name} ")).unwrap().1;
        behind.split_whitespace().take(count).map(|word| word.parse::<u16>().unwrap()).collect()
    };
    let [first, second] = numbers("estimate", 2)[..] else { panic!("{info}") };
    assert_eq!(numbers("wdl", 3), [second, 0, first], "{info}");
}

#[test]
fn a_debug_log_that_cannot_be_written_is_refused() {
    let mut engine = Engine::start();
    engine.send("setoption name Debug Log File value /nowhere/at/all");
    let lines = engine.fence();
    let [error] = errors(&lines)[..] else {
        panic!("{lines:?}");
    };
    assert!(error.contains("/nowhere/at/all: "), "{error}");
    assert!(error.ends_with("expected a writable file"), "{error}");
}
