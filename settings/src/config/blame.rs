//! Attribution of errors to the settings file that caused them.

use std::error::Error as _;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use tempfile::NamedTempFile;

use super::ConfigError;
use crate::args::validate::ArgsError;

/// Converts a parser error to an error of the file if it is about one of the `keys` that the file set.
pub fn of(error: clap::Error, path: &Path, keys: &[&str]) -> ConfigError {
    let shown = context(&error, ContextKind::InvalidArg).unwrap_or_default();
    let Some(key) = flag(&shown).filter(|key| keys.contains(key)) else {
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
        _ => error.source().map_or_else(
            || "expected a different value".to_string(),
            ToString::to_string,
        ),
    };
    ConfigError::Value {
        path,
        key: key.to_string(),
        given,
        expected: accepted,
    }
}

/// Fails if settings of the file make no plan.
///
/// `files` hold the lists of the file; the message gives a line number in place of their names, which the user does not
/// know.
///
/// # Errors
/// [`ConfigError::Refused`] if the error is about one of the `keys` that the file set.
pub fn of_plan(
    error: &ArgsError,
    path: &Path,
    keys: &[&str],
    files: &[NamedTempFile],
) -> Result<(), ConfigError> {
    let text = error.to_string();
    if !flag(&text).is_some_and(|key| keys.contains(&key)) {
        return Ok(());
    }
    let places = files
        .iter()
        .map(|file| format!("{}:", file.path().display()));
    let reason = places.fold(text.clone(), |text, place| text.replace(&place, "line "));
    Err(ConfigError::Refused {
        path: path.to_path_buf(),
        reason: reason.trim_start_matches("--").to_string(),
    })
}

/// The long flag at the beginning of a text.
fn flag(text: &str) -> Option<&str> {
    let flag = text.strip_prefix("--")?;
    let end = flag.find(|c: char| !(c.is_alphanumeric() || c == '-'));
    Some(&flag[..end.unwrap_or(flag.len())])
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}
