//! Preparing a match before its first game: its names on the server, the engines that workers need, and its reference
//! speed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::input_file;
use matches::plan::{EngineSpec, LuckBy, Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::run::Match;
use matches::run::exit::ExitError;

use crate::args::CoordinatorArgs;
use crate::message::EngineId;
use crate::names::Names;
use crate::queue::storage::MAX_BYTES_OF_A_FILE;
use crate::signature::{Key, SignatureError};
use crate::time_scale::{self, measure_speed};

/// Name of the store's note with the id of its match on the server.
const ID_NOTE: &str = "fleet";
/// Name of the store's note with the speed that its time limits are meant for.
const SPEED_NOTE: &str = "fleet-reference-speed";
/// Name of the store's note with the names of shared engines, in JSON.
const SHARED_NOTE: &str = "fleet_shared";
/// Name of the store's note with the number of the last session.
const SESSION_NOTE: &str = "fleet_session";
/// Name of the store's note with the keys of the workers whose games count, separated by commas, or [`EVERYBODY`].
const WORKERS_NOTE: &str = "fleet_workers";
/// Value of that note if the games of all workers count.
const EVERYBODY: &str = "everybody";

/// Maximum number of keys of `--workers`: the state of a match names all of them.
const MAX_LISTED: usize = 5000;

/// A match as workers see it.
pub struct PreparedMatch {
    pub names: Names,
    /// Programs that workers need, in the order of [`programs`].
    pub engines: Vec<EngineId>,
    /// Speed, in positions a second, that the time limits are meant for; `None` if they are the same on every machine.
    pub reference_speed: Option<u64>,
    /// Number of this session, higher than all earlier ones.
    pub session: u64,
    /// Keys of the workers whose games count; `None` for all.
    pub workers: Option<BTreeSet<Key>>,
}

impl PreparedMatch {
    /// Prepares a match whose store is open. `is_private` if no other machine reaches the server; `own` is the
    /// coordinator's key.
    pub fn of(
        planned: &mut Match,
        settings: &CoordinatorArgs,
        is_private: bool,
        own: &Key,
    ) -> Result<PreparedMatch, ExitError> {
        refuse_same_name(&planned.plan)?;
        let engines = programs(&planned.plan).map(id_of);
        let mut engines = engines.collect::<Result<Vec<EngineId>, ExitError>>()?;
        let names = names_of(planned)?;
        share_engines(planned, &mut engines, &settings.share_engine)?;
        let mut timed = planned.plan.engines.iter();
        let timed = timed.find(|engine| !engine.limit.is_timeless());
        if let Some(engine) = timed.filter(|_| settings.check_sample.is_some()) {
            let name = &engine.name;
            return Err(ExitError::usage(format!(
                "--check-sample: engine {name} is limited by time, expected depth or nodes"
            )));
        }
        let luck = planned.plan.luck;
        if matches!(luck.by, Some(LuckBy::Engine { .. })) && !luck.after {
            let reason =
                "--luck-engine: workers measure with the built-in engine; add --luck after";
            return Err(ExitError::usage(reason));
        }
        Ok(PreparedMatch {
            names,
            engines,
            reference_speed: reference_speed(planned, settings.scale_time)?,
            session: next_session(planned)?,
            workers: workers(planned, settings, is_private, own)?,
        })
    }
}

/// Returns the names of a match that a fleet has played before; `None` for any other.
pub fn stored_names(store: &Store) -> Result<Option<Names>, ArchiveError> {
    Ok(store.note(ID_NOTE)?.as_deref().and_then(Names::of))
}

/// Returns the names in the match's store, or new ones if it has none, as for a match that one machine began.
fn names_of(planned: &mut Match) -> Result<Names, ExitError> {
    let names = Names::numbered(rand::random());
    let Some(store) = &mut planned.ledger.store else {
        return Ok(names);
    };
    if let Some(names) = stored_names(store)? {
        return Ok(names);
    }
    store.set_note(ID_NOTE, names.id())?;
    if planned.is_new {
        // The plan as any later coordinator will read it.
        planned.plan = store.plan()?;
    }
    Ok(names)
}

/// Returns the number of the next session: the time, unless the clock was set back. A coordinator with a copy of
/// the store thus uses another number.
fn next_session(planned: &mut Match) -> Result<u64, ExitError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_micros() as u64);
    let Some(store) = &mut planned.ledger.store else {
        return Ok(now);
    };
    let last: Option<u64> = store.note(SESSION_NOTE)?.and_then(|text| text.parse().ok());
    let session = now.max(last.map_or(1, |last| last.saturating_add(1)));
    store.set_note(SESSION_NOTE, &session.to_string())?;
    Ok(session)
}

/// Returns the keys of the workers whose games count, or `None` if the games of all workers do.
///
/// Without a flag, the choice of an earlier coordinator applies. If no other machine reaches the server, neither is
/// needed. `own` is the coordinator's key.
fn workers(
    planned: &mut Match,
    settings: &CoordinatorArgs,
    is_private: bool,
    own: &Key,
) -> Result<Option<BTreeSet<Key>>, ExitError> {
    let asked = match &settings.workers {
        Some(path) => Some(listed_keys(path).map_err(ExitError::usage)?.join(",")),
        None => settings.open.then(|| EVERYBODY.to_string()),
    };
    let store = planned.ledger.store.as_mut();
    let known = store.as_ref().map(|store| store.note(WORKERS_NOTE)).transpose()?.flatten();
    let Some(text) = asked.or(known) else {
        return if is_private {
            Ok(None)
        } else {
            Err(ExitError::usage(format!(
                "other machines may reach the server: expected --workers FILE with the keys of the workers whose games \
                 count, which `fleet work --coordinator {own}` prints, or --open to count everybody's"
            )))
        };
    };
    if let Some(store) = store {
        store.set_note(WORKERS_NOTE, &text)?;
    }
    if text == EVERYBODY {
        return Ok(None);
    }
    let keys = text.split(',').map(str::parse).collect::<Result<_, SignatureError>>();
    let failed = |reason| ExitError::usage(format!("keys of workers in the store: {reason}"));
    keys.map(Some).map_err(failed)
}

/// Reads the keys in a file, one on each line; `#` begins a comment.
fn listed_keys(path: &Path) -> Result<Vec<String>, String> {
    let file = format!("--workers {}", path.display());
    let text = input_file::read_text(path).map_err(|reason| {
        format!("{file}: {reason}; expected a file with the key of a worker on each line")
    })?;
    let mut keys = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let word = line.split('#').next().unwrap_or_default().trim();
        if word.is_empty() {
            continue;
        }
        let key = word.parse::<Key>();
        let key = key.map_err(|reason| format!("{file}:{}: {word:?}: {reason}", index + 1))?;
        keys.push(key.to_string());
    }
    match keys.len() {
        1..=MAX_LISTED => Ok(keys),
        found => Err(format!("{file}: found {found} keys, expected 1 to {MAX_LISTED}")),
    }
}

/// The programs that workers need: the engines in the order of the plan, then the rules program, if there is one.
pub fn programs(plan: &Plan) -> impl Iterator<Item = &EngineSpec> {
    let rules = plan.rules.program().map(|game| &game.plan().program);
    plan.engines.iter().chain(rules)
}

/// Refuses a rules program with the name of an engine, because workers find both by name.
fn refuse_same_name(plan: &Plan) -> Result<(), ExitError> {
    let name = plan.rules.name();
    match plan.engines.iter().any(|engine| engine.name == name) {
        true if plan.rules.program().is_some() => Err(ExitError::usage(format!(
            "--rules: name={name} is also the name of an engine; expected another name="
        ))),
        _ => Ok(()),
    }
}

fn id_of(engine: &EngineSpec) -> Result<EngineId, ExitError> {
    let Some(sha256) = binary::hash(&engine.command) else {
        let (name, command) = (&engine.name, engine.command.display());
        let reason = format!("engine {name}: cannot read its program {command}");
        return Err(ExitError::usage(reason));
    };
    Ok(EngineId {
        name: engine.name.clone(),
        sha256,
        files: binary::hash_arguments(&engine.args, engine.dir.as_deref()),
        is_shared: false,
    })
}

/// Shares the engines named in `chosen`, and those that an earlier coordinator shared.
fn share_engines(
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
        let mut found = engines.iter_mut().zip(programs(&planned.plan));
        let Some((id, engine)) = found.find(|(id, _)| id.name == *name) else {
            let known: Vec<&str> = engines.iter().map(|id| &*id.name).collect();
            let known = known.join(", ");
            return Err(ExitError::usage(format!(
                "--share-engine {name}: expected an engine of the match: {known}"
            )));
        };
        for (path, _) in shared_files(engine, id) {
            let length = path.metadata().map_or(0, |found| found.len());
            if length > MAX_BYTES_OF_A_FILE {
                let path = path.display();
                return Err(ExitError::usage(format!(
                    "--share-engine {name}: {path} has {length} bytes, expected at most {MAX_BYTES_OF_A_FILE}"
                )));
            }
        }
        id.is_shared = true;
    }
    if let Some(store) = store.filter(|_| !chosen.is_empty()) {
        let names = serde_json::to_string(&names).unwrap_or_default();
        store.set_note(SHARED_NOTE, &names)?;
    }
    Ok(())
}

/// The program of an engine and the files among its arguments, with their hashes.
pub fn shared_files<'a>(
    engine: &EngineSpec,
    id: &'a EngineId,
) -> impl Iterator<Item = (PathBuf, &'a str)> {
    let program = binary::files(&engine.command, &[], None);
    let dir = engine.dir.clone().unwrap_or_default();
    let arguments = id.files.iter().map(move |(argument, _)| dir.join(argument));
    program.into_iter().chain(arguments).zip(id.hashes())
}

/// Returns the speed that the time limits are meant for: that in the store of a resumed match, else `asked`, where 0
/// stands for this machine's speed.
fn reference_speed(planned: &mut Match, asked: Option<u64>) -> Result<Option<u64>, ExitError> {
    let store = planned.ledger.store.as_ref();
    if let Some(store) = store.filter(|_| !planned.is_new) {
        let known: Option<u64> = store.note(SPEED_NOTE)?.and_then(|text| text.parse().ok());
        return match asked {
            Some(asked) if asked > 0 && Some(asked) != known => Err(ExitError::usage(format!(
                "--scale-time {asked}: the match began with {}, expected the same or no flag",
                known.map_or("none".to_string(), |known| known.to_string())
            ))),
            _ => Ok(known),
        };
    }
    let Some(asked) = asked else {
        return Ok(None);
    };
    if !time_scale::is_timed(&planned.plan) {
        return Err(ExitError::usage(
            "--scale-time: no engine is limited by time, expected --tc or --movetime",
        ));
    }
    let speed = match asked {
        0 => measure_speed(1, &Interrupt::new()),
        asked => Some(asked),
    };
    let speed = speed.ok_or_else(|| {
        ExitError::usage("--scale-time: the speed of this machine could not be measured")
    })?;
    if let Some(store) = &mut planned.ledger.store {
        store.set_note(SPEED_NOTE, &speed.to_string())?;
    }
    Ok(Some(speed))
}
