//! Export of a match's settings to a file that starts the same match.

use matches::plan::{Format, Opening, Plan};
use toml::{Table, Value};

/// Writes a plan as a file for `--config` of `arbiter match` or `arbiter tournament gauntlet`, without settings of a
/// single run, such as a log or a record.
///
/// # Errors
/// The reason if a setting cannot be written as TOML.
pub fn text(plan: &Plan) -> Result<String, toml::ser::Error> {
    let mut settings = Table::try_from(plan)?;
    // A match is a round robin with a number of games, a gauntlet has a number of rounds.
    settings.remove("format");
    if let Format::Gauntlet { challengers } = plan.format {
        let line_ups = plan.line_ups();
        let round = line_ups.count() * line_ups.games_per_block();
        settings.remove("games");
        settings.insert("challengers".into(), Value::try_from(challengers)?);
        settings.insert("rounds".into(), Value::try_from(plan.games.div_ceil(round))?);
    }
    // A setting of engines alone.
    if let Some(Value::Table(rules)) = settings.get_mut("rules") {
        rules.remove("restart");
    }
    settings.remove("openings");
    if plan.openings.as_slice() != [Opening::default()] {
        let lines: Vec<String> =
            plan.openings.iter().map(|opening| opening.line(plan.seats)).collect();
        settings.insert("openings".into(), lines.into());
    }
    let text = toml::to_string(&settings)?;
    Ok(match plan.format {
        Format::RoundRobin => text,
        Format::Gauntlet { .. } => format!("# for arbiter tournament gauntlet\n{text}"),
    })
}
