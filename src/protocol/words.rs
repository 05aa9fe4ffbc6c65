//! Parts of all lines: words between spaces, whole numbers, the end of the line.
//!
//! All are nom parsers over one line. A parser that does not match returns the place ([`Mismatch`]); [`expecting`] adds
//! what was expected there, and together they become an [`ArgumentError`]. After a keyword the parsers use `cut`, so
//! that the first error found is the one reported.

use std::fmt;
use std::ops::RangeInclusive;

use nom::bytes::complete::is_not;
use nom::character::complete::{char, digit1, space0};
use nom::combinator::{all_consuming, cut, map_opt, opt, peek, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::{fold_many0, many1};
use nom::sequence::preceded;
use nom::{IResult, Parser};

use super::{ArgumentError, Bounds, Excerpt, Expected, GoError};

/// Result of a parser: the rest of the line and a value.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, Mismatch<'a>>;

/// Place where a parser did not match, and the input expected there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mismatch<'a> {
    at: &'a str,
    after: &'static str,
    expected: Expected,
}

/// Any characters up to the next space or tab.
pub(super) fn word(input: &str) -> Parsed<'_, &str> {
    preceded(space0, is_not(" \t")).parse(input)
}

/// The word `name`.
pub(super) fn keyword<'a>(
    name: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = Mismatch<'a>> {
    verify(word, move |found: &str| found == name)
}

/// Any word except those of `stops`.
pub(super) fn word_but<'a>(
    stops: &'static [&'static str],
) -> impl Parser<&'a str, Output = &'a str, Error = Mismatch<'a>> {
    verify(word, move |found: &str| !stops.contains(&found))
}

/// All words up to the end of the line; may be none. Plain splitting, since a list of moves can be long.
pub(super) fn all_words(input: &str) -> Parsed<'_, Vec<String>> {
    let words = input.split([' ', '\t']).filter(|word| !word.is_empty());
    Ok(("", words.map(str::to_owned).collect()))
}

/// The words up to one of `stops` or the end of the line, joined by single spaces; may be empty.
pub(super) fn text_until<'a>(
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
pub(super) fn number<'a, T>(
    after: &'static str,
    range: RangeInclusive<T>,
) -> impl Parser<&'a str, Output = T, Error = Mismatch<'a>>
where
    T: Copy + Into<i128> + TryFrom<i128>,
{
    let bounds = bounds(&range);
    expecting(
        after,
        bounds,
        map_opt(word, move |word| {
            let number = integer(word)?;
            let sign_is_fine = bounds.min < 0 || !word.starts_with('-');
            let fits = sign_is_fine && (bounds.min..=bounds.max).contains(&number);
            fits.then_some(number)?.try_into().ok()
        }),
    )
}

/// One or more [`number`]s, up to a word that does not begin like a number.
pub(super) fn numbers<'a, T>(
    after: &'static str,
    range: RangeInclusive<T>,
) -> impl Parser<&'a str, Output = Vec<T>, Error = Mismatch<'a>>
where
    T: Copy + Into<i128> + TryFrom<i128>,
{
    let begins_like_one = |word: &str| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    expecting(
        after,
        bounds(&range),
        many1(preceded(peek(verify(word, begins_like_one)), cut(number(after, range)))),
    )
}

/// Parses `input`, stores the value and returns the rest of the line.
pub(super) fn set<'a, T>(
    slot: &mut Option<T>,
    mut parser: impl Parser<&'a str, Output = T, Error = Mismatch<'a>>,
    input: &'a str,
) -> Result<&'a str, GoError> {
    let (rest, value) = parser.parse(input)?;
    *slot = Some(value);
    Ok(rest)
}

/// The end of the line, after optional spaces.
pub(super) fn end<'a>(
    after: &'static str,
    expected: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = Mismatch<'a>> {
    expecting(after, expected, all_consuming(space0))
}

/// Runs `parser`; if it does not match, the error says that `expected` is missing after the words `after`.
pub(super) fn expecting<'a, P>(
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
pub(super) fn integer(word: &str) -> Option<i128> {
    let digits: Parsed<'_, &str> = all_consuming(recognize((opt(char('-')), digit1))).parse(word);
    digits.ok()?.1.parse().ok()
}

/// Removes the line feeds and carriage returns at the end of the line, and all spaces after the first of them.
pub(super) fn without_line_end(mut line: &str) -> &str {
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
pub(super) fn write_text(f: &mut fmt::Formatter<'_>, begin: &str, text: &str) -> fmt::Result {
    let blank = if text.is_empty() { "" } else { " " };
    write!(f, "{begin}{blank}{text}")
}

/// Writes ` name` and then each of `values`; nothing if there are no values.
pub(super) fn write_list<T: fmt::Display>(
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
pub(super) fn write_fact<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<T>,
) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

fn bounds<T: Copy + Into<i128>>(range: &RangeInclusive<T>) -> Bounds {
    Bounds { min: (*range.start()).into(), max: (*range.end()).into() }
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
        let Ok((_, found)) = word(at) else {
            return ArgumentError::Missing { after, expected };
        };
        let found = Excerpt::new(found);
        match expected {
            Expected::Words(expected) => ArgumentError::Unexpected { after, found, expected },
            Expected::Number(bounds) => ArgumentError::NotANumber { after, found, bounds },
        }
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
