//! Hints in the parser's errors about unknown flags, where its own suggestion would mislead.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A flag of one subcommand, and the flag of another that does the same there.
const COUNTERPARTS: [(&str, &str, &str); 2] =
    [("match", "--rounds", "--games"), ("tournament", "--games", "--rounds")];

/// Names the flag meant instead of an unknown one in an error about the `typed` words.
pub fn add(mut error: clap::Error, typed: &[OsString]) -> clap::Error {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let is_typed = |word: &str| typed.iter().any(|typed| typed == word);
    let mut counterparts = COUNTERPARTS.into_iter();
    if let Some((.., meant)) = counterparts.find(|(of, unknown, _)| is_typed(of) && unknown == flag)
    {
        // The usage would still show the parser's suggestion.
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::SuggestedArg, ContextValue::String(meant.to_string()));
    } else if typed.iter().any(|word| is_long_with_one_dash(word, flag)) {
        let pointer = "flags begin with two dashes; docs/fastchess.md lists those of fastchess";
        let pointers = vec![StyledStr::from(pointer)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(pointers));
    }
    error
}

/// `true` for a word such as `-engine`, which the parser takes for the short flag `flag`, such as `-e`.
fn is_long_with_one_dash(word: &OsString, flag: &str) -> bool {
    let word = word.to_str().and_then(|word| word.strip_prefix(flag));
    let is_short = flag.len() == 2 && flag != "--";
    is_short && word.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}
