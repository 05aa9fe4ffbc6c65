//! The plan of a match, written as JSON when it begins; every game follows from it. And texts by name.

use std::path::Path;

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::archive::error::Reason;
use crate::plan::binary::ProgramFiles;
use crate::plan::deck::Seed;
use crate::plan::rules::Rules;
use crate::plan::{EngineSpec, Plan};

/// Setting with the plan.
pub const PLAN: &str = "plan";
/// Setting with the hashes of all programs' files when the match began.
pub const FILES: &str = "files";
/// Setting with the hashes of the rules program's files when it last checked all stored games. The setting exists if
/// the files had changed since the match began.
pub const RULES_OF_GAMES: &str = "rules-of-games";
/// Setting with the identity of the evaluator of all luck.
pub const LUCK_BY: &str = "luck-by";

/// The files of a match's programs when it began.
#[derive(Debug, Serialize, Deserialize)]
pub struct Files {
    /// Those of each engine, in the order of the plan.
    pub engines: Vec<ProgramFiles>,
    pub rules: Option<ProgramFiles>,
}

/// Writes a plan. Options of a single run, such as a log or a record, are not part of it.
pub fn write(transaction: &Transaction<'_>, plan: &Plan) -> Result<(), Reason> {
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
    replace(transaction, PLAN, &json(PLAN, &plan)?)?;
    replace(transaction, FILES, &json(FILES, &Files { engines, rules })?)?;
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
pub fn read(connection: &Connection) -> Result<Plan, Reason> {
    let plan = Plan::from_json(required(connection, PLAN)?.as_bytes());
    let plan = plan.map_err(|reason| Reason::content(format!("setting {PLAN}"), &reason))?;
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
pub fn changed(
    connection: &Connection,
    plan: &Plan,
) -> Result<(Option<String>, Vec<String>), Reason> {
    let files: Files = parsed(connection, FILES)?;
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

/// Stores the engines' `id name`s, the first time.
pub fn set_id_names(
    connection: &mut Connection,
    id_names: &[Option<String>],
) -> Result<(), Reason> {
    let transaction = connection.transaction()?;
    for (number, id_name) in id_names.iter().enumerate() {
        let update = "UPDATE engines SET id_name = ifnull(id_name, ?2) WHERE number = ?1";
        transaction.execute(update, params![number, id_name])?;
    }
    Ok(transaction.commit()?)
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
pub fn parsed<T: DeserializeOwned>(connection: &Connection, name: &str) -> Result<T, Reason> {
    let wrong = |error| Reason::content(format!("setting {name}"), &error);
    serde_json::from_str(&required(connection, name)?).map_err(wrong)
}

/// Writes a value as the text of a setting.
pub fn json(name: &str, value: &impl Serialize) -> Result<String, Reason> {
    // Fails for a path that is not UTF-8.
    serde_json::to_string(value).map_err(|error| Reason::content(format!("setting {name}"), &error))
}

/// Returns the single column of a query.
pub fn column<T: FromSql>(connection: &Connection, select: &str) -> Result<Vec<T>, Reason> {
    let mut statement = connection.prepare(select)?;
    let values = statement.query_map([], |row| row.get(0))?;
    Ok(values.collect::<Result<_, _>>()?)
}
