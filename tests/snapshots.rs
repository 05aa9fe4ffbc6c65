//! Conversations with the real binary as snapshots. Times, speeds, node counts and the table's occupancy are masked,
//! since they depend on the machine or on every detail of the search, and so are the names of all variants.

use crate::common::client;
use buxtehude::rules::Variant;
use client::Engine;

/// Compares a conversation with its snapshot.
macro_rules! assert_conversation {
    ($name:literal, $lines:expr) => {
        insta::with_settings!({omit_expression => true}, {
            insta::assert_snapshot!($name, converse(&$lines));
        })
    };
}

/// The masked fields.
const MASKED: &[&str] = &["nodes", "nps", "hashfull", "time"];

/// Sends each line after the previous one is answered; returns the whole conversation.
fn converse(lines: &[&str]) -> String {
    let mut engine = Engine::start();
    let mut text = String::new();
    let mut before = "";
    for line in lines {
        text += &format!("> {line}\n");
        let answers = match last_answer(line, before) {
            Some(beginning) => {
                engine.send(line);
                engine.lines_to(beginning)
            }
            None => engine.ask(line),
        };
        for answer in answers {
            text += &format!("< {}\n", masked(&answer, line.starts_with("bench")));
        }
        before = line;
    }
    let (rest, status) = engine.finish();
    assert!(rest.is_empty(), "unexpected output: {rest:?}");
    assert!(status.success(), "{status}");
    text
}

/// First words of the last line of a slow command's answer. A search that must not answer yet runs to depth 2; a bare
/// `go` is sent only where it is rejected.
fn last_answer(line: &str, before: &str) -> Option<&'static str> {
    match line {
        "isready" => Some("readyok"),
        "go" => None,
        "ponderhit" if before.starts_with("go ponder") => Some("bestmove"),
        "go perft x" | "go perft 256" => Some("bestmove"),
        _ if line.starts_with("go perft") => Some("Nodes searched"),
        _ if line.starts_with("go") && (line.contains("infinite") || line.contains("ponder")) => {
            line.contains("depth 2").then_some("info depth 2")
        }
        _ if line.starts_with("go") => Some("bestmove"),
        "bench" | "bench 1" | "bench 2" => Some("Nodes/second"),
        _ => None,
    }
}

fn masked(line: &str, is_bench: bool) -> String {
    if is_bench
        && !line.starts_with("info")
        && let Some((name, _)) = line.split_once(": ")
    {
        return format!("{name}: *");
    }
    if !line.starts_with("info depth") {
        let names = Variant::names();
        return line.replace(&names.join(" var "), "*").replace(&names.join(" or "), "*");
    }
    let mut words = Vec::new();
    let mut is_number = false;
    for word in line.split(' ') {
        words.push(if is_number { "*" } else { word });
        is_number = MASKED.contains(&word);
    }
    words.join(" ")
}

#[test]
fn handshake() {
    assert_conversation!("handshake", ["uci", "isready", "ucinewgame", "help"]);
}

#[test]
fn a_game_of_two() {
    assert_conversation!(
        "a_game_of_two",
        [
            "position startpos", "go depth 4", "position startpos moves 7 6 +free", "d",
            "go depth 3", "position startpos moves 7 6 +free 0 4", "go depth 3",
        ]
    );
}

#[test]
fn a_game_of_three() {
    assert_conversation!(
        "a_game_of_three",
        [
            "position startpos players 3",
            "go depth 3",
            "position startpos players 3 moves 5",
            "go depth 2 searchmoves 6",
            "position startpos players 3 moves 5 6",
            "d",
            "go depth 5",
            "position startpos players 3 moves 5 6 +half",
            "go depth 3",
            "position startpos players 3 moves 5 6 +half 4 2 4",
            "go time 0 0 0",
        ]
    );
}

#[test]
fn a_game_of_six() {
    assert_conversation!(
        "a_game_of_six",
        [
            "position startpos players 6",
            "go depth 1",
            "position startpos players 6 moves 4 5 10 2 1 +give 3",
            "d",
            "eval",
            "go depth 2",
        ]
    );
}

#[test]
fn another_variant() {
    assert_conversation!(
        "another_variant",
        [
            "position startpos players 3 moves 4",
            "setoption name uci_variant value hare-and-tortoise",
            "d",
            "go depth 2",
            "position startpos players 4 moves 7",
            "d",
            "ucinewgame",
            "d",
        ]
    );
}

#[test]
fn a_board_game() {
    assert_conversation!(
        "a_board_game",
        [
            "setoption name UCI_Variant value rabbits-and-wolves",
            "setoption name UCI_Variant value fox-and-hounds",
            "d",
            "eval",
            "go perft 2",
            "go depth 4",
            "position startpos moves e1d2 b8a7",
            "d",
            "position startpos moves e1d2 d2c3",
            "position startpos moves e1e2",
            "position startpos moves +half",
            "position startpos players 3",
            "position fen 1h1h1h1h/8/8/8/8/8/4F3/8 w - - 0 1",
            "position fen 8/6F1/8/8/1h6/h1h3h1/8/8 w - - 12 34 moves g7h8",
            "d",
            "go depth 2",
            "position fen 8/6F1/8/8/1h6/h1h3h1/8/8 w",
            "setoption name Preset value article",
            "eval",
            "go wtime 1000 btime 1000 winc 10 binc 10 searchmoves g7h8",
        ]
    );
}

#[test]
fn a_board_game_in_ugi() {
    assert_conversation!(
        "a_board_game_in_ugi",
        [
            "ugi",
            "setoption name UCI_Variant value fox-and-hounds",
            "isready",
            "uginewgame",
            "isready",
            "position startpos",
            "query p1turn",
            "query gameover",
            "query result",
            "query legal",
            "go depth 2 p1time 60000 p2time 60000 p1inc 100 p2inc 100 searchmoves e1d2",
            "position startpos moves e1d2",
            "query p1turn",
            "query turn",
            "go depth 2 searchmoves b8a7 d8e7",
            "position fen 8/6F1/8/8/1h6/h1h3h1/8/8 w - - 0 1",
            "query result",
            "position fen 8/6F1/8/8/1h6/h1h3h1/8/8 w - - 0 1 moves g7h8",
            "query p1turn",
            "query turn",
            "query gameover",
            "query result",
            "query legal",
            "query players",
            "go depth 3",
            "position fen 8/8/8/8/8/6h1/1h3h1h/6F1 w - - 0 1 moves g1e1",
            "position fen 8/8/8/8/8/8/1h3h1h/h5F1 w - - 0 1",
            "query result",
            "go depth 0",
        ]
    );
}

#[test]
fn a_race_of_three_in_ugi() {
    assert_conversation!(
        "a_race_of_three_in_ugi",
        [
            "ugi",
            "isready",
            "uginewgame",
            "position startpos players 3",
            "query players",
            "query p1turn",
            "query turn",
            "query legal",
            "go depth 2 p1time 60000 p2time 60000 p3time 60000 searchmoves 5",
            "position startpos players 3 moves 5 6",
            "query p1turn",
            "query turn",
            "query legal",
            "query gameover",
            "query result",
            "go depth 2",
            "position startpos players 3 moves 5 6 +half",
            "query turn",
            "query legal",
            "query islegal",
            "query turn",
            "position fen 64,12,0/5,1,0/64,0,0 2 3,1 -",
            "query p1turn",
            "query turn",
            "query gameover",
            "query result",
            "query legal",
            "go p1time 1 p2time 1 p3time 1",
            "uci",
            "go depth 1",
        ]
    );
}

#[test]
fn nothing_to_move() {
    assert_conversation!(
        "nothing_to_move",
        [
            "position fen 6,47,3/0,68,3 1?21 - BD",
            "eval",
            "go perft 1",
            "go movetime 60000",
            "go infinite",
            "d",
            "stop",
            "go ponder depth 9",
            "ponderhit",
            "go searchmoves 5",
            "position fen 64,12,0/5,1,0/64,0,0 2 3,1 -",
            "d",
            "eval",
            "go perft 3",
            "go depth 5",
            "position fen 64,12,0/5,1,0/64,0,0 2 3,1 - moves 1",
        ]
    );
}

#[test]
fn certain_places() {
    assert_conversation!(
        "certain_places",
        [
            "position fen 63,1,0/5,1,3 1 - -",
            "go depth 2",
            "position fen 61,1,0!/63,1,0 1 - -",
            "go depth 2",
            "position fen 64,0,0/60,20,0/63,11,0 3 1 -",
            "go depth 2",
            "position fen 61,6,0/60,0,3/59,0,3 1 - -",
            "go depth 3",
        ]
    );
}

#[test]
fn limits_and_lines() {
    assert_conversation!(
        "limits_and_lines",
        [
            "setoption name MultiPV value 3",
            "go depth 2",
            "go depth 2 searchmoves 5 1",
            "go depth 9 nodes 1",
            "go wtime 0 btime 0 winc 0 binc 0 movestogo 1",
            "setoption name MultiPV value 1",
            "go infinite depth 2",
            "isready",
            "go",
            "setoption name Hash value 1",
            "stop",
            "stop",
            "position startpos moves 5",
            "go ponder depth 2",
            "ponderhit",
        ]
    );
}

#[test]
fn perft_and_bench() {
    assert_conversation!(
        "perft_and_bench",
        [
            "go perft 0", "go perft 1", "go perft 4", "position startpos players 3 moves 6",
            "go perft 3", "position fen 45,26,2/29,19,0 1 - -", "go perft 3", "bench 1",
        ]
    );
}

/// One of each syntax error.
#[test]
fn malformed_commands() {
    assert_conversation!(
        "malformed_commands",
        [
            "hop", "UCI", "uci now", "ugi now", "query", "query p2turn", "query turn now",
            "setoption", "setoption name", "setoption Hash value 1",
            "setoption name Speed value 1", "setoption name Hash", "setoption name Hash value 0",
            "setoption name Hash value 65537", "setoption name Hash value +16",
            "setoption name MultiPV value many", "setoption name Ponder value yes",
            "setoption name UCI_Variant value chess", "position", "position middle",
            "position startpos players", "position startpos players two", "position startpos 5",
            "position fen", "bench 0", "help me", "d d", "ponderhit", "stop it", "quit now", "  ",
        ]
    );
}

#[test]
fn refused_searches() {
    assert_conversation!(
        "refused_searches",
        [
            "go fast", "go depth", "go depth 0", "go depth 1.5", "go depth 4294967296",
            "go nodes 0", "go nodes -1", "go movetime 0", "go movetime x", "go depth 1 depth 2",
            "go mate 3", "go perft x", "go perft 256", "go depth 3 perft 2", "go searchmoves",
            "go searchmoves 8", "go searchmoves 5 e2e4", "go searchmoves +half", "go time",
            "go searchmoves 5 depth 2", "go time 1000", "go time 1000 1000 1000",
            "go time 1000 1000 inc 5", "go time 1000 x", "go inc 5 5", "go movestogo 3",
            "go movestogo 0 time 5 5", "go winc 5 binc 5", "go wtime 5 time 5 5", "go btime 1000",
            "go p2time 1000", "go p1time 1000 p3time 1000", "go p1time 1000 p6inc 5",
            "go p1time 5 wtime 5", "go p1inc 5", "position startpos players 3",
            "go wtime 1000 btime 1000", "go time 1000 1000", "go p2time 1000 p3time 1000",
            "go p1time 1000 p4time 1000",
        ]
    );
}

/// Each field of a position, and a move or card of each kind.
#[test]
fn refused_positions() {
    assert_conversation!(
        "refused_positions",
        [
            "position startpos moves 5", "position startpos players 1",
            "position startpos players 7", "position startpos moves 8",
            "position startpos moves 12", "position startpos moves -1",
            "position startpos moves 0", "position startpos moves 1001",
            "position startpos moves 05", "position startpos moves e2e4",
            "position startpos moves +half", "position startpos moves 6 5",
            "position startpos moves 6 +hop", "position startpos moves 5 5",
            "position fen 0,68,3/0,68,3 1 -", "position fen 0,68,3 1 - -",
            "position fen 0,68/0,68,3 1 - -", "position fen 65,68,3/0,68,3 1 - -",
            "position fen 5,68,3/5,68,3 1 - -", "position fen 0,65536,3/0,68,3 1 - -",
            "position fen 0,068,3/0,68,3 1 - -", "position fen 0,68,4/0,68,3 1 - -",
            "position fen 0,68,3!/0,68,3 1 - -", "position fen 0,68,3/0,68,3 3 - -",
            "position fen 6,47,3/0,68,3 1?20 - -", "position fen 5,53,3/0,68,3 1?15 - -",
            "position fen 64,0,0/0,68,3 2 - -", "position fen 64,11,0/0,68,3 2 1 -",
            "position fen 64,0,0/64,0,0 1 1,2 -", "position fen 0,68,3/0,68,3 1 - DB",
            "position fen 0,68,3/0,68,3 1 - BBB", "d",
        ]
    );
}
