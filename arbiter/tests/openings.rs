//! Suites of openings: balanced, all different, reproducible, and usable in a match.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::common::program;
use matches::plan::openings;
use matches::plan::rules::Rules;
use matches::spelling::engine_text;
use program::{built_in, crashing, directory, run, scattered};

/// Makes a suite; returns its openings and the text on standard error.
fn suite(arguments: &[&str]) -> (Vec<String>, String) {
    let all: Vec<&str> = ["openings"].iter().chain(arguments).copied().collect();
    let (code, stdout, stderr) = run(&all);
    assert_eq!(code, 0, "{arguments:?}: {stdout}{stderr}");
    (lines(&stdout), stderr)
}

/// The lines that are openings.
fn lines(stdout: &str) -> Vec<String> {
    let openings = stdout.lines().filter(|line| !line.starts_with('#'));
    openings.map(String::from).collect()
}

/// The built-in engine, used directly.
struct Asked {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Asked {
    fn new(variant: &str) -> Asked {
        let mut child = Command::new(env!("CARGO_BIN_EXE_arbiter"))
            .arg("engine")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "setoption name UCI_Variant value {variant}").unwrap();
        writeln!(input, "setoption name Preset value tree").unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Asked { child, input, output }
    }

    fn leave(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }

    fn estimate(&mut self, opening: &str, go: &str) -> Vec<u16> {
        write!(self.input, "ucinewgame\nposition {opening}\n{go}\n").unwrap();
        let mut line = String::new();
        while !line.starts_with("bestmove") {
            line.clear();
            let read = self.output.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "it left, asked about {opening}");
        }
        let (_, estimate) = line.split_once(" estimate ").unwrap();
        let shares = estimate.split_whitespace().map(|share| share.parse());
        shares.collect::<Result<_, _>>().unwrap()
    }
}

#[test]
fn every_seat_is_near_its_par_when_asked_again() {
    for (variant, players, go, flags) in [
        ("hase-und-igel", 2, "go nodes 10000", &[][..]),
        ("hare-and-tortoise", 3, "go depth 2", &["--depth", "2"]),
        // With six seats, one is usually far ahead or behind after random moves.
        ("hase-und-igel", 6, "go nodes 100", &["--engine", "nodes=100", "--tries", "100000"]),
    ] {
        let seats = players.to_string();
        let mut arguments = vec!["--variant", variant, "--players", &seats, "--seed", "3"];
        arguments.extend(["--count", "12", "--plies", "3-9", "--within", "40"]);
        arguments.extend(flags);
        let (openings, said) = suite(&arguments);
        assert_eq!(openings.len(), 12, "{openings:?}");
        let mut engine = Asked::new(variant);
        let mut sums = vec![0; players];
        for opening in &openings {
            let estimate = engine.estimate(opening, go);
            let par = 1000.0 / players as f64;
            for (sum, &share) in sums.iter_mut().zip(&estimate) {
                *sum += share;
                let distance = (f64::from(share) - par).abs();
                assert!(distance <= 40.0, "{variant}: {opening}: {estimate:?}");
            }
        }
        engine.leave();
        let means = sums
            .iter()
            .map(|&sum| format!("{:6.1}", f64::from(sum) / 12.0))
            .collect::<Vec<String>>()
            .join(" ");
        assert!(said.ends_with(&format!("  openings   {means}\n")), "{said}: {means}");
    }
}

#[test]
fn no_position_comes_twice_and_each_has_its_plies() {
    let rules = Rules::by_name("hase-und-igel").unwrap();
    let arguments = ["--count", "40", "--plies", "2-3", "--within", "300", "--seed", "1"];
    let (openings, _) = suite(&[&arguments[..], &["--depth", "1"]].concat());
    let mut positions = HashSet::new();
    let mut lengths = HashSet::new();
    for line in &openings {
        let opening = openings::parse(line, &rules, 2).unwrap();
        let position = opening.position(&rules, 2).unwrap().to_string();
        assert!(positions.insert(position.clone()), "{position} twice: {openings:?}");
        let plies = opening.moves.iter().filter(|word| !word.starts_with('+'));
        lengths.insert(plies.count());
    }
    assert_eq!(lengths, HashSet::from([2, 3]), "{openings:?}");
}

#[test]
fn a_seed_makes_the_same_suite_at_every_concurrency() {
    let made = |seed, concurrency| {
        let mut arguments = vec!["--players", "3", "--count", "12", "--nodes", "1000"];
        arguments.extend(["--seed", seed, "--concurrency", concurrency]);
        suite(&arguments)
    };
    let one = made("5", "1");
    assert_eq!(made("5", "1"), one);
    assert_eq!(made("5", "2"), one);
    assert_eq!(made("5", "8"), one);
    assert_ne!(made("6", "1").0, one.0);
}

/// Rates seat 1 higher with each estimate since the game began.
const REMEMBERING: &str = r#"
while read -r line; do
  case $line in
    uci) echo uciok ;;
    ucinewgame) asked=0 ;;
    isready) echo readyok ;;
    go*) asked=$(( asked + 1 ))
         echo "bestmove 1 estimate $(( 400 + asked * 100 )) $(( 600 - asked * 100 ))" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn each_candidate_is_judged_by_a_fresh_engine() {
    let script = directory("remembering").join("engine.sh");
    std::fs::write(&script, REMEMBERING).unwrap();
    let engine = format!("{} nodes=1", engine_text("/bin/sh", &[script.to_str().unwrap()]));
    let (openings, said) = suite(&["--count", "9", "--plies", "5", "--engine", &engine]);
    assert_eq!(openings.len(), 9, "{openings:?}");
    let means = "  candidates  500.0  500.0\n  openings    500.0  500.0\n";
    assert!(said.ends_with(means), "{said}");
    let (_, header, _) = run(&["openings", "--within", "0", "--count", "1", "--engine", &engine]);
    assert!(header.contains(" by sh (nodes=1)\n"), "{header}");
}

#[test]
fn a_match_plays_from_a_suite() {
    let directory = directory("suite_played");
    let arguments = ["openings", "--players", "3", "--count", "4", "--depth", "2"];
    let engine = built_in("name=buxtehude");
    let (code, suite, said) = run(&arguments);
    assert_eq!(code, 0, "{said}");
    let file = directory.join("openings.txt");
    std::fs::write(&file, &suite).unwrap();
    let (file, record) = (file.to_str().unwrap(), directory.join("games.jsonl"));
    let mut arguments = vec!["match", "--openings", file, "--players", "3", "--games", "12"];
    arguments.extend(["--depth", "1", "--max-plies", "3", "--engine", &engine]);
    arguments.extend(["--record", record.to_str().unwrap()]);
    let (code, stdout, stderr) = run(&arguments);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let games = std::fs::read_to_string(record).unwrap();
    let games: Vec<serde_json::Value> =
        games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (index, opening) in lines(&suite).iter().enumerate() {
        let (_, moves) = opening.split_once(" moves ").unwrap();
        for game in &games[3 * index..3 * index + 3] {
            let played = game["moves"].as_str().unwrap();
            assert!(played.starts_with(moves), "{opening}: {game}");
        }
    }
}

#[test]
fn it_gives_up_after_as_many_candidates_as_allowed() {
    let arguments = ["openings", "--plies", "1", "--seed", "1", "--depth", "1"];
    let too_many = ["--count", "500", "--within", "1000", "--tries", "300"];
    let (code, stdout, stderr) = run(&[&arguments[..], &too_many].concat());
    assert_eq!(code, 1, "{stdout}{stderr}");
    let found = lines(&stdout).len();
    let error = format!("error: only {found} of 500 openings after 300 candidates");
    assert!((5..300).contains(&found) && stderr.contains(&error), "{stderr}");
    let repeated = format!("; {} of them repeat an earlier one", 300 - found);
    assert!(stderr.contains(&repeated), "{stderr}");
    let too_near = ["--count", "5", "--within", "0", "--players", "3"];
    let (code, stdout, stderr) = run(&[&arguments[..], &too_near].concat());
    assert_eq!((code, lines(&stdout).len()), (1, 0), "{stdout}{stderr}");
    let error = "only 0 of 5 openings after 5000 candidates: expected every seat within 0 of 333";
    assert!(stderr.contains(error), "{stderr}");
}

#[test]
fn an_engine_that_gives_no_estimate_is_named() {
    let directory = directory("no_estimate");
    let mute = scattered(&directory, "mute", 1);
    let (code, stdout, stderr) = run(&["openings", "--engine", &mute, "--seed", "1"]);
    assert_eq!((code, lines(&stdout).len()), (2, 0), "{stdout}{stderr}");
    let error = "error: engine mute, asked about \"startpos moves ";
    assert!(stderr.starts_with(error), "{stderr}");
    let bad = crashing(&directory, "bad");
    let script = directory.join("bad.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, text.replace("bestmove $1", "bestmove $1 estimate 9 991")).unwrap();
    let (code, stdout, stderr) = run(&["openings", "--engine", &bad]);
    assert_eq!((code, lines(&stdout).len()), (2, 0), "{stdout}{stderr}");
    assert!(stderr.contains(": its process ended with"), "{stderr}");
    assert!(stderr.contains("out of carrots"), "{stderr}");
}

#[test]
fn wrong_flags_are_named_with_what_is_accepted() {
    let cases: [(&[&str], &str); 5] = [
        (&["--plies", "0"], "'--plies <K|K-L>': expected a whole number from 1 to 1000, or two"),
        (&["--plies", "5-3"], "'5-3' for '--plies <K|K-L>'"),
        (&["--within", "1001"], "'--within <PERMILLE>': expected a whole number from 0 to 1000"),
        (&["--count", "0"], "'--count <N>': expected a whole number of at least 1"),
        (&["--engine", "cmd=/nonexistent/engine"], "cannot start /nonexistent/engine"),
    ];
    for (arguments, error) in cases {
        let all: Vec<&str> = ["openings"].iter().chain(arguments).copied().collect();
        let (code, stdout, stderr) = run(&all);
        assert_eq!((code, lines(&stdout).len()), (2, 0), "{arguments:?}: {stdout}{stderr}");
        assert!(stderr.contains(error), "{arguments:?}: {stderr}");
    }
}
