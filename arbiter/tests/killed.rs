//! A match that is killed and resumed again and again ends like an undisturbed one.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{program, stored};
use program::{arbiter, directory, run};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stored::{export, numbers, printed, tables};

const KILLS: u32 = 50;
/// Games of a match, more than fit between two kills, so that most matches are killed several times.
const GAMES: u64 = 40;

/// Matches of deterministic engines: for two without cards, for three with cards.
const MATCHES: [&[&str]; 2] = [
    &["--variant", "fox-and-hounds", "--depth", "2", "--max-plies", "12"],
    &["--players", "3", "--depth", "1", "--max-plies", "24"],
];

/// Time of a kill.
#[derive(Debug)]
enum Moment {
    /// This long after the start.
    Start(Duration),
    /// This long after the output of this many games. The delay is short: a game that is shown before it is stored
    /// would be lost right then.
    Shown(usize, Duration),
}

fn moment(rng: &mut impl Rng) -> Moment {
    if rng.random_bool(0.3) {
        return Moment::Start(Duration::from_micros(rng.random_range(0..150_000)));
    }
    let games = rng.random_range(0..12);
    Moment::Shown(games, Duration::from_micros(rng.random_range(0..250)))
}

/// Starts an arbiter and kills it at a moment; returns its output, and `true` if it ended first.
fn play_until(arguments: &[&str], moment: &Moment) -> (String, bool) {
    let mut command = arbiter(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    match *moment {
        Moment::Start(wait) => std::thread::sleep(wait),
        Moment::Shown(games, wait) => {
            while printed(&text).len() < games && stdout.read_line(&mut text).unwrap() > 0 {}
            std::thread::sleep(wait);
        }
    }
    child.kill().unwrap();
    while stdout.read_line(&mut text).unwrap() > 0 {}
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let has_ended = output.status.code().is_some();
    assert!(output.status.code().unwrap_or(0) == 0, "{arguments:?}: {text}{stderr}");
    (text, has_ended)
}

#[test]
fn a_match_killed_at_random_moments() {
    let directory = directory("random_moments");
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut kills = 0;
    for number in 0.. {
        if kills >= KILLS {
            break;
        }
        kills += disturbed_match(&directory, number, &mut rng);
    }
}

/// Plays a match with kills and compares it with an undisturbed one; returns the number of kills.
fn disturbed_match(directory: &Path, number: usize, rng: &mut ChaCha8Rng) -> u32 {
    let path =
        |name: &str| directory.join(format!("{name}-{number}.db")).to_str().unwrap().to_string();
    let (calm, disturbed) = (path("calm"), path("disturbed"));
    let (games, seed) = (GAMES.next_multiple_of(6).to_string(), number.to_string());
    let mut begin = vec!["match", "--games", &games, "--seed", &seed, "--random-plies", "4"];
    begin.extend(MATCHES[number % MATCHES.len()]);
    begin.extend(["--concurrency", "2", "--store"]);
    let (code, calm_output, stderr) = run(&[&begin[..], &[&calm]].concat());
    assert_eq!(code, 0, "{calm_output}{stderr}");

    let mut kills = 0;
    let mut shown = BTreeSet::new();
    let output = loop {
        // An early kill may come before the store exists.
        let arguments = if Path::new(&disturbed).exists() {
            vec!["resume", &disturbed]
        } else {
            [&begin[..], &[&disturbed]].concat()
        };
        let moment = moment(rng);
        let (output, has_ended) = play_until(&arguments, &moment);
        let new = printed(&output);
        let twice: Vec<_> = shown.intersection(&new).collect();
        assert!(twice.is_empty(), "{twice:?} played twice, after {moment:?}\n{output}");
        shown.extend(new);
        if has_ended {
            break output;
        }
        kills += 1;
        // Only sometimes, since opening the store may repair it.
        if rng.random_bool(0.5) && Path::new(&disturbed).exists() {
            let stored = numbers(&disturbed);
            assert!(shown.is_subset(&stored), "{moment:?}: {shown:?} of {stored:?}");
            // Games that were stored but not yet shown must not be played again either.
            shown = stored;
        }
    };
    assert_eq!(export(&disturbed, &["--without-clock"]), export(&calm, &["--without-clock"]));
    assert_eq!(tables(&output), tables(&calm_output), "{output}");
    assert!(!Path::new(&format!("{disturbed}-wal")).exists(), "the log is still there");
    kills
}
