//! Canonical whole numbers: decimal digits without sign or leading zeros.

use thiserror::Error;

use super::Seat;

/// The text is not a canonical whole number in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NumberError {
    /// The text is empty, has a leading zero, or has characters other than digits.
    #[error("is not a whole number without sign or leading zeros")]
    Form,
    /// The number is above this maximum.
    #[error("is above {0}")]
    TooLarge(u32),
}

/// Parses a canonical whole number from 0 to `max`.
///
/// # Errors
/// See [`NumberError`].
pub fn whole_number(text: &str, max: u32) -> Result<u32, NumberError> {
    let canonical = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    if !canonical {
        return Err(NumberError::Form);
    }
    match text.parse::<u32>() {
        Ok(number) if number <= max => Ok(number),
        _ => Err(NumberError::TooLarge(max)),
    }
}

/// Parses the number of one of the first `seats` seats, from 1.
pub fn seat_number(text: &str, seats: usize) -> Option<Seat> {
    match whole_number(text, seats as u32) {
        Ok(0) | Err(_) => None,
        Ok(number) => Some(Seat(number as u8 - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_of_a_number_is_accepted() {
        assert_eq!(whole_number("0", 9), Ok(0));
        assert_eq!(whole_number("65535", 65535), Ok(65535));
        for text in ["", "+1", "-1", "01", "00", "1 ", "1e3", "١"] {
            assert_eq!(whole_number(text, 9), Err(NumberError::Form), "{text:?}");
        }
        for text in ["10", "4294967296", "99999999999999999999999"] {
            assert_eq!(whole_number(text, 9), Err(NumberError::TooLarge(9)), "{text:?}");
        }
    }
}
