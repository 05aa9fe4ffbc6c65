//! What a match is, written when it begins: the settings, openings and engines from which every game follows.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use buxtehude::rules::Variant;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{ChangedEngine, Trouble, binary};
use crate::args::limit_from_text;
use crate::plan::{EngineSpec, Limit, Opening, Patience, Plan};
use crate::score::Sprt;

/// Writes a plan. What is asked of one run alone, a log or a record, is not part of the match.
pub fn write(transaction: &Transaction<'_>, plan: &Plan) -> Result<(), Trouble> {
    // Every field is named, so that none that is added to a plan is forgotten here.
    let Plan {
        variant,
        seats,
        engines,
        games,
        seed,
        concurrency,
        random_plies,
        openings,
        patience,
        sprt,
        log: _,
        record: _,
    } = plan;
    let Patience {
        ready,
        margin,
        stall,
        max_plies,
    } = patience;
    let settings = [
        ("arbiter", env!("CARGO_PKG_VERSION").to_string()),
        ("variant", variant.name.to_string()),
        ("players", seats.to_string()),
        ("games", games.to_string()),
        ("seed", seed.to_string()),
        ("concurrency", concurrency.to_string()),
        ("random-plies", random_plies.to_string()),
        ("ready-ms", ready.as_millis().to_string()),
        ("margin-ms", margin.as_millis().to_string()),
        ("stall-ms", stall.as_millis().to_string()),
        ("max-plies", max_plies.to_string()),
        ("sprt", sprt.map_or(String::new(), |sprt| sprt.to_string())),
    ];
    for (name, value) in settings {
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
) -> Result<(), Trouble> {
    let EngineSpec {
        name,
        command,
        args,
        dir,
        options,
        limit,
        legal,
    } = engine;
    // The match may be resumed from another directory, and arguments may be files.
    let dir = match dir {
        Some(dir) => std::path::absolute(dir).ok(),
        None => std::env::current_dir().ok(),
    };
    let insert = "INSERT INTO engines
        (number, name, command, arguments, directory, options, \"limit\", legal, sha256)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    transaction.execute(
        insert,
        params![
            number,
            name,
            text(command)?,
            json(args),
            dir.as_deref().map(text).transpose()?,
            json(options),
            limit_text(*limit),
            legal,
            binary::hash(command),
        ],
    )?;
    Ok(())
}

/// Reads the plan of a match; log and record are those of no run.
pub fn read(connection: &Connection) -> Result<Plan, Trouble> {
    let variant: String = setting(connection, "variant")?;
    let variant =
        Variant::by_name(&variant).map_err(|error| Trouble::content("variant", &error))?;
    let seats = setting(connection, "players")?;
    let start = variant.start(seats);
    start.map_err(|error| Trouble::content("players", &error))?;
    let milliseconds = |name| setting(connection, name).map(Duration::from_millis);
    Ok(Plan {
        variant,
        seats,
        engines: filled("engines", engines(connection)?)?,
        games: setting(connection, "games")?,
        seed: setting(connection, "seed")?,
        concurrency: setting::<usize>(connection, "concurrency")?.max(1),
        random_plies: setting(connection, "random-plies")?,
        openings: filled("openings", openings(connection)?)?,
        patience: Patience {
            ready: milliseconds("ready-ms")?,
            margin: milliseconds("margin-ms")?,
            stall: milliseconds("stall-ms")?,
            max_plies: setting(connection, "max-plies")?,
        },
        sprt: sprt(connection)?,
        log: None,
        record: None,
    })
}

/// The test of the match; an empty text is none.
fn sprt(connection: &Connection) -> Result<Option<Sprt>, Trouble> {
    let text: String = setting(connection, "sprt")?;
    let is_test = !text.is_empty();
    is_test
        .then(|| text.parse())
        .transpose()
        .map_err(|error| Trouble::content("sprt", &error))
}

/// The engines whose programs are not what they were.
pub fn changed_engines(connection: &Connection) -> Result<Vec<ChangedEngine>, Trouble> {
    let mut statement =
        connection.prepare("SELECT name, command, sha256 FROM engines ORDER BY number")?;
    let mut rows = statement.query([])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        let command = PathBuf::from(row.get::<_, String>(1)?);
        let then: Option<String> = row.get(2)?;
        let now = binary::hash(&command);
        if now.is_none() || now != then {
            let name = row.get(0)?;
            changed.push(ChangedEngine { name, command });
        }
    }
    Ok(changed)
}

/// Notes by which names the engines introduced themselves, the first time.
pub fn set_id_names(
    connection: &mut Connection,
    id_names: &[Option<String>],
) -> Result<(), Trouble> {
    let transaction = connection.transaction()?;
    for (number, id_name) in id_names.iter().enumerate() {
        let update = "UPDATE engines SET id_name = ifnull(id_name, ?2) WHERE number = ?1";
        transaction.execute(update, params![number, id_name])?;
    }
    Ok(transaction.commit()?)
}

/// The value of a setting.
pub fn setting<T: FromStr<Err: ToString>>(
    connection: &Connection,
    name: &str,
) -> Result<T, Trouble> {
    let select = "SELECT value FROM settings WHERE name = ?1";
    let value: Option<String> = connection
        .query_row(select, [name], |row| row.get(0))
        .optional()?;
    let what = || format!("setting {name}");
    let value = value.ok_or_else(|| Trouble::content(what(), &"it is missing"))?;
    value.parse().map_err(|error: T::Err| {
        Trouble::content(format!("{} {value:?}", what()), &error.to_string())
    })
}

fn openings(connection: &Connection) -> Result<Vec<Opening>, Trouble> {
    let mut statement = connection.prepare("SELECT start, moves FROM openings ORDER BY number")?;
    let opening = |row: &rusqlite::Row<'_>| {
        let moves: String = row.get(1)?;
        Ok(Opening {
            start: row.get(0)?,
            moves: moves.split_whitespace().map(String::from).collect(),
        })
    };
    let openings = statement.query_map([], opening)?;
    Ok(openings.collect::<Result<_, _>>()?)
}

fn engines(connection: &Connection) -> Result<Vec<EngineSpec>, Trouble> {
    let select = "SELECT name, command, arguments, directory, options, \"limit\", legal
        FROM engines ORDER BY number";
    let mut statement = connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let mut engines = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let wrong = |reason: String| Trouble::content(format!("engine {name}"), &reason);
        let (args, options): (String, String) = (row.get(2)?, row.get(4)?);
        let limit: String = row.get(5)?;
        let (key, value) = limit.split_once('=').unwrap_or((&limit, ""));
        engines.push(EngineSpec {
            command: PathBuf::from(row.get::<_, String>(1)?),
            args: serde_json::from_str(&args).map_err(|error| wrong(error.to_string()))?,
            dir: row.get::<_, Option<String>>(3)?.map(PathBuf::from),
            options: serde_json::from_str(&options).map_err(|error| wrong(error.to_string()))?,
            limit: limit_from_text(key, value)
                .map_err(|error| wrong(format!("{limit}: {error}")))?,
            legal: row.get(6)?,
            name: name.clone(),
        });
    }
    Ok(engines)
}

fn filled<T>(what: &str, list: Vec<T>) -> Result<Vec<T>, Trouble> {
    match list.as_slice() {
        [] => Err(Trouble::content(what, &"there are none")),
        _ => Ok(list),
    }
}

/// A limit as it is spelt in `--engine`, to the millisecond.
pub(crate) fn limit_text(limit: Limit) -> String {
    match limit {
        Limit::Movetime(time) => format!("movetime={}", time.as_millis()),
        Limit::Depth(depth) => format!("depth={depth}"),
        Limit::Nodes(nodes) => format!("nodes={nodes}"),
        Limit::Clock { time, increment } => {
            format!("tc={}+{}", time.as_secs_f64(), increment.as_secs_f64())
        }
    }
}

fn text(path: &Path) -> Result<&str, Trouble> {
    path.to_str()
        .ok_or_else(|| Trouble::Name(path.to_path_buf()))
}

fn json<T: serde::Serialize>(list: &[T]) -> String {
    // Lists of texts always have a JSON form.
    serde_json::to_string(list).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_back_as_they_were() {
        let milliseconds = Duration::from_millis;
        for limit in [
            Limit::Movetime(milliseconds(1)),
            Limit::Depth(7),
            Limit::Nodes(u64::MAX),
            Limit::Clock {
                time: milliseconds(90_001),
                increment: milliseconds(0),
            },
            Limit::Clock {
                time: milliseconds(100),
                increment: milliseconds(3_333),
            },
        ] {
            let text = limit_text(limit);
            let (key, value) = text.split_once('=').unwrap();
            assert_eq!(limit_from_text(key, value), Ok(limit), "{text}");
        }
    }
}
