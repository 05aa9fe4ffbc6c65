//! Settings from a file: `--config FILE` of any subcommand that has it.
//!
//! The file is TOML. Its keys are the long flags of the subcommand; each table `[[engine]]` is an `--engine`, and
//! `[each]` is `--each`. The settings become words of a command line, placed before the typed ones. A typed flag
//! replaces the same flag of the file and any flag that it excludes.

mod export;
mod hints;
mod words;

use std::collections::HashSet;
use std::error::Error as _;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Parser};
use matches::record::printable::printable_lines;
use matches::run::exit::{USAGE, complain};
use matches::spelling::did_you_mean;
use tempfile::NamedTempFile;
use thiserror::Error;
use toml::Table;

use crate::args::EngineText;
pub use export::text;
use matches::run::exit::ExitError;
use words::Spelt;

const FLAG: &str = "config";

/// Keys of flags that take a file of lines; a list of lines can replace the file name.
const LINES: &[&str] = &["openings"];

/// Flags that take the settings of a program.
const SETTINGS: &[&str] = &["engine", "each", "rules", "luck-engine", "review-engine"];

/// A command line with the settings of its file.
#[derive(Debug)]
pub struct Parsed<C> {
    pub cli: C,
    /// Temporary files made from lists; they are deleted with this value.
    pub files: Vec<NamedTempFile>,
}

#[derive(Debug, Error)]
pub enum ConfigError {
    /// The parser rejects the typed words, or they ask for help.
    #[error(transparent)]
    Typed(#[from] clap::Error),
    /// The settings file is unusable; the message names the file, the key, the value and the accepted values.
    #[error("--config: {0}")]
    File(String),
}

/// Parses a command line and the settings file that it names, if any; `validate` checks the result as a whole.
///
/// # Errors
/// [`ConfigError::File`] if a setting of the file is at fault, otherwise [`ConfigError::Typed`].
pub fn parse<C: Parser>(
    words: impl IntoIterator<Item = OsString>,
    validate: impl Fn(&C) -> Result<(), ExitError>,
) -> Result<Parsed<C>, ConfigError> {
    let typed: Vec<OsString> = words.into_iter().collect();
    let mut program = C::command();
    program.build();
    let (command, begin) = subcommand(&program, &typed);
    let typed = with_joined_settings(command, typed);
    hints::refuse_file_key(command, &typed[begin..])?;
    let mut files = Vec::new();
    let parse_words = |words: &[OsString]| {
        let parsed = parse_words(words);
        parsed.map_err(|error| hints::add(error, command, &words[begin.min(words.len())..]))
    };
    let Some(named) = Named::find(command, begin, &typed) else {
        let cli = parse_words(&typed)?;
        return Ok(Parsed { cli, files });
    };
    let settings = named.read()?;
    let mut spelt = Vec::new();
    let replaced = named.replaced(&typed);
    for (key, value) in &settings {
        let arg = named.flag(key)?;
        if replaced.contains(key.as_str()) {
            continue;
        }
        spelt.push(match value.as_array() {
            Some(lines) if LINES.contains(&key.as_str()) => {
                let file = named.file_of(key, lines)?;
                let path = file.path().as_os_str().to_os_string();
                files.push(file);
                Spelt::with_value(key, path)
            }
            _ => words::spell(arg, key, value).map_err(|reason| named.wrong(reason))?,
        });
    }
    let set: Vec<&str> =
        settings.keys().map(String::as_str).filter(|key| !replaced.contains(key)).collect();
    let all = named.command_line(&typed, spelt);
    let cli = parse_words(&all).map_err(|error| match reason_in_file(&error, &set) {
        Some(reason) => named.wrong(reason),
        None => ConfigError::Typed(error),
    })?;
    // Later, the error would blame the typed flags.
    if let Err(error) = validate(&cli) {
        let text = error.to_string();
        if flag_of(&text).is_some_and(|key| set.contains(&key)) {
            // The user does not know the names of the temporary files.
            let places = files.iter().map(|file| format!("{}:", file.path().display()));
            let reason = places.fold(text, |text, place| text.replace(&place, "line "));
            return Err(named.wrong(reason.trim_start_matches("--")));
        }
    }
    Ok(Parsed { cli, files })
}

/// Parses words with the parser; every option takes negative numbers, so that their range is checked, and not the `-`.
fn parse_words<C: Parser>(words: &[OsString]) -> Result<C, clap::Error> {
    fn with_negative_numbers(command: Command) -> Command {
        let is_option = |arg: &Arg| arg.get_long().is_some() && arg.get_action().takes_values();
        let command = command
            .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg });
        command.mut_subcommands(with_negative_numbers)
    }
    let matches = with_negative_numbers(C::command()).try_get_matches_from(words);
    C::from_arg_matches(&matches?)
}

/// The subcommand that the words name, and the index of its first word.
fn subcommand<'a>(program: &'a Command, typed: &[OsString]) -> (&'a Command, usize) {
    let mut command = program;
    let mut begin = typed.len().min(1);
    while let Some(next) = typed.get(begin).and_then(|word| command.find_subcommand(word)) {
        command = next;
        begin += 1;
    }
    (command, begin)
}

/// Joins the words after each flag that takes the settings of a program, as in `--engine cmd=./a nodes=5`, to one word,
/// as if the user had quoted them. In a command with arguments of its own, only words such as `nodes=5` are joined.
fn with_joined_settings(command: &Command, typed: Vec<OsString>) -> Vec<OsString> {
    let has_arguments = command.get_positionals().next().is_some();
    let is_value = |word: &str| !word.starts_with('-');
    let is_setting = |word: &str| {
        if has_arguments {
            word.split_once('=').is_some_and(|(key, _)| !key.contains(['/', '-']))
        } else {
            is_value(word)
        }
    };
    let mut joined: Vec<OsString> = Vec::new();
    let mut words = typed.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some((flag, value)) = word.to_str().and_then(flag_of_settings) else {
            let is_last = word == "--";
            joined.push(word);
            if is_last {
                joined.extend(words.by_ref());
            }
            continue;
        };
        let mut next = |is_wanted: &dyn Fn(&str) -> bool| {
            let word = words.next_if(|word| word.to_str().is_some_and(is_wanted));
            word.map(|word| word.to_string_lossy().into_owned())
        };
        let first = value.map(String::from).or_else(|| next(&is_value));
        // The program to check may follow, as in `arbiter check --rules cmd=./rules ./mine`.
        let has_program = first.as_ref().is_some_and(|first| first.contains("cmd="));
        let is_more = |word: &str| {
            is_setting(word) && !(has_arguments && has_program && word.starts_with("cmd="))
        };
        let rest = std::iter::from_fn(|| next(&is_more));
        let settings: Vec<String> = first.into_iter().chain(rest).collect();
        joined.push(flag.into());
        if !settings.is_empty() {
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            joined.push(EngineText::joined(&settings).into());
        }
    }
    joined
}

/// A flag that takes the settings of a program, and its value behind an equals sign.
fn flag_of_settings(word: &str) -> Option<(&str, Option<&str>)> {
    let (flag, value) = match word.split_once('=') {
        Some((flag, value)) => (flag, Some(value)),
        None => (word, None),
    };
    let name = flag.strip_prefix("--")?;
    SETTINGS.contains(&name).then_some((flag, value))
}

/// The reason of a parser's error about one of the `keys` that the file sets.
fn reason_in_file(error: &clap::Error, keys: &[&str]) -> Option<String> {
    let context = |kind: ContextKind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    };
    let shown = context(ContextKind::InvalidArg)?;
    let key = flag_of(&shown).filter(|key| keys.contains(key))?;
    let Some(given) = context(ContextKind::InvalidValue) else {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        return Some(first.trim_start_matches("error: ").to_string());
    };
    let expected = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            format!("expected one of {}", values.join(", "))
        }
        _ => error
            .source()
            .map_or_else(|| "expected a different value".to_string(), ToString::to_string),
    };
    Some(format!("{key} = {given}: {expected}"))
}

/// The long flag at the beginning of a text.
fn flag_of(text: &str) -> Option<&str> {
    let flag = text.strip_prefix("--")?;
    let end = flag.find(|c: char| !(c.is_alphanumeric() || c == '-'));
    Some(&flag[..end.unwrap_or(flag.len())])
}

/// Prints the parser's message, help or an error; returns the exit status.
pub fn print_parser_message(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if printable_lines(&text) == text {
        error.exit();
    }
    complain(text.trim_end());
    ExitCode::from(USAGE)
}

/// A settings file named on a command line.
struct Named<'a> {
    command: &'a Command,
    /// Index of the subcommand's first word.
    begin: usize,
    /// Indices of the words that name the file.
    at: Range<usize>,
    path: PathBuf,
}

impl<'a> Named<'a> {
    /// Finds the first settings file among the words; all other errors in them are left to the parser.
    fn find(command: &'a Command, begin: usize, typed: &[OsString]) -> Option<Named<'a>> {
        command.get_arguments().find(|arg| arg.get_long() == Some(FLAG))?;
        for (index, word) in typed.iter().enumerate().skip(begin) {
            let (path, words) = match word.to_str().unwrap_or_default() {
                "--" => return None,
                "--config" => (PathBuf::from(typed.get(index + 1)?), 2),
                word => match word.strip_prefix("--config=") {
                    Some(path) => (PathBuf::from(path), 1),
                    None => continue,
                },
            };
            return Some(Named { command, begin, at: index..index + words, path });
        }
        None
    }

    /// The keys that a file can have, with their flags.
    fn keys(&self) -> impl Iterator<Item = (&'a str, &'a Arg)> {
        let arguments = self.command.get_arguments();
        let with_long = arguments.filter_map(|arg| Some((arg.get_long()?, arg)));
        with_long.filter(|(long, _)| ![FLAG, "help", "version"].contains(long))
    }

    fn flag(&self, key: &str) -> Result<&'a Arg, ConfigError> {
        let found = self.keys().find(|(long, _)| *long == key);
        found.map(|(_, arg)| arg).ok_or_else(|| {
            let known: Vec<&str> = self.keys().map(|(long, _)| long).collect();
            let (meant, known) = (did_you_mean(key, known.iter().copied()), known.join(", "));
            self.wrong(format!("unknown key {key:?}{meant}; the keys are {known}"))
        })
    }

    fn wrong(&self, reason: impl Display) -> ConfigError {
        ConfigError::File(format!("{}: {reason}", self.path.display()))
    }

    fn read(&self) -> Result<Table, ConfigError> {
        let text = matches::input_file::read_text(&self.path).map_err(|error| self.wrong(error))?;
        text.parse().map_err(|error: toml::de::Error| self.wrong(error))
    }

    /// The keys that typed flags replace: the same flag, or one that it excludes.
    fn replaced(&self, typed: &[OsString]) -> HashSet<&'a str> {
        let words = typed[self.begin..].iter().take_while(|word| *word != "--");
        let flags: HashSet<&str> = words
            .filter_map(|word| word.to_str()?.strip_prefix("--"))
            .map(|flag| flag.split_once('=').map_or(flag, |(flag, _)| flag))
            .collect();
        let is_typed = |arg: &Arg| arg.get_long().is_some_and(|long| flags.contains(long));
        let excludes = |one: &Arg, other: &Arg| {
            let conflicts = self.command.get_arg_conflicts_with(one);
            conflicts.iter().any(|arg| arg.get_id() == other.get_id())
        };
        let one_of_a_group = |one: &Arg, other: &Arg| {
            self.command.get_groups().any(|group| {
                let has = |arg: &Arg| group.get_args().any(|id| id == arg.get_id());
                !group.clone().is_multiple() && has(one) && has(other)
            })
        };
        let typed: Vec<&Arg> =
            self.keys().map(|(_, arg)| arg).filter(|arg| is_typed(arg)).collect();
        let is_replaced = |arg: &Arg| {
            typed.iter().any(|typed| {
                arg.get_id() == typed.get_id()
                    || excludes(typed, arg)
                    || excludes(arg, typed)
                    || one_of_a_group(typed, arg)
            })
        };
        self.keys().filter(|(_, arg)| is_replaced(arg)).map(|(long, _)| long).collect()
    }

    /// Writes a list of lines to a temporary file.
    fn file_of(&self, key: &str, lines: &[toml::Value]) -> Result<NamedTempFile, ConfigError> {
        let written = || {
            let mut file = tempfile::Builder::new().prefix("arbiter-").tempfile()?;
            for line in lines {
                writeln!(file, "{}", line.as_str().unwrap_or_default())?;
            }
            Ok(file)
        };
        if let Some(other) = lines.iter().find(|line| !line.is_str()) {
            return Err(self.wrong(format!(
                "{key} = {other}: expected the name of a file, or a list of its lines"
            )));
        }
        written().map_err(|error: io::Error| {
            let folder = std::env::temp_dir();
            ConfigError::File(format!("{}: {error}", folder.display()))
        })
    }

    /// Joins all words: first those of the file, then the typed ones.
    fn command_line(&self, typed: &[OsString], spelt: Vec<Spelt>) -> Vec<OsString> {
        let (open, closed): (Vec<Spelt>, Vec<Spelt>) =
            spelt.into_iter().partition(|spelt| spelt.is_open);
        let of_file = open.into_iter().chain(closed);
        let mut all = typed[..self.begin].to_vec();
        all.extend(of_file.flat_map(|spelt| spelt.words));
        // Placed here, `--config` also ends a flag that takes any number of words.
        all.extend_from_slice(&typed[self.at.clone()]);
        all.extend_from_slice(&typed[self.begin..self.at.start]);
        all.extend_from_slice(&typed[self.at.end..]);
        all
    }
}
