//! The syntax of values in flags, settings files and stored plans: numbers within a range, whose errors name it; times
//! as whole numbers; settings with a text form as this text; options as a table.

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// Maximum of a time in milliseconds or in seconds: one day, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Whole number from `MIN` to `MAX`, in a flag or a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within<const MIN: u64, const MAX: u64>(pub u64);

/// Largest whole number in TOML, as which plans are exported.
const MAX_WHOLE: u64 = i64::MAX as u64;

pub type Positive = Within<1, MAX_WHOLE>;
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
/// Amount of memory, in MiB.
pub type Mebibytes = Within<1, { 1 << 40 }>;
pub type CpuSeconds = Within<1, { 1 << 32 }>;
pub type Processes = Within<1, { 1 << 22 }>;

impl<const MIN: u64, const MAX: u64> Within<MIN, MAX> {
    /// Parses a number as the type in which it is used.
    ///
    /// # Errors
    /// The accepted numbers, also if the type cannot hold all of them and not this one.
    pub fn parse<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
        let number = text.parse().ok().filter(|number| (MIN..=MAX).contains(number));
        number.and_then(|number| N::try_from(number).ok()).ok_or_else(|| {
            let is_too_large = text.parse::<u128>().is_ok_and(|number| number > MAX.into());
            if MAX == MAX_WHOLE && !is_too_large {
                format!("expected a whole number of at least {MIN}")
            } else {
                format!("expected a whole number from {MIN} to {MAX}")
            }
        })
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for Within<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Within<MIN, MAX>, String> {
        Within::<MIN, MAX>::parse(text).map(Within)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Within<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Within<MIN, MAX>, D::Error> {
        text::deserialize(from)
    }
}

/// Parses `K` or `K-L`.
pub fn plies(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range =
        Depth::parse(least).ok().zip(Depth::parse(most).ok()).filter(|(least, most)| least <= most);
    let expected = "expected a whole number from 1 to 1000, or two such as 4-8";
    range.map(|(least, most)| least..=most).ok_or_else(|| expected.to_string())
}

/// A value in the form of its [`Display`](std::fmt::Display).
pub mod text {
    use std::fmt::{self, Display};
    use std::marker::PhantomData;
    use std::str::FromStr;

    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Reads a text, or a number as its text.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        from.deserialize_any(Text(PhantomData))
    }

    struct Text<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a number")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }
    }
}

/// [`text`], or nothing.
pub mod some_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::Deserializer;

    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        super::text::deserialize(from).map(Some)
    }
}

/// Defines a module that spells times as whole numbers of a unit.
macro_rules! unit_of_time {
    ($module:ident, $number:ident, $time:ident) => {
        pub mod $module {
            use std::time::Duration;

            use serde::{Deserialize, Deserializer, Serializer};

            pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_u64(u64::try_from(time.$number()).unwrap_or(u64::MAX))
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
                u64::deserialize(from).map(Duration::$time)
            }
        }
    };
}

unit_of_time!(milliseconds, as_millis, from_millis);
unit_of_time!(seconds, as_secs, from_secs);

/// Milliseconds, or nothing.
pub mod some_milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Milliseconds(#[serde(with = "super::milliseconds")] Duration);

    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        time.map(Milliseconds).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<Milliseconds>::deserialize(from)?.map(|time| time.0))
    }
}

/// Pairs of a name and a value as a table, in their order.
pub mod pairs {
    use std::fmt;

    use serde::de::{MapAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(pairs: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(String, String)>, D::Error> {
        from.deserialize_map(Pairs)
    }

    struct Pairs;

    impl<'de> Visitor<'de> for Pairs {
        type Value = Vec<(String, String)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table of texts")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
}

/// `true` for a switch that is off, which is not written.
pub fn is_off(switch: &bool) -> bool {
    !switch
}
