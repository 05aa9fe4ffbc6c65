//! Settings from a file: `--config FILE` of any subcommand that has it.
//!
//! The file is TOML. Its keys are the long flags of the subcommand; each table `[[engine]]` is an `--engine`, and
//! `[each]` is `--each`. The settings become words of a command line, placed before the typed ones. A typed flag
//! replaces the same flag of the file and any flag that it excludes.

mod blame;
mod export;
mod words;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, Command, Parser};
use matches::record::printable::printable_lines;
use matches::run::exit::{USAGE, complain};
use tempfile::NamedTempFile;
use thiserror::Error;
use toml::Table;

use crate::args::validate::ArgsError;
pub use export::text;
use words::Spelt;

const FLAG: &str = "config";

/// Keys of flags that take a file of lines; a list of lines can replace the file name.
const LINES: &[&str] = &["openings"];

/// A command line with the settings of its file.
#[derive(Debug)]
pub struct Parsed<C> {
    /// The parsed arguments.
    pub cli: C,
    /// Temporary files made from lists; they are deleted with this value.
    pub files: Vec<NamedTempFile>,
}

/// Errors in a command line or its settings file.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The parser rejects the typed words, or they ask for help.
    #[error(transparent)]
    Typed(#[from] clap::Error),
    /// The file cannot be read.
    #[error("--config: {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// The file is not valid TOML.
    #[error("--config: {}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The place, and what was expected there.
        reason: toml::de::Error,
    },
    /// A key that is not a flag of the subcommand.
    #[error(
        "--config: {}: unknown key {key:?}{}; the keys are {}",
        path.display(), meant(key, known), known.join(", ")
    )]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// All keys.
        known: Vec<String>,
    },
    /// A value that does not fit its key.
    #[error("--config: {}: {key} = {given}: {expected}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The value.
        given: String,
        /// The accepted values.
        expected: String,
    },
    /// The settings as a whole are invalid.
    #[error("--config: {}: {reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// Parses a command line and the settings file that it names, if any; `validate` checks the result as a whole.
///
/// # Errors
/// [`ConfigError`] names the file, the key, the value and the accepted values; [`ConfigError::Typed`] if no file is
/// involved.
pub fn parse<C: Parser>(
    words: impl IntoIterator<Item = OsString>,
    validate: impl Fn(&C) -> Result<(), ArgsError>,
) -> Result<Parsed<C>, ConfigError> {
    let typed: Vec<OsString> = words.into_iter().collect();
    let mut program = C::command();
    program.build();
    let Some(named) = Named::find(&program, &typed) else {
        let (cli, files) = (C::try_parse_from(typed)?, Vec::new());
        return Ok(Parsed { cli, files });
    };
    let settings = read(&named.path)?;
    let mut files = Vec::new();
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
            _ => words::spell(arg, key, value).map_err(|unfit| ConfigError::Value {
                path: named.path.clone(),
                key: unfit.key,
                given: unfit.given,
                expected: unfit.expected,
            })?,
        });
    }
    let set: Vec<&str> = settings
        .keys()
        .map(String::as_str)
        .filter(|key| !replaced.contains(key))
        .collect();
    let all = named.command_line(&typed, spelt);
    let cli = C::try_parse_from(all).map_err(|error| blame::of(error, &named.path, &set))?;
    // Later, the error would blame the typed flags.
    if let Err(error) = validate(&cli) {
        blame::of_plan(&error, &named.path, &set, &files)?;
    }
    Ok(Parsed { cli, files })
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
    /// Finds the subcommand and its first settings file; all other errors in the words are left to the parser.
    fn find(program: &'a Command, typed: &[OsString]) -> Option<Named<'a>> {
        let mut command = program;
        let mut begin = 1;
        while let Some(next) = typed
            .get(begin)
            .and_then(|word| command.find_subcommand(word))
        {
            command = next;
            begin += 1;
        }
        command
            .get_arguments()
            .find(|arg| arg.get_long() == Some(FLAG))?;
        for (index, word) in typed.iter().enumerate().skip(begin) {
            let word = word.to_str().unwrap_or_default();
            let value = match word.strip_prefix("--") {
                Some("") => return None,
                Some(flag) => flag.strip_prefix(FLAG),
                None => None,
            };
            let (path, words) = match value {
                Some("") => (PathBuf::from(typed.get(index + 1)?), 2),
                Some(value) => match value.strip_prefix('=') {
                    Some(path) => (PathBuf::from(path), 1),
                    None => continue,
                },
                None => continue,
            };
            return Some(Named {
                command,
                begin,
                at: index..index + words,
                path,
            });
        }
        None
    }

    /// The keys that a file can have, with their flags.
    fn keys(&self) -> impl Iterator<Item = (&'a str, &'a Arg)> {
        let arguments = self.command.get_arguments();
        let with_long = arguments.filter_map(|arg| Some((arg.get_long()?, arg)));
        with_long.filter(|(long, _)| ![FLAG, "help", "version"].contains(long))
    }

    /// The flag of a key.
    fn flag(&self, key: &str) -> Result<&'a Arg, ConfigError> {
        let found = self.keys().find(|(long, _)| *long == key);
        found
            .map(|(_, arg)| arg)
            .ok_or_else(|| ConfigError::UnknownKey {
                path: self.path.clone(),
                key: key.to_string(),
                known: self.keys().map(|(long, _)| long.to_string()).collect(),
            })
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
        let typed: Vec<&Arg> = self
            .keys()
            .map(|(_, arg)| arg)
            .filter(|arg| is_typed(arg))
            .collect();
        let is_replaced = |arg: &Arg| {
            typed.iter().any(|typed| {
                arg.get_id() == typed.get_id()
                    || excludes(typed, arg)
                    || excludes(arg, typed)
                    || one_of_a_group(typed, arg)
            })
        };
        self.keys()
            .filter(|(_, arg)| is_replaced(arg))
            .map(|(long, _)| long)
            .collect()
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
            return Err(ConfigError::Value {
                path: self.path.clone(),
                key: key.to_string(),
                given: other.to_string(),
                expected: "expected the name of a file, or a list of its lines".to_string(),
            });
        }
        written().map_err(|reason| ConfigError::Read {
            path: std::env::temp_dir(),
            reason,
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

fn read(path: &Path) -> Result<Table, ConfigError> {
    let path = path.to_path_buf();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(reason) => return Err(ConfigError::Read { path, reason }),
    };
    text.parse()
        .map_err(|reason| ConfigError::Syntax { path, reason })
}

/// The known key nearest to `key` as "did you mean", or nothing if none is near enough.
fn meant(key: &str, known: &[impl AsRef<str>]) -> String {
    let known = known.iter().map(AsRef::as_ref);
    let nearness = |known: &str| strsim::jaro_winkler(key, known);
    let nearest = known.max_by(|one, other| nearness(one).total_cmp(&nearness(other)));
    match nearest.filter(|known| nearness(known) > 0.8) {
        Some(nearest) => format!(" (did you mean {nearest:?}?)"),
        None => String::new(),
    }
}
