//! A loss on time that may be the arbiter's own fault.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::program;
use matches::spelling::engine_text;
use program::{arbiter, directory};

/// Answers after 200 ms; notes each `go` in a file.
const SLOW: &str = r#"
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*) set -- ${line#*searchmoves } "$1"
         echo asked >> "$(dirname "$0")/asked"
         sleep 0.2; echo "bestmove $1" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn a_game_lost_while_the_arbiter_slept_is_played_again() {
    let directory = directory("lag");
    let script = directory.join("slow.sh");
    fs::write(&script, SLOW).unwrap();
    let asked = directory.join("asked");
    let stream = directory.join("events.jsonl");
    let engine = engine_text("/bin/sh", &[script.to_str().unwrap()]);
    let engine = format!("{engine} legal=on movetime=400 margin=100");
    let mut command = arbiter(&[
        "match",
        "--engine",
        &engine,
        "--max-plies",
        "3",
        "--events",
        stream.to_str().unwrap(),
    ]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !asked.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "no engine is asked for a move");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The engine answers in time, but the stopped arbiter sees the answer long after the limit.
    let signal = |name: &str| {
        let id = child.id().to_string();
        assert!(Command::new("kill").args([name, id.as_str()]).status().unwrap().success());
    };
    signal("-STOP");
    std::thread::sleep(Duration::from_millis(2500));
    signal("-CONT");
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let seen = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{seen}");
    assert!(seen.contains("game 1 is rerun: sh, seat 1, was "), "{seen}");
    assert!(seen.contains("while the arbiter itself lagged by 2"), "{seen}");
    assert!(seen.contains("games rerun after a suspect loss: 1"), "{seen}");
    assert!(seen.contains("lag of the arbiter itself: "), "{seen}");
    let events = fs::read_to_string(stream).unwrap();
    assert_eq!(events.matches(r#""event":"rerun""#).count(), 1, "{events}");
    assert_eq!(events.matches(r#""event":"begin""#).count(), 3, "{events}");
}
