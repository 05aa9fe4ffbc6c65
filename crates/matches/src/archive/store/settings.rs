//! The settings, openings and engines of a match, written when it begins; every game follows from them.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use buxtehude::rules::Variant;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::reading::Ascending;
use super::rules_program::{self, RULES};
use crate::archive::error::Reason;
use crate::plan::numbers::{self, concurrency};
use crate::plan::rules::Rules;
use crate::plan::rules::program::RulesPlan;
use crate::plan::{
    Adjudication, Draft, EngineSpec, Format, MAX_ENGINES, Opening, Patience, Plan, binary,
};
use crate::record::{MAX_NAME_LENGTH, is_too_long};

/// Setting with the identity of the evaluator of all luck.
pub const LUCK_BY: &str = "luck-by";

/// Writes a plan. Options of a single run, such as a log or a record, are not part of it.
pub fn write(transaction: &Transaction<'_>, plan: &Plan) -> Result<(), Reason> {
    // Lists every field, so that the compiler reports a new field of a plan here.
    let Plan {
        rules,
        seats,
        engines,
        format,
        all_orders,
        games,
        seed,
        concurrency,
        pin,
        isolate,
        random_plies,
        openings,
        patience,
        adjudication,
        sprt,
        luck,
    } = plan;
    let Patience { ready, stall, max_plies, failures, wait } = patience;
    let Adjudication { resign, solved } = adjudication;
    let settings = [
        ("arbiter", crate::VERSION.to_string()),
        ("variant", rules.name().to_string()),
        ("players", seats.to_string()),
        ("format", format.to_string()),
        ("all-orders", all_orders.to_string()),
        ("games", games.to_string()),
        ("seed", seed.to_string()),
        ("concurrency", concurrency.to_string()),
        ("pin", pin.to_string()),
        ("isolate", isolate.to_string()),
        ("random-plies", random_plies.to_string()),
        ("ready-ms", ready.as_millis().to_string()),
        ("stall-ms", stall.as_millis().to_string()),
        ("max-plies", max_plies.to_string()),
        ("retire", failures.to_string()),
        ("wait-ms", wait.as_millis().to_string()),
        ("resign", resign.map_or(String::new(), |resign| resign.to_string())),
        ("solved", solved.to_string()),
        ("sprt", sprt.map_or(String::new(), |sprt| sprt.to_string())),
        ("luck", luck.to_string()),
    ];
    let program = rules.program().map(|game| (RULES, rules_program::text(game.plan())));
    for (name, value) in settings.into_iter().chain(program) {
        let insert = "INSERT INTO settings (name, value) VALUES (?1, ?2)";
        transaction.execute(insert, params![name, value])?;
    }
    for (index, Opening { start, moves }) in openings.iter().enumerate() {
        let insert = "INSERT INTO openings (number, start, moves) VALUES (?1, ?2, ?3)";
        transaction.execute(insert, params![index + 1, start, moves.join(" ")])?;
    }
    for (index, engine) in engines.iter().enumerate() {
        write_engine(transaction, index, engine)?;
    }
    Ok(())
}

fn write_engine(
    transaction: &Transaction<'_>,
    number: usize,
    engine: &EngineSpec,
) -> Result<(), Reason> {
    let EngineSpec {
        name,
        command,
        args,
        dir,
        options,
        limit,
        margin,
        legal,
        ponder,
        restart,
        memory,
        bounds,
        // Empty, since the match begins.
        draft: _,
    } = engine;
    // Absolute, because the match may be resumed from another directory, and arguments may be files.
    let dir = match dir {
        Some(dir) => std::path::absolute(dir).ok(),
        None => std::env::current_dir().ok(),
    };
    let insert = "INSERT INTO engines
        (number, name, command, arguments, directory, options, \"limit\", margin_ms, legal, ponder, restart,
            memory_mib, bounds, sha256, argument_files)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    transaction.execute(
        insert,
        params![
            number,
            name,
            text(command)?,
            json(args),
            dir.as_deref().map(text).transpose()?,
            json(options),
            limit.to_string(),
            margin.map(|margin| u64::try_from(margin.as_millis()).unwrap_or(u64::MAX)),
            legal,
            ponder,
            restart,
            memory,
            json(bounds),
            binary::hash(command),
            json(&binary::hash_arguments(args, dir.as_deref())),
        ],
    )?;
    Ok(())
}

/// Reads the plan of a match; `external` makes the rules of a program.
pub fn read(connection: &Connection, external: fn(RulesPlan) -> Rules) -> Result<Plan, Reason> {
    let variant: String = setting(connection, "variant")?;
    let seats = numbers::seats(&setting::<String>(connection, "players")?)
        .map_err(|expected| Reason::content("players", &expected))?;
    let rules = match find(connection, RULES)? {
        // The program must not start before this user trusts the store.
        Some(program) => external(rules_program::parse(&program)?),
        None => {
            let rules = Variant::by_name(&variant).map(Rules::from);
            let rules = rules.map_err(|error| Reason::content("variant", &error))?;
            let start = rules.start(seats);
            start.map_err(|error| Reason::content("players", &error))?;
            rules
        }
    };
    let milliseconds = |name| setting(connection, name).map(Duration::from_millis);
    let engines = filled("engines", engines(connection)?)?;
    Ok(Plan {
        rules,
        seats,
        format: format(connection, engines.len())?,
        engines,
        all_orders: setting(connection, "all-orders")?,
        games: setting(connection, "games")?,
        seed: setting(connection, "seed")?,
        concurrency: concurrency(&setting::<String>(connection, "concurrency")?)
            .map_err(|expected| Reason::content("concurrency", &expected))?,
        pin: setting(connection, "pin")?,
        isolate: setting(connection, "isolate")?,
        random_plies: setting(connection, "random-plies")?,
        openings: filled("openings", openings(connection)?)?,
        patience: Patience {
            ready: milliseconds("ready-ms")?,
            stall: milliseconds("stall-ms")?,
            max_plies: setting(connection, "max-plies")?,
            failures: setting(connection, "retire")?,
            wait: milliseconds("wait-ms")?,
        },
        adjudication: Adjudication {
            resign: optional(connection, "resign")?,
            solved: setting(connection, "solved")?,
        },
        sprt: optional(connection, "sprt")?,
        luck: setting(connection, "luck")?,
    })
}

/// Reads the format of a match of this number of engines.
fn format(connection: &Connection, engines: usize) -> Result<Format, Reason> {
    let format = setting(connection, "format")?;
    match format {
        Format::Gauntlet { challengers } if !(1..engines).contains(&challengers) => {
            let what = format!("setting format \"{format}\"");
            Err(Reason::content(what, &"expected at least 1 challenger and 1 other engine"))
        }
        _ => Ok(format),
    }
}

/// Reads an optional setting: an empty text means none.
fn optional<T: FromStr<Err: ToString>>(
    connection: &Connection,
    name: &str,
) -> Result<Option<T>, Reason> {
    let text: String = setting(connection, name)?;
    let is_given = !text.is_empty();
    is_given.then(|| setting(connection, name)).transpose()
}

/// Returns a sentence if the rules program has changed.
pub fn changed_rules(connection: &Connection) -> Result<Option<String>, Reason> {
    let changed = match find(connection, RULES)? {
        Some(program) => rules_program::changed(&program)?,
        None => None,
    };
    let sentence =
        |file: PathBuf| format!("rules: {} has changed since the match began", file.display());
    Ok(changed.map(sentence))
}

/// Returns a sentence for each engine whose program has changed.
pub fn changed_engines(connection: &Connection) -> Result<Vec<String>, Reason> {
    let select = "SELECT name, command, sha256, arguments, directory, argument_files
        FROM engines ORDER BY number";
    let mut statement = connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let command = PathBuf::from(row.get::<_, String>(1)?);
        let then: Option<String> = row.get(2)?;
        let now = binary::hash(&command);
        if now.is_none() || now != then {
            changed.push(changed_file(&name, &command));
            continue;
        }
        let arguments: Vec<String> = from_json(row, 3, &name)?;
        let files: Vec<(String, String)> = from_json(row, 5, &name)?;
        let dir: Option<String> = row.get(4)?;
        let now = binary::hash_arguments(&arguments, dir.as_deref().map(Path::new));
        if let Some((file, _)) = files.into_iter().find(|file| !now.contains(file)) {
            changed.push(changed_file(&name, Path::new(&file)));
        }
    }
    Ok(changed)
}

fn changed_file(engine: &str, file: &Path) -> String {
    let file = file.display();
    format!("engine {engine}: {file} has changed since the match began")
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

pub fn setting<T: FromStr<Err: ToString>>(
    connection: &Connection,
    name: &str,
) -> Result<T, Reason> {
    let what = || format!("setting {name}");
    let value = find(connection, name)?;
    let value = value.ok_or_else(|| Reason::content(what(), &"it is missing"))?;
    value.parse().map_err(|error: T::Err| {
        Reason::content(format!("{} {value:?}", what()), &error.to_string())
    })
}

fn openings(connection: &Connection) -> Result<Vec<Opening>, Reason> {
    let select = "SELECT start, moves, number FROM openings ORDER BY number";
    let mut statement = connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let (mut openings, mut order) = (Vec::new(), Ascending::<u64>::default());
    while let Some(row) = rows.next()? {
        order.check("openings", row.get(2)?)?;
        let moves: String = row.get(1)?;
        openings.push(Opening {
            start: row.get(0)?,
            moves: moves.split_whitespace().map(String::from).collect(),
        });
    }
    Ok(openings)
}

fn engines(connection: &Connection) -> Result<Vec<EngineSpec>, Reason> {
    let select =
        "SELECT name, command, arguments, directory, options, \"limit\", margin_ms, legal, ponder,
            restart, memory_mib, bounds
        FROM engines ORDER BY number";
    let mut statement = connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let mut engines = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        if engines.len() == MAX_ENGINES || is_too_long(&name) {
            let expected = format!(
                "expected at most {MAX_ENGINES}, with names of at most {MAX_NAME_LENGTH} characters"
            );
            return Err(Reason::content("engines", &expected));
        }
        let limit: String = row.get(5)?;
        let wrong = |error: String| Reason::content(format!("engine {name}"), &error);
        engines.push(EngineSpec {
            command: PathBuf::from(row.get::<_, String>(1)?),
            args: from_json(row, 2, &name)?,
            dir: row.get::<_, Option<String>>(3)?.map(PathBuf::from),
            options: from_json(row, 4, &name)?,
            limit: limit.parse().map_err(wrong)?,
            margin: row.get::<_, Option<u64>>(6)?.map(Duration::from_millis),
            legal: row.get(7)?,
            ponder: row.get(8)?,
            restart: row.get(9)?,
            memory: row.get(10)?,
            bounds: from_json(row, 11, &name)?,
            draft: Draft::default(),
            name,
        });
    }
    Ok(engines)
}

fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize, engine: &str) -> Result<T, Reason> {
    let text: String = row.get(column)?;
    let wrong = |error| Reason::content(format!("engine {engine}"), &error);
    serde_json::from_str(&text).map_err(wrong)
}

/// Returns the single column of a query.
pub fn column<T: FromSql>(connection: &Connection, select: &str) -> Result<Vec<T>, Reason> {
    let mut statement = connection.prepare(select)?;
    let values = statement.query_map([], |row| row.get(0))?;
    Ok(values.collect::<Result<_, _>>()?)
}

fn filled<T>(what: &str, list: Vec<T>) -> Result<Vec<T>, Reason> {
    match list.as_slice() {
        [] => Err(Reason::content(what, &"there are none")),
        _ => Ok(list),
    }
}

fn text(path: &Path) -> Result<&str, Reason> {
    path.to_str().ok_or_else(|| Reason::Name(path.to_path_buf()))
}

fn json(value: &impl Serialize) -> String {
    // Cannot fail for texts and numbers.
    serde_json::to_string(value).unwrap_or_default()
}
