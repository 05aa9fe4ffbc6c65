//! The settings of a match: its plan as JSON, written when it begins, and other texts by name. Every game follows from
//! the plan.

use std::env::consts::{ARCH, OS};
use std::path::Path;
use std::thread;

use procfs_core::{CpuInfo, FromRead};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Store, games, trust};
use crate::archive::{ArchiveError, Reason};
use crate::plan::binary::ProgramFiles;
use crate::plan::deck::Seed;
use crate::plan::rules::Rules;
use crate::plan::rules::external::RulesPlan;
use crate::plan::{EngineSpec, Plan};

/// Setting with the plan.
pub const PLAN: &str = "plan";
/// Setting with the hashes of all programs' files when the match began.
pub const PROGRAM_FILES: &str = "files";
/// Setting with the hashes of the rules program's files when it last checked all stored games. The setting exists if
/// the files had changed since the match began.
const RULES_OF_GAMES: &str = "rules-of-games";
/// Setting with the identity of the evaluator of all luck.
pub const LUCK_BY: &str = "luck-by";

/// Settings that count the games added and removed.
const ADDED: &str = "games-added";
pub const REMOVED: &str = "games-removed";

/// SQL expression for the current time in UTC, as text.
const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

/// The plan of a stored match, with what decides whether its programs may run: all as of one moment.
#[derive(Debug)]
pub struct StoredPlan {
    pub plan: Plan,
    /// The error with the commands that would run if another user made the store.
    pub trust: Result<(), ArchiveError>,
    /// A sentence if the rules program, or a file among its arguments, has changed since the match began or is missing.
    pub changed_rules: Option<String>,
    /// A sentence for each engine whose program, or a file among its arguments, has changed or is missing.
    pub changed_engines: Vec<String>,
}

/// The files of a match's programs when it began.
#[derive(Debug, Serialize, Deserialize)]
struct Files {
    /// Those of each engine, in the order of the plan.
    engines: Vec<ProgramFiles>,
    rules: Option<ProgramFiles>,
}

/// Circumstances of a match, as far as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Version of the arbiter at the start.
    pub arbiter: Option<String>,
    /// Machine at the start.
    pub machine: Option<String>,
    /// Time of the start in UTC, such as `2030-01-31T09:00:00Z`.
    pub begun: Option<String>,
    /// Seconds from the start to the end of the last game.
    pub seconds: Option<u64>,
    /// SHA-256 of each engine's program, in the order of the plan.
    pub programs: Vec<Option<String>>,
}

/// Numbers of games added to a store and removed from it, which tell a reader whether it has changed.
///
/// SQLite's `data_version` tells that, too, but only to a connection that stays open; such a reader would keep the
/// arbiter from moving its log into the store at the end of the match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub added: u64,
    pub removed: u64,
}

impl Store {
    /// Returns the plan of the match.
    ///
    /// # Errors
    /// [`ArchiveError`] if the file was modified so that the plan is invalid.
    pub fn plan(&self) -> Result<Plan, ArchiveError> {
        self.snapshot(read)
    }

    /// Returns the plan if its programs may run: this user made the store, or `is_trusted`.
    ///
    /// # Errors
    /// As [`Store::plan`], and [`ArchiveError`] with the commands that would run.
    pub fn trusted_plan(&self, is_trusted: bool) -> Result<Plan, ArchiveError> {
        let (plan, trust) = self.snapshot(|snapshot| {
            let plan = read(snapshot)?;
            let trust = if is_trusted { Ok(()) } else { trust::check(snapshot, &plan.engines) };
            Ok((plan, trust))
        })?;
        self.check(trust).map(|()| plan)
    }

    /// Returns the plan with what decides whether its programs may run.
    pub fn stored_plan(&self) -> Result<StoredPlan, ArchiveError> {
        self.snapshot(|snapshot| {
            let plan = read(snapshot)?;
            let trust = self.check(trust::check(snapshot, &plan.engines));
            let (changed_rules, changed_engines) = changed(snapshot, &plan)?;
            Ok(StoredPlan { plan, trust, changed_rules, changed_engines })
        })
    }

    /// `true` if the files of a rules program have changed since it played or last checked the stored games.
    pub fn has_other_rules(&self, rules: &RulesPlan) -> Result<bool, ArchiveError> {
        let known = self.snapshot(|snapshot| match find(snapshot, RULES_OF_GAMES)? {
            Some(_) => parsed::<ProgramFiles>(snapshot, RULES_OF_GAMES).map(Some),
            None => Ok(parsed::<Files>(snapshot, PROGRAM_FILES)?.rules),
        })?;
        Ok(known.is_some_and(|known| known != ProgramFiles::of(&rules.program)))
    }

    /// Removes the games that are wrong by the rules, and notes that the others are valid by a rules program.
    ///
    /// # Errors
    /// [`ArchiveError`] if this cannot be written; then nothing has changed.
    pub fn drop_wrong(
        &mut self,
        wrong: &[u64],
        rules: Option<&RulesPlan>,
    ) -> Result<(), ArchiveError> {
        self.write(|transaction| {
            games::remove(transaction, wrong)?;
            if let Some(rules) = rules {
                let files = json(RULES_OF_GAMES, &ProgramFiles::of(&rules.program))?;
                replace(transaction, RULES_OF_GAMES, &files)?;
            }
            Ok(())
        })
    }

    /// Removes games, and replaces the note that says why, with a single sync.
    ///
    /// # Errors
    /// [`ArchiveError`] if this cannot be written; then nothing has changed.
    pub fn remove(&mut self, games: &[u64], note: &str, text: &str) -> Result<(), ArchiveError> {
        self.write(|transaction| {
            games::remove(transaction, games)?;
            replace(transaction, &note_name(note), text)
        })
    }

    /// Stores the engines' `id name`s, in the order of the plan, the first time.
    pub fn set_id_names(&mut self, id_names: &[Option<String>]) -> Result<(), ArchiveError> {
        self.write(|transaction| {
            for (number, id_name) in id_names.iter().enumerate() {
                let update = "UPDATE engines SET id_name = ifnull(id_name, ?2) WHERE number = ?1";
                transaction.execute(update, params![number, id_name])?;
            }
            Ok(())
        })
    }

    /// Returns the engines' `id name`s, in the order of the plan; `None` for an engine that has not sent one.
    pub fn id_names(&self) -> Result<Vec<Option<String>>, ArchiveError> {
        let select = "SELECT id_name FROM engines ORDER BY number";
        self.check(column(&self.connection, select))
    }

    /// Returns the text that [`Store::set_note`] stored under a name; `None` if there is none.
    pub fn note(&self, name: &str) -> Result<Option<String>, ArchiveError> {
        self.check(find(&self.connection, &note_name(name)))
    }

    /// Stores a text under a name for the caller's own use; replaces an earlier one. Notes are not settings of the
    /// match.
    pub fn set_note(&mut self, name: &str, text: &str) -> Result<(), ArchiveError> {
        self.check(replace(&self.connection, &note_name(name), text))
    }

    /// Returns the identity of the evaluator of all luck in the store; `None` if there is none.
    pub fn luck_by(&self) -> Result<Option<String>, ArchiveError> {
        self.check(find(&self.connection, LUCK_BY))
    }

    /// Returns the numbers of games added and removed so far.
    pub fn changes(&self) -> Result<Changes, ArchiveError> {
        let number = |connection: &Connection, name: &str| {
            let text = find(connection, name)?.unwrap_or_else(|| "0".to_string());
            let wrong = |error| Reason::content(format!("setting {name} {text:?}"), &error);
            text.parse().map_err(wrong)
        };
        self.snapshot(|snapshot| {
            Ok(Changes { added: number(snapshot, ADDED)?, removed: number(snapshot, REMOVED)? })
        })
    }

    /// Reads the circumstances of the match.
    pub fn circumstances(&self) -> Result<Circumstances, ArchiveError> {
        self.snapshot(|snapshot| {
            let setting = |name: &str| find(snapshot, name);
            let seconds = "SELECT unixepoch(last.value) - unixepoch(first.value)
                FROM settings AS first, settings AS last
                WHERE first.name = 'begun' AND last.name = 'last-game'";
            let seconds = snapshot.query_row(seconds, [], |row| row.get(0));
            let files: Files = parsed(snapshot, PROGRAM_FILES)?;
            Ok(Circumstances {
                arbiter: setting("arbiter")?,
                machine: setting("machine")?,
                begun: setting("begun")?,
                seconds: seconds.optional()?.flatten(),
                programs: files.engines.into_iter().map(|files| files.sha256).collect(),
            })
        })
    }
}

/// Writes the settings of a new match. Options of a single run, such as a log or a record, are not part of them.
pub fn begin(transaction: &Transaction<'_>, plan: &Plan) -> Result<(), Reason> {
    let mut plan = plan.clone();
    plan.engines.iter_mut().for_each(be_absolute);
    plan.rules = match plan.rules.program() {
        Some(game) => {
            let mut rules = game.plan().clone();
            be_absolute(&mut rules.program);
            Rules::apart(rules)
        }
        None => plan.rules,
    };
    let engines = plan.engines.iter().map(ProgramFiles::of).collect();
    let rules = plan.rules.program().map(|game| ProgramFiles::of(&game.plan().program));
    replace(transaction, "arbiter", crate::VERSION)?;
    replace(transaction, "machine", &machine())?;
    let insert = format!("INSERT INTO settings (name, value) VALUES ('begun', {NOW})");
    transaction.execute(&insert, [])?;
    replace(transaction, PLAN, &json(PLAN, &plan)?)?;
    replace(transaction, PROGRAM_FILES, &json(PROGRAM_FILES, &Files { engines, rules })?)?;
    for (number, engine) in plan.engines.iter().enumerate() {
        let insert = "INSERT INTO engines (number, name) VALUES (?1, ?2)";
        transaction.execute(insert, params![number, engine.name])?;
    }
    Ok(())
}

/// Makes the directory of a program absolute, because the match may be resumed from another directory, and arguments
/// may be files.
fn be_absolute(program: &mut EngineSpec) {
    program.dir = match &program.dir {
        Some(dir) => std::path::absolute(dir).ok(),
        None => std::env::current_dir().ok(),
    };
}

/// Reads the plan of a match. The program of its rules must not start before this user trusts the store.
fn read(connection: &Connection) -> Result<Plan, Reason> {
    let plan = Plan::from_json(required(connection, PLAN)?.as_bytes())
        .map_err(|reason| Reason::content(format!("setting {PLAN}"), &reason))?;
    let select = "SELECT name FROM engines ORDER BY number";
    let is_same = |(name, engine): (String, &EngineSpec)| name == engine.name;
    let names = column::<String>(connection, select)?;
    if names.len() != plan.engines.len() || !names.into_iter().zip(&plan.engines).all(is_same) {
        return Err(Reason::content("engines", &"expected the engines of the plan"));
    }
    Ok(Plan { rules: plan.rules.made_known(), ..plan })
}

/// Returns the seed of the plan, without reading all of it.
pub fn seed(connection: &Connection) -> Result<Seed, Reason> {
    #[derive(Deserialize)]
    struct OnlySeed {
        seed: Seed,
    }
    parsed(connection, PLAN).map(|plan: OnlySeed| plan.seed)
}

/// Returns a sentence if the rules program has changed, and one for each engine whose program has changed.
fn changed(connection: &Connection, plan: &Plan) -> Result<(Option<String>, Vec<String>), Reason> {
    let files: Files = parsed(connection, PROGRAM_FILES)?;
    let sentence = |what: &str, file: &Path| {
        format!("{what}: {} has changed since the match began", file.display())
    };
    let rules = plan.rules.program().and_then(|game| {
        let file = files.rules.unwrap_or_default().changed(&game.plan().program)?;
        Some(sentence("rules", &file))
    });
    let engines = files.engines.iter().zip(&plan.engines).filter_map(|(files, engine)| {
        let file = files.changed(engine)?;
        Some(sentence(&format!("engine {}", engine.name), &file))
    });
    Ok((rules, engines.collect()))
}

/// Stores the current time as the end of the last game, and that a game was added.
pub fn note_game(transaction: &Transaction<'_>) -> Result<(), Reason> {
    let replace = format!("REPLACE INTO settings (name, value) VALUES ('last-game', {NOW})");
    transaction.prepare_cached(&replace)?.execute([])?;
    increment(transaction, ADDED)
}

pub fn increment(transaction: &Transaction<'_>, name: &str) -> Result<(), Reason> {
    let increment = "INSERT INTO settings (name, value) VALUES (?1, '1')
        ON CONFLICT DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)";
    transaction.prepare_cached(increment)?.execute([name])?;
    Ok(())
}

/// Key of a note among the settings; no setting contains a colon.
fn note_name(name: &str) -> String {
    format!("note:{name}")
}

/// Describes the machine, for example `linux x86_64, 2 processors, AMD EPYC`.
fn machine() -> String {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut words = format!("{OS} {ARCH}, {processors} processors");
    let processors = CpuInfo::from_file("/proc/cpuinfo").ok();
    if let Some(model) = processors.as_ref().and_then(|known| known.model_name(0)) {
        words += &format!(", {model}");
    }
    words
}

/// Returns the text of a setting, if there is one.
pub fn find(connection: &Connection, name: &str) -> Result<Option<String>, Reason> {
    let select = "SELECT value FROM settings WHERE name = ?1";
    let value = connection.query_row(select, [name], |row| row.get(0));
    Ok(value.optional()?)
}

pub fn replace(connection: &Connection, name: &str, value: &str) -> Result<(), Reason> {
    let replace = "REPLACE INTO settings (name, value) VALUES (?1, ?2)";
    connection.execute(replace, params![name, value])?;
    Ok(())
}

/// Returns the text of a setting that every store has.
pub fn required(connection: &Connection, name: &str) -> Result<String, Reason> {
    let missing = || Reason::content(format!("setting {name}"), &"it is missing");
    find(connection, name)?.ok_or_else(missing)
}

/// Parses the text of a setting that every store has as JSON.
fn parsed<T: DeserializeOwned>(connection: &Connection, name: &str) -> Result<T, Reason> {
    let wrong = |error| Reason::content(format!("setting {name}"), &error);
    serde_json::from_str(&required(connection, name)?).map_err(wrong)
}

/// Writes a value as the text of a setting.
fn json(name: &str, value: &impl Serialize) -> Result<String, Reason> {
    // Fails for a path that is not UTF-8.
    serde_json::to_string(value).map_err(|error| Reason::content(format!("setting {name}"), &error))
}

/// Returns the single column of a query.
fn column<T: FromSql>(connection: &Connection, select: &str) -> Result<Vec<T>, Reason> {
    let mut statement = connection.prepare(select)?;
    let values = statement.query_map([], |row| row.get(0))?;
    Ok(values.collect::<Result<_, _>>()?)
}
