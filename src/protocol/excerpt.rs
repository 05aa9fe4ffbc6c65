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
        Self { text: start, shortened: chars.next().is_some() }
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
}
