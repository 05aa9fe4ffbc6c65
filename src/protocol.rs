//! Line protocol between a client and an engine, typed in both directions.
//!
//! A client (a GUI, the arbiter, a person at a terminal) sends [`Command`]s; an engine answers with [`Reply`]s. Each is
//! one line of text. Both parse with [`FromStr`](std::str::FromStr) and print with [`Display`](std::fmt::Display), and
//! the printed line parses back to the same value. `protocol.md` has the grammar.
//!
//! Moves, cards and positions are passed through as text; the rules interpret them.
//!
//! [`LineReader`] splits a stream into lines of bounded length, and [`Line::command`] parses a line.
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

// Untrusted input must not cause a panic here.
#![deny(
    clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice,
    clippy::todo, clippy::unimplemented, clippy::unreachable, clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
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
pub mod text;
mod vocabulary;
mod words;

pub use error::{ArgumentError, Bounds, CommandError, Expected, GoError, ReplyError};
pub use excerpt::Excerpt;
pub use go::MAX_PERFT_DEPTH;
pub use lines::{Line, LineReader, MAX_LINE_BYTES};
pub use option::parse_into;
pub use vocabulary::{COMMAND_WORDS, GO_WORDS};

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

impl Query {
    const ALL: [Query; 10] = {
        use Query::*;
        [P1Turn, Turn, GameOver, Result, Legal, Players, State, Text, Picture, Stake]
    };
}

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

/// One line from an engine to a client.
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
    /// `response ...`: the words that answer a `query`; may be none.
    Response(Vec<String>),
    /// `info ...` with facts about a running search.
    Info(Info),
    /// `info string ...`: text for a person.
    Say(String),
    /// `bestmove ...`.
    BestMove(BestMove),
    /// Any other line, verbatim: the answers of `d`, `eval`, `help`, `bench` and `go perft`.
    Text(String),
}

/// Option offered by an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionOffer {
    /// Name of the option; may have several words.
    pub name: String,
    /// Type, default and bounds.
    pub kind: OptionKind,
}

/// Type of an option, with its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `type check default true|false`.
    Check {
        /// Value until it is set.
        default: bool,
    },
    /// `type spin default D min A max B`.
    Spin {
        /// Value until it is set.
        default: i64,
        /// Smallest value accepted.
        min: i64,
        /// Largest value accepted.
        max: i64,
    },
    /// `type combo default D var V1 var V2 ...`.
    Combo {
        /// Value until it is set.
        default: String,
        /// All values accepted.
        vars: Vec<String>,
    },
    /// `type button`.
    Button,
    /// `type string default D`; an empty string is written `<empty>`.
    String {
        /// Value until it is set.
        default: String,
    },
}

/// Facts about a search, each optional. The parser skips unknown words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Plies searched in full.
    pub depth: Option<u32>,
    /// Deepest ply reached.
    pub seldepth: Option<u32>,
    /// Rank of this principal variation, from 1 for the best.
    pub multipv: Option<u32>,
    /// Expected share of the placement points of each seat, in permille; empty if not given.
    pub estimate: Vec<u16>,
    /// Score from the mover's point of view.
    pub score: Option<Score>,
    /// Mover's chances to win, to draw and to lose, in permille; empty if not given.
    pub wdl: Vec<u16>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited per second.
    pub nps: Option<u64>,
    /// Used part of the transposition table, in permille.
    pub hashfull: Option<u16>,
    /// Milliseconds since the search began.
    pub time: Option<u64>,
    /// Principal variation; empty if not given.
    pub pv: Vec<String>,
}

/// Score from the mover's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// `cp X`: hundredths.
    Centipawns(i32),
    /// `mate Y`: own moves until the mover's place is certain; negative for the last place.
    Mate(i32),
}

/// Answer to `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BestMove {
    /// Best move, or `None` for `(none)`.
    pub best: Option<String>,
    /// Expected reply.
    pub ponder: Option<String>,
    /// Expected share of the placement points of each seat, in permille; empty if the engine gives none.
    pub estimate: Vec<u16>,
}
