//! The names, engines and reference speed of a match, fixed before its first game.

use std::time::{SystemTime, UNIX_EPOCH};

use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::plan::seed::Seed;
use matches::plan::{EngineSpec, Plan, binary};
use matches::play::interrupt::Interrupt;
use matches::run::Match;
use matches::run::exit::ExitError;

use super::shared_engines;
use crate::args::CoordinatorArgs;
use crate::message::EngineId;
use crate::names::Names;
use crate::time_scale;
use crate::worker::machine::measure_speed;

/// Name of the store's note with the id of its match on the server.
const ID_NOTE: &str = "fleet";
/// Name of the store's note with the speed that its time limits are meant for.
const SPEED_NOTE: &str = "fleet-reference-speed";

/// A match as workers see it.
pub struct Setup {
    /// Its names on the server.
    pub names: Names,
    /// Engines that workers need.
    pub engines: Vec<EngineId>,
    /// Speed, in positions a second, that the time limits are meant for; `None` if they are the same on every machine.
    pub reference_speed: Option<u64>,
}

impl Setup {
    /// Sets up a match whose store is open.
    pub fn of(planned: &mut Match, settings: &CoordinatorArgs) -> Result<Setup, ExitError> {
        let mut engines = engines_of(&planned.plan)?;
        let names = names_of(planned)?;
        shared_engines::choose(planned, &mut engines, &settings.share_engine)?;
        let mut timed = planned.plan.engines.iter();
        let timed = timed.find(|engine| !engine.limit.is_timeless());
        if let Some(engine) = timed.filter(|_| settings.check_sample.is_some()) {
            let name = &engine.name;
            return Err(ExitError::usage(format!(
                "--check-sample: engine {name} is limited by time, expected depth or nodes"
            )));
        }
        Ok(Setup {
            names,
            engines,
            reference_speed: reference_speed(planned, settings.scale_time)?,
        })
    }
}

/// Returns the names of a match that a fleet has played before; `None` for any other.
pub fn stored_names(store: &Store) -> Result<Option<Names>, ArchiveError> {
    Ok(store.note(ID_NOTE)?.as_deref().and_then(Names::of))
}

/// Returns the names in the match's store, or new ones if it has none, as for a match that one machine began.
fn names_of(planned: &mut Match) -> Result<Names, ExitError> {
    let store = planned.ledger.store.as_mut();
    let Some(store) = store else {
        return Ok(Names::numbered(unique_number()?));
    };
    if let Some(names) = stored_names(store)? {
        return Ok(names);
    }
    let names = Names::numbered(unique_number()?);
    store.set_note(ID_NOTE, names.id())?;
    // The plan as any later coordinator will read it.
    planned.plan = store.plan()?;
    Ok(names)
}

fn engines_of(plan: &Plan) -> Result<Vec<EngineId>, ExitError> {
    let id = |engine: &EngineSpec| {
        let missing = || {
            let (name, command) = (&engine.name, engine.command.display());
            ExitError::usage(format!("engine {name}: cannot read its program {command}"))
        };
        Ok(EngineId {
            name: engine.name.clone(),
            sha256: binary::hash(&engine.command).ok_or_else(missing)?,
            files: binary::hash_arguments(&engine.args, engine.dir.as_deref()),
            is_shared: false,
        })
    };
    plan.engines.iter().map(id).collect()
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

/// Returns a number that no other coordinator has.
pub fn unique_number() -> Result<u64, ExitError> {
    let secret = Seed::secret();
    let secret = secret
        .map_err(|error| ExitError::usage(format!("the system has no random numbers: {error}")))?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |time| time.as_nanos() as u64);
    match secret {
        Seed::Key([a, b, c, d, e, f, g, h, ..]) => {
            Ok(now ^ u64::from_be_bytes([a, b, c, d, e, f, g, h]))
        }
        Seed::Number(number) => Ok(number),
    }
}
