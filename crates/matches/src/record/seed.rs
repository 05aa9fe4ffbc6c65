//! The seed of a match: a number that the user chose, or a secret key.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// Bytes of a key.
const KEY_BYTES: usize = 16;

/// Source of all randomness in a match. As text it is a decimal number or 32 hexadecimal digits.
///
/// # Examples
/// ```
/// use matches::record::seed::Seed;
///
/// assert_eq!("7".parse(), Ok(Seed::Number(7)));
/// let key = Seed::Key(*b"sixteen letters!");
/// assert_eq!(key.to_string().parse(), Ok(key));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// A number, short enough to type, and to find by trial and error.
    Number(u64),
    /// A key of 128 bits.
    Key([u8; KEY_BYTES]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a whole number from 0 to 18446744073709551615, or 32 hexadecimal digits")]
pub struct SeedTextError;

impl Default for Seed {
    fn default() -> Seed {
        Seed::Number(1)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seed::Number(number) => write!(f, "{number}"),
            Seed::Key(key) => key.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

impl FromStr for Seed {
    type Err = SeedTextError;

    fn from_str(text: &str) -> Result<Seed, SeedTextError> {
        if text.len() != 2 * KEY_BYTES {
            let number = text.parse().map(Seed::Number);
            return number.map_err(|_| SeedTextError);
        }
        if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(SeedTextError);
        }
        let key = u128::from_str_radix(text, 16).map_err(|_| SeedTextError)?;
        Ok(Seed::Key(key.to_be_bytes()))
    }
}

impl Serialize for Seed {
    /// Writes a number as a number and a key as text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Seed::Number(number) => serializer.serialize_u64(*number),
            Seed::Key(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a seed: a number or a text")]
        enum Form {
            Number(u64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(Seed::Number(number)),
            Form::Text(text) => {
                let wrong = |error| serde::de::Error::custom(format!("seed {text:?}: {error}"));
                text.parse().map_err(wrong)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Seed = Seed::Key([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
    const DIGITS: &str = "000102030405060708090a0b0c0d0eff";

    #[test]
    fn a_seed_is_a_number_or_a_key() {
        for (text, seed) in [
            ("0", Seed::Number(0)),
            ("18446744073709551615", Seed::Number(u64::MAX)),
            (DIGITS, KEY),
        ] {
            assert_eq!(text.parse(), Ok(seed), "{text}");
            assert_eq!(seed.to_string(), text);
        }
        for text in [
            "",
            "-1",
            "7 ",
            "18446744073709551616",
            "banana",
            &DIGITS[1..],
            "+00102030405060708090a0b0c0d0eff",
            &format!("{DIGITS}0"),
        ] {
            assert_eq!(text.parse::<Seed>(), Err(SeedTextError), "{text}");
        }
    }

    #[test]
    fn a_number_is_one_in_json_and_a_key_is_a_text() {
        for (seed, json) in [(Seed::Number(7), "7".to_string()), (KEY, format!("\"{DIGITS}\""))] {
            assert_eq!(serde_json::to_string(&seed).unwrap(), json);
            assert_eq!(serde_json::from_str::<Seed>(&json).unwrap(), seed);
        }
        assert_eq!(serde_json::from_str::<Seed>("\"7\"").unwrap(), Seed::Number(7));
        let error = serde_json::from_str::<Seed>("\"x\"").unwrap_err().to_string();
        assert!(error.contains("seed \"x\": expected a whole number"), "{error}");
        assert!(serde_json::from_str::<Seed>("-1").is_err());
    }
}
