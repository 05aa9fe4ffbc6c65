//! The beginning of a text: a byte order mark is skipped, and other encodings and compressed files are named.

use thiserror::Error;

/// The byte order mark in UTF-8, which some editors and programs write first.
const MARK: &[u8] = "\u{feff}".as_bytes();

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
    bytes.strip_prefix(MARK).unwrap_or(bytes)
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
