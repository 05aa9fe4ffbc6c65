//! Spelling of values in a plan: times as whole numbers, settings with a text form as this text, options as a table.

/// A value in the form of its [`Display`](std::fmt::Display).
pub mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(|reason| D::Error::custom(format_args!("{text:?}: {reason}")))
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
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub fn is_off(switch: &bool) -> bool {
    !switch
}
