//! The command line of all programs, and settings from a file: `--config FILE` of a match or a tournament.
//!
//! The file is TOML. Its keys are the long flags of the subcommand; each table `[[engine]]` is an `--engine`, and
//! `[each]` is `--each`. It is read into the structure that the flags fill in; a typed flag replaces the same flag of
//! the file and any flag that it excludes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Parser};
use matches::own_files::NamedFile;
use matches::plan::{Format, Opening, Plan};
use matches::record::printable::printable_lines;
use matches::run::NewMatch;
use matches::run::exit::{ExitError, SettingsFile, USAGE, print_error};
use matches::spelling::did_you_mean;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::args::{
    EngineText, FormatArgs, GameArgs, MatchArgs, Openings, TournamentArgs, hints, validate,
};

const FLAG: &str = "config";

/// Flags that take the settings of a program.
const SETTINGS: &[&str] = &["engine", "each", "rules", "luck-engine", "review-engine"];

/// Parses a command line; returns also the words that the user typed, without defaults, for the settings file.
///
/// # Errors
/// The parser rejects the words, or they ask for help.
pub fn parse<C: Parser>(
    words: impl IntoIterator<Item = OsString>,
) -> Result<(C, ArgMatches), clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut program = with_negative_numbers(C::command());
    program.build();
    let (command, begin) = subcommand(&program, &words);
    let words = with_joined_settings(command, words);
    hints::refuse_file_key(command, &words[begin..])?;
    let parsed = program.clone().try_get_matches_from(&words);
    let mut typed = parsed.map_err(|error| hints::add_tips(error, command, &words[begin..]))?;
    let cli = C::from_arg_matches(&typed)?;
    while let Some((_, inner)) = typed.remove_subcommand() {
        typed = inner;
    }
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if typed.value_source(id) == Some(ValueSource::DefaultValue) {
            // The identifier is one of the command.
            let _ = typed.try_clear_id(id);
        }
    }
    Ok((cli, typed))
}

/// Prints the parser's message or help; returns the exit status.
pub fn exit(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if printable_lines(&text) == text {
        error.exit();
    }
    print_error(text.trim_end());
    ExitCode::from(USAGE)
}

/// Converts the arguments of a match, once the settings file has filled in those that were not `typed`.
///
/// # Errors
/// [`ExitError`] names the flag, or the file and its key, with the value and the accepted values.
pub fn new_match(args: &mut MatchArgs, typed: &ArgMatches) -> Result<NewMatch, ExitError> {
    new(args, |args| &mut args.common, typed, validate::plan_of_match)
}

/// Converts the arguments of a tournament.
///
/// # Errors
/// As [`new_match`].
pub fn new_tournament(
    args: &mut TournamentArgs,
    typed: &ArgMatches,
) -> Result<NewMatch, ExitError> {
    match &mut args.format {
        FormatArgs::RoundRobin(args) => {
            new(args, |args| &mut args.common, typed, validate::plan_of_round_robin)
        }
        FormatArgs::Gauntlet(args) => {
            new(args, |args| &mut args.common, typed, validate::plan_of_gauntlet)
        }
    }
}

/// Returns a match with this plan; an error about a flag that the settings file sets is about the file.
fn new<A: Args + DeserializeOwned>(
    args: &mut A,
    common: fn(&mut A) -> &mut GameArgs,
    typed: &ArgMatches,
    plan: impl FnOnce(&A) -> Result<(Plan, Vec<String>), ExitError>,
) -> Result<NewMatch, ExitError> {
    let file = fill_in(args, common, typed)?;
    let (plan, remarks) = plan(args).map_err(|error| match &file {
        Some(file) => file.blame(error),
        None => error,
    })?;
    let args = common(args);
    let openings = match &args.openings.openings {
        Some(Openings::File(path)) => Some(path),
        Some(Openings::Lines(_)) | None => None,
    };
    let inputs = [
        ("--config", args.config.as_ref()),
        ("--openings", openings),
        ("--seed-file", args.seed_file.as_ref()),
    ];
    let input =
        |(flag, path): (&str, Option<&PathBuf>)| path.map(|path| NamedFile::input(flag, path));
    Ok(NewMatch {
        plan,
        remarks,
        store: args.store.clone().filter(|file| file.as_os_str() != "none"),
        outputs: validate::outputs(&args.output),
        inputs: inputs.into_iter().filter_map(input).collect(),
        dry_run: args.dry_run,
        changed_engines: args.changed_engines,
        luck_engine: args.luck_engine.clone(),
        settings_file: file,
    })
}

/// Reads the settings file, if the user names one, and replaces its settings by the typed ones, which have no defaults.
///
/// # Errors
/// [`ExitError`] names the file, the key, the value and the accepted values.
fn fill_in<A: Args + DeserializeOwned>(
    args: &mut A,
    common: fn(&mut A) -> &mut GameArgs,
    typed: &ArgMatches,
) -> Result<Option<SettingsFile>, ExitError> {
    let Some(path) = common(args).config.clone() else {
        return Ok(None);
    };
    let wrong = |reason: &str| {
        ExitError::usage(format_args!("--config: {}: {}", path.display(), reason.trim_end()))
    };
    let text = matches::input_file::read_text(&path).map_err(|error| wrong(&error.to_string()))?;
    let mut settings: Table =
        text.parse().map_err(|error: toml::de::Error| wrong(&error.to_string()))?;
    let mut command = A::augment_args(Command::new(FLAG));
    command.build();
    let flags =
        command.get_arguments().filter(|arg| arg.get_id() != FLAG && arg.get_id() != "help");
    let flags: Vec<(&str, &Arg)> = flags.filter_map(|arg| Some((arg.get_long()?, arg))).collect();
    let is_typed = |arg: &Arg| typed.contains_id(arg.get_id().as_str());
    for (key, value) in settings.clone() {
        let Some((_, flag)) = flags.iter().find(|(long, _)| *long == key) else {
            let known = flags.iter().map(|(long, _)| *long);
            let (meant, known) = (did_you_mean(&key, known.clone()), known.collect::<Vec<_>>());
            let known = known.join(", ");
            return Err(wrong(&format!("unknown key {key:?}{meant}; the keys are {known}")));
        };
        let excludes = |one: &Arg, other: &Arg| {
            let conflicts = command.get_arg_conflicts_with(one);
            conflicts.iter().any(|arg| arg.get_id() == other.get_id())
        };
        let mut typed = flags.iter().map(|(_, arg)| *arg).filter(|arg| is_typed(arg));
        if typed.any(|arg| arg == *flag || excludes(arg, flag) || excludes(flag, arg)) {
            settings.remove(&key);
            continue;
        }
        let second = flags
            .iter()
            .find(|(long, other)| settings.contains_key(*long) && excludes(flag, other));
        if let Some((other, _)) = second {
            return Err(wrong(&format!("{key} and {other}: expected only one of them")));
        }
        // Each key alone, so that the error can name it.
        let alone = A::deserialize(Table::from_iter([(key.clone(), value.clone())]));
        alone.map_err(|error| {
            let given = match value {
                Value::Table(_) | Value::Array(_) => String::new(),
                value => format!(" = {value}"),
            };
            wrong(&format!("{key}{given}: {}", error.message()))
        })?;
    }
    let keys = settings.keys().cloned().collect();
    let mut filled = A::deserialize(settings).map_err(|error| wrong(error.message()))?;
    filled.update_from_arg_matches(typed).map_err(|error| wrong(&error.to_string()))?;
    *args = filled;
    Ok(Some(SettingsFile { path, keys }))
}

/// Lets every option take negative numbers, so that their range is checked, and not the `-`.
fn with_negative_numbers(command: Command) -> Command {
    let is_option = |arg: &Arg| arg.get_long().is_some() && arg.get_action().takes_values();
    let command = command
        .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(with_negative_numbers)
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

/// Writes a plan as a file for `--config` of `arbiter match` or `arbiter tournament gauntlet`, without settings of a
/// single run, such as a log or a record.
///
/// # Errors
/// The reason if a setting cannot be written as TOML.
pub fn text(plan: &Plan) -> Result<String, toml::ser::Error> {
    let mut settings = Table::try_from(plan)?;
    // A match is a round robin with a number of games, a gauntlet has a number of rounds.
    settings.remove("format");
    if let Format::Gauntlet { challengers } = plan.format {
        let line_ups = plan.line_ups();
        let round = line_ups.count() * line_ups.games_per_block();
        settings.remove("games");
        settings.insert("challengers".into(), Value::try_from(challengers)?);
        settings.insert("rounds".into(), Value::try_from(plan.games.div_ceil(round))?);
    }
    // A setting of engines alone.
    if let Some(Value::Table(rules)) = settings.get_mut("rules") {
        rules.remove("restart");
    }
    if plan.openings.as_slice() == [Opening::usual(plan.seats)] {
        settings.remove("openings");
    }
    let text = toml::to_string(&settings)?;
    Ok(match plan.format {
        Format::RoundRobin => text,
        Format::Gauntlet { .. } => format!("# for arbiter tournament gauntlet\n{text}"),
    })
}
