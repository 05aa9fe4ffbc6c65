//! Lines from a client to an engine: [`Command`], read and written as text.
//!
//! `go` has limits in any order, each at most once, then perhaps `searchmoves`; or `perft D` alone. Its clocks have one
//! of three spellings: `time` and `inc` for any number of seats, UCI's `wtime`, `btime`, `winc` and `binc`, or UGI's
//! `p1time`, `p1inc` and so on.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, map_opt, opt, value, verify};
use nom::multi::many1;
use nom::sequence::{preceded, terminated};

use super::{ArgumentError, CommandError, Excerpt, Line};
use super::{
    Parsed, all_words, end, expecting, keyword, number, numbers, set, text_until, without_line_end,
    word, write_fact, write_list, write_text,
};

/// One line from a client to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: asks for the engine's identity and options.
    Uci,
    /// `ugi`: the same from a client that speaks the Universal Game Interface.
    Ugi,
    /// `isready`: answered at once, even during a search.
    IsReady,
    /// `setoption name N [value V]`.
    SetOption {
        /// Name of the option; may have several words.
        name: String,
        /// Value, or `None` for a button.
        value: Option<String>,
    },
    /// `ucinewgame`: the next position belongs to another game.
    UciNewGame,
    /// `uginewgame`: the same in UGI.
    UgiNewGame,
    /// `position ...`: sets the position of the next search.
    Position(PositionCommand),
    /// `go ...`: starts a search.
    Go(Go),
    /// `go perft D`: counts the lines of play to depth D, at most [`MAX_PERFT_DEPTH`].
    Perft(u32),
    /// `stop`: ends the running search with its best move.
    Stop,
    /// `ponderhit`: the opponent has played the expected move.
    PonderHit,
    /// `quit`.
    Quit,
    /// `query ...`: asks for a fact about the position; answered at once.
    Query(Query),
    /// `d`: shows the position.
    Display,
    /// `eval`: shows the static evaluation.
    Eval,
    /// `bench [depth]`: searches fixed positions.
    Bench(Option<u32>),
    /// `help`.
    Help,
}

/// Argument of `position`: a start and the moves and cards since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    /// Position before the first move of the list.
    pub start: Start,
    /// Moves and cards in the order of play.
    pub moves: Vec<String>,
}

/// Position that a move list starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// `startpos [players N]`: the variant's start, by default for two players.
    Startpos {
        /// Number of players as sent.
        players: Option<u32>,
    },
    /// `fen <text>`: the text of a position, its fields joined by single spaces.
    Fen(String),
}

/// Fact about the position that a client can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `p1turn`: whether the first seat is to move.
    P1Turn,
    /// `turn`: the next action, a move or a card, and its seat.
    Turn,
    /// `gameover`: whether the game is over.
    GameOver,
    /// `result`: how the game ended.
    Result,
    /// `legal`: the legal moves, or the cards left in the deck.
    Legal,
    /// `players`: the number of seats.
    Players,
    /// `state`: the next action with all possible ones, and the places.
    State,
    /// `text`: the text of the position.
    Text,
    /// `picture`: a drawing, which only a rules program can have.
    Picture,
    /// `stake`: the largest sum of points of a game, which only a rules program can have.
    Stake,
}

/// Words of the queries.
const QUERIES: [(&str, Query); 10] = [
    ("p1turn", Query::P1Turn),
    ("turn", Query::Turn),
    ("gameover", Query::GameOver),
    ("result", Query::Result),
    ("legal", Query::Legal),
    ("players", Query::Players),
    ("state", Query::State),
    ("text", Query::Text),
    ("picture", Query::Picture),
    ("stake", Query::Stake),
];

/// Argument of `go`: the limits of a search. Without any, the search is unlimited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Plies to search, at least 1.
    pub depth: Option<u32>,
    /// Positions to visit, at least 1.
    pub nodes: Option<u64>,
    /// Milliseconds to use, at least 1.
    pub movetime: Option<u64>,
    /// Whether `bestmove` must wait for `stop`.
    pub infinite: bool,
    /// Whether `bestmove` must wait for `ponderhit` or `stop`.
    pub ponder: bool,
    /// Root moves to consider; empty for all.
    pub searchmoves: Vec<String>,
    /// The players' clocks.
    pub clock: Option<Clock>,
}

/// Clocks sent with `go`, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left of each seat, in the spelling sent; may be zero or negative.
    pub time: ClockTimes,
    /// Moves to the next time control, at least 1.
    pub movestogo: Option<u32>,
}

/// The three spellings of clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockTimes {
    /// `time T1 ... TN [inc I1 ... IN]`: for any number of players, in seat order.
    Seats {
        /// Milliseconds left.
        time: Vec<i64>,
        /// Milliseconds gained per move, one number for each in `time`; empty if not sent.
        inc: Vec<u64>,
    },
    /// `[wtime T] [btime T] [winc I] [binc I]`: UCI's spelling, for two players. At least one of the times is present.
    Uci {
        /// Milliseconds left of seat 1.
        wtime: Option<i64>,
        /// Milliseconds left of seat 2.
        btime: Option<i64>,
        /// Milliseconds that seat 1 gains per move.
        winc: Option<u64>,
        /// Milliseconds that seat 2 gains per move.
        binc: Option<u64>,
    },
    /// `[p1time T] [p2time T] ... [p1inc I] [p2inc I] ...`: UGI's spelling, one word per player, for at most six
    /// players. At least one of the times is present.
    Ugi {
        /// Milliseconds left of each player, up to the last one sent.
        time: Vec<Option<i64>>,
        /// Milliseconds that each player gains per move, up to the last one sent.
        inc: Vec<Option<u64>>,
    },
}

/// First words of all commands.
pub const COMMAND_WORDS: [&str; 16] = [
    "uci", "ugi", "isready", "setoption", "ucinewgame", "uginewgame", "position", "go", "stop",
    "ponderhit", "quit", "query", "d", "eval", "bench", "help",
];

/// All words that `go` knows.
pub const GO_WORDS: [&str; 27] = [
    "depth", "nodes", "movetime", "infinite", "ponder", "searchmoves", "time", "inc", "movestogo",
    "wtime", "btime", "winc", "binc", "p1time", "p2time", "p3time", "p4time", "p5time", "p6time",
    "p1inc", "p2inc", "p3inc", "p4inc", "p5inc", "p6inc", "perft", "mate",
];

/// Commands without arguments.
const BARE: [(&str, Command); 11] = [
    ("uci", Command::Uci),
    ("ugi", Command::Ugi),
    ("isready", Command::IsReady),
    ("ucinewgame", Command::UciNewGame),
    ("uginewgame", Command::UgiNewGame),
    ("stop", Command::Stop),
    ("ponderhit", Command::PonderHit),
    ("quit", Command::Quit),
    ("d", Command::Display),
    ("eval", Command::Eval),
    ("help", Command::Help),
];

const END: &str = "the end of the line";

impl Line<'_> {
    /// Parses the line as a command. A cut-off line counts, since the last line of a file may lack its newline.
    ///
    /// # Errors
    /// [`CommandError`] says why the line is not a command.
    pub fn command(&self) -> Result<Command, CommandError> {
        match self {
            Line::Text(text) => text.parse(),
            Line::CutOff(bytes) => {
                std::str::from_utf8(bytes).map_or_else(|_| Err(not_utf8(bytes)), str::parse)
            }
            Line::NotUtf8(bytes) => Err(not_utf8(bytes)),
            Line::TooLong { limit, start } => {
                Err(refused(start, &format!("is too long: expected at most {limit} bytes")))
            }
        }
    }
}

fn not_utf8(bytes: &[u8]) -> CommandError {
    refused(bytes, "is not UTF-8: expected UTF-8 text")
}

/// The error of a line that begins with these bytes.
fn refused(bytes: &[u8], reason: &str) -> CommandError {
    let text = String::from_utf8_lossy(bytes);
    let is_go = word(&text).is_ok_and(|(_, first)| first == "go");
    CommandError::Invalid { problem: format!("line {} {reason}", Excerpt::new(&text)), is_go }
}

impl FromStr for Command {
    type Err = CommandError;

    /// Reads one line, with or without its line end. Words are separated by any number of spaces and tabs. Case
    /// matters.
    ///
    /// # Errors
    /// [`CommandError`] names the first error in the line; an empty line is [`CommandError::Empty`].
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let (rest, name) = word(without_line_end(line)).map_err(|_| CommandError::Empty)?;
        let bare = BARE.into_iter().find(|(word, _)| *word == name);
        let invalid = |problem, is_go| CommandError::Invalid { problem, is_go };
        let parsed = match name {
            _ if let Some((name, command)) = bare => value(command, end(name, END)).parse(rest),
            "setoption" => set_option(rest),
            "position" => position.map(Command::Position).parse(rest),
            "go" => return go(rest).map_err(|error| invalid(error.to_string(), true)),
            "query" => query.map(Command::Query).parse(rest),
            "bench" => bench(rest),
            _ => {
                let (found, words) = (Excerpt::new(name), COMMAND_WORDS.join(", "));
                let problem = format!("unknown command {found}: expected one of {words}");
                return Err(invalid(problem, false));
            }
        };
        match parsed {
            Ok((_, command)) => Ok(command),
            Err(mismatch) => Err(invalid(ArgumentError::from(mismatch).to_string(), false)),
        }
    }
}

impl fmt::Display for Command {
    /// Writes the line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write_text(f, &format!("setoption name {name} value"), value)
            }
            Command::Position(position) => write!(f, "position {position}"),
            Command::Go(go) => write!(f, "go{go}"),
            Command::Perft(depth) => write!(f, "go perft {depth}"),
            Command::Query(query) => write!(f, "query {query}"),
            Command::Bench(None) => f.write_str("bench"),
            Command::Bench(Some(depth)) => write!(f, "bench {depth}"),
            bare => {
                let known = BARE.iter().find(|(_, command)| command == bare);
                f.write_str(known.map_or("", |(word, _)| word))
            }
        }
    }
}

fn set_option(input: &str) -> Parsed<'_, Command> {
    let (rest, _) =
        expecting("setoption", "name and an option's name", keyword("name")).parse(input)?;
    let name = verify(text_until(&["value"]), |name: &str| !name.is_empty());
    let (rest, name) = expecting("setoption name", "an option's name", name).parse(rest)?;
    let (rest, value) = opt(preceded(keyword("value"), text_until(&[]))).parse(rest)?;
    Ok((rest, Command::SetOption { name, value }))
}

fn bench(input: &str) -> Parsed<'_, Command> {
    let (rest, depth) =
        alt((value(None, end("bench", END)), cut(number("bench", 1..=u32::MAX)).map(Some)))
            .parse(input)?;
    end("bench", END).map(|_| Command::Bench(depth)).parse(rest)
}

/// Numbers of players that a game can have.
const PLAYERS: RangeInclusive<u32> = 2..=6;

/// Word that begins the move list; no start may contain it.
const MOVES: &[&str] = &["moves"];

/// Reads the line after the word `position`.
fn position(input: &str) -> Parsed<'_, PositionCommand> {
    let start = alt((startpos, fen));
    let (rest, start) = expecting("position", "startpos or fen", start).parse(input)?;
    let (after, expected) = match start {
        Start::Startpos { players: None } => {
            ("position startpos", "players, moves or the end of the line")
        }
        Start::Startpos { .. } => ("position startpos players", "moves or the end of the line"),
        Start::Fen(_) => ("position fen", "moves or the end of the line"),
    };
    let moves = opt(preceded(keyword("moves"), all_words));
    let (rest, moves) = terminated(moves, end(after, expected)).parse(rest)?;
    let moves = moves.unwrap_or_default();
    Ok((rest, PositionCommand { start, moves }))
}

fn startpos(input: &str) -> Parsed<'_, Start> {
    let players = number("position startpos players", PLAYERS);
    preceded(keyword("startpos"), opt(preceded(keyword("players"), cut(players))))
        .map(|players| Start::Startpos { players })
        .parse(input)
}

fn fen(input: &str) -> Parsed<'_, Start> {
    let text = verify(text_until(MOVES), |text: &str| !text.is_empty());
    let text = expecting("position fen", "the text of a position", text);
    preceded(keyword("fen"), cut(text)).map(Start::Fen).parse(input)
}

impl fmt::Display for PositionCommand {
    /// Writes the argument, without the word `position`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.start.fmt(f)?;
        write_list(f, "moves", &self.moves)
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Start::Startpos { players } => {
                f.write_str("startpos")?;
                write_fact(f, "players", *players)
            }
            Start::Fen(text) => write!(f, "fen {text}"),
        }
    }
}

/// Largest depth of a perft. No count could finish at this depth, and a deeper one would overflow the stack, since each
/// ply takes its share of it.
pub const MAX_PERFT_DEPTH: u32 = 255;

/// Reads the line after the word `go`: [`Command::Go`] or [`Command::Perft`].
fn go(input: &str) -> Result<Command, ArgumentError> {
    let mut words = GoWords::default();
    let mut rest = input;
    let mut seen = Vec::new();
    while let Ok((after, name)) = word(rest) {
        if seen.contains(&name) {
            let found = Excerpt::new(name);
            return Err(ArgumentError(format!("go: repeated {found}: expected each word once")));
        }
        seen.push(name);
        rest = words.read(name, after)?;
    }
    let Some(depth) = words.perft else {
        let clock = words.clocks.finish()?;
        return Ok(Command::Go(Go { clock, ..words.go }));
    };
    let Some(other) = seen.iter().find(|name| **name != "perft") else {
        return Ok(Command::Perft(depth));
    };
    let found = Excerpt::new(other);
    let expected = "expected perft and its depth alone";
    Err(ArgumentError(format!("go perft: together with {found}: {expected}")))
}

impl fmt::Display for Go {
    /// Writes each limit with a space before it, and `searchmoves` last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        write_fact(f, "depth", self.depth)?;
        write_fact(f, "nodes", self.nodes)?;
        write_fact(f, "movetime", self.movetime)?;
        if let Some(clock) = &self.clock {
            clock.fmt(f)?;
        }
        write_list(f, "searchmoves", &self.searchmoves)
    }
}

const NO_MATES: &str = "go: mate is not supported, the engine does not search for mates: expected depth, nodes or \
                        movetime";

/// The words read so far.
#[derive(Default)]
struct GoWords {
    go: Go,
    perft: Option<u32>,
    clocks: ClockWords,
}

impl GoWords {
    /// Reads the argument of the word `name` from `input` and returns the rest.
    fn read<'a>(&mut self, name: &str, input: &'a str) -> Result<&'a str, ArgumentError> {
        let GoWords { go, perft, clocks } = self;
        let rest = match name {
            "depth" => set(&mut go.depth, number("go depth", 1..=u32::MAX), input)?,
            "nodes" => set(&mut go.nodes, number("go nodes", 1..=u64::MAX), input)?,
            "movetime" => set(&mut go.movetime, number("go movetime", 1..=u64::MAX), input)?,
            "infinite" => {
                go.infinite = true;
                input
            }
            "ponder" => {
                go.ponder = true;
                input
            }
            "searchmoves" => {
                let (rest, moves) = searchmoves(input)?;
                go.searchmoves = moves;
                rest
            }
            "perft" => set(perft, number("go perft", 0..=MAX_PERFT_DEPTH), input)?,
            "mate" => return Err(ArgumentError(NO_MATES.into())),
            _ => match clocks.read(name, input) {
                Some(rest) => rest?,
                None => {
                    let known = GO_WORDS.into_iter().filter(|word| *word != "mate");
                    let (found, words) = (Excerpt::new(name), known.collect::<Vec<_>>().join(", "));
                    let problem = format!("go: unknown word {found}: expected one of {words}");
                    return Err(ArgumentError(problem));
                }
            },
        };
        Ok(rest)
    }
}

/// Reads all words to the end of the line, as Stockfish does: a move may be called `time` or `depth`.
fn searchmoves(input: &str) -> Parsed<'_, Vec<String>> {
    let moves = many1(word.map(str::to_owned));
    expecting("go searchmoves", "at least one move", moves).parse(input)
}

/// Largest number of players that can have a clock.
const MAX_CLOCKS: usize = 6;

const ANY_TIME: RangeInclusive<i64> = i64::MIN..=i64::MAX;
const INCREMENTS: RangeInclusive<u64> = 0..=u64::MAX;
const MOVES_TO_GO: RangeInclusive<u32> = 1..=u32::MAX;

/// UCI's words for the time left of each seat, after the command, as error messages name them.
const UCI_TIMES: [&str; 2] = ["go wtime", "go btime"];

/// UCI's words for the increment of each seat, after the command.
const UCI_INCS: [&str; 2] = ["go winc", "go binc"];

/// UGI's words for the time left of each player, after the command.
const PLAYER_TIMES: [&str; MAX_CLOCKS] =
    ["go p1time", "go p2time", "go p3time", "go p4time", "go p5time", "go p6time"];

/// UGI's words for the increment of each player, after the command.
const PLAYER_INCS: [&str; MAX_CLOCKS] =
    ["go p1inc", "go p2inc", "go p3inc", "go p4inc", "go p5inc", "go p6inc"];

/// The clock words read so far. They may come in any order, so they are combined at the end.
#[derive(Default)]
struct ClockWords {
    time: Option<Vec<i64>>,
    inc: Option<Vec<u64>>,
    uci_time: [Option<i64>; 2],
    uci_inc: [Option<u64>; 2],
    player_time: [Option<i64>; MAX_CLOCKS],
    player_inc: [Option<u64>; MAX_CLOCKS],
    movestogo: Option<u32>,
}

impl ClockWords {
    /// Reads the argument of the word `name` from `input` and returns the rest, or `None` if the word does not belong
    /// to the clocks.
    fn read<'a>(&mut self, name: &str, input: &'a str) -> Option<Result<&'a str, ArgumentError>> {
        match name {
            "time" => return Some(set(&mut self.time, numbers("go time", ANY_TIME), input)),
            "inc" => return Some(set(&mut self.inc, numbers("go inc", INCREMENTS), input)),
            "movestogo" => {
                let moves = number("go movestogo", MOVES_TO_GO);
                return Some(set(&mut self.movestogo, moves, input));
            }
            _ => {}
        }
        let uci = UCI_TIMES.into_iter().zip(&mut self.uci_time);
        let mut times = uci.chain(PLAYER_TIMES.into_iter().zip(&mut self.player_time));
        if let Some((after, slot)) = times.find(|(after, _)| without_go(after) == name) {
            return Some(set(slot, number(after, ANY_TIME), input));
        }
        let uci = UCI_INCS.into_iter().zip(&mut self.uci_inc);
        let mut incs = uci.chain(PLAYER_INCS.into_iter().zip(&mut self.player_inc));
        let (after, slot) = incs.find(|(after, _)| without_go(after) == name)?;
        Some(set(slot, number(after, INCREMENTS), input))
    }

    /// Returns the clocks, or `None` if no word set one.
    fn finish(self) -> Result<Option<Clock>, ArgumentError> {
        let given_inc = self.inc.is_some().then_some("inc");
        let seats = if self.time.is_some() { Some("time") } else { given_inc };
        let uci = first_given(UCI_TIMES, self.uci_time).or(first_given(UCI_INCS, self.uci_inc));
        let ugi = first_given(PLAYER_TIMES, self.player_time)
            .or(first_given(PLAYER_INCS, self.player_inc));
        let mut spellings = [seats, uci, ugi].into_iter().flatten();
        let Some(found) = spellings.next() else {
            let expected = "time, wtime, btime or p1time";
            return match self.movestogo {
                Some(_) => Err(no_clock("movestogo", expected)),
                None => Ok(None),
            };
        };
        if let Some(second) = spellings.next() {
            return Err(ArgumentError(format!(
                "go: {found} together with {second}: expected clocks as time and inc, as wtime, btime, winc and binc, \
                 or as p1time, p1inc and so on"
            )));
        }
        let time = if seats.is_some() {
            let time = self.time.ok_or_else(|| no_clock(found, "time"))?;
            let inc = self.inc.unwrap_or_default();
            let (times, incs) = (time.len(), inc.len());
            if incs != 0 && incs != times {
                return Err(ArgumentError(format!(
                    "go inc: found {incs} numbers: expected {times}, one for each in time"
                )));
            }
            ClockTimes::Seats { time, inc }
        } else if uci.is_some() {
            let ([wtime, btime], [winc, binc]) = (self.uci_time, self.uci_inc);
            if wtime.is_none() && btime.is_none() {
                return Err(no_clock(found, "wtime or btime"));
            }
            ClockTimes::Uci { wtime, btime, winc, binc }
        } else {
            if self.player_time.iter().all(Option::is_none) {
                return Err(no_clock(found, "p1time or another player's clock"));
            }
            ClockTimes::Ugi {
                time: up_to_the_last(&self.player_time),
                inc: up_to_the_last(&self.player_inc),
            }
        };
        Ok(Some(Clock { time, movestogo: self.movestogo }))
    }
}

/// The error of an increment or `movestogo` without the time left.
fn no_clock(found: &str, expected: &str) -> ArgumentError {
    ArgumentError(format!("go: {found} without a clock: expected {expected} with it"))
}

fn up_to_the_last<T: Copy>(given: &[Option<T>]) -> Vec<Option<T>> {
    let last = given.iter().rposition(Option::is_some);
    let length = last.map_or(0, |last| last + 1);
    given.iter().take(length).copied().collect()
}

/// Strips the command from a player's word.
fn without_go(word: &'static str) -> &'static str {
    word.trim_start_matches("go ")
}

/// The first of some words that has a value, without the command.
fn first_given<const N: usize, T>(
    words: [&'static str; N],
    values: [Option<T>; N],
) -> Option<&'static str> {
    let mut given = words.into_iter().zip(values).filter(|(_, value)| value.is_some());
    given.next().map(|(word, _)| without_go(word))
}

impl fmt::Display for Clock {
    /// Writes each word with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.time {
            ClockTimes::Seats { time, inc } => {
                write_list(f, "time", time)?;
                write_list(f, "inc", inc)?;
            }
            ClockTimes::Uci { wtime, btime, winc, binc } => {
                write_fact(f, "wtime", *wtime)?;
                write_fact(f, "btime", *btime)?;
                write_fact(f, "winc", *winc)?;
                write_fact(f, "binc", *binc)?;
            }
            ClockTimes::Ugi { time, inc } => {
                let mut times = PLAYER_TIMES.iter().zip(time);
                times.try_for_each(|(word, time)| write_fact(f, without_go(word), *time))?;
                let mut incs = PLAYER_INCS.iter().zip(inc);
                incs.try_for_each(|(word, inc)| write_fact(f, without_go(word), *inc))?;
            }
        }
        write_fact(f, "movestogo", self.movestogo)
    }
}

/// Reads the line after the word `query`.
fn query(input: &str) -> Parsed<'_, Query> {
    let named = |name| QUERIES.into_iter().find(|(word, _)| *word == name);
    let fact = map_opt(word, |name| named(name).map(|(_, query)| query));
    let words = "p1turn, turn, gameover, result, legal, players, state, text, picture or stake";
    terminated(expecting("query", words, fact), end("query", "the end of the line")).parse(input)
}

impl fmt::Display for Query {
    /// Writes the argument, without the word `query`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = QUERIES.iter().find(|(_, query)| query == self);
        f.write_str(named.map_or("", |(word, _)| word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::MAX_LINE_BYTES;

    #[test]
    fn every_command_word_is_known() {
        for name in COMMAND_WORDS {
            let parsed = name.parse::<Command>();
            let is_unknown = parsed.is_err_and(|error| error.to_string().contains("unknown"));
            assert!(!is_unknown, "{name}");
        }
    }

    #[test]
    fn a_refused_line_still_says_whether_it_is_a_go() {
        let is_go = |line: Line<'_>| line.command().unwrap_err().is_go();
        assert!(is_go(Line::NotUtf8(b" go depth \xff")));
        assert!(is_go(Line::CutOff(b"go \xff")));
        assert!(is_go(Line::TooLong { limit: 8, start: b"go\tsearc" }));
        assert!(!is_go(Line::NotUtf8(b"gone \xff")));
        assert!(!is_go(Line::TooLong { limit: 8, start: b"position" }));
        assert_eq!(Line::CutOff(b"quit").command(), Ok(Command::Quit));
    }

    #[test]
    fn a_line_that_is_too_long_is_named_by_its_beginning() {
        let start = "x".repeat(MAX_LINE_BYTES);
        let line = Line::TooLong { limit: MAX_LINE_BYTES, start: start.as_bytes() };
        let expected =
            format!(r#"line "{}"... is too long: expected at most 1048576 bytes"#, "x".repeat(60));
        assert_eq!(line.command().unwrap_err().to_string(), expected);
    }

    #[test]
    fn every_go_word_is_known() {
        for name in GO_WORDS {
            let parsed = go(name);
            let is_unknown = parsed.is_err_and(|error| error.to_string().contains("unknown"));
            assert!(!is_unknown, "{name}");
        }
    }
}
