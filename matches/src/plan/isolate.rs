//! Isolation of the engines from each other.

use std::fmt;
use std::str::FromStr;

/// Whether engines are isolated from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolate {
    /// If the system allows it.
    #[default]
    Auto,
    /// Always; without support of the system the match fails.
    On,
    /// Never.
    Off,
}

impl fmt::Display for Isolate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isolate::Auto => "auto",
            Isolate::On => "on",
            Isolate::Off => "off",
        })
    }
}

impl FromStr for Isolate {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form of [`Isolate`]; the error names the accepted values.
    fn from_str(text: &str) -> Result<Isolate, String> {
        match text {
            "auto" => Ok(Isolate::Auto),
            "on" => Ok(Isolate::On),
            "off" => Ok(Isolate::Off),
            _ => Err("expected auto, on or off".to_string()),
        }
    }
}
