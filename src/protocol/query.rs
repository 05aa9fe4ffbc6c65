//! Argument of `query`: one word for the requested fact.

use std::fmt;

use nom::Parser;
use nom::combinator::map_opt;
use nom::sequence::terminated;

use super::Query;
use super::words::{Parsed, end, expecting, word};

/// Reads the line after the word `query`.
pub(super) fn query(input: &str) -> Parsed<'_, Query> {
    let fact = map_opt(word, |word| Query::ALL.into_iter().find(|query| query.word() == word));
    let words = "p1turn, turn, gameover, result, legal, players, state, text, picture or stake";
    terminated(expecting("query", words, fact), end("query", "the end of the line")).parse(input)
}

impl Query {
    fn word(self) -> &'static str {
        match self {
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
        }
    }
}

impl fmt::Display for Query {
    /// Writes the argument, without the word `query`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
