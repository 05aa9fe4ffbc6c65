//! Lines of the protocol by example: accepted lines, and rejected ones with their messages.

use buxtehude::protocol::{
    Clock, ClockTimes, Command, CommandError, Go, PositionCommand, Query, Reply, Start,
};

fn command(line: &str) -> Command {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn go(line: &str) -> Go {
    match command(line) {
        Command::Go(go) => go,
        other => panic!("{line}: {other:?}"),
    }
}

fn reply(line: &str) -> Reply {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn set_option(name: &str, value: Option<&str>) -> Command {
    Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

fn position(start: Start, moves: &[&str]) -> Command {
    Command::Position(PositionCommand { start, moves: strings(moves) })
}

#[test]
fn commands_are_read() {
    let startpos = |players| Start::Startpos { players };
    let fen = || Start::Fen("0,68,3/0,68,3 1 - -".to_owned());
    let table = [
        ("uci", Command::Uci),
        ("ugi", Command::Ugi),
        ("uginewgame", Command::UgiNewGame),
        ("query p1turn", Command::Query(Query::P1Turn)),
        ("query \t legal ", Command::Query(Query::Legal)),
        (" \t stop \t\r\n", Command::Stop),
        ("setoption name Clear Hash", set_option("Clear Hash", None)),
        ("setoption name  Move   Overhead value 10", set_option("Move Overhead", Some("10"))),
        ("setoption name File value  a  value b ", set_option("File", Some("a value b"))),
        ("setoption name File value", set_option("File", Some(""))),
        ("position startpos", position(startpos(None), &[])),
        ("position startpos moves", position(startpos(None), &[])),
        (
            "position startpos players 3 moves 1 +half 4",
            position(startpos(Some(3)), &["1", "+half", "4"]),
        ),
        ("position fen 0,68,3/0,68,3  1\t- -", position(fen(), &[])),
        ("position fen 0,68,3/0,68,3 1 - - moves -3 1001", position(fen(), &["-3", "1001"])),
        ("go perft 0", Command::Perft(0)),
        ("bench", Command::Bench(None)),
        ("bench 4", Command::Bench(Some(4))),
        ("d", Command::Display),
    ];
    for (line, expected) in table {
        assert_eq!(command(line), expected, "{line}");
    }
}

#[test]
fn go_takes_its_limits_in_any_order() {
    assert_eq!(go("go"), Go::default());
    let expected = Go {
        depth: Some(3),
        nodes: Some(u64::MAX),
        movetime: Some(10),
        infinite: true,
        ponder: true,
        searchmoves: strings(&["5", "-3", "1001"]),
        clock: None,
    };
    let line =
        "go infinite depth 3 ponder movetime 10 nodes 18446744073709551615 searchmoves 5 -3 1001";
    assert_eq!(go(line), expected);
    let printed =
        "go ponder infinite depth 3 nodes 18446744073709551615 movetime 10 searchmoves 5 -3 1001";
    assert_eq!(Command::Go(expected).to_string(), printed);
}

#[test]
fn all_words_after_searchmoves_are_moves() {
    let read = go("go depth 3 searchmoves time depth 5 searchmoves");
    let searchmoves = strings(&["time", "depth", "5", "searchmoves"]);
    assert_eq!(read, Go { depth: Some(3), searchmoves, ..Go::default() });
}

#[test]
fn go_takes_clocks_in_three_spellings() {
    let time = ClockTimes::Seats { time: vec![1000, -5, 0], inc: vec![1, 0, 2] };
    let movestogo = Some(7);
    let seats = Some(Clock { time, movestogo });
    assert_eq!(go("go movestogo 7 inc 1 0 2 time 1000 -5 0").clock, seats);

    let time = ClockTimes::Uci { wtime: None, btime: Some(-1), winc: Some(3), binc: None };
    let movestogo = None;
    let uci = Some(Clock { time, movestogo });
    assert_eq!(go("go winc 3 btime -1 depth 2").clock, uci);

    let time = ClockTimes::Ugi {
        time: vec![Some(1000), None, Some(-2)],
        inc: vec![None, Some(10), None, None, None, Some(0)],
    };
    let movestogo = Some(4);
    let ugi = Some(Clock { time, movestogo });
    let printed = "go p1time 1000 p3time -2 p2inc 10 p6inc 0 movestogo 4";
    let line = "go p6inc 0 movestogo 4 p3time -2 p1time 1000 p2inc 10";
    assert_eq!(go(line).clock, ugi);
    assert_eq!(command(line).to_string(), printed);
}

#[test]
fn refused_commands_say_what_was_expected() {
    let words = "depth, nodes, movetime, infinite, ponder, searchmoves, time, inc, movestogo, wtime, btime, winc, \
                 binc, p1time, p2time, p3time, p4time, p5time, p6time, p1inc, p2inc, p3inc, p4inc, p5inc, p6inc, perft";
    let unknown_go = format!(r#"go: unknown word "fast": expected one of {words}"#);
    let not_a_time = "is not a whole number from -9223372036854775808 to 9223372036854775807";
    let bad_time = format!(r#"go time: "99999999999999999999" {not_a_time}"#);
    let table = [
        ("uci now", r#"uci: unexpected "now": expected the end of the line"#),
        ("setoption", "setoption: missing argument: expected name and an option's name"),
        ("setoption Hash", r#"setoption: unexpected "Hash": expected name and an option's name"#),
        ("setoption name", "setoption name: missing argument: expected an option's name"),
        (
            "setoption name value 3",
            r#"setoption name: unexpected "value": expected an option's name"#,
        ),
        ("position", "position: missing argument: expected startpos or fen"),
        ("position e4", r#"position: unexpected "e4": expected startpos or fen"#),
        (
            "position startpos e4 moves",
            r#"position startpos: unexpected "e4": expected players, moves or the end of the line"#,
        ),
        (
            "position startpos players",
            "position startpos players: missing argument: expected a whole number from 2 to 6",
        ),
        (
            "position startpos players two",
            r#"position startpos players: "two" is not a whole number from 2 to 6"#,
        ),
        (
            "position startpos players 2 e4",
            r#"position startpos players: unexpected "e4": expected moves or the end of the line"#,
        ),
        (
            "position fen moves 1",
            r#"position fen: unexpected "moves": expected the text of a position"#,
        ),
        ("bench 0", r#"bench: "0" is not a whole number from 1 to 4294967295"#),
        ("bench 1 2", r#"bench: unexpected "2": expected the end of the line"#),
        ("go fast", &unknown_go),
        ("go depth", "go depth: missing argument: expected a whole number from 1 to 4294967295"),
        ("go depth abc", r#"go depth: "abc" is not a whole number from 1 to 4294967295"#),
        (
            "go depth 4294967296",
            r#"go depth: "4294967296" is not a whole number from 1 to 4294967295"#,
        ),
        ("go nodes 0", r#"go nodes: "0" is not a whole number from 1 to 18446744073709551615"#),
        (
            "go movetime -1",
            r#"go movetime: "-1" is not a whole number from 1 to 18446744073709551615"#,
        ),
        ("go movestogo +1", r#"go movestogo: "+1" is not a whole number from 1 to 4294967295"#),
        ("go depth 1 nodes 2 depth 3", r#"go: repeated "depth": expected each word once"#),
        ("go time 1 99999999999999999999", &bad_time),
        (
            "go winc 5 time 1 1",
            "go: time together with winc: expected clocks as time and inc, as wtime, btime, winc and binc, or as \
             p1time, p1inc and so on",
        ),
        (
            "go p1time 5 wtime 5",
            "go: wtime together with p1time: expected clocks as time and inc, as wtime, btime, winc and binc, or as \
             p1time, p1inc and so on",
        ),
        (
            "go p2inc 5 time 5 5",
            "go: time together with p2inc: expected clocks as time and inc, as wtime, btime, winc and binc, or as \
             p1time, p1inc and so on",
        ),
        ("go p2time 1 p2time 2", r#"go: repeated "p2time": expected each word once"#),
        ("go p2inc -1", r#"go p2inc: "-1" is not a whole number from 0 to 18446744073709551615"#),
        (
            "go p6inc 1",
            "go: p6inc without a clock: expected p1time or another player's clock with it",
        ),
        (
            "query",
            "query: missing argument: expected p1turn, turn, gameover, result, legal, players, state, text, \
             picture or stake",
        ),
        (
            "query p2turn",
            "query: unexpected \"p2turn\": expected p1turn, turn, gameover, result, legal, players, state, text, \
             picture or stake",
        ),
        ("query turn now", r#"query: unexpected "now": expected the end of the line"#),
        ("ugi 1", r#"ugi: unexpected "1": expected the end of the line"#),
        ("go time 1 2 3 inc 1 2", "go inc: found 2 numbers: expected 3, one for each in time"),
        ("go inc 1 2", "go: inc without a clock: expected time with it"),
        ("go binc 1", "go: binc without a clock: expected wtime or btime with it"),
        (
            "go depth 1 movestogo 3",
            "go: movestogo without a clock: expected time, wtime, btime or p1time with it",
        ),
        (
            "go depth 2 mate 3",
            "go: mate is not supported, the engine does not search for mates: expected depth, nodes or movetime",
        ),
        ("go searchmoves", "go searchmoves: missing argument: expected at least one move"),
        (
            "go perft 3 depth 3",
            r#"go perft: together with "depth": expected perft and its depth alone"#,
        ),
        (
            "go infinite perft 3",
            r#"go perft: together with "infinite": expected perft and its depth alone"#,
        ),
        ("go perft -1", r#"go perft: "-1" is not a whole number from 0 to 255"#),
    ];
    for (line, expected) in table {
        let error = line.parse::<Command>().expect_err(line);
        assert_eq!(error.to_string(), expected, "{line}");
        assert_eq!(error.is_go(), line.starts_with("go"), "{line}");
    }
}

#[test]
fn an_empty_line_has_an_error_of_its_own() {
    for line in ["", " \t ", "\r\n", " \r"] {
        assert_eq!(line.parse::<Command>(), Err(CommandError::Empty), "{line:?}");
    }
}

#[test]
fn an_unknown_command_is_quoted_and_cut() {
    let commands = "uci, ugi, isready, setoption, ucinewgame, uginewgame, position, go, stop, ponderhit, \
                    quit, query, d, eval, bench, help";
    let refusal = |line: &str| line.parse::<Command>().unwrap_err().to_string();
    assert_eq!(refusal("foo bar"), format!(r#"unknown command "foo": expected one of {commands}"#));
    assert_eq!(refusal("UCI"), format!(r#"unknown command "UCI": expected one of {commands}"#));
    let quoted = format!(r#""{}"..."#, r"\u{7}".repeat(60));
    let garbage = "\u{7}".repeat(1 << 20);
    assert_eq!(refusal(&garbage), format!("unknown command {quoted}: expected one of {commands}"));
}

#[test]
fn output_has_the_documented_spelling() {
    let lines = [
        "id name Buxtehude 0.2.0",
        "id author the authors",
        "option name UCI_Variant type combo default hase-und-igel var hase-und-igel var hare-and-tortoise",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name Ponder type check default false",
        "option name Clear Hash type button",
        "option name File type string default <empty>",
        "uciok",
        "ugiok",
        "response",
        "response places 2 1 3",
        "readyok",
        "info depth 3 seldepth 5 multipv 1 estimate 520 480 score cp -12 nodes 9 nps 8 hashfull 7 time 6 pv 1 +half 4",
        "info score mate -2",
        "info string error: unknown command",
        "bestmove 5 ponder -3 estimate 520 480",
        "bestmove (none) estimate 667 333 0",
        "",
        "  | 1 |  2 |",
    ];
    for line in lines {
        assert_eq!(reply(line).to_string(), line);
    }
}
