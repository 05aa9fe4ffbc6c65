//! A match that is about to be coordinated.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use matches::archive::store::{Store, StoreError};
use matches::plan::seed::Seed;
use matches::plan::{Plan, binary};
use matches::play::log::Log;
use matches::report::Report;
use matches::run::announcement::count;
use matches::run::exit::{USAGE, code_of, fail};
use matches::run::ledger::Ledger;
use matches::run::past::Past;
use settings::args::{GameArgs, ResumeArgs};
use settings::outputs;

use super::{machines, retiring};
use crate::message::EngineId;
use crate::names::Names;

/// The note of a store that has the id of its match on the server.
const ID_NOTE: &str = "fleet";

/// A match with its store, and all that was played of it.
pub struct Prepared {
    /// What is played.
    pub plan: Plan,
    /// Where its games go, and those that have been played before.
    pub ledger: Ledger,
    /// Where it is written what engines say here.
    pub log: Log,
    /// The numbers of these.
    pub played: HashSet<u64>,
    /// How often each engine has failed in a row in them.
    pub failures: Vec<u32>,
    /// How often games have been played again for each engine.
    pub replays: Vec<u32>,
    /// What is said at the start.
    pub remarks: Vec<String>,
    /// What it is called on the server.
    pub names: Names,
    /// The engines that workers have to have.
    pub engines: Vec<EngineId>,
    /// The speed of a machine for which the limits of time are those of the match; `None` where they are so for all.
    pub reference_speed: Option<u64>,
    /// Whether it begins now, and is not resumed.
    pub is_new: bool,
}

impl Prepared {
    /// A match that has not begun; the error comes with its exit code.
    pub fn new(
        plan: &Plan,
        remarks: Vec<String>,
        args: &GameArgs,
    ) -> Result<Prepared, (u8, String)> {
        let engines = engines_of(plan)?;
        let path = args.store.as_deref().unwrap_or_else(|| Path::new(""));
        let failed = |error: StoreError| (code_of(&error), format!("--store: {error}"));
        let mut store = Store::create(path, plan).map_err(failed)?;
        let names = Names::numbered(number()?);
        let opened = store.set_note(ID_NOTE, names.id()).map_err(failed);
        // What is played is what anybody who resumes the match would play.
        let opened = opened.and_then(|()| store.plan().map_err(failed));
        let opened = opened.and_then(|stored| {
            let record = plan.record.clone();
            let plan = Plan { record, ..stored };
            let outputs = outputs::open(Report::of(&plan), &args.output, Some(path));
            Ok((outputs.map_err(|error| (USAGE, error.to_string()))?, plan))
        });
        match opened {
            Ok(((ledger, log), plan)) => Ok(Prepared {
                log,
                failures: vec![0; plan.engines.len()],
                replays: vec![0; plan.engines.len()],
                ledger: Ledger {
                    store: Some(store),
                    ..ledger
                },
                plan,
                played: HashSet::new(),
                remarks,
                names,
                engines,
                reference_speed: None,
                is_new: true,
            }),
            Err(error) => {
                store.discard();
                Err(error)
            }
        }
    }

    /// The match in a store; the error comes with its exit code.
    pub fn stored(args: &ResumeArgs) -> Result<Prepared, (u8, String)> {
        let failed = |error: StoreError| (code_of(&error), error.to_string());
        let mut store = Store::resume(&args.file).map_err(failed)?;
        let mut plan = store.plan().map_err(failed)?;
        plan.record.clone_from(&args.output.record);
        let known = store.note(ID_NOTE).map_err(failed)?;
        let names = match known.as_deref().and_then(Names::of) {
            Some(names) => names,
            // A match that was played on one machine goes on on many.
            None => {
                let names = Names::numbered(number()?);
                store.set_note(ID_NOTE, names.id()).map_err(failed)?;
                names
            }
        };
        machines::keep_out(&mut store).map_err(failed)?;
        let mut past = Past::of(&store, &plan).map_err(failed)?;
        past.failures = retiring::failures_of(&store, &plan).map_err(failed)?;
        if args.forgive {
            past.failures.clear();
        }
        let retired = past.retired(&plan);
        let (stored, all) = (past.played.len(), count(plan.games, "game"));
        let mut remarks = vec![format!("{stored} of {all} stored before")];
        if !retired.is_empty() {
            let names = retired.join(", ");
            remarks.push(format!(
                "{names}: retired before; --forgive lets it play again"
            ));
        }
        let opened = outputs::open(past.report, &args.output, Some(&args.file));
        let (ledger, log) = opened.map_err(|error| (USAGE, error.to_string()))?;
        Ok(Prepared {
            log,
            engines: engines_of(&plan)?,
            ledger: Ledger {
                store: Some(store),
                retired,
                ..ledger
            },
            plan,
            played: past.played,
            failures: past.failures,
            replays: past.replays,
            remarks,
            names,
            reference_speed: None,
            is_new: false,
        })
    }

    /// Says why the match cannot begin, and leaves no file in the way of the next attempt.
    pub fn give_up(self, code: u8, error: impl Display) -> ExitCode {
        if let Some(store) = self.ledger.store.filter(|_| self.is_new) {
            store.discard();
        }
        fail(code, error)
    }
}

/// The engines of a plan as workers have to have them.
fn engines_of(plan: &Plan) -> Result<Vec<EngineId>, (u8, String)> {
    let id = |engine: &matches::plan::EngineSpec| {
        let name = &engine.name;
        let missing = || {
            let command = engine.command.display();
            (
                USAGE,
                format!("engine {name}: {command} cannot be read, expected its program"),
            )
        };
        Ok(EngineId {
            name: name.clone(),
            sha256: binary::hash(&engine.command).ok_or_else(missing)?,
            files: binary::hash_arguments(&engine.args, engine.dir.as_deref()),
            is_shared: false,
        })
    };
    plan.engines.iter().map(id).collect()
}

/// A number that nobody else has.
pub fn number() -> Result<u64, (u8, String)> {
    let secret = Seed::secret().map_err(|error| (USAGE, format!("random numbers: {error}")))?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |time| time.as_nanos() as u64);
    match secret {
        Seed::Key([a, b, c, d, e, f, g, h, ..]) => {
            Ok(now ^ u64::from_be_bytes([a, b, c, d, e, f, g, h]))
        }
        Seed::Number(number) => Ok(number),
    }
}
