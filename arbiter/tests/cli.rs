//! Errors in the arguments: the message names the flag, its value and the accepted values; the exit status is 2.

use crate::common::program;
use buxtehude::rules::Variant;
use matches::spelling::engine_text;
use program::{built_in, directory, run};

/// Arguments, exit status and output of each case, with the test's directory replaced.
fn refusals(cases: &[&[&str]], directory: &str) -> String {
    let mut text = String::new();
    for arguments in cases {
        let (code, stdout, stderr) = run(arguments);
        text += &format!("$ arbiter {}\n{stdout}{stderr}exit code {code}\n\n", arguments.join(" "));
    }
    text.replace(&Variant::names().join(", "), "VARIANTS")
        .replace(directory, "DIR")
        .replace(env!("CARGO_BIN_EXE_arbiter"), "ARBITER")
        .replace(env!("CARGO_TARGET_TMPDIR"), "HERE")
        // Paths with a space are quoted.
        .replace("'ARBITER'", "ARBITER")
        .replace("'DIR/script'", "DIR/script")
}

#[test]
fn wrong_flags_are_named_with_what_is_accepted() {
    let directory = directory("wrong_flags");
    let directory = directory.to_str().unwrap();
    let cases: &[&[&str]] = &[
        &["match", "--players", "7"],
        &["match", "--games", "0"],
        &["match", "--movetime", "soon"],
        &["match", "--tc", "ten+1"],
        &["match", "--variant", "chess"],
        &["match", "--seed", "-1"],
        &["match", "--concurrency", "0"],
        &["match", "--engine", "./x"],
        &["match", "--each", "cmd=./x depth=3 nodes=3"],
        &["match", "--sprt", "elo0=0", "elo1=five"],
        &["match", "--sprt", "elo0=0 elo1=5"],
        &["match", "--fast"],
        &["tournament", "round-robin", "--games", "3"],
        &["match", "--log", "/nonexistent/log"],
        &["match", "--record", "/nonexistent/record"],
        &["match", "--store", "/nonexistent/match.db"],
        &["match", "--store", "x", "--record", "x"],
        &["replay"],
        &["replay", "/nonexistent/games.jsonl"],
    ];
    insta::assert_snapshot!(refusals(cases, directory));
}

#[test]
fn habits_from_fastchess_are_translated() {
    let fastchess = "-engine cmd=./a name=a -engine cmd=./b name=b -each tc=8+0.08 -rounds 500 -games 2 -repeat \
                     -openings file=x.epd format=epd -sprt elo0=0 elo1=5 -concurrency 4 -pgnout file=x.pgn -draw";
    let pasted: Vec<&str> = ["match"].into_iter().chain(fastchess.split(' ')).collect();
    let words = |text: &'static str| text.split(' ').collect::<Vec<&str>>();
    let mut cases = vec![pasted];
    cases.extend(
        [
            "-engine cmd=./a", "tournament -engine cmd=./a", "match --resume", "match --srand 3",
            "match --repeat", "match --ponder", "match --memory 5", "match --pgnout x",
            "match --draw", "match -players 3", "match -banana", "match --playres 3",
            "match -tournament gauntlet", "match --openings book.epd format=epd",
            "match --log file=log.txt", "match one two", "match --engine cmd=./a st=5",
            "match --engine cmd=./a ponder", "match --engine cmd=./a tc=inf",
            "match --engine cmd=./a x.py", "report x.db -games 3", "resume x.db -recover",
        ]
        .map(words),
    );
    let cases: Vec<&[&str]> = cases.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(refusals(&cases, "/nonexistent"));
}

#[test]
fn names_and_options_of_several_lines_are_refused() {
    for key in ["name", "option.Hash"] {
        let engine = format!("cmd=./x '{key}=1\nquit'");
        let (code, _, stderr) = run(&["match", "--engine", &engine]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("expected one line of text"), "{stderr}");
    }
}

#[test]
fn what_is_no_store_or_record_is_named() {
    let directory = directory("no_store");
    let file = |name: &str, content: &str| {
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_string()
    };
    let other = directory.join("other.db").to_str().unwrap().to_string();
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    let (empty, text) = (file("empty", ""), file("text", "no game\n"));
    let cases: &[&[&str]] = &[
        &["resume"],
        &["resume", "/nonexistent/match.db"],
        &["resume", &empty],
        &["resume", &text],
        &["resume", &other],
        &["resume", &text, "--concurrency", "0"],
        &["report", "/nonexistent/match.db"],
        &["report", &empty],
        &["report", &text],
        &["report", &other],
        &["export", "/nonexistent/match.db"],
        &["export", &text],
        &["export", &other],
        &["export", &text, "--format", "pgn"],
        &["replay", &other],
    ];
    insta::assert_snapshot!(refusals(cases, directory.to_str().unwrap()));
}

#[test]
fn a_wrong_opening_is_named_by_file_and_line() {
    let directory = directory("wrong_openings");
    let files = [
        ("seats", "# comment\n\n0,68,3/0,68,3 1 - -\nstartpos players 3 moves 1\n"),
        ("square", "0,68,3/65,68,3 1 - -\n"),
        ("move", "startpos moves 1 +half 8\n"),
        ("card", "startpos moves 1 2\n"),
        ("form", "startpos moved 1\n"),
        ("empty", "# nothing\n\n"),
    ];
    let mut text = String::new();
    for (name, content) in files {
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        let path = path.to_str().unwrap();
        text += &refusals(&[&["match", "--openings", path]], directory.to_str().unwrap());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_engine_that_does_not_start_is_named() {
    let directory = directory("no_start");
    let script = directory.join("script");
    std::fs::write(&script, "#!/nonexistent/python3\r\nprint('uciok')\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let script = format!("{} name=script", engine_text(script.to_str().unwrap(), &[]));
    let option = built_in("name=a option.Hsah=1");
    let cases: &[&[&str]] = &[
        &["match", "--engine", "cmd=/nonexistent/engine name=missing"],
        &["match", "--isolate", "off", "--engine", &script],
        &["match", "--engine", &script],
        &["match", "--engine", &option],
    ];
    insta::assert_snapshot!(refusals(cases, directory.to_str().unwrap()));
}

#[test]
fn a_rejected_option_ends_the_match_before_the_first_game() {
    let rejected = built_in("name=a option.EvalFile=/nonexistent/junk.net");
    let other = built_in("name=b");
    let engines = ["--engine", &rejected, "--engine", &other];
    let (code, stdout, stderr) = run(&[&["match", "--nodes", "1"], &engines[..]].concat());
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    let words = "error: engine a rejects its options: option EvalFile: /nonexistent/junk.net cannot be read";
    assert!(stderr.starts_with(words), "{stderr}");
}
