//! The engine as a program in a shell: arguments, exit status, and the end of its input.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_buxtehude"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program with arguments reads no input, and may have exited.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_and_version_are_printed() {
    for flag in ["--help", "-h"] {
        let output = run(&[flag], "");
        assert!(output.status.success(), "{output:?}");
        let help = text(&output.stdout);
        assert!(help.contains("Usage: buxtehude") && help.contains("go perft 5"));
        let protocol = run(&["help"], "");
        let etudes = run(&["etudes", "help"], "");
        for help in [help, text(&protocol.stdout), text(&etudes.stdout)] {
            assert!(help.lines().all(|line| line.len() <= 80) && !help.is_empty(), "{help}");
        }
    }
    for flag in ["--version", "-V"] {
        let output = run(&[flag], "");
        assert!(output.status.success(), "{output:?}");
        let version = concat!("buxtehude ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!(text(&output.stdout), version);
    }
}

#[test]
fn words_that_are_no_command_are_an_error_of_the_shell() {
    for (arguments, problem) in [
        (&["hop"][..], "buxtehude: unknown command \"hop\": expected one of uci"),
        (&["--hlep"], "buxtehude: unknown command \"--hlep\""),
        (&["go", "depth", "0"], "buxtehude: go depth: \"0\""),
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(text(&output.stdout), "");
        let said = text(&output.stderr);
        assert!(said.starts_with(problem), "{said}");
    }
    let output = run(&["go", "perft", "1"], "");
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).ends_with("Nodes searched: 9\n"));
}

#[test]
fn pending_commands_are_finished_when_the_input_ends() {
    for (input, last) in [
        ("go movetime 100", "bestmove "),
        ("go depth 4", "bestmove "),
        ("position startpos players 3\ngo nodes 2000\n", "bestmove "),
        ("go perft 4", "Nodes searched: 3229"),
        ("bench 1", "Nodes/second: "),
        ("isready\n", "readyok"),
    ] {
        let output = run(&[], input);
        assert!(output.status.success(), "{output:?}");
        let said = text(&output.stdout);
        let line = said.lines().last().unwrap_or_default();
        assert!(line.starts_with(last), "{input}: {said}");
        assert!(!line.contains("(none)"), "{input}: {said}");
    }
}

#[test]
fn a_waiting_search_answers_at_the_end_of_the_input() {
    for input in [
        "go infinite",
        "go ponder",
        "go ponder movetime 3600000",
        "go",
        "setoption name UCI_Variant value fox-and-hounds\ngo infinite",
    ] {
        let said = text(&run(&[], input).stdout);
        let answers = said.lines().filter(|line| line.starts_with("bestmove "));
        assert_eq!(answers.count(), 1, "{input}: {said}");
        assert!(!said.contains("(none)"), "{input}: {said}");
    }
}
