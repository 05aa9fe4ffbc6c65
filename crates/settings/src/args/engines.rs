//! Conversion of engine strings to [`EngineSpec`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::GameArgs;
use super::engine_text::EngineText;
use matches::plan::{Draft, EngineSpec, Limit, MAX_ENGINES};
use matches::record::printable::shortened;
use matches::record::{MAX_NAME_LENGTH, is_too_long};
use matches::run::exit::ExitError;

/// Name of the engine that plays if the user gives none.
const BUILT_IN: &str = "buxtehude";

/// Levels of the built-in engine in a match without any engine.
const LEVELS: [&str; 3] = ["10", "7", "4"];

/// Keys of an engine that a worker's user gives; the match supplies the others.
const LOCAL_KEYS: [&str; 4] = ["cmd", "args", "name", "dir"];

/// Limit of an engine if the user sets none.
pub const DEFAULT_LIMIT: Limit = Limit::movetime(Duration::from_millis(100));

/// Returns the engines of a match, each with a unique name. `restart` is the default for engines without a `restart`
/// setting.
///
/// # Errors
/// [`ExitError`] about `--engine` or `--each`.
pub(super) fn engines(args: &GameArgs, restart: bool) -> Result<Vec<EngineSpec>, ExitError> {
    let default = EngineSpec {
        restart,
        margin: args.margin.map(|margin| Duration::from_millis(margin.0)),
        ..default(args.limit.limit().unwrap_or(DEFAULT_LIMIT))
    };
    if args.plays_levels() {
        LEVELS.iter().map(|level| built_in_at(level, &default)).collect()
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

/// Budget of an engine that measures luck, if its text sets none.
const LUCK_LIMIT: Limit = Limit::nodes(1000);

/// Parses the engine that measures luck.
///
/// # Errors
/// The mistake, with the accepted form, as text.
pub fn luck_engine(text: &str) -> Result<EngineSpec, String> {
    only_engine(text, LUCK_LIMIT)
}

fn only_engine(text: &str, limit: Limit) -> Result<EngineSpec, String> {
    let engine = EngineText::parse(text)?;
    let engine = built_in(&engine).map_err(|error| error.to_string())?;
    let name = engine.get("name").map_or_else(|| program(&engine), String::from);
    spec(&engine, name, &default(limit))
}

/// An engine without a program, for missing settings.
pub(super) fn default(limit: Limit) -> EngineSpec {
    EngineSpec::new("", "", limit)
}

fn specs(
    texts: &[String],
    each: Option<&str>,
    default: &EngineSpec,
) -> Result<Vec<EngineSpec>, ExitError> {
    let shared = each.map(shared_settings).transpose()?.unwrap_or_default();
    let mut typed = Vec::new();
    let mut drafts = Vec::new();
    for text in texts {
        let own = parsed(text)?;
        drafts.push(Draft {
            is_nameless: own.get("name").is_none(),
            optional: own.options_from(&shared),
        });
        typed.push((text.as_str(), own.or(&shared)));
    }
    if typed.is_empty() {
        typed.push(("", built_in(&shared)?));
        drafts.push(Draft::default());
    }
    if typed.len() > MAX_ENGINES {
        let reason = format!("{} engines, expected at most {MAX_ENGINES}", typed.len());
        return Err(ExitError::of_flag("engine", reason));
    }
    let names = names(&typed)?;
    let specs = typed.iter().zip(names).zip(drafts);
    let specs = specs.map(|(((text, engine), name), draft)| {
        let spec = spec(engine, name, default);
        let spec = spec.map_err(|reason| ExitError::of_text("engine", text, reason))?;
        Ok(EngineSpec { draft, ..spec })
    });
    specs.collect()
}

pub(super) fn spec(
    engine: &EngineText,
    name: String,
    default: &EngineSpec,
) -> Result<EngineSpec, String> {
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
        None => engine.with("name", BUILT_IN),
    };
    Ok(engine.or(shared))
}

/// File name of an engine's program.
pub(super) fn program(engine: &EngineText) -> String {
    let command = Path::new(engine.get("cmd").unwrap_or_default());
    let file = command.file_name().unwrap_or(command.as_os_str());
    file.to_string_lossy().into_owned()
}

/// Returns a unique name for each engine: the given one, or the program's file name, numbered if engines share it.
fn names(engines: &[(&str, EngineText)]) -> Result<Vec<String>, ExitError> {
    let nameless = engines.iter().filter(|(_, engine)| engine.get("name").is_none());
    let mut shared: HashMap<String, usize> = HashMap::new();
    for (_, engine) in nameless {
        *shared.entry(program(engine)).or_default() += 1;
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    for (_, engine) in engines {
        let name = engine.get("name").map_or_else(
            || {
                let program = program(engine);
                let number = numbers.entry(program.clone()).or_default();
                *number += 1;
                match shared.get(&program) {
                    Some(&several) if several > 1 => format!("{program}-{number}"),
                    _ => program,
                }
            },
            String::from,
        );
        if names.contains(&name) {
            let reason =
                format!("two engines are called {name:?}, expected a different name= for each");
            return Err(ExitError::of_flag("engine", reason));
        }
        names.push(name);
    }
    Ok(names)
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
