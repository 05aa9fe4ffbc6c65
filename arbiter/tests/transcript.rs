//! `arbiter transcript` and its library, with the built-in engine and small programs.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use crate::common::program;
use arbiter::conformance::transcript::{Fault, Program, Script, accept, check};
use program::{directory, run};

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

fn built_in() -> Program {
    Program::start(ARBITER.as_ref(), &[OsString::from("engine")], None).unwrap()
}

fn script(text: &str) -> Script {
    text.parse().unwrap()
}

/// The transcript of a script, updated.
fn accepted(text: &str) -> String {
    accept(&script(text), &mut built_in()).unwrap()
}

#[test]
fn a_conversation_can_be_kept_as_a_snapshot() {
    insta::assert_snapshot!(accepted(
        "\
# Three players, and a card.
> position startpos players 3
> go depth 2 searchmoves 1
> position startpos players 3 moves 1
> query turn
> hop
> isready
"
    ));
}

#[test]
fn an_updated_transcript_matches_the_next_run() {
    let first =
        accepted("> uci\n\n> d\n> eval\n> go nodes 500\n~ 50\n> bench 1\n~ 3000\n> go perft 2\n");
    assert!(first.contains("\n< Nodes/second: *\n"), "{first}");
    let checked = check(&script(&first), &mut built_in()).unwrap();
    assert_eq!(checked.difference, None, "{first}");
    assert_eq!(checked.transcript, first);
    assert_eq!(accepted(&first), first);
}

#[test]
fn met_expectations_are_kept_and_others_are_rewritten() {
    let before = "> isready\n< ready*\n> query players\n< response 3\n> d\n< ...\n< Legal: *\n";
    let after = "> isready\n< ready*\n> query players\n< response 2\n> d\n< ...\n< Legal: *\n";
    assert_eq!(accepted(before), after);
}

#[test]
fn the_first_difference_is_named() {
    for (text, expected) in [
        ("# a\n> isready\n< readyko\n", "line 3: expected \"readyko\", got \"readyok\""),
        ("> isready\n", "at the end: expected nothing more, got \"readyok\""),
        (
            "> isready\n< readyok\n< readyok\n",
            "line 3: expected \"readyok\", got nothing within 700 ms",
        ),
        ("> quit\n< bestmove\n", "line 2: expected \"bestmove\", got the end of the output"),
        (
            "> isready\n> query players\n~\n< ...\n< readyok\n< response 3\n",
            "line 6: expected \"response 3\", got \"response 2\"",
        ),
        (
            "> go depth 1\n< ...\n< info depth 2 *\n",
            "line 3: expected \"info depth 2 *\", got nothing within 700 ms",
        ),
    ] {
        let mut engine = built_in();
        // Once the engine has allocated its tables, the answers below come in time.
        let warm = script("> isready\n< readyok\n");
        check(&warm, &mut engine).unwrap();
        engine.line_timeout = Duration::from_millis(700);
        let checked = check(&script(text), &mut engine).unwrap();
        let difference = checked.difference.expect(text).to_string();
        assert_eq!(difference, expected, "{}", checked.transcript);
    }
}

#[test]
fn the_command_compares_and_updates() {
    let directory = directory("transcript");
    let path = directory.join("script").display().to_string();
    fs::write(&path, "> isready\n> query gameover\n").unwrap();
    // The engine may start slowly on a busy machine.
    let command = ["transcript", "--quiet", "2000", "--script", &path];
    let engine = ["--", ARBITER, "engine"];

    let (code, stdout, stderr) = run(&[&command[..], &engine].concat());
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert_eq!(stdout, "> isready\n> query gameover\n< readyok\n");
    assert!(
        stderr.ends_with("script: at the end: expected nothing more, got \"readyok\"\n"),
        "{stderr}"
    );

    let (code, stdout, stderr) = run(&[&command[..], &["--update"], &engine].concat());
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "> isready\n< readyok\n> query gameover\n< response false\n");

    let (code, stdout, stderr) = run(&[&command[..], &engine].concat());
    assert_eq!((code, stdout, stderr), (0, text, String::new()));
}

#[test]
fn a_program_that_cannot_start_is_named() {
    let directory = directory("transcript_refused");
    let path = directory.join("script").display().to_string();
    for (text, program, expected) in [
        ("uci\n", ARBITER, "script: line 1: \"uci\" is not a line of a script"),
        ("> uci\n", "/nowhere/at/all", "cannot start /nowhere/at/all: "),
    ] {
        fs::write(&path, text).unwrap();
        let (code, stdout, stderr) = run(&["transcript", "--script", &path, program]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    }
    let missing = directory.join("missing").display().to_string();
    let (code, _, stderr) = run(&["transcript", "--script", &missing, ARBITER]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("missing: "), "{stderr}");
}

#[test]
fn output_without_end_is_named() {
    for (text, program) in [
        ("~\n", &["yes"][..]),
        ("~ 60000\n", &["yes"]),
        ("< ...\n< n\n", &["yes"]),
        ("> isready\n", &["yes", "0123456789abcdef"]),
        // Slow, but never silent.
        ("~\n", &["sh", "-c", "while sleep 0.02; do echo y; done"]),
    ] {
        let arguments: Vec<OsString> = program[1..].iter().map(OsString::from).collect();
        for run in [accept as Run, check_text] {
            let mut program = Program::start(program[0].as_ref(), &arguments, None).unwrap();
            program.line_timeout = Duration::from_secs(2);
            program.quiet = Duration::from_secs(1);
            let result = run(&script(text), &mut program);
            if text.starts_with('>') && result.is_ok() {
                // A comparison already fails at the first line.
                continue;
            }
            let error = result.expect_err(text).to_string();
            assert!(error.starts_with("endless output: "), "{text:?}: {error}");
        }
    }
}

type Run = fn(&Script, &mut Program) -> Result<String, Fault>;

fn check_text(script: &Script, program: &mut Program) -> Result<String, Fault> {
    check(script, program).map(|checked| checked.transcript)
}
