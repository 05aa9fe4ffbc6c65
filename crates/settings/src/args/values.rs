//! Flags in a settings file: the defaults of those that it lacks, and values that stand for the text of a flag, such as
//! a table for `KEY=VALUE` words.

use std::path::PathBuf;

use clap::{Args, Command};
use matches::plan::EngineSpec;
use matches::plan::rules::external::RulesPlan;
use matches::run::exit::ExitError;
use matches::spelling::{join, quote};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::rules::rules;
use super::{EngineText, luck_engine};

/// The settings file of a match: its path, and the keys that no typed flag replaces.
#[derive(Clone, Debug)]
pub struct FromFile {
    pub(crate) path: PathBuf,
    pub(crate) keys: Vec<String>,
}

impl FromFile {
    /// Returns an error about a flag as one about the key of the file, if the file sets it.
    pub fn blame(&self, error: ExitError) -> ExitError {
        let flag = error.message.strip_prefix("--").unwrap_or_default();
        let end = flag.find(|c: char| !(c.is_alphanumeric() || c == '-'));
        if self.keys.iter().any(|key| key == &flag[..end.unwrap_or(flag.len())]) {
            let message = format!("--config: {}: {flag}", self.path.display());
            return ExitError { message, ..error };
        }
        error
    }
}

/// The arguments of a command line without flags.
pub(crate) fn without_flags<A: Args>() -> A {
    let command = A::augment_args(Command::new("flags"));
    let parsed =
        command.try_get_matches_from(["flags"]).and_then(|none| A::from_arg_matches(&none));
    // Cannot fail, since no flag is required.
    parsed.unwrap_or_else(|error| error.exit())
}

/// Gives settings that a file lacks the defaults of their flags.
macro_rules! no_flags {
    ($($args:ty),*) => {
        $(impl Default for $args {
            fn default() -> $args {
                crate::args::values::without_flags()
            }
        })*
    };
}
pub(crate) use no_flags;

/// Engines, each as a table or a text.
pub fn texts_of_programs<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let engines = match Value::deserialize(from)? {
        Value::Array(engines) => engines,
        engine => vec![engine],
    };
    let number_of_engines = engines.len();
    let text = |(index, engine): (usize, &Value)| {
        engine_text(engine).map_err(|reason| match number_of_engines {
            1 => D::Error::custom(reason),
            _ => D::Error::custom(format_args!("engine {}: {reason}", index + 1)),
        })
    };
    engines.iter().enumerate().map(text).collect()
}

/// The settings that all engines share, as a table or a text.
pub fn text_of_program<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    engine_text(&Value::deserialize(from)?).map(Some).map_err(D::Error::custom)
}

/// An engine that measures luck, as a table or a text.
pub fn some_engine<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EngineSpec>, D::Error> {
    let text = program_text(&Value::deserialize(from)?).map_err(D::Error::custom)?;
    luck_engine(&text).map(Some).map_err(D::Error::custom)
}

/// A rules program, as a table or a text.
pub fn some_rules<'de, D: Deserializer<'de>>(from: D) -> Result<Option<RulesPlan>, D::Error> {
    let text = program_text(&Value::deserialize(from)?).map_err(D::Error::custom)?;
    rules(&text).map(Some).map_err(D::Error::custom)
}

/// The words of a flag that takes any number of them: a table, a list or a text; `true` for none and `false` for no
/// flag.
pub fn some_words<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let words = match Value::deserialize(from)? {
        Value::Boolean(is_on) => return Ok(is_on.then(Vec::new)),
        Value::Table(table) => {
            let pairs = pairs(&table).map_err(D::Error::custom)?.into_iter();
            Some(pairs.map(|(key, value)| format!("{key}={value}")).collect())
        }
        Value::Array(values) => list(&values),
        value => scalar(&value).map(|word| vec![word]),
    };
    let expected = || D::Error::custom("expected true, false, a table, texts or numbers");
    words.map(Some).ok_or_else(expected)
}

/// The text of an engine, whose keys and values are checked.
fn engine_text(value: &Value) -> Result<String, String> {
    let text = program_text(value)?;
    EngineText::parse(&text).map_err(|reason| format!("{text}: {reason}"))?;
    Ok(text)
}

/// The text of a program: a table becomes `KEY=VALUE ...`, quoted as for a shell.
fn program_text(value: &Value) -> Result<String, String> {
    let Value::Table(table) = value else {
        let expected = "expected a table, or a text as on the command line";
        return scalar(value).ok_or_else(|| expected.to_string());
    };
    let word = |(name, value): (String, String)| {
        if quote(&name) == name {
            format!("{name}={}", quote(&value))
        } else {
            quote(&format!("{name}={value}"))
        }
    };
    Ok(pairs(table)?.into_iter().map(word).collect::<Vec<_>>().join(" "))
}

/// The pairs of key and value of a table. Keys of nested tables are joined by a dot; a list becomes one text of words.
fn pairs(table: &Table) -> Result<Vec<(String, String)>, String> {
    let mut pairs = Vec::new();
    for (key, value) in table {
        let unfit =
            |key: &str, value: &Value, expected: &str| format!("{key} = {value}: {expected}");
        match value {
            Value::Table(inner) => {
                for (name, value) in inner {
                    let key = format!("{key}.{name}");
                    let text = value.as_bool().map(|value| value.to_string());
                    let text = text.or_else(|| scalar(value));
                    let expected = "expected a text, a number, true or false";
                    let text = text.ok_or_else(|| unfit(&key, value, expected))?;
                    pairs.push((key, text));
                }
            }
            Value::Array(values) => {
                let expected = "expected a list of texts or numbers";
                let words = list(values).ok_or_else(|| unfit(key, value, expected))?;
                pairs.push((key.clone(), join(words.iter().map(String::as_str))));
            }
            Value::Boolean(true) => pairs.push((key.clone(), "on".to_string())),
            Value::Boolean(false) => pairs.push((key.clone(), "off".to_string())),
            value => {
                let expected = "expected a text, a number, true, false, or a list";
                let text = scalar(value).ok_or_else(|| unfit(key, value, expected))?;
                pairs.push((key.clone(), text));
            }
        }
    }
    Ok(pairs)
}

/// All values of a list as typed, or `None` if one of them cannot be typed.
fn list(values: &[Value]) -> Option<Vec<String>> {
    values.iter().map(scalar).collect()
}

/// A text or a number as typed; a text with a NUL cannot be.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.contains('\0')).then(|| text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}
