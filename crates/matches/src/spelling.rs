//! Quoting of words as for a shell, and suggestions for misspelt names.

use std::borrow::Cow;
use std::path::Path;

/// Quotes a word as a shell, `--engine` and `--rules` read it. A word with a NUL, which no command line can hold, stays
/// as it is.
///
/// # Examples
/// ```
/// assert_eq!(matches::spelling::quote("my engine"), "'my engine'");
/// ```
pub fn quote(word: &str) -> String {
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word)).into_owned()
}

/// Quotes a path as a word of a command line.
pub fn quote_path(path: &Path) -> String {
    quote(&path.to_string_lossy())
}

/// Joins words to one text that a shell, `--engine` and `--rules` split into the same words.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Returns the keys `cmd` and `args` of `--engine` and `--rules` for a program and its arguments.
///
/// # Examples
/// ```
/// use matches::spelling::engine_text;
///
/// assert_eq!(engine_text("./my engine", &["-q", "3"]), "cmd='./my engine' args='-q 3'");
/// assert_eq!(engine_text("./mine", &[]), "cmd=./mine");
/// ```
pub fn engine_text(program: &str, arguments: &[&str]) -> String {
    let command = format!("cmd={}", quote(program));
    match arguments {
        [] => command,
        _ => format!("{command} args={}", quote(&join(arguments.iter().copied()))),
    }
}

/// Returns the known name nearest to `name` as "did you mean", or nothing if none is near enough.
///
/// # Examples
/// ```
/// use matches::spelling::did_you_mean;
///
/// assert_eq!(did_you_mean("Hsah", ["Hash", "Threads"]), " (did you mean \"Hash\"?)");
/// assert_eq!(did_you_mean("Book", ["Hash", "Threads"]), "");
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(nearest) => format!(" (did you mean {nearest:?}?)"),
        None => String::new(),
    }
}

/// Returns the known name nearest to `name` if it is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let nearness = |known: &str| strsim::jaro_winkler(name, known);
    let known = known.into_iter();
    let nearest = known.max_by(|one, other| nearness(one).total_cmp(&nearness(other)));
    nearest.filter(|known| nearness(known) > 0.8)
}
