//! Bytes of a stream or a file as text. Lines from an untrusted stream may be of any length, with any bytes, and cut
//! off. A byte order mark at the beginning is skipped, and other encodings and compressed files are named.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use thiserror::Error;

/// Longest line accepted, in bytes, including a carriage return but not the newline.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Reads line by line into one buffer. The buffer never holds more than the longest line accepted.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    limit: usize,
    buffer: Vec<u8>,
    /// `true` while the rest of a line that was too long is skipped.
    skipping: bool,
    /// `true` before the first line, which may begin with a byte order mark.
    is_first: bool,
}

/// Bytes up to a newline or to the end of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A whole line without its end (`\n` or `\r\n`).
    Text(&'a str),
    /// The last line of the stream, without a newline.
    CutOff(&'a [u8]),
    /// A whole line that is not UTF-8, without its end.
    NotUtf8(&'a [u8]),
    /// A line that is too long. The next call skips the rest of it.
    TooLong {
        /// Number of bytes accepted.
        limit: usize,
        /// The first `limit` bytes of the line.
        start: &'a [u8],
    },
}

impl<R: BufRead> LineReader<R> {
    /// Reads lines of at most [`MAX_LINE_BYTES`].
    pub fn new(reader: R) -> Self {
        Self::with_limit(reader, MAX_LINE_BYTES)
    }

    /// Reads lines of at most `limit` bytes.
    pub fn with_limit(reader: R, limit: usize) -> Self {
        Self { reader, limit, buffer: Vec::new(), skipping: false, is_first: true }
    }

    /// Waits for the next line; returns `None` at the end of the stream.
    ///
    /// A line that is too long is reported as soon as it exceeds the limit.
    ///
    /// # Errors
    /// Any error of the stream except interruptions; the bytes read of the line are lost.
    pub fn next_line(&mut self) -> Option<io::Result<Line<'_>>> {
        self.buffer.clear();
        let is_first = std::mem::take(&mut self.is_first);
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Some(Err(error)),
            };
            if available.is_empty() {
                let nothing = self.skipping || self.buffer.is_empty();
                self.skipping = false;
                return (!nothing).then(|| Ok(Line::CutOff(line_in(&self.buffer, is_first))));
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let length = newline.unwrap_or(available.len());
            let was_skipping = self.skipping;
            let room = self.limit - self.buffer.len();
            if !was_skipping {
                self.buffer.extend(available.iter().take(length.min(room)));
            }
            self.reader.consume(length + usize::from(newline.is_some()));
            if was_skipping {
                self.skipping = newline.is_none();
            } else if length > room {
                self.skipping = newline.is_none();
                let limit = self.limit;
                let start = &self.buffer;
                return Some(Ok(Line::TooLong { limit, start }));
            } else if newline.is_some() {
                let bytes = line_in(&self.buffer, is_first);
                return Some(Ok(
                    std::str::from_utf8(bytes).map_or(Line::NotUtf8(bytes), Line::Text)
                ));
            }
        }
    }
}

impl<R: Read> LineReader<BufReader<R>> {
    /// `true` if the buffer holds a whole line, which the next call returns without waiting.
    pub fn has_line(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }
}

impl Line<'_> {
    /// The bytes read of the line.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Line::Text(text) => text.as_bytes(),
            Line::CutOff(bytes) | Line::NotUtf8(bytes) | Line::TooLong { start: bytes, .. } => {
                bytes
            }
        }
    }
}

/// Returns a line without a carriage return at its end and, at the start of the stream, without a byte order mark.
fn line_in(buffer: &[u8], is_first: bool) -> &[u8] {
    let line = buffer.strip_suffix(b"\r").unwrap_or(buffer);
    if is_first { without_mark(line) } else { line }
}

/// The byte order mark in UTF-8, which some editors and programs write first.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// First bytes of compressed files, with the programs that make them.
const COMPRESSED: [(&[u8], &str); 8] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"\x1f\x9d", "compress"),
];

/// Bytes that are not text in UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    /// Text in another encoding of Unicode.
    #[error("it is in UTF-16 or UTF-32: expected UTF-8")]
    Utf16,
    /// A compressed file.
    #[error("it is compressed with {0}: decompress it first")]
    Compressed(&'static str),
    /// Something else.
    #[error("line {0} is not in UTF-8")]
    NotUtf8(usize),
}

/// Returns the bytes after the byte order mark, if they begin with one.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Checks the first bytes of a text; eight are enough.
///
/// # Errors
/// [`TextError::Utf16`] or [`TextError::Compressed`].
pub fn check_beginning(bytes: &[u8]) -> Result<(), TextError> {
    if let Some((_, program)) = COMPRESSED.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(TextError::Compressed(program));
    }
    // The first two characters of a text are in ASCII, but for its byte order mark. A file of zeros is no text at all.
    let is_marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let start = bytes.get(..4).unwrap_or(bytes);
    if is_marked || start.contains(&0) && start.iter().any(|&byte| byte != 0) {
        Err(TextError::Utf16)
    } else {
        Ok(())
    }
}

/// Returns the text of a file, without its byte order mark.
///
/// # Errors
/// [`TextError`] names what the file is instead.
pub fn decode(mut bytes: Vec<u8>) -> Result<String, TextError> {
    check_beginning(&bytes)?;
    let mark = bytes.len() - without_mark(&bytes).len();
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        TextError::NotUtf8(valid.filter(|&&byte| byte == b'\n').count() + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints the lines of `bytes`, read through a buffer of `capacity` bytes, with lines of at most `limit`.
    fn lines(bytes: &[u8], capacity: usize, limit: usize) -> Vec<String> {
        let mut reader = LineReader::with_limit(BufReader::with_capacity(capacity, bytes), limit);
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line() {
            lines.push(format!("{:?}", line.unwrap()));
        }
        lines
    }

    #[test]
    fn lines_are_cut_at_newlines_whatever_the_buffer() {
        for capacity in 1..12 {
            assert_eq!(
                lines("uci\r\n\ngo ä\n\r\nquit".as_bytes(), capacity, 9),
                [
                    r#"Text("uci")"#, r#"Text("")"#, r#"Text("go ä")"#, r#"Text("")"#,
                    "CutOff([113, 117, 105, 116])"
                ],
                "capacity {capacity}"
            );
        }
    }

    #[test]
    fn a_whole_line_in_the_buffer_is_known() {
        let bytes = b"uci\nlonger than all\nd\n\nquit";
        for (capacity, known) in
            [(64, [true, true, true, false, false]), (8, [false, false, true, false, false])]
        {
            let mut reader =
                LineReader::with_limit(BufReader::with_capacity(capacity, &bytes[..]), 9);
            assert!(!reader.has_line(), "nothing is read yet");
            for known in known {
                reader.next_line().unwrap().unwrap();
                assert_eq!(reader.has_line(), known, "capacity {capacity}");
            }
        }
    }

    #[test]
    fn an_empty_stream_has_no_line_and_a_newline_ends_the_last() {
        assert_eq!(lines(b"", 8, 8), [""; 0]);
        assert_eq!(lines(b"d\n", 8, 8), [r#"Text("d")"#]);
    }

    #[test]
    fn a_line_that_is_too_long_costs_itself_only() {
        for capacity in 1..12 {
            assert_eq!(
                lines(b"1234\n12345\n1234567890\nd\n12345", capacity, 4),
                [
                    r#"Text("1234")"#,
                    "TooLong { limit: 4, start: [49, 50, 51, 52] }",
                    "TooLong { limit: 4, start: [49, 50, 51, 52] }",
                    r#"Text("d")"#,
                    "TooLong { limit: 4, start: [49, 50, 51, 52] }",
                ],
                "capacity {capacity}"
            );
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_cost_their_line_only() {
        assert_eq!(
            lines(b"\xff\r\nd\n\xc3", 8, 8),
            ["NotUtf8([255])", r#"Text("d")"#, "CutOff([195])"]
        );
    }

    #[test]
    fn an_endless_line_is_reported_at_once_and_takes_no_more_memory_than_the_limit() {
        let mut reader = LineReader::new(BufReader::new(io::repeat(b'x')));
        let line = reader.next_line().unwrap().unwrap();
        assert!(
            matches!(line, Line::TooLong { limit: MAX_LINE_BYTES, start } if start.len() == MAX_LINE_BYTES)
        );
        let capacity = reader.buffer.capacity();
        assert!(capacity <= 2 * MAX_LINE_BYTES, "{capacity}");

        let huge = io::repeat(b'x').take(100 * MAX_LINE_BYTES as u64).chain(&b"\nisready\n"[..]);
        let mut reader = LineReader::new(BufReader::new(huge));
        assert!(matches!(reader.next_line().unwrap().unwrap(), Line::TooLong { .. }));
        assert_eq!(reader.next_line().unwrap().unwrap(), Line::Text("isready"));
        assert!(reader.next_line().is_none());
        let capacity = reader.buffer.capacity();
        assert!(capacity <= 2 * MAX_LINE_BYTES, "{capacity}");
    }

    #[test]
    fn interruptions_are_no_errors_and_errors_are_passed_on() {
        struct Flaky(Vec<io::Result<&'static [u8]>>);
        impl Read for Flaky {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let bytes = self.0.remove(0)?;
                into[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            }
        }
        let answers = vec![
            Ok(&b"is"[..]),
            Err(ErrorKind::Interrupted.into()),
            Ok(b"ready\n"),
            Err(ErrorKind::BrokenPipe.into()),
        ];
        let mut reader = LineReader::new(BufReader::new(Flaky(answers)));
        assert_eq!(reader.next_line().unwrap().unwrap(), Line::Text("isready"));
        assert_eq!(reader.next_line().unwrap().unwrap_err().kind(), ErrorKind::BrokenPipe);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once() {
        let decode = |text: &str| decode(text.as_bytes().to_vec()).unwrap();
        assert_eq!(decode("\u{feff}a\nb"), "a\nb");
        assert_eq!(decode("\u{feff}\u{feff}a"), "\u{feff}a");
        assert_eq!(decode("a\u{feff}"), "a\u{feff}");
        assert_eq!(["", "\u{feff}"].map(decode), ["", ""]);
    }

    #[test]
    fn what_is_no_text_is_named() {
        let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| {
            text.encode_utf16().flat_map(order).collect::<Vec<u8>>()
        };
        for text in ["\u{feff}1 2 3\n", "1 2 3\n", "{"] {
            for order in [u16::to_le_bytes, u16::to_be_bytes] {
                assert_eq!(decode(utf16(text, order)), Err(TextError::Utf16), "{text:?}");
            }
        }
        assert_eq!(decode(vec![0; 8]).as_deref(), Ok("\0\0\0\0\0\0\0\0"));
        let gzip = b"\x1f\x8b\x08\0\0\0".to_vec();
        assert_eq!(decode(gzip), Err(TextError::Compressed("gzip")));
        assert_eq!(decode(b"a\nb\xff\n".to_vec()), Err(TextError::NotUtf8(2)));
    }
}
