//! Properties of commands and replies, tested on generated lines: nothing panics, errors are short and of one line, and
//! a printed line parses back to the same value.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

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

fn start() -> impl Strategy<Value = Start> {
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
    let uci = any::<(Option<i64>, Option<i64>, Option<u64>, Option<u64>)>();
    let uci = uci.prop_filter_map("no time left", |(wtime, btime, winc, binc)| {
        let times = ClockTimes::Uci { wtime, btime, winc, binc };
        (wtime.is_some() || btime.is_some()).then_some(times)
    });
    let ugi = vec(any::<(Option<i64>, Option<u64>)>(), 1..7);
    let ugi = ugi.prop_filter_map("no time left", |players| {
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

fn go() -> impl Strategy<Value = Go> {
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

fn command() -> impl Strategy<Value = Command> {
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
        (start(), list())
            .prop_map(|(start, moves)| Command::Position(PositionCommand { start, moves })),
        go().prop_map(Command::Go),
        (0..=MAX_PERFT_DEPTH).prop_map(Command::Perft),
        of(1_u32..).prop_map(Command::Bench),
        select(&Query::ALL[..]).prop_map(Command::Query),
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

fn reply() -> impl Strategy<Value = Reply> {
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
    fn a_printed_command_parses_back(command in command()) {
        prop_assert_eq!(command.to_string().parse(), Ok(command));
    }

    #[test]
    fn a_printed_reply_parses_back(reply in reply()) {
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
    fn blanks_and_line_ends_do_not_matter(command in command(), blanks in select(&["  ", "\t", " \t "][..])) {
        let line = format!("{blanks}{}{blanks}\r\n", command.to_string().replace(' ', blanks));
        prop_assert_eq!(line.parse(), Ok(command));
    }
}
