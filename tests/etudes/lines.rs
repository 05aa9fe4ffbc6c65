//! Reading a file: etudes, bad lines, and the positions of etudes.

use super::folder::{Folder, MIXED, Ran, fine, refused};
use crate::common::client::Engine;

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_refused() {
    let folder = Folder::new();
    let reason =
        "cannot be read: No such file or directory (os error 2): expected a file of etude lines";
    for arguments in ["list", "check", "tune", "tune --save"] {
        let ran = folder.etudes(&format!("{arguments} x.csv"));
        assert_eq!(ran, refused(&format!("x.csv: {reason}\n")), "{arguments}");
    }
    for arguments in ["judge x.csv 1 1", "play x.csv 1"] {
        let ran = folder.etudes(arguments);
        assert_eq!(ran, refused(&format!("x.csv: {reason}\n")), "{arguments}");
    }
    let ran = folder.etudes("list .");
    let errors =
        ".: cannot be read: Is a directory (os error 21): expected a file of etude lines\n";
    assert_eq!(ran, refused(errors));
    // It would never end.
    let ran = folder.etudes("list /dev/zero");
    let errors =
        "/dev/zero: cannot be read: expected a regular file: expected a file of etude lines\n";
    assert_eq!(ran, refused(errors));
}

#[test]
fn a_list_shows_every_etude_and_reports_every_other_line() {
    let ran = Folder::with(MIXED).etudes("list x.csv");
    // 46 is a hare square, 42 a lettuce square.
    let output = "  line  position                      verdict
     1  45,26,2/29,19,0 1 - -         2
     6  46,26,0!/42,19,1! 1 - -       -
     7  12,60,3/3,62,3/30,20,1 1 - -  3
";
    let errors = "\
x.csv:3: carrots: seat 1: \"x\" is not a whole number without sign or leading zeros (field 2)
x.csv:4: square: seat 1: \"\u{fffd}5\" is not a whole number without sign or leading zeros (field 1)
";
    let expected = Ran { code: Some(1), output: output.into(), errors: errors.into() };
    assert_eq!(ran, expected);
    let empty = fine("  line  position  verdict\n");
    assert_eq!(Folder::with(b"").etudes("list x.csv"), empty);
    assert_eq!(Folder::with(b"\r\n\n\n").etudes("list x.csv"), empty);
}

/// Lines and their faults.
const WRONG: &str = r#"
45;26;2;f;29;19;0;f => hares: expected 4 fields for each of 2 to 6 players and a verdict, found 8 fields
65;26;2;f;29;19;0;f;2 => square: seat 1: "65" is above 64 (field 1)
45;26;2;f;29;-1;0;f;2 => carrots: seat 2: "-1" is not a whole number without sign or leading zeros (field 6)
45;26;2;f;29;19;4;f;2 => lettuces: seat 2: "4" is above 3 (field 7)
45;26;2;no;29;19;0;f;2 => mark: seat 1: expected t or f, found "no" (field 4)
45;26;2;f;29;19;0;t;2 => mark: seat 2 cannot miss its turn on square 29, which is neither lettuce nor hare (field 8)
45;26;2;f;45;19;0;f;2 => square: seats 1 and 2 share square 45, only 0 and 64 can be shared (field 5)
45;26;2;f;64;9;0;f;2 => finished: seat 2 is on square 64, no hare has finished in an etude (field 5)
45;26;2;f;29;19;0;f;3 => verdict: expected a player from 1 to 2, or `-` for none, found "3" (field 9)
"#;

#[test]
fn a_bad_line_is_reported_with_the_field_at_fault() {
    for case in WRONG.trim().lines() {
        let (line, reason) = case.split_once(" => ").unwrap();
        let folder = Folder::with(format!("20;60;3;f;30;20;2;f;1\n{line}\n").as_bytes());
        let reason = format!("x.csv:2: {reason}\n");
        for command in ["list", "check", "tune"] {
            let ran = folder.etudes(&format!("{command} x.csv"));
            assert_eq!((ran.code, &ran.errors), (Some(1), &reason), "{command}");
            let shown =
                ran.output.contains("20,60,3/30,20,2 1 - -") || ran.output.contains(" of 1 (");
            assert!(shown, "{command}: {ran:?}");
        }
        for command in ["play x.csv 2", "judge x.csv 2 1"] {
            assert_eq!(folder.etudes(command), refused(&reason), "{command}");
        }
    }
}

#[test]
fn the_engine_takes_what_play_prints() {
    let folder = Folder::with(MIXED);
    let mut engine = Engine::start();
    for (line, text) in [
        (1, "45,26,2/29,19,0 1 - -"),
        (6, "46,26,0!/42,19,1! 1 - -"),
        (7, "12,60,3/3,62,3/30,20,1 1 - -"),
    ] {
        let ran = folder.etudes(&format!("play x.csv {line}"));
        assert_eq!(ran, fine(&format!("position fen {text}\n")));
        let answer = engine.ask(ran.output.trim_end());
        assert!(answer.is_empty(), "{answer:?}");
        let shown = engine.ask("d");
        assert!(shown.contains(&format!("Fen: {text}")), "{shown:?}");
    }
}

#[test]
fn a_file_is_read_by_the_rules_of_its_variant() {
    // Square 7 is a lettuce square only on the track of 1978.
    let folder = Folder::with(b"7;60;3;t;3;62;3;f;-\n");
    assert_eq!(folder.etudes("play x.csv 1").code, Some(0));
    let later = folder.etudes("play x.csv 1 --variant hare-and-tortoise");
    let errors = "x.csv:1: mark: seat 1 cannot miss its turn on square 7, \
        which is neither lettuce nor hare (field 4)\n";
    assert_eq!(later, refused(errors));
}
