//! Parsers for numbers within a range; their errors name the accepted range.

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::spelling::text;

/// Maximum of a time in milliseconds or in seconds: one day, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Whole number from `MIN` to `MAX`, in a flag or a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within<const MIN: u64, const MAX: u64>(pub u64);

pub type Positive = Within<1, { u64::MAX }>;
pub type Seats = Within<2, { buxtehude::rules::MAX_SEATS as u64 }>;
pub type Concurrency = Within<1, 1000>;
pub type Milliseconds = Within<1, DAY_MS>;
pub type MillisecondsOrZero = Within<0, DAY_MS>;
/// Timeout for an answer, in seconds.
pub type Stall = Within<1, { DAY_MS / 1000 }>;
/// Search depth, in plies.
pub type Depth = Within<1, 1000>;
pub type UpTo1000 = Within<0, 1000>;
pub type MaxPlies = Within<1, { u32::MAX as u64 }>;

impl<const MIN: u64, const MAX: u64> FromStr for Within<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Within<MIN, MAX>, String> {
        number(text, MIN, MAX).map(Within)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Within<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Within<MIN, MAX>, D::Error> {
        text::deserialize(from)
    }
}

fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| match most {
        u64::MAX => format!("expected a whole number of at least {least}"),
        _ => format!("expected a whole number from {least} to {most}"),
    })
}

pub fn positive(text: &str) -> Result<u64, String> {
    number(text, 1, u64::MAX)
}

pub fn seats(text: &str) -> Result<usize, String> {
    number(text, 2, buxtehude::rules::MAX_SEATS as u64).map(|number| number as usize)
}

pub fn concurrency(text: &str) -> Result<usize, String> {
    number(text, 1, 1000).map(|number| number as usize)
}

/// Parses a time per move, in milliseconds.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    number(text, 1, DAY_MS)
}

pub fn milliseconds_or_zero(text: &str) -> Result<u64, String> {
    number(text, 0, DAY_MS)
}

/// Parses a search depth, in plies.
pub fn depth(text: &str) -> Result<u32, String> {
    number(text, 1, 1000).map(|number| number as u32)
}

pub fn up_to_1000(text: &str) -> Result<u32, String> {
    number(text, 0, 1000).map(|number| number as u32)
}

/// Parses an amount of memory, in MiB.
pub fn mebibytes(text: &str) -> Result<u64, String> {
    number(text, 1, 1 << 40)
}

pub fn cpu_seconds(text: &str) -> Result<u64, String> {
    number(text, 1, 1 << 32)
}

pub fn processes(text: &str) -> Result<u64, String> {
    number(text, 1, 1 << 22)
}

/// Parses `K` or `K-L`.
pub fn plies(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let plies = |text| number(text, 1, 1000).ok().map(|number| number as u32);
    let range = plies(least).zip(plies(most));
    let range = range.filter(|(least, most)| least <= most);
    let expected = "expected a whole number from 1 to 1000, or two such as 4-8";
    range.map(|(least, most)| least..=most).ok_or_else(|| expected.to_string())
}
