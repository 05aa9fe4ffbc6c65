//! The line protocol between a client and an engine, typed in both directions.
//!
//! A client (a GUI, the arbiter, a person at a terminal) sends [`Command`]s, an engine answers with
//! [`Reply`]s; each is one line of text. Both parse with [`FromStr`](std::str::FromStr) and print with
//! [`Display`](std::fmt::Display), and what is printed parses back to the same value. The grammar is in
//! `protocol.md`.
//!
//! Moves, cards and position texts pass through as words: what they mean is the business of the rules.
//!
//! [`LineReader`] cuts a stream into lines of bounded length; [`Line::command`] goes on from there.
//!
//! # Examples
//! ```
//! use buxtehude::protocol::{Command, CommandError, Reply};
//!
//! let command: Command = "go  depth 7\r".parse()?;
//! assert_eq!(command.to_string(), "go depth 7");
//!
//! let refused = "go depth 0".parse::<Command>().unwrap_err();
//! assert!(refused.is_go());
//! assert_eq!(refused.to_string(), r#"go depth: "0" is not a whole number from 1 to 4294967295"#);
//!
//! let reply: Reply = "bestmove 5 ponder 3 estimate 520 480".parse().unwrap();
//! let Reply::BestMove(answer) = reply else { panic!("{reply}") };
//! assert_eq!(answer.estimate, [520, 480]);
//! # Ok::<(), CommandError>(())
//! ```

// Nothing from outside can panic here.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

mod clock;
mod command;
mod error;
mod excerpt;
mod go;
mod info;
#[cfg(test)]
mod laws;
mod lines;
mod option;
mod position;
mod query;
mod reply;
mod words;

pub use command::COMMAND_WORDS;
pub use error::{ArgumentError, Bounds, CommandError, Expected, GoError, ReplyError};
pub use excerpt::Excerpt;
pub use go::{GO_WORDS, MAX_PERFT_DEPTH};
pub use lines::{Line, LineReader, MAX_LINE_BYTES};

/// What a client sends to an engine: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: asks for the engine's identity and options.
    Uci,
    /// `ugi`: the same from a client that speaks the Universal Game Interface.
    Ugi,
    /// `debug on|off`.
    Debug(bool),
    /// `isready`: to be answered at once, during a search too.
    IsReady,
    /// `setoption name N [value V]`.
    SetOption {
        /// The option's name; it may have several words.
        name: String,
        /// The value, or `None` for a button.
        value: Option<String>,
    },
    /// `ucinewgame`: the next position is of another game.
    UciNewGame,
    /// `uginewgame`: the same in the words of UGI.
    UgiNewGame,
    /// `position ...`: what is to be searched next.
    Position(PositionCommand),
    /// `go ...`: search.
    Go(Go),
    /// `go perft D`: count the lines of play to depth D, at most [`MAX_PERFT_DEPTH`].
    Perft(u32),
    /// `stop`: end the running search with its best move.
    Stop,
    /// `ponderhit`: the move pondered on was played.
    PonderHit,
    /// `quit`.
    Quit,
    /// `query ...`: asks for a fact about the position, to be answered at once.
    Query(Query),
    /// `d`: show the position.
    Display,
    /// `eval`: show the static estimate.
    Eval,
    /// `bench [depth]`: search fixed positions.
    Bench(Option<u32>),
    /// `compiler`: show version, target and features of the build.
    Compiler,
    /// `solve`: count the positions of the solved games, and who wins them.
    Solve,
    /// `help`.
    Help,
}

/// The argument of `position`: a start and what happened since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    /// Where the move list begins.
    pub start: Start,
    /// Moves and cards in the order in which they happened.
    pub moves: Vec<String>,
}

/// Where a move list begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// `startpos [players N]`: the variant's start; two players where unsaid.
    Startpos {
        /// The number of players as sent.
        players: Option<u32>,
    },
    /// `fen <text>`: a position's text, its fields joined by single spaces.
    Fen(String),
    /// `etude <line>`: a line of an etude file.
    Etude(String),
}

/// What a client can ask about the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `p1turn`: whether it is the turn of the first seat.
    P1Turn,
    /// `turn`: what is due, and which seat's turn it is.
    Turn,
    /// `gameover`: whether the game is over.
    GameOver,
    /// `result`: how the game ended.
    Result,
    /// `legal`: the legal moves, or the cards that are left.
    Legal,
    /// `players`: the number of seats.
    Players,
}

/// The argument of `go`: limits of a search. All absent is a search without a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Plies to search, at least 1.
    pub depth: Option<u32>,
    /// Positions to visit, at least 1.
    pub nodes: Option<u64>,
    /// Milliseconds to use, at least 1.
    pub movetime: Option<u64>,
    /// Whether `bestmove` has to wait for `stop`.
    pub infinite: bool,
    /// Whether `bestmove` has to wait for `ponderhit` or `stop`.
    pub ponder: bool,
    /// The only moves to consider at the root; empty for all.
    pub searchmoves: Vec<String>,
    /// The players' clocks.
    pub clock: Option<Clock>,
}

/// Clocks sent with `go`, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The time left of each seat, in the spelling it was sent with. May be zero or negative.
    pub time: ClockTimes,
    /// Moves to the next time control, at least 1.
    pub movestogo: Option<u32>,
}

/// The three spellings of clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockTimes {
    /// `time T1 ... TN [inc I1 ... IN]`: any number of players, in seat order.
    Seats {
        /// Milliseconds left.
        time: Vec<i64>,
        /// Milliseconds gained a move; empty where unsaid, else as many as `time`.
        inc: Vec<u64>,
    },
    /// `[wtime T] [btime T] [winc I] [binc I]`: UCI's own, for two players. At least one of the times is present.
    Uci {
        /// Seat 1's milliseconds left.
        wtime: Option<i64>,
        /// Seat 2's milliseconds left.
        btime: Option<i64>,
        /// Seat 1's milliseconds gained a move.
        winc: Option<u64>,
        /// Seat 2's milliseconds gained a move.
        binc: Option<u64>,
    },
    /// `[p1time T] [p2time T] ... [p1inc I] [p2inc I] ...`: UGI's own, a word for each player, of whom
    /// there are at most six. At least one of the times is present.
    Ugi {
        /// Each player's milliseconds left, up to the last player that has the word.
        time: Vec<Option<i64>>,
        /// Each player's milliseconds gained a move, up to the last player that has the word.
        inc: Vec<Option<u64>>,
    },
}

/// What an engine sends to a client: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name ...`.
    IdName(String),
    /// `id author ...`.
    IdAuthor(String),
    /// `option name ... type ...`.
    Option(OptionOffer),
    /// `uciok`.
    UciOk,
    /// `ugiok`.
    UgiOk,
    /// `readyok`.
    ReadyOk,
    /// `response ...`: the words that answer a `query`; there may be none.
    Response(Vec<String>),
    /// `info ...` with facts of a running search.
    Info(Info),
    /// `info string ...`: words for a person.
    Say(String),
    /// `bestmove ...`.
    BestMove(BestMove),
    /// Any other line, word for word: the answers of `d`, `eval`, `help`, `bench` and `go perft`.
    Text(String),
}

/// An option that an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionOffer {
    /// The option's name; it may have several words.
    pub name: String,
    /// Its type, default and bounds.
    pub kind: OptionKind,
}

/// The type of an option, with its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `type check default true|false`.
    Check {
        /// The value before it is set.
        default: bool,
    },
    /// `type spin default D min A max B`.
    Spin {
        /// The value before it is set.
        default: i64,
        /// The smallest value accepted.
        min: i64,
        /// The largest value accepted.
        max: i64,
    },
    /// `type combo default D var V1 var V2 ...`.
    Combo {
        /// The value before it is set.
        default: String,
        /// All values accepted.
        vars: Vec<String>,
    },
    /// `type button`.
    Button,
    /// `type string default D`; an empty string is spelt `<empty>`.
    String {
        /// The value before it is set.
        default: String,
    },
}

/// Facts of a search, each present or not. What we do not know is skipped when parsing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Plies searched in full.
    pub depth: Option<u32>,
    /// The deepest ply reached.
    pub seldepth: Option<u32>,
    /// The rank of this line among the best, from 1.
    pub multipv: Option<u32>,
    /// Each seat's expected share of the placement points in permille; empty where unsaid.
    pub estimate: Vec<u16>,
    /// The mover's score.
    pub score: Option<Score>,
    /// The mover's chances to win, to draw and to lose, in permille; empty where unsaid.
    pub wdl: Vec<u16>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited a second.
    pub nps: Option<u64>,
    /// Permille of the transposition table in use.
    pub hashfull: Option<u16>,
    /// Milliseconds since the search began.
    pub time: Option<u64>,
    /// The principal variation; empty where unsaid.
    pub pv: Vec<String>,
}

/// A score from the mover's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// `cp X`: hundredths.
    Centipawns(i32),
    /// `mate Y`: own moves until the mover's place is certain; negative for the last place.
    Mate(i32),
}

/// The answer to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// The move, or `None` for `(none)`.
    pub best: Option<String>,
    /// The reply expected.
    pub ponder: Option<String>,
    /// Each seat's expected share of the placement points in permille; empty from an engine that gives none.
    pub estimate: Vec<u16>,
}
