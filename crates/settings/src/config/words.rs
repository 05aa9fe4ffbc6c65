//! Conversion of a key and its value to words of the command line.

use matches::spelling::{join, quote};
use std::ffi::OsString;
use std::fmt::Display;

use clap::{Arg, ArgAction};
use toml::{Table, Value};

use crate::args::EngineText;

/// Flags that describe an engine.
const ENGINES: &[&str] = &["engine", "each"];

/// The words of one flag.
#[derive(Debug, PartialEq, Eq)]
pub struct Spelt {
    /// The words, including the flag.
    pub words: Vec<OsString>,
    /// `true` if the flag takes any number of words, up to the next flag.
    pub is_open: bool,
}

impl Spelt {
    /// `--key=value`.
    pub fn with_value(key: &str, value: OsString) -> Spelt {
        let mut word = OsString::from(format!("--{key}="));
        word.push(value);
        Spelt::new([word], false)
    }

    fn new(words: impl IntoIterator<Item: Into<OsString>>, is_open: bool) -> Spelt {
        Spelt { words: words.into_iter().map(Into::into).collect(), is_open }
    }
}

/// The error of a value that does not fit its key.
fn unfit(key: &str, given: impl Display, expected: impl Display) -> String {
    format!("{key} = {given}: {expected}")
}

/// Returns the words for `key = value`; none if the value switches a flag off.
///
/// # Errors
/// The key, which may be one of a table, the value and the accepted values.
pub fn spell(arg: &Arg, key: &str, value: &Value) -> Result<Spelt, String> {
    let unfit = |expected: &str| unfit(key, value, expected);
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return match value.as_bool() {
            Some(is_on) => Ok(Spelt::new(switch(key, is_on), false)),
            None => Err(unfit("expected true or false")),
        };
    }
    let number = arg.get_num_args().unwrap_or_default();
    if let (Some(is_on), 0) = (value.as_bool(), number.min_values()) {
        return Ok(Spelt::new(switch(key, is_on), true));
    }
    if number.max_values() > 1 {
        let values = match value {
            Value::Table(table) => {
                let pairs = pairs(key, table)?.into_iter();
                pairs.map(|(key, value)| format!("{key}={value}")).collect()
            }
            Value::Array(values) => {
                list(values).ok_or_else(|| unfit("expected texts or numbers"))?
            }
            value => vec![scalar(value).ok_or_else(|| unfit("expected texts or numbers"))?],
        };
        let words = [format!("--{key}")].into_iter().chain(values);
        return Ok(Spelt::new(words, true));
    }
    let several = match value {
        Value::Array(values) if matches!(arg.get_action(), ArgAction::Append) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let expected = if ENGINES.contains(&key) {
        "expected a table, or a text as on the command line"
    } else {
        "expected a text or a number"
    };
    let mut words = Vec::new();
    for (index, value) in several.iter().enumerate() {
        let text = match value {
            Value::Table(table) => described(&place(key, index, several.len()), key, table)?,
            value => scalar(value).ok_or_else(|| unfit(expected))?,
        };
        words.push(format!("--{key}={text}"));
    }
    Ok(Spelt::new(words, false))
}

/// A flag that takes no value.
fn switch(key: &str, is_on: bool) -> Option<String> {
    is_on.then(|| format!("--{key}"))
}

/// Name of one of several tables in error messages.
fn place(key: &str, index: usize, number: usize) -> String {
    match number {
        1 => key.to_string(),
        _ => format!("{key} {}", index + 1),
    }
}

/// Joins a table to one text, `KEY=VALUE ...`, quoted as for a shell; the text of an engine is checked, too.
fn described(place: &str, key: &str, table: &Table) -> Result<String, String> {
    let word = |(name, value): (String, String)| {
        if quote(&name) == name {
            format!("{name}={}", quote(&value))
        } else {
            quote(&format!("{name}={value}"))
        }
    };
    let text = pairs(place, table)?.into_iter().map(word).collect::<Vec<_>>().join(" ");
    if ENGINES.contains(&key) {
        EngineText::parse(&text).map_err(|reason| unfit(place, &text, reason))?;
    }
    Ok(text)
}

/// The pairs of key and value of a table. Keys of nested tables are joined by a dot; a list becomes one text of words.
fn pairs(place: &str, table: &Table) -> Result<Vec<(String, String)>, String> {
    let mut pairs = Vec::new();
    for (key, value) in table {
        let unfit = |key: &str, value: &Value, expected: &str| {
            unfit(&format!("{place}: {key}"), value, expected)
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(arg: &Arg, value: &str) -> Result<Vec<String>, String> {
        let table: Table = format!("key = {value}").parse().unwrap();
        let spelt = spell(arg, "key", &table["key"])?;
        let text = |word: OsString| word.into_string().unwrap();
        Ok(spelt.words.into_iter().map(text).collect())
    }

    #[test]
    fn a_value_is_spelled_as_its_flag_accepts_it() {
        let switch = Arg::new("key").long("key").action(ArgAction::SetTrue);
        let one = Arg::new("key").long("key").action(ArgAction::Set).num_args(1);
        let repeated = Arg::new("key").long("key").action(ArgAction::Append).num_args(1);
        let any = Arg::new("key").long("key").num_args(0..);
        let cases: [(&Arg, &str, &[&str]); 14] = [
            (&switch, "true", &["--key"]),
            (&switch, "false", &[]),
            (&one, "-3", &["--key=-3"]),
            (&one, "0.5", &["--key=0.5"]),
            (&one, "'two words'", &["--key=two words"]),
            (&one, "{ a = 1, b = 'x y', c = true }", &["--key=a=1 b='x y' c=on"]),
            (&one, "{ o.Hash = 1, o.'Own Book' = false }", &["--key=o.Hash=1 'o.Own Book=false'"]),
            (&one, "{ args = ['-q', 'x y'] }", &[r#"--key=args="-q 'x y'""#]),
            (&repeated, "[1, 'b']", &["--key=1", "--key=b"]),
            (&repeated, "[{ a = 1 }, { a = 2 }]", &["--key=a=1", "--key=a=2"]),
            (&any, "{ elo0 = -1, elo1 = 2.5 }", &["--key", "elo0=-1", "elo1=2.5"]),
            (&any, "['a', 2]", &["--key", "a", "2"]),
            (&any, "true", &["--key"]),
            (&any, "false", &[]),
        ];
        for (arg, value, expected) in cases {
            let expected = expected.iter().map(|word| word.to_string()).collect();
            assert_eq!(words(arg, value), Ok(expected), "{value}");
        }
        for (arg, value) in [
            (&switch, "1"),
            (&one, "true"),
            (&one, "[1]"),
            (&one, "1979-05-27"),
            (&one, "{ a.b.c = 1 }"),
            (&one, "{ a = [[1]] }"),
            (&repeated, "[true]"),
            (&any, "[{ a = 1 }]"),
        ] {
            let reason = words(arg, value).unwrap_err();
            assert!(reason.contains(": expected "), "{value}: {reason}");
        }
    }
}
