//! `arbiter rules check`: good rules programs pass, and programs with a single fault fail the matching check.
#![cfg(target_os = "linux")]

use crate::common::program;
use program::run;

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");
const PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/pig.py");
const RACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/race_rules.py");

fn check(rules: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["rules", "check", rules], options].concat())
}

#[test]
fn good_programs_pass_all_checks() {
    for (rules, players, has_text) in [
        (format!("cmd=python3 args={PIG}"), "2, 3, 4, 5, 6", false),
        (format!("cmd=python3 args={RACE}"), "2, 3", true),
        (
            format!("cmd={ARBITER} args='engine rules hase-und-igel' name=x"),
            "2, 3, 4, 5, 6",
            true,
        ),
        (
            format!("cmd={ARBITER} args='engine rules fox-and-hounds' name=x"),
            "2",
            true,
        ),
    ] {
        let (code, stdout, stderr) = check(&rules, &["--games", "2"]);
        assert_eq!(code, 0, "{rules}: {stdout}{stderr}");
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(
            lines[..2],
            ["ugi: passed".to_string(), format!("players: {players}")]
        );
        for name in [
            "games/2: 2 games of ",
            "speed: ",
            "same/process: passed",
            "end/quit: passed",
        ] {
            assert!(
                lines.iter().any(|line| line.starts_with(name)),
                "{name}: {stdout}"
            );
        }
        let text = if has_text {
            "text: passed"
        } else {
            "skipped text: it has no texts"
        };
        assert!(stdout.contains(text), "{stdout}");
        let last = lines.last().unwrap();
        let skipped = if has_text { "0 skipped" } else { "1 skipped" };
        assert!(
            last.ends_with(&format!(" passed, 0 errors, 0 warnings, {skipped}")),
            "{last}"
        );
    }
}

#[test]
fn every_fault_fails_the_check_of_its_law() {
    for (fault, code, expected) in [
        ("listed", 1, "error games/2: "),
        ("order", 1, "error same/order: "),
        ("jump", 1, "error same/order: "),
        ("process", 1, "error same/process: "),
        ("places", 1, "error places: "),
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
    ] {
        let rules = format!("cmd=python3 args='{RACE} {fault}' name=race");
        let options = ["--games", "2", "--plies", "60"];
        let (found, stdout, stderr) = check(&rules, &options);
        assert_eq!(found, code, "{fault}: {stdout}{stderr}");
        let mut failures = stdout.lines();
        let first = failures.find(|line| {
            ["error ", "warning "]
                .iter()
                .any(|word| line.starts_with(word))
        });
        assert!(
            first.is_some_and(|line| line.starts_with(expected)),
            "{fault}: {stdout}"
        );
    }
}

#[test]
fn only_some_numbers_of_players_can_be_asked_about() {
    let rules = format!("cmd=python3 args={RACE}");
    let (code, stdout, stderr) = check(
        &rules,
        &["--players", "3", "--games", "1", "--only", "same"],
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(
        stdout.contains("players: 3\ngames/3: ") && !stdout.contains("end/"),
        "{stdout}"
    );
    let (code, stdout, stderr) = check(&rules, &["--players", "2,4"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(
        stdout.contains("error players: ") && stdout.contains("expected 2 or 3 players"),
        "{stdout}"
    );
}

#[test]
fn a_program_that_cannot_be_used_is_named() {
    let (code, stdout, stderr) = check("cmd=/nonexistent/rules name=x", &[]);
    assert!(
        code == 2 && stderr.contains("cannot start /nonexistent/rules"),
        "{stdout}{stderr}"
    );
    let (code, stdout, _) = check("cmd=true name=x", &[]);
    assert!(code == 1 && stdout.starts_with("error ugi: "), "{stdout}");
    let (code, _, stderr) = check("name=x", &[]);
    assert!(code == 2 && stderr.contains("cmd= is missing"), "{stderr}");
}
