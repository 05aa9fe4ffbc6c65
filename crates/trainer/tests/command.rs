//! `trainer learn` as a process: its output file, its progress lines, and an interrupt.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TRAINER: &str = env!("CARGO_BIN_EXE_trainer");

/// `trainer learn` of a short course.
fn learn(seats: &str, rounds: &str, output: &Path) -> Command {
    let mut command = Command::new(TRAINER);
    command.args(["learn", "--seats", seats, "--rounds", rounds]);
    command.args(["--last-rounds", "0", "--samples", "200", "--output"]);
    command.arg(output);
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn weights_for_another_number_of_seats_are_overwritten_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("my.net");
    let first = learn("2", "2", &net).output().unwrap();
    assert!(first.status.success(), "{first:?}");
    let kept = fs::read(&net).unwrap();
    // Weights of the same kind are learned anew.
    assert!(learn("2", "1", &net).status().unwrap().success());

    let refused = learn("3", "1", &net).output().unwrap();
    let text = stderr(&refused);
    assert_eq!(refused.status.code(), Some(1), "{text}");
    let expected = "my.net has weights for hase-und-igel with 2 seats, this course learns weights for hase-und-igel \
        with 3 seats: expected another --output, or --force to overwrite it";
    assert!(text.contains(expected), "{text}");
    let forced = learn("3", "1", &net).arg("--force").output().unwrap();
    assert!(forced.status.success(), "{forced:?}");
    assert_ne!(fs::read(&net).unwrap(), kept);

    fs::write(&net, "a diary").unwrap();
    let refused = learn("3", "1", &net).output().unwrap();
    assert!(stderr(&refused).contains("other content than weights"));
    assert_eq!(fs::read(&net).unwrap(), b"a diary");
}

#[test]
fn an_interrupted_course_says_what_is_kept_and_how_to_continue() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("my own.net");
    let mut child = learn("2", "1000000", &net).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.starts_with("round 1 of 1000000, "), "{first}");
    assert!(first.ends_with(" left"), "no remaining time: {first}");

    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(killed.success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    let last = rest.last().unwrap();
    let (kept, command) = last.split_once("; to continue: ").expect(last);
    let rounds: u64 = kept
        .strip_prefix("trainer: interrupted: ")
        .expect(last)
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .expect(last);
    assert!(kept.ends_with("my own.progress"), "{last}");

    let shell = ["-c", &format!("exec {command}")];
    let mut child = Command::new("/bin/sh").args(shell).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let next = format!("round {} of 1000000, ", rounds + 1);
    assert!(first.starts_with(&next), "{first}, expected {next}");
}
