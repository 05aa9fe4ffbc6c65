//! Secrecy of the cards: secret and given seeds, and engines that remember the cards of earlier games.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::{program, stored};
use matches::archive::replay;
use matches::record::Seed;
use matches::spelling::engine_text;
use program::{arbiter, built_in, content, directory, run};
use rustix::process::{Pid, Signal, kill_process};
use stored::export_with_digest;

/// Plays the first legal move, and remembers the cards of the previous game, separated by `ucinewgame`. Each time these
/// begin with the cards of the current game, it writes a line to the file that is its argument.
const REMEMBERING: &str = r#"
before=; now=
while read -r line; do
  case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    ucinewgame) before=$now; now=; echo new >> "$1" ;;
    position*) now=
               for word in ${line#*moves}; do case $word in +*) now="$now $word" ;; esac; done
               if [ -n "$now" ]; then case "$before" in "$now"*) echo known >> "$1" ;; esac; fi ;;
    go*) set -- "$1" ${line#*searchmoves }
         echo "bestmove $2" ;;
    quit) exit ;;
  esac
done
"#;

/// Plays a match; asserts the number of `ucinewgame`s, and returns the number of times that an engine knew the cards in
/// advance.
fn remembered(test: &str, command: &[&str], games: usize, arguments: &[&str]) -> usize {
    let directory = directory(test);
    let (script, said) = (directory.join("engine.sh"), directory.join("said"));
    fs::write(&script, REMEMBERING).unwrap();
    let text = engine_text("/bin/sh", &[&script, &said].map(|path| path.to_str().unwrap()));
    let engine = |name| format!("{text} name={name} legal=on");
    let engines = ["alpha", "beta"].map(engine);
    let mut all = command.to_vec();
    all.extend(["--engine", &engines[0], "--engine", &engines[1]]);
    all.extend(["--nodes", "1", "--max-plies", "40"]);
    all.extend(arguments);
    content(&all);
    let said = fs::read_to_string(&said).unwrap();
    let count = |word| said.lines().filter(|line| *line == word).count();
    assert_eq!(count("new"), 2 * games, "ucinewgame");
    count("known")
}

#[test]
fn engines_that_remember_cards_are_restarted() {
    let game = ["match", "--games", "4"];
    let known = remembered("kept_engines", &game, 4, &[]);
    assert!(known > 0, "the second game of a block has the cards of the first");
    let known = remembered("anew", &game, 4, &["--each", "restart=on"]);
    assert_eq!(known, 0);
    let rounds = ["tournament", "round-robin", "--rounds", "2"];
    assert_eq!(remembered("anew_by_default", &rounds, 4, &[]), 0);
    let known = remembered("kept_in_tournament", &rounds, 4, &["--each", "restart=off"]);
    assert!(known > 0);
}

/// Arguments of a match of two deterministic engines.
fn match_of<'a>(engines: &'a [String; 2], arguments: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["match", "--depth", "1", "--max-plies", "30", "--random-plies", "2"];
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(arguments);
    all
}

fn engines() -> [String; 2] {
    ["name=alpha depth=1", "name=beta depth=1"].map(built_in)
}

/// The seed printed at the end of a match.
fn told(output: &str) -> Option<Seed> {
    let line = output.lines().find_map(|line| line.strip_prefix("seed: "))?;
    Some(line.parse().unwrap())
}

#[test]
fn a_seed_is_secret_until_the_end_and_makes_the_same_match_again() {
    let directory = directory("secret_seed");
    let engines = engines();
    let path = |name: &str| directory.join(name).display().to_string();
    let [store, again, record, events, file] =
        ["match.db", "again.db", "games.jsonl", "events.jsonl", "seed"].map(path);
    let files = ["--games", "4", "--store", &store, "--record", &record, "--events", &events];
    let output = content(&match_of(&engines, &files));
    let seed = told(&output).unwrap();
    assert!(seed.is_secret(), "{output}");
    let digits = seed.to_string();
    assert!(output.lines().next().unwrap().ends_with(", secret seed"), "{output}");
    assert_eq!(output.matches(&digits).count(), 1, "{output}");
    assert!(!output.contains("note: "), "{output}");
    for line in fs::read_to_string(&record).unwrap().lines() {
        assert_eq!(replay::read(line).unwrap().seed, seed);
    }
    let streamed = fs::read_to_string(&events).unwrap();
    let (before, last) = streamed.trim_end().rsplit_once('\n').unwrap();
    assert!(!before.contains(&digits), "{before}");
    assert!(last.contains(&format!("\"seed\":\"{digits}\"")), "{last}");

    fs::write(&file, format!("{digits}\n")).unwrap();
    let files = ["--games", "4", "--store", &again, "--seed-file", &file];
    let output = content(&match_of(&engines, &files));
    assert!(!output.contains("note: "), "{output}");
    let (_, digest) = export_with_digest(&again, &["--without-clock"]);
    assert_eq!(export_with_digest(&store, &[]).1, digest);
    content(&["verify", &again]);
    content(&["verify", &record, "--engine", &engines[0], "--engine", &engines[1]]);
    let config = content(&["export", &store, "--format", "config"]);
    assert!(config.contains(&format!("seed = \"{digits}\"")), "{config}");
}

#[test]
fn a_match_that_can_be_resumed_keeps_its_seed() {
    let directory = directory("kept_seed");
    let engines = engines();
    let store = directory.join("match.db").display().to_string();
    let arguments = match_of(&engines, &["--games", "100000", "--store", &store]);
    let mut child =
        arbiter(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.by_ref().find(|line| line.as_ref().unwrap().contains("  game "));
    assert!(first.is_some());
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::TERM).unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    child.wait().unwrap();
    let rest = rest.join("\n");
    assert!(rest.contains("(interrupted)"), "{rest}");
    assert_eq!(told(&rest), None, "{rest}");
}

#[test]
fn a_seed_on_the_command_line_gives_a_warning() {
    let directory = directory("typed_seed");
    let engines = engines();
    let file = directory.join("seed").display().to_string();
    let key = "00112233445566778899aabbccddeeff";
    let remark = "note: the seed is";
    for (contents, arguments, remarks) in [
        ("7", &["--seed", "7"][..], 1),
        ("7", &["--seed", key], 1),
        ("7", &["--seed-file", &file], 1),
        (key, &["--seed-file", &file], 0),
    ] {
        fs::write(&file, contents).unwrap();
        let output = content(&match_of(&engines, arguments));
        assert_eq!(output.matches(remark).count(), remarks, "{arguments:?}: {output}");
    }
    for (contents, arguments, expected) in [
        ("7", &["--seed", "7", "--seed-file", &file][..], "cannot be used with"),
        ("banana", &["--seed-file", &file], "seed: expected a whole number from 0 to"),
        (&key[1..], &["--seed-file", &file], "or 32 hexadecimal digits"),
        (
            "",
            &["--seed-file", "/nowhere/at/all"],
            "error: --seed-file: /nowhere/at/all: No such file",
        ),
        ("", &["--seed", "banana"], "or 32 hexadecimal digits"),
    ] {
        fs::write(&file, contents).unwrap();
        let (code, stdout, stderr) = run(&match_of(&engines, arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}
