//! Text from outside, made safe to show.
//!
//! Text from an engine or a file may contain escape sequences that move the cursor of a terminal, marks that reverse
//! the direction of a line, and invisible characters. All of them are shown as escapes such as `\u{1b}`. Only this
//! module decides which characters are escaped, and how.

use std::borrow::Cow;
use std::fmt::Write;

/// Number of lines that [`first_and_last`] shows from the start of an output.
const FIRST_LINES: usize = 5;
/// Number of lines that it shows from the end.
const LAST_LINES: usize = 3;

/// `true` if a character is not visible as itself: a control character, a mark of the writing direction, a character
/// without width, or a separator of lines or paragraphs.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Replaces the characters of a text that do not stay. ASCII graphic characters and blanks always do; most texts
/// consist of them, so this is a fast path.
fn escaped(
    text: &str,
    stays: impl Fn(char) -> bool,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || text.chars().all(&stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if stays(c) { shown.push(c) } else { escape(&mut shown, c) }
    }
    Cow::Owned(shown)
}

/// Escapes a text for use within one line: hidden characters become escapes, tabs become blanks.
///
/// # Examples
/// ```
/// use matches::record::printable::printable;
///
/// assert_eq!(printable("\u{1b}[31mred\n"), r"\u{1b}[31mred\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    let escape = |shown: &mut String, c| match c {
        '\t' => shown.push(' '),
        c => shown.extend(c.escape_default()),
    };
    escaped(text, |c| !is_hidden(c), escape)
}

/// Escapes a text of several lines: like [`printable`], but line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let stays = |c| matches!(c, '\n' | '\t') || !is_hidden(c);
    escaped(text, stays, |shown, c| shown.extend(c.escape_default()))
}

/// Escapes bytes like [`printable`]; bytes that are not UTF-8 become `\xff`.
pub fn printable_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return printable(text);
    }
    let mut shown = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        shown += &printable(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string never fails.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    Cow::Owned(shown)
}

/// Returns the first `most` characters of a text, followed by three dots if there are more.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns the first and last lines of an output that are not blank, with the number of omitted lines in between: a
/// crash may print its reason before or after a stack trace.
pub fn first_and_last(lines: &[String]) -> Vec<String> {
    let lines: Vec<String> = lines.iter().filter(|line| !line.trim().is_empty()).cloned().collect();
    match lines.len().saturating_sub(FIRST_LINES + LAST_LINES) {
        0 | 1 => lines,
        omitted => {
            let (first, rest) = lines.split_at(FIRST_LINES);
            [first, &[format!("[{omitted} lines]")], &rest[omitted..]].concat()
        }
    }
}

/// Characters from the start and from the end of a text that [`ends_of`] keeps.
const ENDS: [usize; 2] = [60, 140];

/// Returns the ends of a text, with three dots between them, if it is too long to be shown: of a long game the start
/// and the last moves.
pub fn ends_of(text: &str) -> Cow<'_, str> {
    let [head, tail] = ENDS;
    let length = text.chars().count();
    if length <= head + tail {
        return Cow::Borrowed(text);
    }
    let from_head: String = text.chars().take(head).collect();
    let from_tail: String = text.chars().skip(length - tail).collect();
    Cow::Owned(format!("{from_head} ... {from_tail}"))
}

/// Replaces hidden characters in JSON by JSON escapes; its meaning stays the same.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // Outside of JSON strings the only hidden characters are white space, and inside of them white space is escaped.
    let stays = |c| matches!(c, '\n' | '\t' | '\r') || !is_hidden(c);
    escaped(json, stays, |shown, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string never fails.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIDDEN: &str = "\0\u{1}\u{7}\u{8}\r\u{b}\u{c}\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{9f}\u{ad}\u{61c}\u{200b}\
        \u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}";

    #[test]
    fn the_first_and_last_lines_that_are_not_blank_are_shown() {
        let lines = |text: &str| text.split(' ').map(String::from).collect::<Vec<String>>();
        for (text, expected) in [
            ("", ""),
            ("a  b", "a b"),
            ("1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 9"),
            ("1 2 3 4 5 6 7  8 9 10", "1 2 3 4 5 [2|lines] 8 9 10"),
        ] {
            let shown = first_and_last(&lines(text)).join(" ").replace(" lines]", "|lines]");
            assert_eq!(shown, expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_hidden_is_shown_and_the_rest_stays() {
        for c in HIDDEN.chars() {
            let text = format!("a{c}b");
            let escape = format!("a{}b", c.escape_default());
            assert!(escape.is_ascii(), "{escape}");
            assert_eq!(printable(&text), escape);
            assert_eq!(printable_lines(&text), escape);
            assert_eq!(printable_bytes(text.as_bytes()), escape);
        }
        let plain = "Größe 5 \\ \"q\" ← 兔子 e\u{301} 🐇";
        assert_eq!(printable(plain), plain);
        assert_eq!(printable("a\tb\nc"), r"a b\nc");
        assert_eq!(printable_lines("a\tb\nc\r"), "a\tb\nc\\r");
        assert_eq!(printable_bytes(b"a\xff\xc3\x1bb"), r"a\xff\xc3\u{1b}b");
    }

    #[test]
    fn json_means_the_same_with_escapes() {
        let text: String = HIDDEN.chars().chain("ä\"\\\n\t".chars()).collect();
        for json in [
            serde_json::to_string(&[&text]).unwrap(),
            serde_json::to_string_pretty(&[&text]).unwrap(),
        ] {
            let shown = printable_json(&json);
            assert!(!shown.replace('\n', "").contains(is_hidden), "{shown}");
            let back: [String; 1] = serde_json::from_str(&shown).unwrap();
            assert_eq!(back[0], text);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöüß", 3), "äöü...");
    }
}
