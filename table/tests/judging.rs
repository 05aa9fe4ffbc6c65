//! Verdicts by the page and by the command line at the same time.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::json;

use crate::common::program::{Program, folder};

/// Number of verdicts of each writer.
const VERDICTS: usize = 25;
const LINE: &str = "5;53;3;f;13;13;3;f;";
/// File and line for a child that judges.
const CHILD: &str = "TEST_JUDGE";

/// The process of [`judge_by_command`]: the command `buxtehude etudes`, whose program this package does not build.
/// Without the variable it does nothing.
#[test]
fn child_that_judges() {
    let Some(words) = std::env::var_os(CHILD) else {
        return;
    };
    let words = words.into_string().unwrap();
    let arguments: Vec<OsString> = words.split('\n').map(OsString::from).collect();
    let _ = buxtehude::articles::etudes::run(&arguments);
}

fn judge_by_command(file: &Path, number: usize) {
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "judging::child_that_judges", "--nocapture"])
        .env(CHILD, format!("judge\n{}\n{number}\n2", file.display()))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(said.contains(": verdict 2, it was -"), "{number}: {said}");
}

fn judge_by_page(program: &Program, number: usize) {
    let body = json!({ "number": number, "line": format!("{LINE}-"), "verdict": 1 });
    let answer = program.answer("/api/etudes/set", &body.to_string());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{number}: {answer}");
}

/// Four writers of two kinds judge different lines of one file; each waits for the answer to its last verdict.
#[test]
fn no_acknowledged_verdict_is_lost() {
    let file = folder("judging").join("set.csv");
    std::fs::write(&file, format!("{LINE}-\n").repeat(4 * VERDICTS)).unwrap();
    let programs = [(); 2].map(|()| Program::start(&["--etudes", file.to_str().unwrap()]));
    thread::scope(|scope| {
        for writer in 0..4 {
            let (file, program) = (&file, &programs[writer % 2]);
            scope.spawn(move || {
                for number in (1 + writer..=4 * VERDICTS).step_by(4) {
                    if writer < 2 {
                        judge_by_page(program, number);
                    } else {
                        judge_by_command(file, number);
                    }
                }
            });
        }
    });
    let expected = format!("{LINE}1\n{LINE}1\n{LINE}2\n{LINE}2\n").repeat(VERDICTS);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    assert_eq!(file.parent().unwrap().read_dir().unwrap().count(), 1);
}
