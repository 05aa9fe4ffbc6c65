//! Lines of the protocol. By example: accepted lines, and rejected ones with their messages. On generated lines:
//! nothing panics, errors are short and of one line, and a printed line parses back to the same value.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use buxtehude::protocol::{
    BestMove, COMMAND_WORDS, Clock, ClockTimes, Command, CommandError, GO_WORDS, Go, Info,
    LineReader, MAX_PERFT_DEPTH, OptionKind, OptionOffer, PositionCommand, Query, Reply, Score,
    Start,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

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

/// All facts that a client can ask for.
const QUERIES: [Query; 10] = {
    use Query::*;
    [P1Turn, Turn, GameOver, Result, Legal, Players, State, Text, Picture, Stake]
};

/// Words with a meaning only within a line, or none at all. With the words of the vocabulary they let random lines get
/// deep into the parsers.
const INNER_WORDS: &str = "name value startpos players fen moves p1turn gameover result legal state text \
    picture stake id author option type check spin combo button string default min max var true false <empty> uciok \
    ugiok readyok response info seldepth multipv estimate score cp nps hashfull pv bestmove (none) 0 1 -1 007 -0 667 \
    65536 18446744073709551616 5 +half e2e4 \t \r ä \u{1b}";

fn known_words() -> Vec<&'static str> {
    let inner = INNER_WORDS.split(' ');
    COMMAND_WORDS.into_iter().chain(GO_WORDS).chain(inner).collect()
}

/// First words of all lines of the protocol.
const BEGINNINGS: &[&str] = &[
    "go", "position", "setoption", "bench", "query", "option", "info", "response", "bestmove",
    "id", "",
];

fn soup() -> impl Strategy<Value = String> {
    (select(BEGINNINGS), vec(select(known_words()), 0..9))
        .prop_map(|(first, words)| format!("{first} {}", words.join(" ")))
}

/// A word that is not a keyword.
fn word() -> impl Strategy<Value = String> {
    let known = known_words();
    "[!-~äß€\u{a0}]{1,6}".prop_filter("a keyword", move |word| !known.contains(&word.as_str()))
}

/// One or more words, joined by single spaces.
fn words() -> impl Strategy<Value = String> {
    vec(word(), 1..4).prop_map(|words| words.join(" "))
}

/// The rest of a line: words of any kind, since a game may name its moves as it likes.
fn list() -> impl Strategy<Value = Vec<String>> {
    let keyword = select([&GO_WORDS[..], &COMMAND_WORDS, &["moves", "string", "pv"]].concat());
    vec(prop_oneof!["[!-~äß€\u{a0}]{1,6}", keyword.prop_map(str::to_owned)], 0..4)
}

fn any_start() -> impl Strategy<Value = Start> {
    prop_oneof![
        of(2_u32..=6).prop_map(|players| Start::Startpos { players }),
        words().prop_map(Start::Fen),
    ]
}

fn clock_times() -> impl Strategy<Value = ClockTimes> {
    let seats = vec((any::<i64>(), any::<u64>()), 1..7);
    let seats = (seats, any::<bool>()).prop_map(|(seats, with_inc)| {
        let (time, inc): (Vec<_>, Vec<_>) = seats.into_iter().unzip();
        let inc = if with_inc { inc } else { Vec::new() };
        ClockTimes::Seats { time, inc }
    });
    let uci = any::<(Option<i64>, Option<i64>, Option<u64>, Option<u64>)>().prop_filter_map(
        "no time left",
        |(wtime, btime, winc, binc)| {
            let times = ClockTimes::Uci { wtime, btime, winc, binc };
            (wtime.is_some() || btime.is_some()).then_some(times)
        },
    );
    let ugi =
        vec(any::<(Option<i64>, Option<u64>)>(), 1..7).prop_filter_map("no time left", |players| {
            let (time, inc) = players.into_iter().unzip();
            let (time, inc) = (up_to_the_last(time), up_to_the_last(inc));
            (!time.is_empty()).then_some(ClockTimes::Ugi { time, inc })
        });
    prop_oneof![seats, uci, ugi]
}

/// Drops the missing values at the end.
fn up_to_the_last<T>(mut given: Vec<Option<T>>) -> Vec<Option<T>> {
    while given.pop_if(|last| last.is_none()).is_some() {}
    given
}

fn clock() -> impl Strategy<Value = Clock> {
    (clock_times(), of(1_u32..)).prop_map(|(time, movestogo)| Clock { time, movestogo })
}

fn any_go() -> impl Strategy<Value = Go> {
    (of(1_u32..), of(1_u64..), of(1_u64..), any::<bool>(), any::<bool>(), list(), of(clock()))
        .prop_map(|(depth, nodes, movetime, infinite, ponder, searchmoves, clock)| Go {
            depth,
            nodes,
            movetime,
            infinite,
            ponder,
            searchmoves,
            clock,
        })
}

fn any_command() -> impl Strategy<Value = Command> {
    let bare = [
        Command::Uci,
        Command::Ugi,
        Command::IsReady,
        Command::UciNewGame,
        Command::UgiNewGame,
        Command::Stop,
        Command::PonderHit,
        Command::Quit,
        Command::Display,
        Command::Eval,
        Command::Help,
    ];
    let value = of(prop_oneof![Just(String::new()), words()]);
    prop_oneof![
        select(bare.to_vec()),
        (words(), value).prop_map(|(name, value)| Command::SetOption { name, value }),
        (any_start(), list())
            .prop_map(|(start, moves)| Command::Position(PositionCommand { start, moves })),
        any_go().prop_map(Command::Go),
        (0..=MAX_PERFT_DEPTH).prop_map(Command::Perft),
        of(1_u32..).prop_map(Command::Bench),
        select(&QUERIES[..]).prop_map(Command::Query),
    ]
}

fn option_kind() -> impl Strategy<Value = OptionKind> {
    let text = || prop_oneof![Just(String::new()), words()];
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        any::<(i64, i64, i64)>().prop_map(|(default, min, max)| OptionKind::Spin {
            default,
            min,
            max
        }),
        (text(), vec(words(), 0..4))
            .prop_map(|(default, vars)| OptionKind::Combo { default, vars }),
        Just(OptionKind::Button),
        text().prop_map(|default| OptionKind::String { default }),
    ]
}

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![any::<i32>().prop_map(Score::Centipawns), any::<i32>().prop_map(Score::Mate)]
}

fn info() -> impl Strategy<Value = Info> {
    let depths = any::<[Option<u32>; 3]>();
    let counts = any::<(Option<u64>, Option<u64>, Option<u16>, Option<u64>)>();
    let chances = (vec(any::<u16>(), 0..7), vec(any::<u16>(), 0..4));
    (depths, chances, of(score()), counts, list()).prop_map(
        |(depths, (estimate, wdl), score, counts, pv)| {
            let [depth, seldepth, multipv] = depths;
            let (nodes, nps, hashfull, time) = counts;
            Info { depth, seldepth, multipv, estimate, score, wdl, nodes, nps, hashfull, time, pv }
        },
    )
}

fn best_move() -> impl Strategy<Value = BestMove> {
    (of(word()), of(word()), vec(any::<u16>(), 0..7))
        .prop_map(|(best, ponder, estimate)| BestMove { best, ponder, estimate })
}

fn any_reply() -> impl Strategy<Value = Reply> {
    // Texts are kept verbatim, except for the line end.
    let text = || "[ \t]{0,2}([!-~ä\t ]{0,20}[!-~ä])?";
    let free = text().prop_filter("a line of the protocol", |text: &String| {
        let beginnings =
            ["id", "option", "uciok", "ugiok", "readyok", "response", "info", "bestmove"];
        !text.split_whitespace().next().is_some_and(|first| beginnings.contains(&first))
    });
    prop_oneof![
        words().prop_map(Reply::IdName),
        words().prop_map(Reply::IdAuthor),
        (words(), option_kind()).prop_map(|(name, kind)| Reply::Option(OptionOffer { name, kind })),
        Just(Reply::UciOk),
        Just(Reply::UgiOk),
        Just(Reply::ReadyOk),
        list().prop_map(Reply::Response),
        info().prop_map(Reply::Info),
        text().prop_map(Reply::InfoString),
        best_move().prop_map(Reply::BestMove),
        free.prop_map(Reply::Text),
    ]
}

/// Checks that an accepted line prints as one line that parses back to it, and that a refused line gives one short
/// error.
fn is_lawful<T>(line: &str) -> Result<(), TestCaseError>
where
    T: FromStr<Err: Display + Debug + PartialEq> + Display + Debug + PartialEq,
{
    match line.parse::<T>() {
        Ok(value) => prop_assert_eq!(value.to_string().parse(), Ok(value), "{:?}", line),
        Err(error) => {
            let error = error.to_string();
            prop_assert!(!error.contains(char::is_control), "{:?}", error);
            // An excerpt has up to sixty characters, each escaped to at most ten.
            prop_assert!(error.len() < 900, "{} bytes: {}", error.len(), error);
            prop_assert!(error.contains("expected") || error.contains(" is not "), "{}", error);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_printed_command_parses_back(command in any_command()) {
        prop_assert_eq!(command.to_string().parse(), Ok(command));
    }

    #[test]
    fn a_printed_reply_parses_back(reply in any_reply()) {
        prop_assert_eq!(reply.to_string().parse(), Ok(reply));
    }

    #[test]
    fn lines_of_known_words_are_lawful(line in soup()) {
        is_lawful::<Command>(&line)?;
        is_lawful::<Reply>(&line)?;
    }

    #[test]
    fn any_text_is_lawful(begin in select(BEGINNINGS), text: String) {
        for line in [&text, &format!("{begin} {text}")] {
            is_lawful::<Command>(line)?;
            is_lawful::<Reply>(line)?;
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end(
        bytes in vec(prop_oneof![any::<u8>(), Just(b'\n')], 0..200),
        limit in 0_usize..20,
    ) {
        let mut reader = LineReader::with_limit(bytes.as_slice(), limit);
        let mut count = 0;
        while let Some(line) = reader.next_line() {
            let line = line.expect("reading from memory does not fail");
            if let Err(error) = line.command() {
                prop_assert!(!error.to_string().contains(char::is_control), "{:?}", error);
            }
            count += 1;
        }
        prop_assert_eq!(count, bytes.split_inclusive(|byte| *byte == b'\n').count());
    }

    #[test]
    fn blanks_and_line_ends_do_not_matter(command in any_command(), blanks in select(&["  ", "\t", " \t "][..])) {
        let line = format!("{blanks}{}{blanks}\r\n", command.to_string().replace(' ', blanks));
        prop_assert_eq!(line.parse(), Ok(command));
    }
}
