//! Saving a verdict: the changes in the file.

use std::fs;

use super::folder::{Folder, MIXED, fine, refused};

#[test]
fn a_verdict_is_saved_and_no_other_byte_is_touched() {
    let folder = Folder::with(MIXED);
    let mut expected = MIXED.to_vec();
    // Positions of the verdicts on lines 1, 6 and 7.
    let first = 20;
    let middle = MIXED.iter().position(|&byte| byte == b'-').unwrap();
    let last = MIXED.len() - 1;
    for (line, place, seat, old) in [
        (1, first, '1', '2'),
        (1, first, '-', '1'),
        (6, middle, '2', '-'),
        (7, last, '2', '3'),
        (7, last, '2', '2'),
        (1, first, '2', '-'),
    ] {
        let ran = folder.etudes(&format!("judge x.csv {line} {seat}"));
        let said = format!("x.csv:{line}: verdict {seat}, it was {old}\n");
        assert_eq!(ran, fine(&said));
        expected[place] = seat as u8;
        assert_eq!(folder.read("x.csv"), expected, "line {line}");
        assert_eq!(folder.names(), ["x.csv"]);
    }
}

/// Arguments, and the error.
const WRONG: &str = r#"
judge x.csv 1 3 => x.csv:1: there is no seat 3: expected a seat from 1 to 2, or - for none
judge x.csv 2 1 => x.csv:2: the line is empty: expected an etude
judge x.csv 3 1 => x.csv:3: carrots: seat 1: "x" is not a whole number without sign or leading zeros (field 2)
judge x.csv 5 - => x.csv:5: the line is empty: expected an etude
judge x.csv 8 1 => x.csv: there is no line 8: expected one from 1 to 7
play x.csv 3 => x.csv:3: carrots: seat 1: "x" is not a whole number without sign or leading zeros (field 2)
play x.csv 2 => x.csv:2: the line is empty: expected an etude
play x.csv 8 => x.csv: there is no line 8: expected one from 1 to 7
"#;

#[test]
fn a_verdict_that_cannot_be_saved_changes_nothing() {
    let folder = Folder::with(MIXED);
    for line in WRONG.trim().lines() {
        let (arguments, error) = line.split_once(" => ").unwrap();
        let expected = refused(&format!("{error}\n"));
        assert_eq!(folder.etudes(arguments), expected, "{arguments}");
    }
    assert_eq!(folder.read("x.csv"), MIXED);
    let ran = Folder::with(b"").etudes("play x.csv 1");
    let error = "x.csv: there is no line 1: the file is empty\n";
    assert_eq!(ran, refused(error));
}

#[test]
fn verdicts_of_several_processes_at_once_are_all_saved() {
    let line = "45;26;2;f;29;19;0;f;";
    let folder = Folder::with(format!("{line}-\n").repeat(60).as_bytes());
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = &folder;
            scope.spawn(move || {
                for number in (1 + writer..=60).step_by(4) {
                    let ran = folder.etudes(&format!("judge x.csv {number} 1"));
                    assert_eq!(ran.code, Some(0), "{ran:?}");
                }
            });
        }
    });
    let expected = format!("{line}1\n").repeat(60);
    assert_eq!(String::from_utf8(folder.read("x.csv")).unwrap(), expected);
    assert_eq!(folder.names(), ["x.csv"]);
}

#[test]
fn a_file_that_stays_locked_is_reported() {
    let folder = Folder::with(MIXED);
    let file = fs::File::create(folder.0.path().join(".x.csv.lock")).unwrap();
    file.try_lock().unwrap();
    let error = "x.csv: cannot be saved: another process has locked it for 10 s: \
        expected a writable file and folder\n";
    assert_eq!(folder.etudes("judge x.csv 1 1"), refused(error));
    assert_eq!(folder.read("x.csv"), MIXED);
}
