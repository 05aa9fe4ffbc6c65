//! `arbiter check`: the built-in engine passes, and engines with a single defect fail the matching check.
#![cfg(target_os = "linux")]

use std::thread;
use std::time::Instant;

use crate::common::{mutants, program};
use buxtehude::rules::{MAX_SEATS, VARIANTS, Variant};
use matches::spelling::quote;
use mutants::{Mutant, missed};
use program::run;

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// Mutants of the built-in engine: a `sed` script for its input, one for its output, and the check that must fail.
const MUTANTS: &[(&str, &str, &str)] = &[
    ("", "/^id name/d", "uci/id-name"),
    ("", "/^id author/d", "uci/id-author"),
    ("", "s/^uciok/hello\\nuciok/", "uci/lines"),
    ("", "s/type spin/type number/", "options/readable"),
    ("", "/name Hash/p", "options/unique"),
    ("", "s/default 16/default 0/", "options/defaults"),
    ("", "s/max 72/max 73/", "options/bounds"),
    ("", "s/var article/var faust/", "options/bounds"),
    ("", "s/^readyok/info string here\\nreadyok/", "isready/idle"),
    ("/ucinewgame/a hop", "", "ucinewgame"),
    ("s/^go .*/go searchmoves nonsense/", "", "fox-and-hounds/2/moves"),
    ("", "s/^bestmove [a-h0-9]*/bestmove 99/", "hase-und-igel/2/moves"),
    ("", "s/ pv .*/ pv 99/", "hase-und-igel/3/pv"),
    ("", "s/estimate \\([0-9]*\\)/estimate 1\\1/", "hase-und-igel/4/estimates"),
    ("", "s/^\\(bestmove.*\\) [0-9]*$/\\1/", "hase-und-igel/5/estimates"),
    ("", "s/^Legal: [^ ]* /Legal: /", "hare-and-tortoise/6/shown"),
    ("", "s/^Fen: ./Fen: /", "fox-and-hounds/2/shown"),
    ("", "s/^response over/response 1/; s/^response [0-9]$/response 9/", "hase-und-igel/2/queries"),
    ("s/^position fen.*/position startpos/", "", "hase-und-igel/2/text"),
    ("", "/^bestmove/p", "go/once"),
    ("s/infinite/depth 1/", "", "go/infinite"),
    ("s/infinite depth/depth/", "", "go/infinite-depth"),
    ("s/ponder depth/depth/", "", "go/ponder"),
    ("s/^isready/stop\\nisready/", "", "go/isready"),
    ("s/^stop/hop\\nstop/", "", "stop/idle"),
    ("s/ searchmoves .*//", "", "go/searchmoves"),
    ("s/MultiPV value 2/MultiPV value 1/", "", "go/multipv"),
    ("s/depth 2/depth 3/", "", "limits/depth-2"),
    ("s/nodes 100$/nodes 50000/", "", "limits/nodes-100"),
    ("s/movetime 20/movetime 2000/", "", "limits/movetime-20"),
    ("s/^go wtime 0.*/go movetime 1000/", "", "limits/clock-zero"),
    ("s/^go wtime -50.*/go movetime 1000/", "", "limits/clock-negative"),
    ("/^hop/d", "", "refuses/unknown-command"),
    (
        "s/^position startpos players 7/position startpos players 3/",
        "",
        "refuses/position-players-7",
    ),
    ("s/^go depth 0/go depth 1/", "", "refuses/go-depth-zero"),
    ("", "/^bestmove (none)/d", "refuses/go-twice"),
    ("s/^setoption name Hash value 1$/isready/", "", "busy/setoption"),
    ("s/^ *$/hop/", "", "input/empty-lines"),
    ("s/\\r$/ now/", "", "input/crlf"),
    ("/^quit/d", "", "end/quit"),
    ("", "/^info depth 1 /d", "info/depths"),
    ("s/^go infinite/&\\nstop/", "", "busy/answers"),
    ("/^position startpos moves/d", "", "busy/position"),
];

fn check(arguments: &[&str]) -> (i32, String, String) {
    let (code, stdout, stderr) = run(&[&["check"], arguments].concat());
    (code, stdout, stderr)
}

/// A variant with the numbers of seats that it can be played with, as the verdict says.
fn playable(variant: &Variant) -> String {
    let seats = (2..=MAX_SEATS).filter(|&seats| variant.start(seats).is_ok());
    let seats: Vec<String> = seats.map(|seats| seats.to_string()).collect();
    format!("{} with {} seats", variant.name, seats.join(", "))
}

#[test]
fn the_built_in_engine_does_all_that_is_asked() {
    let tables: Vec<String> = VARIANTS.iter().map(playable).collect();
    let playable = format!("can play matches: {}", tables.join("; "));
    for (profile, least) in [("full", 250), ("uci", 60)] {
        let (code, stdout, stderr) = check(&["--profile", profile, "--", ARBITER, "engine"]);
        assert_eq!(code, 0, "{stdout}{stderr}");
        let mut lines: Vec<&str> = stdout.lines().collect();
        let last = lines.pop().expect(&stderr);
        let count: u32 = last.split(' ').next().unwrap().parse().expect(&stdout);
        assert!(count >= least, "{profile}: {stdout}");
        let rest = format!("{count} checks: {count} passed, 0 errors, 0 warnings, 0 skipped");
        assert_eq!(last, rest);
        let verdict = (profile == "full").then_some(playable.as_str());
        assert_eq!(lines, Vec::from_iter(verdict));
    }
}

#[test]
fn a_single_variant_can_be_asked_about() {
    for variant in ["hare-and-tortoise", "fox-and-hounds"] {
        let (code, stdout, stderr) = check(&["--variant", variant, "--", ARBITER, "engine"]);
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stdout.contains(" 0 errors, 0 warnings, "), "{stdout}");
    }
}

#[test]
fn every_mutant_is_caught_for_what_it_breaks() {
    let mutant = |&(input, output, check)| Mutant { input, output, check };
    let missed = missed(&MUTANTS.iter().map(mutant).collect::<Vec<Mutant>>());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_failure_is_shown_with_its_transcript_in_every_format() {
    let script = format!("{} engine | sed -u -e 's/^bestmove.*/bestmove 1/'", quote(ARBITER));
    let engine = ["--only", "fox-and-hounds/2/moves", "--", "/bin/sh", "-c", &script];
    let (code, text, _) = check(&engine);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("error fox-and-hounds/2/moves: every `bestmove` is legal"), "{text}");
    assert!(text.contains("\n    < bestmove 1\n"), "{text}");
    assert!(text.ends_with("1 checks: 0 passed, 1 errors, 0 warnings, 0 skipped\n"), "{text}");

    let (code, junit, _) = check(&[&["--format", "junit"], &engine[..]].concat());
    assert_eq!(code, 1, "{junit}");
    assert!(junit.contains("<testcase name=\"fox-and-hounds/2/moves\""), "{junit}");
    assert!(junit.contains("<failure"), "{junit}");
}

#[test]
fn a_program_that_cannot_be_checked_is_named() {
    let (code, _, stderr) = check(&["/nowhere/at/all"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("cannot start /nowhere/at/all: "), "{stderr}");
    let (code, _, stderr) = check(&["--variant", "chess", ARBITER, "engine"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--variant: unknown variant \"chess\": expected "), "{stderr}");
}

/// The built-in engine with a leak of 128 KiB per game, each in its own variable so that the growth is even. The memory
/// of the engine itself varies by a MiB.
const LEAKING: &str = r#"
games=0
page=$(printf '%131072s' '')
while read -r line; do
  case $line in ucinewgame) games=$((games + 1)); eval "kept$games=\$page" ;; esac
  echo "$line"
done | ARBITER engine
"#;

#[test]
fn memory_that_grows_is_found_and_other_memory_is_not() {
    let soak = ["--soak=300", "--only", "soak", "--format", "json"];
    let verdict = |engine: &[&str]| {
        let (code, stdout, stderr) = check(&[&soak[..], &["--"], engine].concat());
        let report: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
        let soak = report["checks"][0].clone();
        let note = soak["note"].as_str().unwrap_or_default().to_string();
        assert!(note.starts_with("300 games, "), "{stdout}");
        (code, soak["verdict"].to_string(), note)
    };
    let script = LEAKING.replace("ARBITER", &quote(ARBITER));
    thread::scope(|scope| {
        scope.spawn(|| {
            let (code, found, note) = verdict(&[ARBITER, "engine"]);
            assert_eq!((code, found.as_str()), (0, "\"passed\""), "{note}");
        });
        scope.spawn(|| {
            let (code, found, note) = verdict(&["/bin/sh", "-c", &script]);
            assert_eq!((code, found.as_str()), (1, "\"failed\""), "{note}");
        });
    });

    let (code, stdout, stderr) = check(&["--soak=1s", "--only", "soak", "--", ARBITER, "engine"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains(" KiB per 1000 games\n"), "{stdout}");
    let (code, _, stderr) = check(&["--soak=soon", ARBITER, "engine"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("expected a number of games such as 1000"), "{stderr}");
}

#[test]
fn a_mute_program_is_given_up_at_once() {
    let begun = Instant::now();
    let (code, stdout, stderr) = run(&["check", "--timeout", "300", "sleep", "1000"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let expected = "cannot play matches\nerror uci/answered: `uci` is answered with `uciok`\n    \
                    no `uciok` within 300 ms; does it flush its output after each line?\n";
    assert!(stdout.starts_with(expected), "{stdout}");
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

/// The built-in engine reduced to `uci`, `isready`, `position`, `go` and `quit`: `sed` commands for its input and
/// output.
fn small(input: &str, output: &str) -> String {
    format!(
        "sed -u -n -e '{input}' -e '/^\\(uci\\|isready\\|position\\|go\\|setoption\\)/p' -e '/^quit/{{p;q}}' \
         | {} engine \
         | sed -u -n -e '{output}' -e '/^id name/p; /^uciok/p; /^readyok/p; s/^\\(bestmove [^ ]*\\).*/\\1/p'",
        quote(ARBITER)
    )
}

/// Deals with every number of seats as with two.
const TWO_SEATS: &str = "s/ players [3-6]//";
const ONE_GAME: &str = "s/^\\(option name UCI_Variant.*igel\\) var.*/\\1/p";

#[test]
fn a_small_engine_gets_a_short_answer() {
    let engine = small(TWO_SEATS, "");
    let begun = Instant::now();
    let (code, stdout, stderr) = check(&["/bin/sh", "-c", &engine]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(begun.elapsed().as_secs() < 200, "{:?}", begun.elapsed());
    let verdict = "can play matches: hase-und-igel with 2 seats\n";
    assert!(stdout.starts_with(verdict), "{stdout}");
    assert!(stdout.contains("the engine is small: "), "{stdout}");
    assert!(stdout.lines().count() < 6, "{stdout}");

    // The whole protocol has one entry for each thing that is missing.
    let begun = Instant::now();
    let (code, stdout, _) = check(&["--profile", "full", "/bin/sh", "-c", &engine]);
    assert_eq!(code, 1, "{stdout}");
    assert!(begun.elapsed().as_secs() < 200, "{:?}", begun.elapsed());
    assert!(stdout.starts_with(verdict), "{stdout}");
    assert_eq!(stdout.matches("no answer to `d`").count(), 1, "{stdout}");
    assert!(stdout.contains(" checks failed for this cause"), "{stdout}");
    assert!(stdout.contains(" like them left out\n"), "{stdout}");
    assert!(stdout.lines().count() < 200, "{stdout}");
}

#[test]
fn only_the_games_and_numbers_of_seats_that_an_engine_plays_are_checked() {
    // It refuses a number of seats.
    let refusing =
        small("s/ players [3-6]/ players 9/", &format!("{ONE_GAME}; /^info string error/p"));
    let (code, stdout, stderr) = check(&["/bin/sh", "-c", &refusing]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let others = VARIANTS.iter().filter(|variant| variant.name != "hase-und-igel");
    let notes: String =
        others.map(|variant| format!("note: {}: not offered\n", variant.name)).collect();
    let expected = format!(
        "can play matches: hase-und-igel with 2 seats\n\
         note: hase-und-igel with 3, 4, 5, 6 seats: refused\n{notes}"
    );
    assert!(stdout.starts_with(&expected), "{stdout}");
    let (code, stdout, _) = check(&["--players", "3", "/bin/sh", "-c", &refusing]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.starts_with("cannot play matches\n"), "{stdout}");
    // It pays no attention to the number of seats.
    let careless = small(TWO_SEATS, ONE_GAME);
    let (code, stdout, _) = check(&["/bin/sh", "-c", &careless]);
    assert_eq!(code, 1, "{stdout}");
    let expected = "can play matches: hase-und-igel with 2 seats\nbut not: hase-und-igel with 3, 4, 5, 6 seats\n";
    assert!(stdout.starts_with(expected), "{stdout}");
    let (code, stdout, stderr) = check(&["--players", "2", "/bin/sh", "-c", &careless]);
    assert_eq!(code, 0, "{stdout}{stderr}");

    let (code, _, stderr) =
        check(&["--players", "3", "--variant", "fox-and-hounds", ARBITER, "engine"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--players: "), "{stderr}");
}

#[test]
fn standard_error_is_shown_with_its_check() {
    let engine = "while read -r line; do case $line in \
        uci) echo id name noisy; echo uciok;; isready) echo readyok;; \
        *' movetime 20'*) echo out of carrots >&2; exit 3;; \
        go*) set -- ${line#*searchmoves }; echo bestmove $1;; quit) exit;; esac; done";
    let engine = ["--legal", "sh", "-c", engine];
    let (code, stdout, stderr) = check(&engine);
    assert_eq!((code, stderr.contains("carrots")), (1, false), "{stderr}");
    let (_, rest) = stdout.split_once("error limits/movetime-20: ").expect(&stdout);
    assert!(rest.contains("\n    ! out of carrots\n"), "{stdout}");
    let (_, json, _) = check(&[&["--format", "json"], &engine[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&json).expect(&json);
    let checks = report["checks"].as_array().unwrap().iter();
    let noisy = checks.filter(|check| check["stderr"] != serde_json::json!([]));
    let names: Vec<&str> = noisy.map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["limits/movetime-20"], "{json}");
}

/// An engine of a few lines that plays the first of the moves that it gets; `cases` are of its own.
fn tiny(cases: &str) -> String {
    format!(
        "while read -r line; do case $line in {cases} uci) echo uciok;; isready) echo readyok;; \
         go*) set -- ${{line#*searchmoves }}; echo bestmove $1;; quit) exit;; esac; done"
    )
}

fn check_tiny(arguments: &[&str], cases: &str) -> (i32, String) {
    let engine = ["--legal", "--timeout", "1000", "--variant", "fox-and-hounds", "--"];
    let (code, stdout, stderr) = check(&[arguments, &engine, &["sh", "-c", &tiny(cases)]].concat());
    (code, stdout + &stderr)
}

#[test]
fn the_verdict_depends_on_the_needs_of_a_match() {
    // It has no name, talks when it is idle, has an unreadable option, and stays after `quit`.
    let odd = "uci) echo 'option name Style type list'; echo uciok;; ucinewgame) echo new;; \
        isready) echo info string ready; echo readyok;; quit) ;;";
    let verdict = "can play matches: fox-and-hounds with 2 seats\n";
    let (code, text) = check_tiny(&["--profile", "match"], odd);
    assert!(code == 0 && text.starts_with(verdict) && text.contains(" 0 errors, "), "{text}");
    assert!(
        text.contains("\"option name Style type list\" cannot be read: option type: "),
        "{text}"
    );

    // An engine that answers `d` is checked against all of protocol.md, which does not change the verdict.
    let (code, text) = check_tiny(&[], "d) echo board;;");
    assert!(code == 0 && text.starts_with(verdict), "{text}");
    let (needs, beyond) = text.split_once("\nbeyond matches, ").expect(&text);
    assert!(needs.ends_with(" 0 errors, 0 warnings, 0 skipped"), "{text}");
    assert!(
        beyond.starts_with("the rest of protocol.md (--profile match leaves it out):\n"),
        "{text}"
    );
    assert!(beyond.contains("\nerror ") && !beyond.contains(" 0 errors, "), "{text}");
    let (code, text) = check_tiny(&["--profile", "full"], "d) echo board;;");
    assert!(code == 1 && text.starts_with(verdict), "{text}");

    // A late move, or none, does.
    for late in ["go*' movetime 20 '*) sleep 1; echo bestmove (none);;", "go*) echo bestmove x;;"] {
        let (code, text) = check_tiny(&["--profile", "match"], &late.replace("(none)", "'(none)'"));
        assert!(code == 1 && text.starts_with("cannot play matches\n"), "{text}");
    }
}

#[test]
fn answers_between_turns_are_found() {
    for (cases, name, reason) in [
        (
            "go*) set -- ${line#*searchmoves }; echo bestmove $1; (sleep 0.1; echo bestmove $1) &;;",
            "go/once",
            "a second bestmove for one go: \"bestmove ",
        ),
        ("*ponder*) echo bestmove e1d2;;", "go/ponder", "\"bestmove e1d2\" before `ponderhit`"),
        (
            "go' ponder'*) ;; ponderhit) echo bestmove e1d2;; stop) echo bestmove e1d2; echo bestmove e1d2;;",
            "go/ponder-stop",
            "a second bestmove for one go: \"bestmove e1d2\"",
        ),
    ] {
        let (code, text) = check_tiny(&["--profile", "match"], &cases.replace("&;;", "& ;;"));
        assert_eq!(code, 0, "a match copes with it: {text}");
        assert!(text.contains(&format!("\nwarning {name}: ")) && text.contains(reason), "{text}");
    }
}

#[test]
fn what_is_missing_is_named() {
    for (name, cases, reason) in [
        (
            "fox-and-hounds/2/clock-seats", "go' time '*) echo 'bestmove (none)';;",
            "seat 1: no move, but `bestmove (none)`",
        ),
        ("bench", "bench*) echo unknown command;;", "`bench 1` is rejected: \"unknown command\""),
        (
            "bench",
            "bench*) echo what;;",
            "no `Nodes/second` within 1000 ms after `bench 1`: \"what\" came",
        ),
    ] {
        let (_, text) = check_tiny(&["--only", name], cases);
        assert!(text.contains(&format!("    {reason}\n")), "{text}");
    }
    let (code, text) = check_tiny(&["--only", "fox-and-hounds/2/estimates"], "");
    assert!(code == 0 && text.starts_with("1 checks: 1 passed, "), "{text}");
}

/// An engine of a few lines that knows no rules can play matches.
#[test]
fn an_engine_that_gets_its_moves_passes_the_check_for_matches() {
    let engine = "while read -r line; do case $line in \
        uci) echo id name small; echo uciok;; isready) echo readyok;; \
        go*) set -- ${line#*searchmoves }; echo bestmove $1;; quit) exit;; esac; done";
    let check = |arguments: &[&str]| {
        let engine = ["sh", "-c", engine];
        run(&[&["check", "--profile", "match"], arguments, &engine].concat())
    };
    let (code, stdout, stderr) = check(&["--legal"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains(" 0 skipped"), "{stdout}");
    let (code, stdout, _) = check(&["--variant", "hase-und-igel"]);
    assert_eq!(code, 1, "without its moves it has none to choose from: {stdout}");
}
