//! Line protocol between a client and an engine, typed in both directions.
//!
//! A client (a GUI, the arbiter, a person at a terminal) sends [`Command`]s; an engine answers with [`Reply`]s. Each is
//! one line of text. Both parse with [`FromStr`](std::str::FromStr) and print with [`Display`](std::fmt::Display), and
//! the printed line parses back to the same value. `protocol.md` and `docs/engine.md` have the grammar.
//!
//! Moves, cards and positions are passed through as text; the rules interpret them.
//!
//! Each error message is one line with the offending text and the accepted input.
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

mod command;
mod reply;
pub mod text;

use std::fmt;
use std::ops::RangeInclusive;

use nom::bytes::complete::is_not;
use nom::character::complete::{char, digit1, space0};
use nom::combinator::{all_consuming, cut, map_opt, opt, peek, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::{fold_many0, many1};
use nom::sequence::preceded;
use nom::{IResult, Parser};
use thiserror::Error;

pub use command::{
    COMMAND_WORDS, Clock, ClockTimes, Command, GO_WORDS, Go, MAX_PERFT_DEPTH, PositionCommand,
    Query, Start,
};
pub use reply::{BestMove, Info, OptionKind, OptionOffer, OptionValue, Reply, Score};
pub use text::{Line, LineReader, MAX_LINE_BYTES};

/// The line is not a valid [`Command`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The line is empty or blank. It gets no answer.
    #[error("empty line: expected one of {}", COMMAND_WORDS.join(", "))]
    Empty,
    /// The line cannot be parsed.
    #[error("{problem}")]
    Invalid {
        /// The offending text and the accepted input.
        problem: String,
        /// `true` if the first word is `go`, which still needs a `bestmove` as its answer.
        is_go: bool,
    },
}

impl CommandError {
    /// `true` if the refused line was a `go`. It still needs a `bestmove` as its answer.
    pub fn is_go(&self) -> bool {
        matches!(self, CommandError::Invalid { is_go: true, .. })
    }
}

/// A word of a line is missing or wrong; the message has the words before it, the word, and the accepted ones.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ArgumentError(String);

/// Arguments that would be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// A description for people.
    Words(&'static str),
    /// A whole number between these, both included.
    Number(i128, i128),
}

impl From<&'static str> for Expected {
    fn from(words: &'static str) -> Self {
        Expected::Words(words)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Words(words) => f.write_str(words),
            Expected::Number(min, max) => write!(f, "a whole number from {min} to {max}"),
        }
    }
}

/// Beginning of an untrusted text, at most [`Excerpt::MAX_CHARS`] characters of it.
///
/// It prints in quotes, with control characters escaped so that the message stays on one line. Three dots after the
/// quotes mark a shortened text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    text: String,
    shortened: bool,
}

impl Excerpt {
    /// Number of characters kept.
    pub const MAX_CHARS: usize = 60;

    /// Keeps the beginning of `text`.
    pub fn new(text: &str) -> Self {
        let mut chars = text.chars();
        let start = chars.by_ref().take(Self::MAX_CHARS).collect();
        Self { text: start, shortened: chars.next().is_some() }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.shortened { "..." } else { "" };
        write!(f, "\"{}\"{dots}", self.text.escape_debug())
    }
}

// Parsers of the parts of all lines. A parser that does not match returns the place (`Mismatch`); `expecting` adds what
// was expected there, and together they become an `ArgumentError`. After a keyword the parsers use `cut`, so that the
// first error found is the one reported.

/// Result of a parser: the rest of the line and a value.
type Parsed<'a, T> = IResult<&'a str, T, Mismatch<'a>>;

/// Place where a parser did not match, and the input expected there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mismatch<'a> {
    at: &'a str,
    after: &'static str,
    expected: Expected,
}

/// Any characters up to the next space or tab.
fn word(input: &str) -> Parsed<'_, &str> {
    preceded(space0, is_not(" \t")).parse(input)
}

/// The word `name`.
fn keyword<'a>(name: &'static str) -> impl Parser<&'a str, Output = &'a str, Error = Mismatch<'a>> {
    verify(word, move |found: &str| found == name)
}

/// Any word except those of `stops`.
fn word_but<'a>(
    stops: &'static [&'static str],
) -> impl Parser<&'a str, Output = &'a str, Error = Mismatch<'a>> {
    verify(word, move |found: &str| !stops.contains(&found))
}

/// All words up to the end of the line; may be none. Plain splitting, since a list of moves can be long.
fn all_words(input: &str) -> Parsed<'_, Vec<String>> {
    let words = input.split([' ', '\t']).filter(|word| !word.is_empty());
    Ok(("", words.map(str::to_owned).collect()))
}

/// The words up to one of `stops` or the end of the line, joined by single spaces; may be empty.
fn text_until<'a>(
    stops: &'static [&'static str],
) -> impl Parser<&'a str, Output = String, Error = Mismatch<'a>> {
    fold_many0(word_but(stops), String::new, |mut text, word| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
        text
    })
}

/// A whole number within `range`; a sign is accepted only if the range has negative numbers.
fn number<'a, T>(
    after: &'static str,
    range: RangeInclusive<T>,
) -> impl Parser<&'a str, Output = T, Error = Mismatch<'a>>
where
    T: Copy + Into<i128> + TryFrom<i128>,
{
    let (min, max) = ((*range.start()).into(), (*range.end()).into());
    expecting(
        after,
        Expected::Number(min, max),
        map_opt(word, move |word| {
            let number = integer(word)?;
            let sign_is_fine = min < 0 || !word.starts_with('-');
            let fits = sign_is_fine && (min..=max).contains(&number);
            fits.then_some(number)?.try_into().ok()
        }),
    )
}

/// One or more [`number`]s, up to a word that does not begin like a number.
fn numbers<'a, T>(
    after: &'static str,
    range: RangeInclusive<T>,
) -> impl Parser<&'a str, Output = Vec<T>, Error = Mismatch<'a>>
where
    T: Copy + Into<i128> + TryFrom<i128>,
{
    let begins_like_one = |word: &str| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let expected = Expected::Number((*range.start()).into(), (*range.end()).into());
    expecting(
        after,
        expected,
        many1(preceded(peek(verify(word, begins_like_one)), cut(number(after, range)))),
    )
}

/// Parses `input`, stores the value and returns the rest of the line.
fn set<'a, T>(
    slot: &mut Option<T>,
    mut parser: impl Parser<&'a str, Output = T, Error = Mismatch<'a>>,
    input: &'a str,
) -> Result<&'a str, ArgumentError> {
    let (rest, value) = parser.parse(input)?;
    *slot = Some(value);
    Ok(rest)
}

/// The end of the line, after optional spaces.
fn end<'a>(
    after: &'static str,
    expected: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = Mismatch<'a>> {
    expecting(after, expected, all_consuming(space0))
}

/// Runs `parser`; if it does not match, the error says that `expected` is missing after the words `after`.
fn expecting<'a, P>(
    after: &'static str,
    expected: impl Into<Expected>,
    mut parser: P,
) -> impl Parser<&'a str, Output = P::Output, Error = Mismatch<'a>>
where
    P: Parser<&'a str, Error = Mismatch<'a>>,
{
    let expected = expected.into();
    move |input| match parser.parse(input) {
        Err(nom::Err::Error(mismatch)) => {
            Err(nom::Err::Error(Mismatch { after, expected, ..mismatch }))
        }
        other => other,
    }
}

/// Parses a decimal whole number with an optional `-`.
fn integer(word: &str) -> Option<i128> {
    let digits: Parsed<'_, &str> = all_consuming(recognize((opt(char('-')), digit1))).parse(word);
    digits.ok()?.1.parse().ok()
}

/// Removes the line feeds and carriage returns at the end of the line, and all spaces after the first of them.
fn without_line_end(mut line: &str) -> &str {
    loop {
        line = line.trim_end_matches(['\r', '\n']);
        let words = line.trim_end_matches([' ', '\t']);
        if !words.ends_with(['\r', '\n']) {
            return line;
        }
        line = words;
    }
}

/// Writes `begin` and, after a space, `text` unless it is empty.
fn write_text(f: &mut fmt::Formatter<'_>, begin: &str, text: &str) -> fmt::Result {
    let blank = if text.is_empty() { "" } else { " " };
    write!(f, "{begin}{blank}{text}")
}

/// Writes ` name` and then each of `values`; nothing if there are no values.
fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    values: &[T],
) -> fmt::Result {
    if !values.is_empty() {
        write!(f, " {name}")?;
    }
    values.iter().try_for_each(|value| write!(f, " {value}"))
}

/// Writes ` name value` if there is a value.
fn write_fact<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<T>,
) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

impl<'a> ParseError<&'a str> for Mismatch<'a> {
    fn from_error_kind(at: &'a str, _: ErrorKind) -> Self {
        Mismatch { at, after: "line", expected: Expected::Words("a word") }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl From<Mismatch<'_>> for ArgumentError {
    fn from(Mismatch { at, after, expected }: Mismatch<'_>) -> Self {
        let found = word(at).map(|(_, found)| Excerpt::new(found));
        ArgumentError(match (found, expected) {
            (Err(_), _) => format!("{after}: missing argument: expected {expected}"),
            (Ok(found), Expected::Words(_)) => {
                format!("{after}: unexpected {found}: expected {expected}")
            }
            (Ok(found), Expected::Number(..)) => format!("{after}: {found} is not {expected}"),
        })
    }
}

impl From<nom::Err<Mismatch<'_>>> for ArgumentError {
    fn from(error: nom::Err<Mismatch<'_>>) -> Self {
        match error {
            nom::Err::Error(mismatch) | nom::Err::Failure(mismatch) => mismatch.into(),
            // Only nom's streaming parsers return this, when the line ends too early.
            nom::Err::Incomplete(_) => Mismatch::from_error_kind("", ErrorKind::Complete).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Excerpt::new(text).to_string()
    }

    #[test]
    fn a_short_text_is_quoted_whole() {
        assert_eq!(shown("hop"), "\"hop\"");
        assert_eq!(shown(""), "\"\"");
        let longest = "ä".repeat(60);
        assert_eq!(shown(&longest), format!("\"{longest}\""));
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let cut = format!("\"{}\"...", "ä".repeat(60));
        assert_eq!(shown(&"ä".repeat(61)), cut);
    }

    #[test]
    fn control_characters_are_escaped() {
        let escaped = r#""a\r\n\0\u{1b}\"\u{2028}""#;
        assert_eq!(shown("a\r\n\0\u{1b}\"\u{2028}"), escaped);
    }

    #[test]
    fn words_are_cut_at_blanks_only() {
        assert_eq!(
            all_words(" \ta  b\tä\u{a0}c\t "),
            Ok(("", vec!["a".into(), "b".into(), "ä\u{a0}c".into()]))
        );
        assert_eq!(all_words(""), Ok(("", Vec::new())));
        assert_eq!(text_until(&[]).parse("  a \t b "), Ok((" ", "a b".into())));
        assert_eq!(text_until(&["a"]).parse("  a b"), Ok(("  a b", String::new())));
    }

    #[test]
    fn integers_are_plain_decimal() {
        let spelt = ["0", "007", "-5", "18446744073709551616"].map(integer);
        assert_eq!(spelt, [Some(0), Some(7), Some(-5), Some(1 << 64)]);
        for word in ["", "-", "+5", "5.", "0x5", "1_000", "5-", "--5", "٣", "1".repeat(60).as_str()]
        {
            assert_eq!(integer(word), None, "{word}");
        }
    }

    #[test]
    fn numbers_keep_to_their_bounds() {
        assert_eq!(number("n", 1..=9_u32).parse(" 9 x"), Ok((" x", 9)));
        assert_eq!(number("n", -9..=9_i64).parse("-9"), Ok(("", -9)));
        for line in ["0", "10", "-0", "-1", "x", ""] {
            let refused = number("n", 0..=9_u32).parse(line).is_err();
            assert_eq!(refused, line != "0", "{line}");
        }
    }

    #[test]
    fn a_list_of_numbers_ends_at_a_word_but_not_at_a_bad_number() {
        assert_eq!(numbers("n", 0..=9_u16).parse(" 1 2 x 3"), Ok((" x 3", vec![1, 2])));
        let error: ArgumentError = numbers("n", 0..=9_u16).parse("1 10 x").unwrap_err().into();
        assert_eq!(error.to_string(), r#"n: "10" is not a whole number from 0 to 9"#);
        let error: ArgumentError = numbers("n", 0..=9_u16).parse(" ").unwrap_err().into();
        assert_eq!(error.to_string(), "n: missing argument: expected a whole number from 0 to 9");
    }
}
