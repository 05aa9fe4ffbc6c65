//! What the parser refuses, told in the words of the file where the file is to blame.

use std::error::Error as _;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};

use super::ConfigError;

/// An error of the parser, where it is about one of the `keys` that a file set, as one of the file.
pub fn of<'a>(
    error: clap::Error,
    path: &Path,
    keys: impl Iterator<Item = &'a String>,
) -> ConfigError {
    let Some(key) = flag(&error).and_then(|flag| keys.into_iter().find(|key| **key == flag)) else {
        return ConfigError::Typed(error);
    };
    let path = path.to_path_buf();
    let Some(given) = context(&error, ContextKind::InvalidValue) else {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default();
        let reason = reason.trim_start_matches("error: ").to_string();
        return ConfigError::Refused { path, reason };
    };
    let accepted = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            format!("expected one of {}", values.join(", "))
        }
        _ => error
            .source()
            .map_or_else(|| "expected another value".to_string(), ToString::to_string),
    };
    ConfigError::Value {
        path,
        key: key.clone(),
        given,
        expected: accepted,
    }
}

/// The long flag that an error is about.
fn flag(error: &clap::Error) -> Option<String> {
    let shown = context(error, ContextKind::InvalidArg)?;
    let flag = shown.strip_prefix("--")?;
    let end = flag.find(|c: char| !(c.is_alphanumeric() || c == '-'));
    Some(flag[..end.unwrap_or(flag.len())].to_string())
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}
