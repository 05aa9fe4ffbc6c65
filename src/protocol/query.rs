//! Argument of `query`: one word for the requested fact.

use std::fmt;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::value;
use nom::sequence::terminated;

use super::Query;
use super::error::Expected;
use super::words::{Parsed, end, expecting, keyword};

/// Reads the line after the word `query`.
pub(super) fn query(input: &str) -> Parsed<'_, Query> {
    let fact = alt((
        value(Query::P1Turn, keyword("p1turn")),
        value(Query::Turn, keyword("turn")),
        value(Query::GameOver, keyword("gameover")),
        value(Query::Result, keyword("result")),
        value(Query::Legal, keyword("legal")),
        value(Query::Players, keyword("players")),
        value(Query::State, keyword("state")),
        value(Query::Text, keyword("text")),
        value(Query::Picture, keyword("picture")),
        value(Query::Stake, keyword("stake")),
    ));
    let words = Expected::Words(
        "p1turn, turn, gameover, result, legal, players, state, text, picture or stake",
    );
    terminated(
        expecting("query", words, fact),
        end("query", "the end of the line"),
    )
    .parse(input)
}

impl fmt::Display for Query {
    /// Writes the argument, without the word `query`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Query::P1Turn => "p1turn",
            Query::Turn => "turn",
            Query::GameOver => "gameover",
            Query::Result => "result",
            Query::Legal => "legal",
            Query::Players => "players",
            Query::State => "state",
            Query::Text => "text",
            Query::Picture => "picture",
            Query::Stake => "stake",
        })
    }
}
