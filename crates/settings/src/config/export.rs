//! Export of a match's settings to a file that starts the same match.

use std::time::Duration;

use toml::{Table, Value};

use matches::plan::rules::program::RulesPlan;
use matches::plan::{EngineSpec, Format, Opening, Plan};

/// Writes a plan as a file for `--config` of `arbiter match` or `arbiter tournament gauntlet`, without settings of a
/// single run, such as a log or a record.
///
/// # Errors
/// The reason if a setting cannot be written as TOML.
pub fn text(plan: &Plan) -> Result<String, toml::ser::Error> {
    let mut settings = Table::new();
    let mut set = |key: &str, value: Value| settings.insert(key.to_string(), value);
    match plan.rules.program() {
        Some(game) => set("rules", Value::Table(rules(game.plan()))),
        None => set("variant", plan.rules.name().into()),
    };
    set("players", number(plan.seats as u64));
    match plan.format {
        // A match is a round robin with a number of games instead of rounds.
        Format::RoundRobin => set("games", number(plan.games)),
        Format::Gauntlet { challengers } => {
            let line_ups = plan.line_ups();
            let round = line_ups.count() * line_ups.games_per_block();
            set("challengers", number(challengers as u64));
            set("rounds", number(plan.games.div_ceil(round)))
        }
    };
    set("all-orders", plan.all_orders.into());
    set("seed", plain(&plan.seed.to_string()));
    set("concurrency", number(plan.concurrency as u64));
    set("random-plies", number(plan.random_plies.into()));
    set("pin", plan.pin.into());
    set("isolate", plan.isolate.to_string().into());
    set("ready", milliseconds(plan.patience.ready));
    set("stall", number(plan.patience.stall.as_secs()));
    set("max-plies", number(plan.patience.max_plies.into()));
    set("retire", number(plan.patience.failures.into()));
    set("wait", milliseconds(plan.patience.wait));
    set("solved", plan.adjudication.solved.into());
    if let Some(resign) = plan.adjudication.resign {
        set("resign", Value::Table(pairs(&resign.to_string())));
    }
    if plan.openings.as_slice() != [Opening::default()] {
        let lines = plan.openings.iter();
        let lines = lines.map(|opening| opening.line(plan.seats).into());
        set("openings", Value::Array(lines.collect()));
    }
    if let Some(sprt) = plan.sprt {
        set("sprt", Value::Table(pairs(&sprt.to_string())));
    }
    set("luck", plain(&plan.luck.to_string()));
    let engines = plan.engines.iter();
    let engines = engines.map(|engine| Value::Table(described(engine)));
    set("engine", Value::Array(engines.collect()));
    let text = toml::to_string(&settings)?;
    Ok(match plan.format {
        Format::RoundRobin => text,
        Format::Gauntlet { .. } => format!("# for arbiter tournament gauntlet\n{text}"),
    })
}

/// The `[rules]` table of a rules program.
fn rules(plan: &RulesPlan) -> Table {
    let mut table = program(&plan.program);
    table.extend(pairs(&plan.program.switches().join(" ")));
    table.insert("variant".into(), plan.told.as_str().into());
    table.insert("draws".into(), plan.draws.to_string().into());
    table
}

/// The keys that start a program.
fn program(engine: &EngineSpec) -> Table {
    let mut table = Table::new();
    let mut set = |key: &str, value: Value| table.insert(key.to_string(), value);
    set("name", engine.name.as_str().into());
    set("cmd", Value::from(&*engine.command.to_string_lossy()));
    if !engine.args.is_empty() {
        set("args", engine.args.clone().into());
    }
    if let Some(dir) = &engine.dir {
        set("dir", Value::from(&*dir.to_string_lossy()));
    }
    table
}

/// The `[[engine]]` table of an engine.
fn described(engine: &EngineSpec) -> Table {
    let mut table = program(engine);
    table.extend(pairs(&engine.limit.to_string()));
    if let Some(margin) = engine.margin {
        table.insert("margin".into(), milliseconds(margin));
    }
    // Always written, since matches and tournaments have different defaults.
    table.insert("restart".into(), engine.restart.into());
    table.extend(pairs(&engine.switches().join(" ")));
    if !engine.options.is_empty() {
        let value = |(name, value): &(String, String)| (name.clone(), plain(value));
        let options = engine.options.iter().map(value);
        table.insert("option".into(), Value::Table(options.collect()));
    }
    table
}

/// Parses a text of `KEY=VALUE` words.
fn pairs(text: &str) -> Table {
    let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
    let value = |text| match text {
        "on" => true.into(),
        "off" => false.into(),
        text => plain(text),
    };
    pairs.map(|(key, text)| (key.to_string(), value(text))).collect()
}

/// A text as a value; a number if it would be read back as exactly this text.
fn plain(text: &str) -> Value {
    let integer = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    let float =
        text.parse::<f64>().ok().filter(|number| number.is_finite() && number.to_string() == text);
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
            "0", "-3", "0.05", "1e3", "007", "10+0.1", "", "true", "nan", "5.0", "inf",
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
