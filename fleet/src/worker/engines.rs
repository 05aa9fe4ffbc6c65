//! Engines of a match on this machine, found by name and verified by hash.

use std::path::{Path, PathBuf};

use matches::plan::{EngineSpec, Plan, binary};
use thiserror::Error;

use crate::args::LocalEngine;
use crate::message::EngineId;

/// Reasons why this machine lacks an engine of a match.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    /// The match's state and its plan list different numbers of engines.
    #[error("the match lists {found} engines, its plan has {expected}")]
    Number {
        /// Number of hashes.
        found: usize,
        /// Number of engines in the plan.
        expected: usize,
    },
    /// No flag says where the engine is.
    #[error(
        "engine {name}: not on this machine, expected `fleet work --engine name={name},cmd=...`"
    )]
    Missing { name: String },
    /// The program here differs from the match's.
    #[error("engine {name}: {program} has SHA-256 {found}, the match has {expected}")]
    Other {
        name: String,
        program: String,
        /// Its hash, or a note that it cannot be read.
        found: String,
        /// Hash of the match's program.
        expected: String,
    },
    /// The engine could be fetched, but this worker does not accept engines.
    #[error("{reason}; the match shares it: `fleet work --accept-engines` fetches it")]
    NotAccepted {
        /// Reason why it is not on this machine.
        reason: Box<EngineError>,
    },
    /// A file among its arguments differs from the match's.
    #[error("engine {name}: file {argument} among its arguments differs from the match's")]
    Argument { name: String, argument: String },
}

/// Checks that each engine of a plan has its hashes.
///
/// # Errors
/// [`EngineError::Number`].
pub fn check_number(plan: &Plan, ids: &[EngineId]) -> Result<(), EngineError> {
    let (found, expected) = (ids.len(), plan.engines.len());
    match found == expected {
        true => Ok(()),
        false => Err(EngineError::Number { found, expected }),
    }
}

/// Replaces an engine's program by the one on this machine.
///
/// # Errors
/// [`EngineError`] if this machine does not have the same engine.
pub fn substitute(
    engine: &mut EngineSpec,
    id: &EngineId,
    local: &[LocalEngine],
) -> Result<(), EngineError> {
    let (command, dir) = find(engine, id, local)?;
    let files = binary::hash_arguments(&engine.args, dir.as_deref());
    let mut all = files.iter().chain(&id.files);
    if let Some((argument, _)) = all.find(|file| !(files.contains(file) && id.files.contains(file)))
    {
        return Err(EngineError::Argument {
            name: engine.name.clone(),
            argument: argument.clone(),
        });
    }
    (engine.command, engine.dir) = (command, dir);
    Ok(())
}

fn find(
    engine: &EngineSpec,
    id: &EngineId,
    local: &[LocalEngine],
) -> Result<(PathBuf, Option<PathBuf>), EngineError> {
    let name = engine.name.clone();
    let Some(found) = local.iter().find(|local| local.name == name) else {
        // The built-in engine is this program.
        let own = std::env::current_exe().ok();
        let own = own.filter(|own| binary::hash(own).as_deref() == Some(&id.sha256));
        return own
            .map(|own| (own, None))
            .ok_or(EngineError::Missing { name });
    };
    let command = absolute(&found.command);
    match binary::hash(&command) {
        Some(hash) if hash == id.sha256 => Ok((command, found.dir.clone())),
        hash => Err(EngineError::Other {
            name,
            program: found.command.display().to_string(),
            found: hash.unwrap_or_else(|| "unknown (it cannot be read)".to_string()),
            expected: id.sha256.clone(),
        }),
    }
}

/// Makes a path independent of an engine's working directory; a bare name is left to the search path.
fn absolute(command: &Path) -> PathBuf {
    match command.components().count() {
        1 => command.to_path_buf(),
        _ => std::path::absolute(command).unwrap_or_else(|_| command.to_path_buf()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::Limit;
    use std::fs;

    fn id(name: &str, content: &str) -> EngineId {
        EngineId {
            name: name.to_string(),
            sha256: binary::hash_bytes(content.as_bytes()),
            files: Vec::new(),
            is_shared: false,
        }
    }

    #[test]
    fn an_engine_is_the_one_of_its_name_with_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "one").unwrap();
        let local = LocalEngine {
            name: "a".to_string(),
            command: program.clone(),
            dir: None,
        };
        let engine = EngineSpec::new("a", "/elsewhere/a", Limit::nodes(1));
        let plan = Plan::new(&VARIANTS[0], 2, vec![engine.clone()]);
        let number = check_number(&plan, &[]).unwrap_err();
        assert!(matches!(number, EngineError::Number { .. }), "{number}");
        let found = |id: &EngineId, local: &[LocalEngine]| {
            let mut engine = engine.clone();
            substitute(&mut engine, id, local).map(|()| engine.command)
        };
        let known = [local];
        assert_eq!(found(&id("a", "one"), &known), Ok(program));
        let other = found(&id("a", "two"), &known).unwrap_err();
        assert!(matches!(other, EngineError::Other { .. }), "{other}");
        let missing = found(&id("a", "one"), &[]).unwrap_err();
        assert!(matches!(missing, EngineError::Missing { .. }), "{missing}");
        let mut with_file = id("a", "one");
        with_file.files.push(("net".to_string(), "0".repeat(64)));
        let argument = found(&with_file, &known).unwrap_err();
        assert!(
            matches!(argument, EngineError::Argument { .. }),
            "{argument}"
        );
    }
}
