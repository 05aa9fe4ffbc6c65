//! The rules program of a match, as a setting of its store.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::archive::error::Reason;
use crate::plan::rules::program::RulesPlan;
use crate::plan::{EngineSpec, Limit, ResourceLimits, binary};

/// Name of the setting.
pub const RULES: &str = "rules";
/// Name of the setting with the hashes of the program's files when it last checked all stored games. The setting exists
/// if the files had changed since the match began.
pub const RULES_OF_GAMES: &str = "rules-of-games";

/// The program with hashes of its files when the match began.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    name: String,
    command: PathBuf,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
    memory: Option<u64>,
    bounds: ResourceLimits,
    told: String,
    draws: String,
    sha256: Option<String>,
    argument_files: Vec<(String, String)>,
}

/// Writes the program as the text of the setting.
pub fn text(plan: &RulesPlan) -> String {
    let program = &plan.program;
    // Absolute, because the match may be resumed from another directory, and arguments may be files.
    let directory = match &program.dir {
        Some(dir) => std::path::absolute(dir).ok(),
        None => std::env::current_dir().ok(),
    };
    let stored = Stored {
        name: program.name.clone(),
        command: program.command.clone(),
        arguments: program.args.clone(),
        memory: program.memory,
        bounds: program.bounds,
        told: plan.told.clone(),
        draws: plan.draws.to_string(),
        sha256: binary::hash(&program.command),
        argument_files: binary::hash_arguments(&program.args, directory.as_deref()),
        directory,
    };
    // Cannot fail for texts and numbers.
    serde_json::to_string(&stored).unwrap_or_default()
}

pub fn parse(text: &str) -> Result<RulesPlan, Reason> {
    let stored = read(text)?;
    let mut program = EngineSpec::new(&stored.name, stored.command, Limit::default());
    program.args = stored.arguments;
    program.dir = stored.directory;
    program.memory = stored.memory;
    program.bounds = stored.bounds;
    let draws = stored.draws.parse();
    Ok(RulesPlan {
        program,
        told: stored.told,
        draws: draws.map_err(|expected: String| Reason::content("draws", &expected))?,
    })
}

/// Returns the hashes of a program's files as they are now, as one text.
pub fn hashes(plan: &RulesPlan) -> String {
    let program = &plan.program;
    let arguments = binary::hash_arguments(&program.args, program.dir.as_deref());
    joined(binary::hash(&program.command), arguments)
}

/// Returns the hashes of the program's files when the match began, as one text.
pub fn first_hashes(text: &str) -> Result<String, Reason> {
    let stored = read(text)?;
    Ok(joined(stored.sha256, stored.argument_files))
}

fn joined(program: Option<String>, arguments: Vec<(String, String)>) -> String {
    let arguments = arguments.into_iter().map(|(_, hash)| hash);
    let hashes: Vec<String> = program.into_iter().chain(arguments).collect();
    hashes.join(" ")
}

/// Returns the file of the program that has changed since the match began, if there is one.
pub fn changed(text: &str) -> Result<Option<PathBuf>, Reason> {
    let stored = read(text)?;
    let now = binary::hash(&stored.command);
    if now.is_none() || now != stored.sha256 {
        return Ok(Some(stored.command));
    }
    let now = binary::hash_arguments(&stored.arguments, stored.directory.as_deref());
    let mut files = stored.argument_files.into_iter();
    let changed = files.find(|file| !now.contains(file));
    Ok(changed.map(|(file, _)| Path::new(&file).to_path_buf()))
}

fn read(text: &str) -> Result<Stored, Reason> {
    serde_json::from_str(text).map_err(|error| Reason::content(format!("setting {RULES}"), &error))
}
