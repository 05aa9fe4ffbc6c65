//! Engines as strings, `cmd=./x args='-q 3' name=x option.Hash=16 movetime=20`, and their conversion to [`EngineSpec`];
//! rules programs, too.
//!
//! The string is split into words as in a shell; each word is a key and a value. The same keys, except `cmd` and
//! `name`, describe the settings that all engines share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use buxtehude::rules::Variant;
use matches::plan::deck::Draws;
use matches::plan::rules::external::RulesPlan;
use matches::plan::syntax::{CpuSeconds, Mebibytes, MillisecondsOrZero, Processes};
use matches::plan::{EngineSpec, Limit, MAX_ENGINES, UnresolvedEngine};
use matches::record::printable::{is_hidden, shortened};
use matches::record::{MAX_NAME_LENGTH, is_too_long};
use matches::run::exit::ExitError;
use matches::spelling::{did_you_mean, join, quote};

use super::GameArgs;
use super::hints::replacement_of_key;

/// Name of the engine that plays if the user gives none.
const DEFAULT_ENGINE: &str = "buxtehude";

/// Levels of the built-in engine in a match without any engine.
const DEFAULT_LEVELS: [&str; 3] = ["10", "7", "4"];

/// Keys of an engine that a worker's user gives; the match supplies the others.
const LOCAL_KEYS: [&str; 4] = ["cmd", "args", "name", "dir"];

/// Limit of an engine if the user sets none.
pub const DEFAULT_LIMIT: Limit = Limit::movetime(Duration::from_millis(100));

/// Returns the engines of a match, each with a unique name. `restart` is the default for engines without a `restart`
/// setting.
///
/// # Errors
/// [`ExitError`] about `--engine` or `--each`.
pub(crate) fn engines(args: &GameArgs, restart: bool) -> Result<Vec<EngineSpec>, ExitError> {
    let default = EngineSpec {
        restart,
        margin: args.margin.map(|margin| Duration::from_millis(margin.0)),
        ..default(args.limit.limit().unwrap_or(DEFAULT_LIMIT))
    };
    if args.plays_levels() {
        DEFAULT_LEVELS.iter().map(|level| built_in_at(level, &default)).collect()
    } else {
        specs(&args.engine, args.each.as_deref(), &default)
    }
}

fn built_in_at(level: &str, default: &EngineSpec) -> Result<EngineSpec, ExitError> {
    let name = format!("level-{level}");
    let settings = EngineText::default().with("name", &name);
    let engine = built_in(&settings.with("option.Level", level))?;
    let spec = spec(&engine, name, default);
    spec.map_err(|reason| ExitError::of_flag("engine", reason))
}

/// Parses engines from strings, with the settings in `each` for all of them, and gives each a unique name; without
/// strings, returns the built-in engine, which is the running program with the argument `engine`.
///
/// `limit` is a default.
///
/// # Errors
/// [`ExitError`] about `--engine` or `--each`.
pub fn engines_of(
    texts: &[String],
    each: Option<&str>,
    limit: Limit,
) -> Result<Vec<EngineSpec>, ExitError> {
    specs(texts, each, &default(limit))
}

/// Parses the engines on a worker's machine: their programs, arguments, directories, and names as in a match.
///
/// # Errors
/// [`ExitError`] about `--engine`, also for a key that the match supplies.
pub fn local_engines(texts: &[String]) -> Result<Vec<EngineSpec>, ExitError> {
    for text in texts {
        let engine = parsed(text)?;
        let wrong = |reason: &str| {
            let expected = "expected cmd=PROGRAM, with args=, name= and dir= if needed";
            ExitError::of_text("engine", text, format!("{reason}, {expected}"))
        };
        if let Some(key) = engine.keys().find(|key| !LOCAL_KEYS.contains(key)) {
            return Err(wrong(&format!("{key}= comes from the match")));
        }
        if engine.get("cmd").is_none() {
            return Err(wrong("cmd= is missing"));
        }
    }
    if texts.is_empty() { Ok(Vec::new()) } else { engines_of(texts, None, Limit::default()) }
}

/// Parses the engine that judges positions; `limit` applies if `text` sets none.
///
/// # Errors
/// [`ExitError`] about `--engine`.
pub fn judge(text: &str, limit: Limit) -> Result<EngineSpec, ExitError> {
    only_engine(text, limit).map_err(|reason| ExitError::of_text("engine", text, reason))
}

const PRESET: &str = "option.Preset";

/// Budget of an engine that measures luck, if its text sets none.
const LUCK_LIMIT: Limit = Limit::nodes(1000);

/// Parses the engine that measures luck.
///
/// # Errors
/// The mistake, with the accepted form, as text.
pub fn luck_engine(text: &str) -> Result<EngineSpec, String> {
    only_engine(text, LUCK_LIMIT)
}

/// Parses an engine that values positions.
fn only_engine(text: &str, limit: Limit) -> Result<EngineSpec, String> {
    let mut engine = EngineText::parse(text)?;
    if engine.get("cmd").is_none() && engine.get(PRESET).is_none() {
        // Of the built-in engine's searches, the tree's estimates are the most precise.
        engine = engine.with(PRESET, "tree");
    }
    let engine = built_in(&engine).map_err(|error| error.to_string())?;
    let name = engine.get("name").map_or_else(|| program(&engine), String::from);
    spec(&engine, name, &default(limit))
}

/// An engine without a program, for missing settings.
fn default(limit: Limit) -> EngineSpec {
    EngineSpec::new("", "", limit)
}

fn specs(
    texts: &[String],
    each: Option<&str>,
    default: &EngineSpec,
) -> Result<Vec<EngineSpec>, ExitError> {
    let shared = each.map(shared_settings).transpose()?.unwrap_or_default();
    let mut typed = Vec::new();
    let mut unresolved = Vec::new();
    for text in texts {
        let own = parsed(text)?;
        unresolved.push(UnresolvedEngine {
            is_nameless: own.get("name").is_none(),
            optional: own.options_from(&shared),
        });
        typed.push((text.as_str(), own.or(&shared)));
    }
    if typed.is_empty() {
        typed.push(("", built_in(&shared)?));
        unresolved.push(UnresolvedEngine::default());
    }
    if typed.len() > MAX_ENGINES {
        let reason = format!("{} engines, expected at most {MAX_ENGINES}", typed.len());
        return Err(ExitError::of_flag("engine", reason));
    }
    let names = names(&typed)?;
    let specs =
        typed.iter().zip(names).zip(unresolved).map(|(((text, engine), name), unresolved)| {
            let spec = spec(engine, name, default)
                .map_err(|reason| ExitError::of_text("engine", text, reason))?;
            Ok(EngineSpec { unresolved, ..spec })
        });
    specs.collect()
}

fn spec(engine: &EngineText, name: String, default: &EngineSpec) -> Result<EngineSpec, String> {
    let mut spec = EngineSpec { name, limit: Limit::default(), ..default.clone() };
    engine.apply(&mut spec)?;
    if is_too_long(&spec.name) {
        let name = shortened(&spec.name, MAX_NAME_LENGTH);
        return Err(format!("name={name}: expected at most {MAX_NAME_LENGTH} characters"));
    }
    if let Some(dir) = spec.dir.as_ref().filter(|dir| !dir.is_dir()) {
        let dir = dir.display();
        return Err(format!("dir={dir}: expected a directory"));
    }
    let Some(command) = engine.get("cmd") else {
        let reason = "cmd= is missing, expected cmd=PROGRAM here or in --each";
        return Err(reason.to_string());
    };
    spec.command = resolve(command, spec.dir.as_deref())?;
    if spec.limit == Limit::default() {
        spec.limit = default.limit;
    }
    Ok(spec)
}

fn parsed(text: &str) -> Result<EngineText, ExitError> {
    EngineText::parse(text).map_err(|reason| ExitError::of_text("engine", text, reason))
}

fn shared_settings(text: &str) -> Result<EngineText, ExitError> {
    let wrong = |reason: &str| ExitError::of_text("each", text, reason);
    let shared = EngineText::parse(text).map_err(|reason| wrong(&reason))?;
    match shared.get("name") {
        Some(_) => Err(wrong("name= cannot be shared, engines need different names")),
        None => Ok(shared),
    }
}

/// The engine for a string without `cmd=`: the running program's own.
fn built_in(shared: &EngineText) -> Result<EngineText, ExitError> {
    if shared.get("cmd").is_some() {
        return Ok(shared.clone());
    }
    let program = std::env::current_exe().map_err(|error| {
        let reason = format!("the built-in engine cannot be started; name an engine here: {error}");
        ExitError::of_flag("engine", reason)
    })?;
    let engine =
        EngineText::default().with("cmd", &program.to_string_lossy()).with("args", "engine");
    let engine = match shared.get("name") {
        Some(name) => engine.with("name", name),
        None => engine.with("name", DEFAULT_ENGINE),
    };
    Ok(engine.or(shared))
}

/// File name of an engine's program.
fn program(engine: &EngineText) -> String {
    let command = Path::new(engine.get("cmd").unwrap_or_default());
    let file = command.file_name().unwrap_or(command.as_os_str());
    file.to_string_lossy().into_owned()
}

/// Returns a unique name for each engine: the given one, or the program's file name, numbered if engines share it.
fn names(engines: &[(&str, EngineText)]) -> Result<Vec<String>, ExitError> {
    let nameless = engines.iter().filter(|(_, engine)| engine.get("name").is_none());
    let programs: Vec<String> = nameless.map(|(_, engine)| program(engine)).collect();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    for (_, engine) in engines {
        let numbered = || {
            let program = program(engine);
            let number = numbers.entry(program.clone()).or_default();
            *number += 1;
            let is_shared = programs.iter().filter(|other| **other == program).count() > 1;
            if is_shared { format!("{program}-{number}") } else { program }
        };
        let name = engine.get("name").map_or_else(numbered, String::from);
        if names.contains(&name) {
            let reason =
                format!("two engines are called {name:?}, expected a different name= for each");
            return Err(ExitError::of_flag("engine", reason));
        }
        names.push(name);
    }
    Ok(names)
}

const ENGINE_KEYS: &str = "cmd, args, name, dir, option.NAME, movetime, depth, nodes, tc, margin, legal, \
    ponder, restart, memory, cpu, processes, filesize, net";

/// Keys of time limits. An engine has at most one of them.
const TIME_KEYS: [&str; 2] = ["movetime", "tc"];

/// The error of a text that is split as in a shell.
const UNCLOSED: &str = "a quotation mark is not closed";

/// An engine's settings as typed: valid keys and values, each key once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineText(Vec<(String, String)>);

impl EngineText {
    /// Parses a string.
    ///
    /// # Errors
    /// A message that names the key or word at fault, and the accepted ones.
    pub(crate) fn parse(text: &str) -> Result<EngineText, String> {
        let mut engine = EngineText::default();
        let mut spec = EngineSpec::new("", "", Limit::default());
        for word in shlex::split(text).ok_or(UNCLOSED)? {
            let no_value = || no_value(&word, engine.get("cmd").is_some(), ENGINE_KEYS);
            let (key, value) = word.split_once('=').ok_or_else(no_value)?;
            set(&mut spec, key, value)?;
            if engine.get(key).is_some() {
                return Err(format!("{key} is given twice"));
            }
            if TIME_KEYS.contains(&key) && TIME_KEYS.iter().any(|time| engine.get(time).is_some()) {
                return Err(format!(
                    "{key} is a second time limit; an engine has either movetime or tc"
                ));
            }
            engine = engine.with(key, value);
        }
        Ok(engine)
    }

    /// Joins the words of a command line to one text. Each word is either such a text or one setting, whose value may
    /// have spaces. The arguments of a program may look like settings, so they are one value.
    pub(crate) fn joined(words: &[&str]) -> String {
        let is_text = |word: &str| {
            let has_key = |part: &String| {
                part.split_once('=').is_some_and(|(key, _)| EngineText::has_key(key))
            };
            let parts = shlex::split(word).filter(|_| !word.starts_with("args="));
            parts.is_some_and(|parts| parts.iter().all(has_key))
        };
        let text = |word: &str| match word.split_once('=') {
            _ if words.len() == 1 || is_text(word) => word.to_string(),
            Some((key, value)) if quote(key) == key => format!("{key}={}", quote(value)),
            _ => quote(word),
        };
        let words: Vec<String> = words.iter().map(|word| text(word)).collect();
        words.join(" ")
    }

    /// `true` if an engine has settings of this key.
    pub(crate) fn has_key(key: &str) -> bool {
        key.starts_with("option.") || ENGINE_KEYS.split(", ").any(|known| known == key)
    }

    fn with(mut self, key: &str, value: &str) -> EngineText {
        self.0.push((key.to_string(), value.to_string()));
        self
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// The value of a key; the names of options are case-insensitive.
    fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value.as_str())
    }

    /// Fills in missing settings from `shared`; a limit of its own replaces all shared ones.
    fn or(self, shared: &EngineText) -> EngineText {
        let is_limit = |key: &str| TIME_KEYS.contains(&key) || ["depth", "nodes"].contains(&key);
        let has_limit = self.0.iter().any(|(key, _)| is_limit(key));
        let is_missing = |key: &str| self.get(key).is_none() && !(has_limit && is_limit(key));
        let inherited = shared.0.iter().filter(|(key, _)| is_missing(key));
        EngineText(inherited.chain(&self.0).cloned().collect())
    }

    /// Names of the options that it takes from `shared`.
    fn options_from(&self, shared: &EngineText) -> Vec<String> {
        let missing = shared.keys().filter(|key| self.get(key).is_none());
        let names = missing.filter_map(|key| key.strip_prefix("option."));
        names.map(String::from).collect()
    }

    fn apply(&self, spec: &mut EngineSpec) -> Result<(), String> {
        let mut pairs = self.0.iter();
        pairs.try_for_each(|(key, value)| set(spec, key, value))
    }
}

fn set(spec: &mut EngineSpec, key: &str, value: &str) -> Result<(), String> {
    let wrong = |expected: String| format!("{key}={value}: {expected}");
    let option = key.strip_prefix("option.");
    // A name is printed in tables and logs, and an option is sent as one protocol line.
    if (key == "name" || option.is_some()) && value.contains(is_hidden) {
        let expected = "expected one line of text without control or invisible characters";
        return Err(wrong(expected.to_string()));
    }
    let filled = || match value {
        "" => Err(wrong("expected a non-empty text".to_string())),
        text => Ok(text.to_string()),
    };
    match (key, option) {
        (_, Some("")) => return Err(unknown_key(key, ENGINE_KEYS)),
        (_, Some(name)) if name.eq_ignore_ascii_case("UCI_Variant") => {
            return Err(format!(
                "option.{name}: the variant is set with --variant, for all engines"
            ));
        }
        (_, Some(name)) => spec.options.push((name.to_string(), value.to_string())),
        ("cmd", _) => spec.command = filled()?.into(),
        ("name", _) => spec.name = filled()?,
        ("dir", _) => spec.dir = Some(filled()?.into()),
        ("args", _) => {
            spec.args = shlex::split(value).ok_or_else(|| wrong(UNCLOSED.to_string()))?;
        }
        ("margin", _) => {
            let margin = MillisecondsOrZero::parse(value).map_err(wrong)?;
            spec.margin = Some(Duration::from_millis(margin));
        }
        ("memory", _) => spec.memory = Some(Mebibytes::parse(value).map_err(wrong)?),
        ("cpu", _) => spec.bounds.cpu = Some(CpuSeconds::parse(value).map_err(wrong)?),
        ("processes", _) => spec.bounds.processes = Some(Processes::parse(value).map_err(wrong)?),
        ("filesize", _) => spec.bounds.filesize = Some(Mebibytes::parse(value).map_err(wrong)?),
        ("net", _) => spec.bounds.net = switch(value).map_err(wrong)?,
        ("legal", _) => spec.legal = switch(value).map_err(wrong)?,
        ("ponder", _) => spec.ponder = switch(value).map_err(wrong)?,
        ("restart", _) => spec.restart = switch(value).map_err(wrong)?,
        ("movetime" | "depth" | "nodes" | "tc", _) => {
            spec.limit = Limit::of_key(key, value).map_err(wrong)?.or(spec.limit);
        }
        _ => return Err(unknown_key(key, ENGINE_KEYS)),
    }
    Ok(())
}

/// Parses `on` or `off`; the error has the accepted values.
fn switch(value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off".to_string()),
    }
}

/// The error of a word without a key; suggests an argument after the program, or `cmd=` if it looks like one.
fn no_value(word: &str, has_program: bool, keys: &str) -> String {
    let meant = match (replacement_of_key(word), word.contains(['/', '.'])) {
        (Some(replacement), _) => format!("; here: {replacement}"),
        (None, true) if has_program => format!(": did you mean args={word}?"),
        (None, true) => format!(": did you mean cmd={word}?"),
        (None, false) => format!("; the keys are {keys}"),
    };
    format!("{word:?} is not of the form KEY=VALUE{meant}")
}

fn unknown_key(key: &str, keys: &str) -> String {
    if let Some(replacement) = replacement_of_key(key) {
        return format!("unknown key {key:?}; here: {replacement}");
    }
    let meant = did_you_mean(key, keys.split(", "));
    format!("unknown key {key:?}{meant}; the keys are {keys}")
}

/// Path of a program. A relative path is looked up in the engine's directory, then in the current one. A bare name is
/// left to `PATH`; without such a program there, it is looked up in the engine's directory.
fn resolve(command: &str, dir: Option<&Path>) -> Result<PathBuf, String> {
    let in_dir = dir.map(|dir| dir.join(command));
    let path = if command.contains('/') {
        in_dir.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(command))
    } else {
        let Some(in_dir) = in_dir.and_then(|path| which::which(path).ok()) else {
            return Ok(PathBuf::from(command));
        };
        if let Ok(on_path) = which::which(command) {
            return match same_file::is_same_file(&in_dir, &on_path) {
                Ok(true) => Ok(PathBuf::from(command)),
                _ => Err(ambiguous(command, &in_dir, &on_path)),
            };
        }
        in_dir
    };
    // The engine starts in its own directory, where a relative path would name another file.
    Ok(std::path::absolute(&path).unwrap_or(path))
}

fn ambiguous(command: &str, in_dir: &Path, on_path: &Path) -> String {
    let (in_dir, on_path) = (in_dir.display(), on_path.display());
    format!(
        "cmd={command}: this names {in_dir} and {on_path}, expected cmd=./{command} for the one in \
         dir=, or cmd={on_path}"
    )
}

/// Name of the first argument that is a file with an ending, or else of the program, without the ending.
fn file_name(typed: &EngineText) -> String {
    let arguments =
        shlex::split(typed.get("args").unwrap_or_default()).unwrap_or_default().into_iter();
    let scripts =
        arguments.filter(|word| Path::new(word).extension().is_some() && Path::new(word).is_file());
    let mut files = scripts.chain([program(typed)]);
    let file = files.next().unwrap_or_default();
    let stem = Path::new(&file).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Keys of a rules program; the other keys of an engine are about its play.
const RULES_KEYS: &str = "cmd, args, name, dir, memory, cpu, processes, filesize, variant, draws";

/// Parses the program that gives a game's rules, from the keys of an engine's program and two more: `variant`, the
/// game's name for engines with the option `UCI_Variant`, and `draws`. The program's name is the game's; without
/// `name`, the name of the script or program without its ending.
///
/// # Errors
/// The key or word at fault, and the accepted ones.
pub fn rules(text: &str) -> Result<RulesPlan, String> {
    let (mut uci_variant, mut draws) = (None, Draws::Seat);
    let mut words = Vec::new();
    for word in shlex::split(text).ok_or(UNCLOSED)? {
        let has_program = words.iter().any(|word: &String| word.starts_with("cmd="));
        match word.split_once('=') {
            Some(("variant", name)) => uci_variant = Some(name.to_string()),
            Some(("draws", choice)) => {
                draws = choice.parse().map_err(|expected| format!("{word}: {expected}"))?;
            }
            Some((key, _))
                if EngineText::has_key(key)
                    && !RULES_KEYS.split(", ").any(|known| known == key) =>
            {
                return Err(format!("{key}= does not apply to rules; the keys are {RULES_KEYS}"));
            }
            Some((key, _)) if !EngineText::has_key(key) => {
                return Err(unknown_key(key, RULES_KEYS));
            }
            Some(_) => words.push(word),
            None => return Err(no_value(&word, has_program, RULES_KEYS)),
        }
    }
    let typed = EngineText::parse(&join(words.iter().map(String::as_str)))?;
    if typed.get("cmd").is_none() {
        return Err("cmd= is missing".to_string());
    }
    let name = match typed.get("name") {
        Some(name) => name.to_string(),
        None => file_name(&typed),
    };
    if Variant::by_name(&name).is_ok() {
        return Err(format!("name={name} is a built-in game; expected another name="));
    }
    let uci_variant = uci_variant.unwrap_or_else(|| name.clone());
    let program = spec(&typed, name, &default(Limit::default()));
    Ok(RulesPlan { program: program?, uci_variant, draws })
}

#[cfg(test)]
mod tests {
    use super::*;
    use matches::plan::ResourceLimits;

    fn applied(engine: &EngineText) -> EngineSpec {
        let mut spec = EngineSpec::new("", "", Limit::default());
        engine.apply(&mut spec).unwrap();
        spec
    }

    fn error(text: &str) -> String {
        match EngineText::parse(text) {
            Ok(engine) => panic!("{text:?} is accepted: {engine:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn every_key_is_read() {
        let text = concat!(
            r#"cmd=./x args="-q 'two words'" name='My Engine' dir=/tmp option.Hash=16 "option.Move Overhead=5" "#,
            "tc=10+0.1 depth=9 margin=7 legal=on ponder=on restart=off memory=512 ",
            "cpu=60 processes=8 filesize=10 net=off"
        );
        let limit = Limit::clock(Duration::from_secs(10), Duration::from_millis(100));
        let engine = EngineSpec {
            args: vec!["-q".into(), "two words".into()],
            dir: Some("/tmp".into()),
            options: vec![("Hash".into(), "16".into()), ("Move Overhead".into(), "5".into())],
            margin: Some(Duration::from_millis(7)),
            legal: true,
            ponder: true,
            restart: false,
            memory: Some(512),
            bounds: ResourceLimits {
                cpu: Some(60),
                processes: Some(8),
                filesize: Some(10),
                net: false,
            },
            ..EngineSpec::new("My Engine", "./x", limit.or(Limit::depth(9)))
        };
        assert_eq!(applied(&EngineText::parse(text).unwrap()), engine);
        let engine = EngineSpec { margin: None, ..engine };
        assert_eq!(
            applied(&EngineText::parse(&format!("{} restart=off", engine.words())).unwrap()),
            engine
        );
    }

    #[test]
    fn words_are_texts_or_settings_whose_values_stand() {
        for (words, text) in [
            (&["cmd=./a nodes=5"][..], "cmd=./a nodes=5"),
            (&["cmd=./a", "nodes=5"], "cmd=./a nodes=5"),
            (&["cmd=./my engine", "args=-q depth=3"], r#"cmd='./my engine' args='-q depth=3'"#),
            (&["cmd=./a name='one two'", "nodes=5"], "cmd=./a name='one two' nodes=5"),
            (&["option.Move Overhead=5", "name=it's"], r#"'option.Move Overhead=5' name="it's""#),
            (&["tc=1 option.A=1", "option.B=\\"], r"tc=1 option.A=1 'option.B=\'"),
        ] {
            let joined = EngineText::parse(&EngineText::joined(words));
            assert_eq!(joined, EngineText::parse(text), "{words:?}");
            assert!(joined.is_ok(), "{words:?}: {joined:?}");
        }
        assert!(error(&EngineText::joined(&["cmd=python3", "x.py"])).ends_with("args=x.py?"));
    }

    #[test]
    fn a_value_may_contain_an_equals_sign() {
        let engine = EngineText::parse("option.Book=a=b").unwrap();
        assert_eq!(applied(&engine).options, [("Book".to_string(), "a=b".to_string())]);
    }

    #[test]
    fn own_settings_go_before_shared_ones() {
        let shared = EngineText::parse("depth=3 option.Hash=1 option.Threads=2 legal=on").unwrap();
        let own = EngineText::parse("cmd=x nodes=5 option.hash=8 legal=off").unwrap();
        let merged = applied(&own.or(&shared));
        assert_eq!((merged.limit, merged.legal), (Limit::nodes(5), false));
        let options = [("Threads", "2"), ("hash", "8")]
            .map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(merged.options, options);
    }

    #[test]
    fn errors_name_what_was_given_and_what_is_accepted() {
        let errors = [
            "cmd=x name='y", "cmd=x fast", "cmd=x st=1", "cmd=x proto=uci", "cmd=x ponder",
            "cmd=x move=1", "x.py", "cmd=python3 x.py", "cmd=x cmd=y", "cmd=", "depth=3 depth=4",
            "movetime=3 tc=4", "tc=0/4", "memory=0", "cpu=0", "net=no", "margin=-1", "ponder=1",
            "depth=0", "movetime=ten", "tc=0+1", "tc=1e3", "tc=-1", "legal=yes", "args='\"a'",
            "option.=3", "option.a=1 option.A=2", "option.uci_variant=chess",
        ]
        .map(|text| format!("{text}\n  {}", error(text)));
        insta::assert_snapshot!(errors.join("\n"));
    }
}
