//! Engines on the server, for workers that accept them.

use std::path::{Path, PathBuf};

use async_nats::jetstream::Context;
use matches::plan::{EngineSpec, binary};
use matches::run::Match;
use matches::run::exit::ExitError;

use crate::message::EngineId;
use crate::names::Names;
use crate::queue::QueueError;
use crate::queue::objects::{MOST_BYTES_OF_A_FILE, put_file, remove_file};

/// Name of the store's note with the names of shared engines, in JSON.
const SHARED_NOTE: &str = "fleet_shared";

/// Shares the engines named in `chosen`, and those that an earlier coordinator shared.
pub fn choose(
    planned: &mut Match,
    engines: &mut [EngineId],
    chosen: &[String],
) -> Result<(), ExitError> {
    let store = planned.ledger.store.as_mut();
    let note = store.as_ref().map(|store| store.note(SHARED_NOTE));
    let note = note.transpose()?.flatten();
    let known = note.and_then(|note| serde_json::from_str(&note).ok());
    let mut names: Vec<String> = known.unwrap_or_default();
    names.extend_from_slice(chosen);
    names.sort();
    names.dedup();
    for name in &names {
        let Some(index) = engines.iter().position(|id| id.name == *name) else {
            let known: Vec<&str> = engines.iter().map(|id| &*id.name).collect();
            let known = known.join(", ");
            return Err(ExitError::usage(format!(
                "--share-engine {name}: expected an engine of the match: {known}"
            )));
        };
        let (id, engine) = (&mut engines[index], &planned.plan.engines[index]);
        for (path, _) in files(engine, id) {
            let length = path.metadata().map_or(0, |found| found.len());
            if length > MOST_BYTES_OF_A_FILE {
                let path = path.display();
                return Err(ExitError::usage(format!(
                    "--share-engine {name}: {path} has {length} bytes, expected at most {MOST_BYTES_OF_A_FILE}"
                )));
            }
        }
        id.is_shared = true;
    }
    if let Some(store) = store.filter(|_| !chosen.is_empty()) {
        store.set_note(
            SHARED_NOTE,
            &serde_json::to_string(&names).unwrap_or_default(),
        )?;
    }
    Ok(())
}

/// Uploads all shared engines of a match to the server.
pub async fn put(
    context: &Context,
    names: &Names,
    engines: &[EngineSpec],
    ids: &[EngineId],
) -> Result<(), QueueError> {
    for (engine, id) in engines.iter().zip(ids).filter(|(_, id)| id.is_shared) {
        for (path, sha256) in files(engine, id) {
            put_file(context, names, sha256, &path).await?;
        }
    }
    Ok(())
}

/// Removes all shared engines of a match from the server.
pub async fn remove(context: &Context, names: &Names, ids: &[EngineId]) {
    for id in ids.iter().filter(|id| id.is_shared) {
        for sha256 in id.hashes() {
            remove_file(context, names, sha256).await;
        }
    }
}

/// The files of an engine with their hashes.
fn files<'a>(engine: &EngineSpec, id: &'a EngineId) -> Vec<(PathBuf, &'a str)> {
    let program = binary::files(&engine.command, &[], None);
    let dir = engine.dir.as_deref();
    let path = |argument: &str| match dir {
        Some(dir) => dir.join(argument),
        None => Path::new(argument).to_path_buf(),
    };
    let arguments = id.files.iter().map(|(argument, _)| path(argument));
    program
        .into_iter()
        .chain(arguments)
        .zip(id.hashes())
        .collect()
}
