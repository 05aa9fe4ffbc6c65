//! `buxtehude rules`: games are played by its answers alone, which agree with the library in any order of positions and
//! lines.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::common::{answers, client};
use answers::{QUERIES, response};
use buxtehude::rules::{AnyPosition, VARIANTS, Variant};
use client::Engine;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

/// Random games of each variant and number of seats, and the maximum number of words of each.
const GAMES: usize = 3;
const MAX_GAME_LENGTH: usize = 1500;

fn start(variant: &Variant) -> Engine {
    Engine::start_with(&["rules", variant.name])
}

fn ask(program: &mut Engine, query: &str) -> String {
    program.send(&format!("query {query}"));
    program.line().expect("an answer")
}

/// Moves or cards of an answer to `query state`; none after the end.
fn actions(state: &str) -> Vec<String> {
    let words: Vec<&str> = state.split(' ').collect();
    let words = words.split(|word| *word == "places").next().unwrap();
    match words {
        ["response", "over"] => Vec::new(),
        ["response", _, "legal", moves @ ..] => moves.iter().map(|mv| mv.to_string()).collect(),
        ["response", "card", _, "weights", cards @ ..] => {
            cards.chunks(2).map(|card| card[0].to_string()).collect()
        }
        _ => panic!("{state}"),
    }
}

#[test]
fn games_of_every_variant_are_played_by_the_answers_alone() {
    for variant in VARIANTS {
        let mut program = start(variant);
        let mut ends = 0;
        for seats in (2..=6).filter(|&seats| variant.start(seats).is_ok()) {
            let mut rng = StdRng::seed_from_u64(seats as u64);
            for _ in 0..GAMES {
                let mut position = variant.start(seats).unwrap();
                let mut line = format!("position startpos players {seats} moves");
                for _ in 0..MAX_GAME_LENGTH {
                    program.send(&line);
                    let state = ask(&mut program, "state");
                    assert_eq!(state, response("state", &position), "{line}");
                    let Some(word) = actions(&state).into_iter().choose(&mut rng) else {
                        ends += 1;
                        break;
                    };
                    position.play(&word).unwrap();
                    line += &format!(" {word}");
                }
                program.send(&line);
                let text = ask(&mut program, "text").replace("response", "position fen");
                program.send(&text);
                for query in QUERIES {
                    let answer = ask(&mut program, query);
                    assert_eq!(answer, response(query, &position), "{query}: {line}");
                }
            }
        }
        assert!(ends > 0, "no game of {} ended", variant.name);
    }
}

/// Lists that share a random number of words with the one before, with illegal words among them.
#[test]
fn a_position_may_be_set_from_any_other_and_stays_if_a_line_is_refused() {
    for variant in VARIANTS {
        let mut program = start(variant);
        let mut rng = StdRng::seed_from_u64(7);
        let mut refusals = 0;
        let mut words: Vec<String> = Vec::new();
        for _ in 0..300 {
            let mut list = words.clone();
            list.truncate(rng.random_range(0..=list.len()));
            let mut position = variant.start(2).unwrap();
            list.iter().for_each(|word| position.play(word).unwrap());
            for _ in 0..rng.random_range(0..8) {
                if let Some(word) = position.legal_actions().choose(&mut rng) {
                    position.play(word).unwrap();
                    list.push(word.clone());
                }
            }
            let line =
                |words: &[String]| format!("position startpos players 2 moves {}", words.join(" "));
            if rng.random_bool(0.3) {
                let mut wrong = list.clone();
                let at = rng.random_range(0..=wrong.len());
                wrong.insert(at, ["0", "+hop", "x", "-1"].choose(&mut rng).unwrap().to_string());
                // The word may be legal where it stands, and so may be all after it.
                if replay(variant, &wrong).is_none() {
                    let before = ask(&mut program, "text");
                    program.send(&line(&wrong));
                    let error = program.line().expect("an error");
                    assert!(error.starts_with("info string error: move "), "{error}");
                    assert_eq!(ask(&mut program, "text"), before, "{wrong:?}");
                    refusals += 1;
                }
            }
            program.send(&line(&list));
            assert_eq!(ask(&mut program, "state"), response("state", &position), "{list:?}");
            words = list;
        }
        assert!(refusals > 20, "{refusals} lines refused");
    }
}

fn replay(variant: &Variant, words: &[String]) -> Option<AnyPosition> {
    let mut position = variant.start(2).unwrap();
    words.iter().try_for_each(|word| position.play(word)).ok()?;
    Some(position)
}

#[test]
fn lines_that_come_together_are_answered_together() {
    const LINES: usize = 80;
    let mut child = Command::new(env!("CARGO_BIN_EXE_buxtehude"))
        .arg("rules")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    // Small enough for a pipe to take in one piece.
    let lines = "query players\nposition startpos players 3\n".repeat(LINES);
    let answers = "response 2\n".to_string() + &"response 3\n".repeat(LINES - 1);
    for expected in [answers, "response 3\n".repeat(LINES)] {
        input.write_all(lines.as_bytes()).unwrap();
        let mut answer = vec![0; 2 * expected.len()];
        let length = output.read(&mut answer).unwrap();
        assert_eq!(String::from_utf8_lossy(&answer[..length]), expected);
    }
    // A line that is not complete delays no answer.
    input.write_all(b"query players\nquery pl").unwrap();
    let mut answer = [0; 20];
    let length = output.read(&mut answer).unwrap();
    assert_eq!(&answer[..length], b"response 3\n");
    input.write_all(b"ayers").unwrap();
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "response 3\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_bad_line_has_one_answer_and_changes_nothing() {
    let mut program = start(&VARIANTS[0]);
    program.send("position startpos players 4 moves 5");
    let text = ask(&mut program, "text");
    let long = format!("position startpos moves {}", "5 ".repeat(1 << 20));
    let faulty = [
        "position",
        "position start",
        "position startpos players 7",
        "position startpos players 2 moves 5 5",
        "position startpos players 4 moves 5 +half",
        "position fen",
        "position fen 0,68,3 1 - -",
        &long,
    ];
    for line in faulty {
        program.send_bytes(format!("{line}\n").as_bytes());
        let error = program.line().expect("an answer");
        assert!(error.starts_with("info string error: "), "{error}");
        let says_what_fits = error.contains("expected") || error.contains("from 2 to 6");
        assert!(says_what_fits && error.len() < 2000, "{error}");
        assert_eq!(ask(&mut program, "text"), text, "{error}");
    }
    program.send_bytes(b"position startpos moves \xff\n");
    let error = program.line().expect("an answer");
    assert!(error.contains("not UTF-8"), "{error}");
    let queries = [
        &b"query"[..],
        b"query hop",
        b"query line 5 6",
        b" \tquery\tlegal now",
        b"query \xff",
        b"query stake",
        b"query picture",
    ];
    for line in queries {
        program.send_bytes(&[line, b"\r\n"].concat());
        let answer = program.line().expect("an answer");
        assert_eq!(answer, "response", "{line:?}");
    }
    let unknown = [
        &b""[..],
        b" ",
        b"hop",
        b"isready",
        b"go depth 0",
        b"go infinite",
        b"setoption name UCI_Variant value fox-and-hounds",
        b"bench",
        b"\0\xff\xfe",
        b"queryx",
        &[b'x'; 3 << 20],
    ];
    for line in unknown {
        program.send_bytes(&[line, b"\n"].concat());
        let head = &line[..line.len().min(20)];
        assert_eq!(ask(&mut program, "text"), text, "{head:?}");
    }
    let (rest, status) = program.finish();
    assert!(rest.is_empty() && status.success(), "{rest:?}");
}

#[test]
fn the_variant_is_an_argument_and_the_first_is_the_default() {
    for (arguments, name) in [
        (&["rules"][..], VARIANTS[0].name),
        (&["rules", "hare-and-tortoise"], "hare-and-tortoise"),
        (&["rules", "rabbits-and-wolves"], "fox-and-hounds"),
    ] {
        let mut program = Engine::start_with(arguments);
        program.send("ugi");
        assert_eq!(program.lines_to("ugiok"), [format!("id name {name}"), "ugiok".into()]);
        let start = Variant::by_name(name).unwrap().start(2).unwrap();
        assert_eq!(ask(&mut program, "text"), format!("response {start}"));
        program.send("quit");
        assert!(program.wait().success());
    }
    for arguments in [&["rules", "hop"][..], &["rules", "fox-and-hounds", "2"]] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_buxtehude")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("buxtehude: unknown variant"), "{said}");
        assert!(said.contains("expected hase-und-igel, "), "{said}");
    }
}
