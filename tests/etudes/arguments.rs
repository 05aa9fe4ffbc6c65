//! Arguments of the commands, and errors in them.

use super::folder::{Folder, MIXED, refused};

#[test]
fn help_is_printed_when_asked_for_and_when_nothing_else_helps() {
    let folder = Folder::new();
    let help = folder.etudes("help");
    assert_eq!((help.code, help.errors.as_str()), (Some(0), ""));
    for word in ["list", "judge", "play", "check", "tune"] {
        let described = help.output.lines().any(|line| line.starts_with(word));
        assert!(described, "{word}: {}", help.output);
    }
    for arguments in ["--help", "-h", "tune --help", "judge x.csv --help"] {
        assert_eq!(folder.etudes(arguments), help, "{arguments}");
    }
    let expected = "expected list, judge, play, check, tune or help";
    for (arguments, complaint) in [
        ("", "missing command"),
        ("lists x.csv", "unknown command \"lists\""),
        ("--save", "unknown command \"--save\""),
    ] {
        let errors = format!("buxtehude: etudes: {complaint}: {expected}\n{}", help.output);
        assert_eq!(folder.etudes(arguments), refused(&errors), "{arguments}");
    }
}

/// Arguments, and the error after `etudes`.
const WRONG: &str = r#"
list => list: missing FILE: expected list FILE
list x.csv y.csv => list: unexpected "y.csv": expected list FILE
play x.csv => play: missing LINE: expected play FILE LINE
judge x.csv 1 => judge: missing SEAT: expected judge FILE LINE SEAT
play x.csv 0 => play: LINE "0": expected a whole number from 1
play x.csv +1 => play: LINE "+1": expected a whole number from 1
play x.csv 99999999999999999999 => play: LINE "99999999999999999999": expected a whole number from 1
judge x.csv x 1 => judge: LINE "x": expected a whole number from 1
judge x.csv 1 7 => judge: SEAT "7": expected a seat from 1 to 6, or - for none
judge x.csv 1 0 => judge: SEAT "0": expected a seat from 1 to 6, or - for none
list --save x.csv => list: unknown option "--save": expected --variant
check x.csv --save => check: unknown option "--save": expected --factors, --ks, --kc, --kp, --variant
tune x.csv --ks=1 => tune: unknown option "--ks=1": expected --save, --variant
tune x.csv --save --save => tune: repeated --save: expected it once
check x.csv --kc 1 --kc 1 => check: repeated --kc: expected it once
check x.csv --ks => check: --ks without a value: expected a whole number from 0 to 1000
check x.csv --kp 1001 => check: --kp "1001": expected a whole number from 0 to 1000
check x.csv --kp -1 => check: --kp "-1": expected a whole number from 0 to 1000
check x.csv --kc 1.2 => check: --kc "1.2": expected a whole number from 0 to 1000
check x.csv --factors => check: --factors without a value: expected a file written by `tune --save`
list x.csv --variant => list: --variant without a value: expected hase-und-igel or hare-and-tortoise
list x.csv --variant chess => list: --variant "chess": expected hase-und-igel or hare-and-tortoise
list x.csv --variant fox-and-hounds => list: --variant "fox-and-hounds": expected hase-und-igel or hare-and-tortoise
"#;

#[test]
fn wrong_arguments_are_refused_with_what_would_be_right() {
    let folder = Folder::with(MIXED);
    for line in WRONG.trim().lines() {
        let (arguments, errors) = line.split_once(" => ").unwrap();
        let errors = format!("buxtehude: etudes {errors}\n");
        assert_eq!(folder.etudes(arguments), refused(&errors), "{arguments}");
    }
    assert_eq!(folder.read("x.csv"), MIXED);
}
