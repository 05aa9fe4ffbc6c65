//! `arbiter rules check`: good rules programs pass, and programs with a single fault fail the matching check.
//! `arbiter check --rules`: the same for engines, by the rules of a program.
#![cfg(target_os = "linux")]

use crate::common::program;
use matches::spelling::{engine_text, quote};
use program::{check_all, run};

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");
const PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/pig.py");
const HOLD_AT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/hold_at.py");
const MOVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/engine.py");
const BAD_PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/bad_pig.py");
const RACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/race_rules.py");

fn built_in_rules(variant: &str) -> String {
    format!("{} name=x", engine_text(ARBITER, &["engine", "rules", variant]))
}

fn race(faults: &[&str]) -> String {
    format!("{} name=race", engine_text("python3", &[&[RACE], faults].concat()))
}

fn check(rules: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["rules", "check", rules], options].concat())
}

#[test]
fn good_programs_pass_all_checks() {
    for (rules, players, has_text) in [
        (engine_text("python3", &[PIG]), "2, 3, 4, 5, 6", false),
        (engine_text("python3", &[RACE]), "2, 3", true),
        (built_in_rules("hase-und-igel"), "2, 3, 4, 5, 6", true),
        (built_in_rules("fox-and-hounds"), "2", true),
    ] {
        let (code, stdout, stderr) = check(&rules, &["--games", "2"]);
        assert_eq!(code, 0, "{rules}: {stdout}{stderr}");
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(lines[..2], ["ugi: passed".to_string(), format!("players: {players}")]);
        for name in ["games/2: 2 games of ", "speed: ", "same/process: passed", "end/quit: passed"]
        {
            assert!(lines.iter().any(|line| line.starts_with(name)), "{name}: {stdout}");
        }
        let text = if has_text { "text: passed" } else { "skipped text: it has no texts" };
        assert!(stdout.contains(text), "{stdout}");
        let last = lines.last().unwrap();
        let skipped = if has_text { "0 skipped" } else { "1 skipped" };
        assert!(last.ends_with(&format!(" passed, 0 errors, 0 warnings, {skipped}")), "{last}");
    }
}

#[test]
fn every_fault_fails_the_check_of_its_law() {
    let faults = [
        ("listed", 1, "error games/2: "),
        ("over", 1, "error games/2: "),
        ("order", 1, "error same/order: "),
        ("jump", 1, "error same/order: "),
        ("process", 1, "error same/process: "),
        ("seats", 1, "error same/players: "),
        ("places", 1, "error games/3: "),
        ("endless", 0, "warning ends: "),
        ("text", 1, "error text: "),
        ("lose", 1, "error refuses/illegal-word: "),
        ("silent", 1, "error refuses/illegal-word: "),
        ("kind", 1, "error refuses/other-kind: "),
        ("crash", 1, "error ignores/unknown: "),
        ("chatter", 1, "error ignores/unknown: "),
        ("mute", 1, "error queries: "),
        ("stay", 1, "error end/quit: "),
        ("deaf", 1, "error end/quit: "),
    ];
    check_all(6, &faults, |&(fault, code, expected)| {
        let rules = race(&[fault]);
        let options = ["--games", "2", "--plies", "60"];
        let (found, stdout, stderr) = check(&rules, &options);
        assert_eq!(found, code, "{fault}: {stdout}{stderr}");
        let mut failures = stdout.lines();
        let first =
            failures.find(|line| ["error ", "warning "].iter().any(|word| line.starts_with(word)));
        assert!(first.is_some_and(|line| line.starts_with(expected)), "{fault}: {stdout}");
        let widest = stdout.lines().map(|line| line.chars().count()).max();
        assert!(widest < Some(400), "{fault}: {stdout}");
    });
}

#[test]
fn only_some_numbers_of_players_can_be_asked_about() {
    let rules = engine_text("python3", &[RACE]);
    let (code, stdout, stderr) =
        check(&rules, &["--players", "3", "--games", "1", "--only", "same"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("players: 3\ngames/3: ") && !stdout.contains("end/"), "{stdout}");
    let (code, stdout, stderr) = check(&rules, &["--players", "2,4"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(
        stdout.contains("error players: ") && stdout.contains("expected 2 or 3 players"),
        "{stdout}"
    );
}

#[test]
fn games_longer_than_a_match_lets_them_be_are_told() {
    let rules = race(&["endless"]);
    let (code, stdout, stderr) =
        check(&rules, &["--games", "1", "--players", "2", "--plies", "1001"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let expected = "games/2: 1 games of 1001 to 1001 plies, median 1001; 1 of more than 1000, where a match ends them";
    assert!(stdout.contains(expected), "{stdout}");
}

/// A draw is no ply, as in matches: a turn of Pig is a roll with its draw, or a hold.
#[test]
fn a_ply_is_a_move() {
    let rules = engine_text("python3", &[PIG]);
    let (code, stdout, stderr) =
        check(&rules, &["--games", "1", "--players", "2", "--plies", "7", "--only", "speed"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("games/2: 1 games of 7 to 7 plies"), "{stdout}");
    let moves = stdout.split("speed: ").nth(1).unwrap();
    let states = moves.split("(median of ").nth(1).unwrap().split(')').next().unwrap();
    assert!(states.parse::<u32>().unwrap() > 7, "{stdout}");
}

#[test]
fn a_word_of_a_flag_is_no_program() {
    let rules = format!("{} name=pig", engine_text("python3", &[PIG]));
    for arguments in
        [&["check", "--rules", &rules, "cmd=./x"][..], &["transcript", "cmd=./x name=y"]]
    {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(
            stderr.contains("expected a program and its arguments as on a command line"),
            "{stderr}"
        );
    }
}

#[test]
fn the_keys_of_rules_are_listed() {
    for (rules, expected) in [
        (
            "cmd=./x banana",
            "\"banana\" is not of the form KEY=VALUE; the keys are cmd, args, name, dir, ",
        ),
        ("cmd=./x banana=1", "unknown key \"banana\"; the keys are "),
        ("cmd=./x variants=1", "did you mean \"variant\"?"),
        ("cmd=./x depth=1", "depth= does not apply to rules; the keys are "),
        ("name=x", "cmd= is missing"),
    ] {
        let (code, stdout, stderr) = run(&["match", "--rules", rules]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert!(!stderr.contains("keys are") || stderr.contains(", variant, draws"), "{stderr}");
    }
}

#[test]
fn a_program_that_cannot_be_used_is_named() {
    let (code, stdout, stderr) = check("cmd=/nonexistent/rules name=x", &[]);
    assert!(code == 2 && stderr.contains("cannot start /nonexistent/rules"), "{stdout}{stderr}");
    let (code, stdout, _) = check("cmd=true name=x", &[]);
    assert!(code == 1 && stdout.starts_with("error ugi: "), "{stdout}");
    let (code, _, stderr) = check("name=x", &[]);
    assert!(code == 2 && stderr.contains("cmd= is missing"), "{stderr}");
    let (code, stdout, _) = check("cmd=sleep args=1000 name=x", &["--timeout", "300"]);
    let expected = "no `ugiok` within 300 ms; does it flush its output after each line?\n";
    assert!(code == 1 && stdout.contains(expected), "{stdout}");
}

fn check_engine(rules: &str, arguments: &[&str]) -> (i32, String, String) {
    run(&[&["check", "--rules", rules], arguments].concat())
}

#[test]
fn an_engine_for_the_game_of_a_program_can_play_matches() {
    let pig = format!("{} name=pig", engine_text("python3", &[PIG]));
    let race = race(&[]);
    let hold_at: &[&str] = &["python3", HOLD_AT, "20"];
    let mover: &[&str] = &["--profile", "match", "--legal", "python3", MOVER];
    // The mover does not ponder, and the profile for matches warns of that.
    for (rules, engine, expected, warnings) in [
        (&pig, hold_at, "pig with 2, 3, 4, 5, 6 seats", 0),
        (&pig, mover, "pig with 2, 3, 4, 5, 6 seats", 2),
        (&race, mover, "race with 2, 3 seats", 2),
    ] {
        let (code, stdout, stderr) = check_engine(rules, engine);
        assert_eq!(code, 0, "{stdout}{stderr}");
        let expected = format!("can play matches: {expected}\n");
        assert!(stdout.starts_with(&expected), "{stdout}");
        let end = format!(" passed, 0 errors, {warnings} warnings, 0 skipped\n");
        assert!(stdout.ends_with(&end), "{stdout}");
    }
    let (code, stdout, stderr) = check_engine(&pig, &[&["--players", "3"], hold_at].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.starts_with("can play matches: pig with 3 seats\n"), "{stdout}");
    let (code, _, stderr) = check_engine(&race, &[&["--players", "4"], hold_at].concat());
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("--players: ") && stderr.contains("expected 2 or 3 players"),
        "{stderr}"
    );
    let (code, _, stderr) = check_engine(&pig, &["--variant", "fox-and-hounds", "x"]);
    assert!(code == 2 && stderr.contains("cannot be used with"), "{stderr}");
}

#[test]
fn an_engine_is_told_the_name_of_the_game_and_checked_by_all_of_the_protocol() {
    let rules = built_in_rules("fox-and-hounds");
    let engine = ["--", ARBITER, "engine"];
    let told = format!("{rules} variant=fox-and-hounds");
    let (code, stdout, stderr) = check_engine(&told, &engine);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.starts_with("can play matches: x with 2 seats\n"), "{stdout}");
    let skipped = "others: only built-in games have this check\n";
    assert_eq!(stdout.matches(skipped).count(), 1, "{stdout}");
    assert!(stdout.contains(" 0 errors, 0 warnings, "), "{stdout}");

    let (code, stdout, _) = check_engine(&rules, &engine);
    assert_eq!(code, 1, "{stdout}");
    let expected = "cannot play matches\nnote: x: not offered; variant=NAME in --rules ";
    assert!(stdout.starts_with(expected), "{stdout}");
}

#[test]
fn a_game_for_three_without_a_choice_can_be_checked() {
    let rules = "while read -r line; do set -- $line; case $line in ugi) echo ugiok ;; quit) exit ;; \
        *players\\ 3*) moves=$# ;; position*) echo info string error: three players ;; \
        query\\ state) case $moves in 4) echo response 1 legal a ;; *) echo response over places 1 2 3 ;; esac ;; \
        query*) echo response ;; esac; done";
    let engine = "while read -r line; do case $line in uci) echo id name x; echo uciok ;; isready) echo readyok ;; \
        *wtime*) exit ;; *time\\ 200\\ 200\\ 200\\ *) echo three clocks >&2; echo bestmove a ;; \
        go*) echo bestmove a ;; quit) exit ;; esac; done";
    let rules = format!("{} name=three", engine_text("sh", &["-c", rules]));
    let (code, stdout, stderr) = check_engine(&rules, &["sh", "-c", engine]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.starts_with("can play matches: three with 3 seats\n"), "{stdout}");
    assert!(stdout.contains("    ! three clocks\n"), "{stdout}");
}

#[test]
fn an_illegal_move_in_the_game_of_a_program_is_found() {
    let pig = format!("{} name=pig", engine_text("python3", &[PIG]));
    let illegal = format!("python3 {} 20 | sed -u 's/^bestmove roll/bestmove +6/'", quote(HOLD_AT));
    let (code, stdout, stderr) = check_engine(&pig, &["sh", "-c", &illegal]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.starts_with("cannot play matches\n"), "{stdout}");
    let (_, error) = stdout.split_once("error pig/2/moves: ").expect(&stdout);
    assert!(
        error.contains("\"+6\" is illegal after \"position startpos ")
            && error.contains("also pig/3/moves, pig/4/moves; 2 like them left out"),
        "{stdout}"
    );

    // Its moves are legal with two seats only.
    let careless = "while read -r line; do case $line in uci) echo id name x; echo uciok ;; isready) echo readyok ;; \
        *players*) move=jump ;; position*) move=1 ;; go*) echo bestmove $move ;; quit) exit ;; esac; done";
    let race = race(&[]);
    let (code, stdout, stderr) = check_engine(&race, &["sh", "-c", careless]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let expected = "can play matches: race with 2 seats\nbut not: race with 3 seats\n";
    assert!(stdout.starts_with(expected), "{stdout}");
}

#[test]
fn a_fault_of_the_rules_is_not_the_engines() {
    for (fault, number) in [("crash", 1), ("crash", 40), ("garbage", 200)] {
        let command = engine_text("python3", &[BAD_PIG, PIG, fault, &number.to_string(), "none"]);
        let rules = format!("{command} name=pig");
        let engine = ["--legal", "python3", MOVER];
        let (code, stdout, stderr) = check_engine(&rules, &engine);
        assert_eq!((code, stdout.as_str()), (5, ""), "{fault}: {stderr}");
        assert!(stderr.contains("rules program pig: "), "{fault}: {stderr}");
        let last_words = stderr.contains("its standard error ends with: out of dice");
        assert_eq!(last_words, fault == "crash", "{stderr}");
    }
}
