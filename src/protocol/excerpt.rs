//! Offending text, shortened and escaped for an error message of one line.

use std::fmt;

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
        Self {
            text: start,
            shortened: chars.next().is_some(),
        }
    }

    /// The kept text, unescaped.
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
