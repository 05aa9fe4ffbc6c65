//! The third game, a dice game, in the session and in the searches, which contain no code for it.

use crate::common::client;
use buxtehude::rules::{AnyPosition, Turn, Variant};
use client::Engine;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn ludo(text: &str) -> AnyPosition {
    Variant::by_name("ludo").unwrap().parse(text).unwrap()
}

fn after(text: &str, words: &str) -> String {
    let mut position = ludo(text);
    for word in words.split_whitespace() {
        position.play(word).unwrap_or_else(|error| panic!("{words} from {text}: {error}"));
    }
    position.to_string()
}

#[test]
fn its_rules_match_its_description() {
    for (text, words, expected) in [
        ("0,0/0,0 1 - -", "+5 p0", "0,5/0,0 2 - -"),
        ("0,5/0,9 1 - -", "+4 p5", "0,9/0,0 2 - -"),
        ("0,15/16,20 2 - -", "+6 p20", "0,15/16,21 1 - -"),
        ("0,15/16,21 2 - -", "+5 p16", "0,15/21,21 2 - 2"),
        ("0,15/16,21/3,3 2 - -", "+5 p16 +1 p3 +1 p0", "1,15/21,21/3,4 3 - 2"),
    ] {
        assert_eq!(after(text, words), expected, "{words} from {text}");
    }
    for (text, word, expected) in [
        (
            "0,0/0,0 1 - -",
            "p0",
            "p0 is illegal: no move is due: expected a roll, or the game is over",
        ),
        ("0,0/0,0 1 3 -", "+3", "+3 is illegal: no roll is due"),
        ("0,4/0,0 1 3 -", "p3", "p3 is illegal: seat 1 has no pawn on square 3 that is not home"),
        (
            "0,4/0,0 1 3 -",
            "4",
            "\"4\" is not a move: expected p and the square of a pawn, p0 to p20",
        ),
        ("0,4/0,0 1 - -", "+7", "\"+7\" is not a move: expected +1 to +6"),
    ] {
        let error = ludo(text).play(word).unwrap_err().to_string();
        assert_eq!(error, expected, "{word} in {text}");
    }
}

/// Counts leaves by words alone, without the functions that the search uses.
fn leaves(position: &AnyPosition, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let after = |word: &String| {
        let mut next = *position;
        next.play(word).unwrap();
        leaves(&next, depth - 1)
    };
    position.legal_actions().iter().map(after).sum()
}

#[test]
fn leaves_are_counted() {
    for text in ["0,0/0,0 1 - -", "3,17/5,20/0,8 2 4 -", "20,20/18,20/1,3/21,21 1 - 4"] {
        let position = ludo(text);
        let counts = position.perft_by_action(5, &mut || false).unwrap();
        let sum: u64 = counts.iter().map(|(_, leaves)| leaves).sum();
        assert_eq!(sum, leaves(&position, 5), "{text}");
    }
}

#[test]
fn every_way_of_playing_plays_it_to_the_end() {
    for (seats, preset) in [(2, "best"), (2, "search"), (3, "best"), (4, "article")] {
        let mut engine = Engine::start();
        engine.send("setoption name UCI_Variant value ludo");
        engine.send(&format!("setoption name Preset value {preset}"));
        let mut position = Variant::by_name("ludo").unwrap().start(seats).unwrap();
        let mut words = Vec::new();
        let mut rng = StdRng::seed_from_u64(seats as u64);
        while position.turn() != Turn::Over {
            let word = match position.turn() {
                Turn::Card(_) => format!("+{}", rng.random_range(1..=6)),
                _ => {
                    engine.send(&format!(
                        "position startpos players {seats} moves {}",
                        words.join(" ")
                    ));
                    engine.send("go nodes 300");
                    let line = engine.line_of("bestmove");
                    line.split_whitespace().nth(1).unwrap().to_string()
                }
            };
            position.play(&word).unwrap_or_else(|error| panic!("{preset}, {words:?}: {error}"));
            words.push(word);
            assert!(words.len() < 1000, "{preset}: {words:?}");
        }
    }
}

/// One pawn is one roll from home, with two seats: the search sees the win at once.
#[test]
fn a_certain_win_is_certain() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Variant value ludo");
    engine.send("position fen 20,21/0,0 1 1 -");
    engine.send("go depth 3");
    let line = engine.line_of("bestmove");
    assert!(line.starts_with("bestmove p20 ") && line.ends_with("estimate 1000 0"), "{line}");
}
