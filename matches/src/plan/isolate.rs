//! Whether engines are walled off from each other.

use std::fmt;
use std::str::FromStr;

/// Whether engines are isolated from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolate {
    /// Where the system allows it.
    #[default]
    Auto,
    /// In any case: where the system does not allow it, nothing is played.
    On,
    /// Not at all.
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

    /// Reads what [`Isolate`] displays; the error says what would have been accepted.
    fn from_str(text: &str) -> Result<Isolate, String> {
        match text {
            "auto" => Ok(Isolate::Auto),
            "on" => Ok(Isolate::On),
            "off" => Ok(Isolate::Off),
            _ => Err("expected auto, on or off".to_string()),
        }
    }
}
