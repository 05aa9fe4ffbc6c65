//! Export of a match's settings to a file that starts the same match.

use std::time::Duration;

use toml::{Table, Value};

use matches::plan::seed::Seed;
use matches::plan::{Adjudication, EngineSpec, Format, Opening, Patience, Plan};

/// Writes a plan as a file for `--config` of `arbiter match` or `arbiter tournament gauntlet`, without settings of a
/// single run, such as a log or a record.
///
/// # Errors
/// The reason if a setting cannot be written as TOML.
pub fn text(plan: &Plan) -> Result<String, toml::ser::Error> {
    // Every field is named, so that a new field of `Plan` fails to compile here.
    let Plan {
        variant,
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
    } = plan;
    let Patience {
        ready,
        stall,
        max_plies,
        failures,
        wait,
    } = patience;
    let Adjudication { resign, solved } = adjudication;
    let mut settings = Table::new();
    let mut set = |key: &str, value: Value| settings.insert(key.to_string(), value);
    set("variant", variant.name.into());
    set("players", number(*seats as u64));
    match format {
        // A match is a round robin with a number of games instead of rounds.
        Format::RoundRobin => set("games", number(*games)),
        Format::Gauntlet { challengers } => {
            let line_ups = plan.line_ups();
            let round = line_ups.count() * line_ups.games_per_block();
            set("challengers", number(*challengers as u64));
            set("rounds", number(games.div_ceil(round)))
        }
    };
    set("all-orders", (*all_orders).into());
    set(
        "seed",
        match seed {
            Seed::Number(seed) => number(*seed),
            Seed::Key(_) => seed.to_string().into(),
        },
    );
    set("concurrency", number(*concurrency as u64));
    set("random-plies", number(u64::from(*random_plies)));
    set("pin", (*pin).into());
    set("isolate", isolate.to_string().into());
    set("ready", milliseconds(*ready));
    set("stall", number(stall.as_secs()));
    set("max-plies", number(u64::from(*max_plies)));
    set("retire", number(u64::from(*failures)));
    set("wait", milliseconds(*wait));
    set("solved", (*solved).into());
    if let Some(resign) = resign {
        set("resign", Value::Table(pairs(&resign.to_string())));
    }
    if openings.as_slice() != [Opening::default()] {
        let lines = openings.iter().map(|opening| opening.line(*seats).into());
        set("openings", Value::Array(lines.collect()));
    }
    if let Some(sprt) = sprt {
        set("sprt", Value::Table(pairs(&sprt.to_string())));
    }
    let engines = engines.iter().map(|engine| Value::Table(described(engine)));
    set("engine", Value::Array(engines.collect()));
    let text = toml::to_string(&settings)?;
    Ok(match format {
        Format::RoundRobin => text,
        Format::Gauntlet { .. } => format!("# for arbiter tournament gauntlet\n{text}"),
    })
}

/// The `[[engine]]` table of an engine.
fn described(engine: &EngineSpec) -> Table {
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
    } = engine;
    let mut table = Table::new();
    table.insert("name".into(), name.as_str().into());
    table.insert("cmd".into(), Value::from(&*command.to_string_lossy()));
    if !args.is_empty() {
        let args = args.iter().map(|arg| Value::from(arg.as_str()));
        table.insert("args".into(), Value::Array(args.collect()));
    }
    if let Some(dir) = dir {
        table.insert("dir".into(), Value::from(&*dir.to_string_lossy()));
    }
    table.extend(pairs(&limit.to_string()));
    table.insert("margin".into(), milliseconds(*margin));
    // Always written, since matches and tournaments have different defaults.
    table.insert("restart".into(), (*restart).into());
    for (key, is_on) in [("legal", legal), ("ponder", ponder)] {
        if *is_on {
            table.insert(key.into(), true.into());
        }
    }
    if let Some(mib) = memory {
        table.insert("memory".into(), number(*mib));
    }
    table.extend(pairs(&bounds.to_string()));
    if !options.is_empty() {
        let value = |(name, value): &(String, String)| (name.clone(), plain(value));
        let options = options.iter().map(value);
        table.insert("option".into(), Value::Table(options.collect()));
    }
    table
}

/// Parses a text of `KEY=VALUE` words.
fn pairs(text: &str) -> Table {
    let pairs = text
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(key, value)| (key.to_string(), plain(value)))
        .collect()
}

/// A text as a value; a number if it would be read back as exactly this text.
fn plain(text: &str) -> Value {
    let integer = text
        .parse::<i64>()
        .ok()
        .filter(|number| number.to_string() == text);
    let float = text
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && number.to_string() == text);
    match (integer, float) {
        (Some(number), _) => number.into(),
        (None, Some(number)) => number.into(),
        (None, None) => text.into(),
    }
}

/// A whole number, or a text if TOML's integers cannot hold it.
fn number(number: u64) -> Value {
    match i64::try_from(number) {
        Ok(number) => number.into(),
        Err(_) => number.to_string().into(),
    }
}

fn milliseconds(time: Duration) -> Value {
    number(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_they_were() {
        for text in [
            "0",
            "-3",
            "0.05",
            "1e3",
            "007",
            "10+0.1",
            "",
            "true",
            "nan",
            "5.0",
            "inf",
            "18446744073709551615",
        ] {
            let back = match plain(text) {
                Value::String(text) => text,
                Value::Integer(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                other => panic!("{text}: {other}"),
            };
            assert_eq!(back, text);
        }
        assert_eq!(number(u64::MAX), Value::from("18446744073709551615"));
    }
}
