//! The first start of the engines: shared options, names, and slow engines.

use std::fs;
use std::time::{Duration, Instant};

use crate::common::program;
use program::{directory, run};

/// A small engine: its name, its option lines, and shell code to run before its first line.
fn engine(id: &str, options: &str, begin: &str) -> String {
    format!(
        "{begin} while read -r line; do case $line in uci) {id} {options} echo uciok;; isready) echo readyok;; \
         *Hash*) echo \"$line\" >> \"$0.set\";; go*) set -- ${{line#*searchmoves }}; echo bestmove $1;; quit) exit;; \
         esac; done"
    )
}

/// Writes engines as scripts to a folder; returns an `--engine` text for each.
fn scripts<const N: usize>(test: &str, engines: [String; N]) -> [String; N] {
    let folder = directory(test);
    let mut number = 0;
    engines.map(|script| {
        number += 1;
        let path = folder.join(format!("e{number}.sh"));
        fs::write(&path, script).unwrap();
        format!("cmd=/bin/sh args={} legal=on", path.display())
    })
}

const HASH: &str = "echo option name Hash type spin default 1 min 1 max 64;";

fn play(arguments: &[&str], engines: &[String]) -> (i32, String, String) {
    let mut all = vec!["match", "--nodes", "1", "--max-plies", "9", "--luck", "off"];
    all.extend(arguments);
    for engine in engines {
        all.extend(["--engine", engine]);
    }
    run(&all)
}

#[test]
fn a_shared_option_applies_where_it_is_offered() {
    let with = engine("echo id name with;", HASH, "");
    let without = engine("echo id name without;", "", "");
    let engines = scripts("shared_options", [with.clone(), with, without]);
    let (code, stdout, stderr) = play(&["--games", "6", "--each", "option.Hash=16"], &engines);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let note = "note: --each option.Hash=16 is left out for without: no such option\n";
    assert_eq!(stdout.matches(note).count(), 1, "{stdout}");
    assert_eq!(stdout.matches("  Hash=16").count(), 2, "{stdout}");
    let own = [engines[0].clone(), engines[2].clone() + " option.Hash=16"];
    let (code, _, stderr) = play(&[], &own);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains(" has no option \"Hash\""), "{stderr}");
    // A value that an engine refuses is an error wherever it was given.
    let (code, _, stderr) = play(&["--each", "option.Hash=65"], &engines);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("it accepts a whole number from 1 to 64"),
        "{stderr}"
    );
}

#[test]
fn an_engine_without_a_name_is_called_what_it_calls_itself() {
    let named = engine("echo id name Quick 2.0;", "", "");
    let silent = engine("", "", "");
    let engines = scripts("id_names", [named.clone(), named.clone(), named, silent]);
    let [first, second, third, fourth] = engines;
    let third = third + " name=mine";
    let store = directory("id_names_store").join("match.db");
    let store = store.display().to_string();
    let (code, stdout, stderr) = play(
        &["--players", "4", "--store", &store],
        &[first, second, third, fourth],
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    for name in [
        "  Quick 2.0 (1)  ",
        "  Quick 2.0 (2)  ",
        "  mine ",
        "  sh-3 ",
    ] {
        assert!(stdout.contains(&format!("\n{name}")), "{name:?}: {stdout}");
    }
    let (code, report, _) = run(&["report", &store, "--format", "text"]);
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("Quick 2.0 (2)"), "{report}");
}

#[test]
fn pairs_that_the_number_of_games_leaves_out_are_named() {
    let engines = scripts("left_out", ["a", "b", "c"].map(|_| engine("", "", "")));
    let mut names = ["a", "b", "c"].into_iter();
    let engines = engines.map(|engine| format!("{engine} name={}", names.next().unwrap()));
    let (code, stdout, stderr) = play(&["--games", "4"], &engines);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let note = "note: 4 games leave out b - c: a round of all combinations has 6 games\n";
    assert!(stdout.contains(note), "{stdout}");
    let (_, stdout, _) = play(&["--games", "6"], &engines);
    assert!(!stdout.contains("leave out"), "{stdout}");
}

#[test]
fn an_engine_that_starts_slowly_is_waited_for_and_named() {
    // Longer than the time for a start used to be, the first time only.
    let slow = engine(
        "",
        "",
        "[ -e $0.started ] || { touch $0.started; sleep 11; };",
    );
    let [slow, quick] = scripts("slow_start", [slow, engine("", "", "")]);
    let engines = [slow + " name=slow", quick + " name=quick"];
    let begun = Instant::now();
    let (code, stdout, stderr) = play(&[], &engines);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(begun.elapsed() >= Duration::from_secs(11), "{stdout}");
    let notice = "waiting for engine slow to get ready, at most 30 s (--ready)\n";
    assert_eq!(stderr, notice, "{stdout}");

    let [late] = scripts("late_start", [engine("", "", "sleep 60;")]);
    let (code, _, stderr) = play(&["--ready", "500"], &[late]);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("no uciok: it did not answer in time"),
        "{stderr}"
    );
}
