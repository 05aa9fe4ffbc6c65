//! Offending text, made fit for an error of one line.

use std::fmt;

/// The beginning of a text from outside, at most [`Excerpt::MAX_CHARS`] characters of it.
///
/// It prints in quotes with control characters escaped, so it never breaks the line it stands in; three dots behind
/// the quotes say that it was shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    text: String,
    shortened: bool,
}

impl Excerpt {
    /// How many characters of the text are kept.
    pub const MAX_CHARS: usize = 60;

    /// The beginning of `text`.
    pub fn new(text: &str) -> Self {
        let mut chars = text.chars();
        let start = chars.by_ref().take(Self::MAX_CHARS).collect();
        Self {
            text: start,
            shortened: chars.next().is_some(),
        }
    }

    /// The text that was kept, as it came.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.shortened { "..." } else { "" };
        write!(f, "\"{}\"{dots}", self.text.escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_quoted_whole() {
        assert_eq!(Excerpt::new("hop").to_string(), "\"hop\"");
        assert_eq!(Excerpt::new("").to_string(), "\"\"");
        assert_eq!(
            Excerpt::new(&"ä".repeat(60)).to_string(),
            format!("\"{}\"", "ä".repeat(60))
        );
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(
            Excerpt::new(&"ä".repeat(61)).to_string(),
            format!("\"{}\"...", "ä".repeat(60))
        );
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            Excerpt::new("a\r\n\0\u{1b}\"\u{2028}").to_string(),
            r#""a\r\n\0\u{1b}\"\u{2028}""#
        );
    }
}
