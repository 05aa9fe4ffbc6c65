//! Parts of all lines: words between spaces, whole numbers, the end of the line.

use std::fmt;
use std::ops::RangeInclusive;

use super::error::{ArgumentError, Excerpt, Expected, NumberRange};

/// Characters between words.
const BLANKS: [char; 2] = [' ', '\t'];

/// The rest of a line, from which a parser takes words. An error names the words before it (`after`), the next word,
/// and what is expected instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a str) -> Words<'a> {
        Words { rest: line }
    }

    /// The rest of the line, verbatim.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word, which is not taken.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Takes the next word if it is wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(&str) -> bool) -> Option<&'a str> {
        let word = self.peek().filter(|word| is_wanted(word))?;
        self.next();
        Some(word)
    }

    /// Takes the next word if it is `name`; returns whether it is.
    pub(super) fn keyword(&mut self, name: &str) -> bool {
        self.next_if(|word| word == name).is_some()
    }

    /// Takes the next word, which `read` must understand.
    pub(super) fn expect<T>(
        &mut self,
        after: &'static str,
        expected: &'static str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, ArgumentError> {
        let value = self.peek().and_then(read);
        let value = value.ok_or_else(|| self.error(after, Expected::Words(expected)))?;
        self.next();
        Ok(value)
    }

    /// Takes any word except those of `stops`.
    pub(super) fn word(
        &mut self,
        after: &'static str,
        expected: &'static str,
        stops: &[&str],
    ) -> Result<String, ArgumentError> {
        self.expect(after, expected, |word| {
            (!stops.contains(&word)).then(|| word.to_owned())
        })
    }

    /// Takes all words up to one of `stops` or the end of the line; may be none.
    pub(super) fn words_until(&mut self, stops: &[&str]) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(word) = self.next_if(|word| !stops.contains(&word)) {
            words.push(word.to_owned());
        }
        words
    }

    /// Takes the words up to one of `stops` or the end of the line, at least one; joins them by single spaces.
    pub(super) fn text(
        &mut self,
        after: &'static str,
        expected: &'static str,
        stops: &[&str],
    ) -> Result<String, ArgumentError> {
        match self.words_until(stops) {
            words if words.is_empty() => Err(self.error(after, Expected::Words(expected))),
            words => Ok(words.join(" ")),
        }
    }

    /// Takes a whole number within `range`; a sign is accepted only if the range has negative numbers.
    pub(super) fn number<T>(
        &mut self,
        after: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<T, ArgumentError>
    where
        T: Copy + Into<i128> + TryFrom<i128>,
    {
        let range = NumberRange::of(&range);
        let number = self.peek().and_then(|word| {
            let is_sign_fine = range.min < 0 || !word.starts_with('-');
            let number = integer(word).filter(|_| is_sign_fine)?;
            let fits = (range.min..=range.max).contains(&number);
            T::try_from(number).ok().filter(|_| fits)
        });
        let number = number.ok_or_else(|| self.error(after, Expected::Number(range)))?;
        self.next();
        Ok(number)
    }

    /// Takes one or more [`Words::number`]s, up to a word that does not begin like a number.
    pub(super) fn numbers<T>(
        &mut self,
        after: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Vec<T>, ArgumentError>
    where
        T: Copy + Into<i128> + TryFrom<i128>,
    {
        let begins_number = |c: char| c == '-' || c.is_ascii_digit();
        let mut numbers = Vec::new();
        while self
            .peek()
            .is_some_and(|word| word.starts_with(begins_number))
        {
            numbers.push(self.number(after, range.clone())?);
        }
        if numbers.is_empty() {
            return Err(self.error(after, Expected::Number(NumberRange::of(&range))));
        }
        Ok(numbers)
    }

    /// Takes the next word if it is a whole number that fits its type.
    pub(super) fn integer<T: TryFrom<i128>>(&mut self) -> Option<T> {
        let number = integer(self.peek()?)?.try_into().ok()?;
        self.next();
        Some(number)
    }

    /// Checks that the line ends here, apart from spaces.
    pub(super) fn end(
        &self,
        after: &'static str,
        expected: &'static str,
    ) -> Result<(), ArgumentError> {
        match self.peek() {
            Some(_) => Err(self.error(after, Expected::Words(expected))),
            None => Ok(()),
        }
    }

    fn error(&self, after: &'static str, expected: Expected) -> ArgumentError {
        let Some(found) = self.peek().map(Excerpt::new) else {
            return ArgumentError::Missing { after, expected };
        };
        match expected {
            Expected::Words(expected) => ArgumentError::Unexpected {
                after,
                found,
                expected,
            },
            Expected::Number(range) => ArgumentError::NotANumber {
                after,
                found,
                range,
            },
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start_matches(BLANKS);
        let end = text.find(BLANKS).unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end).filter(|_| end > 0)?;
        self.rest = rest;
        Some(word)
    }
}

/// Parses a decimal whole number with an optional `-`.
fn integer(word: &str) -> Option<i128> {
    let is_plain = !word.starts_with('+');
    word.parse().ok().filter(|_| is_plain)
}

/// Removes the line feeds and carriage returns at the end of the line, and all spaces after the first of them.
pub(super) fn without_line_end(mut line: &str) -> &str {
    loop {
        line = line.trim_end_matches(['\r', '\n']);
        let words = line.trim_end_matches(BLANKS);
        if !words.ends_with(['\r', '\n']) {
            return line;
        }
        line = words;
    }
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

/// Writes `name` and then `text`, if any.
pub(super) fn write_text(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    let blank = if text.is_empty() { "" } else { " " };
    write!(f, "{name}{blank}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_at_blanks_only() {
        let mut words = Words::of(" \ta  b\tä\u{a0}c stop d");
        assert_eq!(words.words_until(&["stop"]), ["a", "b", "ä\u{a0}c"]);
        assert_eq!(words.rest(), " stop d");
        let mut words = Words::of("  a \t b ");
        assert_eq!(words.text("a", "text", &[]), Ok("a b".into()));
        assert_eq!(words.rest(), " ");
        assert!(Words::of("  a b").text("a", "text", &["a"]).is_err());
    }

    #[test]
    fn integers_are_plain_decimal() {
        let spelt = ["0", "007", "-5", "18446744073709551616"].map(integer);
        assert_eq!(spelt, [Some(0), Some(7), Some(-5), Some(1 << 64)]);
        for word in [
            "",
            "-",
            "+5",
            "5.",
            "0x5",
            "1_000",
            "5-",
            "--5",
            "٣",
            "1".repeat(60).as_str(),
        ] {
            assert_eq!(integer(word), None, "{word}");
        }
    }

    #[test]
    fn numbers_keep_to_their_range() {
        assert_eq!(Words::of(" 9 x").number("n", 1..=9_u32), Ok(9));
        assert_eq!(Words::of("-9").number("n", -9..=9_i64), Ok(-9));
        for line in ["0", "10", "-0", "-1", "x", ""] {
            let refused = Words::of(line).number("n", 0..=9_u32).is_err();
            assert_eq!(refused, line != "0", "{line}");
        }
    }

    #[test]
    fn a_list_of_numbers_ends_at_a_word_but_not_at_a_bad_number() {
        let mut words = Words::of(" 1 2 x 3");
        assert_eq!(words.numbers("n", 0..=9_u16), Ok(vec![1, 2]));
        assert_eq!(words.rest(), " x 3");
        let error = |line| Words::of(line).numbers("n", 0..=9_u16).unwrap_err();
        assert_eq!(
            error("1 10 x").to_string(),
            r#"n: "10" is not a whole number from 0 to 9"#
        );
        assert_eq!(
            error(" ").to_string(),
            "n: missing argument: expected a whole number from 0 to 9"
        );
    }
}
