//! `arbiter export`: prints recorded games as JSON Lines or as text, sorted by number, or the settings of a match.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use arbiter::args::{ExportArgs, ExportFormat};
use arbiter::reports;
use matches::archive::store::{Extent, Store};
use matches::plan::{Format, Opening, Plan};
use matches::record::digest::MatchDigest;
use matches::record::printable::{printable_json, printable_lines};
use matches::run::display::count;
use toml::{Table, Value};

use super::{CommandError, exit, fail, open};

pub fn export(args: &ExportArgs) -> ExitCode {
    let written = match args.format {
        ExportFormat::Config => write_settings(&args.input.file).map(|()| true),
        ExportFormat::JsonLines | ExportFormat::Text => write_games(args),
    };
    match written {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(exit::WRONG),
        Err(error) => fail(&error),
    }
}

/// Writes all games to standard output; returns `true` if every line of the file was a game.
fn write_games(args: &ExportArgs) -> Result<bool, CommandError> {
    let mut output = BufWriter::new(io::stdout().lock());
    let (mut digest, mut games) = (MatchDigest::default(), 0);
    let store = open(&args.input, false)?;
    store.flaws().iter().for_each(exit::print_error);
    store.for_each_game(Extent::Whole, |kept| {
        games += 1;
        // The digest is of the game as it is, not the one stored with it.
        digest.add(&kept.record.digest());
        let kept = if args.without_clock { kept.without_clock() } else { kept };
        if args.format == ExportFormat::Text {
            let text = reports::game_text(&kept.record);
            output.write_all(printable_lines(&text).as_bytes())?;
        } else {
            let line = serde_json::to_string(&kept).map_err(io::Error::from)?;
            writeln!(output, "{}", printable_json(&line))?;
        }
        Ok::<(), CommandError>(())
    })?;
    output.flush()?;
    let digest = digest.text();
    if games > 0 {
        exit::print_error(format_args!("digest of {}: {digest}", count(games, "game")));
    }
    Ok(store.flaws().is_empty())
}

/// Writes the settings of a match to standard output.
fn write_settings(path: &Path) -> Result<(), CommandError> {
    let file = path.display();
    let store = Store::open_or_import(path)?;
    if store.is_record() {
        return Err(format!("{file}: a record contains no settings, expected a store").into());
    }
    let text = settings(&store.plan()?).map_err(|reason| format!("{file}: {reason}"))?;
    // Some TOML strings have no escapes, so invisible characters would stay invisible.
    if let Some(line) = text.lines().find(|line| printable_lines(line) != *line) {
        let shown = printable_lines(line);
        return Err(format!(
            "{file}: a setting contains invisible characters, which TOML cannot escape: {shown}"
        )
        .into());
    }
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    Ok(output.flush()?)
}

/// Writes a plan as a file for `--config` of `arbiter match` or `arbiter tournament gauntlet`, without settings of a
/// single run, such as a log or a record.
///
/// # Errors
/// The reason if a setting cannot be written as TOML.
fn settings(plan: &Plan) -> Result<String, toml::ser::Error> {
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
    if plan.openings.as_slice() == [Opening::usual(plan.seats)] {
        settings.remove("openings");
    }
    let text = toml::to_string(&settings)?;
    Ok(match plan.format {
        Format::RoundRobin => text,
        Format::Gauntlet { .. } => format!("# for arbiter tournament gauntlet\n{text}"),
    })
}
