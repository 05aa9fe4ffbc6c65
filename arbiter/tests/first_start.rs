//! The first start of the engines: shared options, names, and slow engines.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::program;
use matches::spelling::engine_text;
use program::{arbiter, directory, run};

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
        format!("{} legal=on", engine_text("/bin/sh", &[path.to_str().unwrap()]))
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
    assert!(stderr.contains("it accepts a whole number from 1 to 64"), "{stderr}");
}

#[test]
fn an_engine_without_a_name_is_called_what_it_calls_itself() {
    let named = engine("echo id name Quick 2.0;", "", "");
    let silent = engine("", "", "");
    let engines = scripts("id_names", [named.clone(), named, silent]);
    let [first, third, fourth] = engines;
    let second = first.clone();
    let third = third + " name=mine";
    let store = directory("id_names_store").join("match.db").display().to_string();
    let (code, stdout, stderr) =
        play(&["--players", "4", "--store", &store], &[first, second, third, fourth]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    for name in ["  Quick 2.0 (1)  ", "  Quick 2.0 (2)  ", "  mine ", "  sh-3 "] {
        assert!(stdout.contains(&format!("\n{name}")), "{name:?}: {stdout}");
    }
    let (code, report, _) = run(&["report", &store, "--format", "text"]);
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("Quick 2.0 (2)"), "{report}");
}

#[test]
fn engines_with_one_id_name_are_called_by_their_files() {
    let named = engine("echo id name Quick 2.0;", "", "");
    let engines = scripts("file_names", [named.clone(), named]);
    let (code, stdout, stderr) = play(&["--games", "2"], &engines);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("\n  e1.sh ") && stdout.contains("\n  e2.sh "), "{stdout}");
    assert!(!stdout.contains("(1)"), "{stdout}");
}

#[test]
fn an_option_whose_line_cannot_be_read_is_set_with_a_note() {
    let line = "option name Hash type spin default 0.5";
    let [odd, other] = scripts(
        "unreadable_option",
        [engine("echo id name odd;", &format!("echo {line};"), ""), engine("", "", "")],
    );
    let games = ["--games", "2", "--each", "option.Hash=0.7"];
    let (code, stdout, stderr) = play(&games, &[odd.clone(), other.clone()]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let note = format!("note: odd: option.Hash=0.7 is sent unchecked: \"{line}\" cannot be read: ");
    assert_eq!(stdout.matches(&note).count(), 1, "{stdout}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unreadable_option");
    let set = fs::read_to_string(folder.join("e1.sh.set")).unwrap();
    assert_eq!(set.lines().next(), Some("setoption name Hash value 0.7"), "{set}");
    let (code, _, stderr) = play(&[], &[odd + " option.Hush=1", other]);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains(&format!("it offers nothing; \"{line}\" cannot be read: ")),
        "{stderr}"
    );
}

/// Shell code that counts the starts of an engine in a file next to it.
const COUNTED: &str = "echo start >> \"$0.starts\";";

/// Waits until the counted engine in `folder` has started, and returns the number of its starts.
fn starts(folder: &Path, number: usize) -> usize {
    let file = folder.join(format!("e{number}.sh.starts"));
    let deadline = Instant::now() + Duration::from_secs(30);
    while !file.exists() {
        assert!(Instant::now() < deadline, "{} is missing", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
    fs::read_to_string(file).unwrap().lines().count()
}

#[test]
fn a_nameless_engine_with_shared_options_is_started_once_before_the_games() {
    let counted = engine("echo id name counted;", HASH, COUNTED);
    let engines = scripts("started_once", [counted.clone(), counted]);
    let folder = directory("started_once_records");
    let record = folder.join("games.jsonl").display().to_string();
    let each = ["--each", "option.Hash=16", "--concurrency", "1"];
    let games = ["--games", "2", "--record", &record];
    let (code, stdout, stderr) = play(&[each, games].concat(), &engines);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let scripts = folder.with_file_name("started_once");
    // Once before the games, and once for them.
    assert_eq!([1, 2].map(|number| starts(&scripts, number)), [2, 2]);

    let [one, two] = &engines;
    let verify = ["verify", &record, "--game", "1", "--nodes", "1"];
    let verify = [&verify, &each[..]].concat();
    let (code, stdout, stderr) = run(&[&verify[..], &["--engine", one, "--engine", two]].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!([1, 2].map(|number| starts(&scripts, number)), [4, 4]);
}

#[test]
fn the_first_start_can_be_interrupted() {
    let [slow] = scripts("interrupted_start", [engine("", "", &format!("{COUNTED} sleep 60;"))]);
    let folder = directory("interrupted_start_files");
    let path = |name: &str| folder.join(name).display().to_string();
    let (store, record) = (path("match.db"), path("games.jsonl"));
    let quick = ["match", "--depth", "1", "--max-plies", "4", "--games", "2"];
    let (code, stdout, stderr) =
        run(&[&quick[..], &["--record", &record, "--store", "none"]].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");
    let scripts = folder.with_file_name("interrupted_start");
    for command in [["match", "--store", &store], ["verify", &record, "--nodes=1"]] {
        let mut arbiter = arbiter(&[&command[..], &["--engine", &slow]].concat());
        let child = arbiter.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        starts(&scripts, 1);
        fs::remove_file(scripts.join("e1.sh.starts")).unwrap();
        let id = child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{command:?}: {output:?}");
    }
    assert!(!Path::new(&store).exists());
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
    let slow = engine("", "", "[ -e $0.started ] || { touch $0.started; sleep 11; };");
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
    assert!(stderr.contains("no uciok: it did not answer in time"), "{stderr}");
}
