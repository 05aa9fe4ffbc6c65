//! The tables of engines and seats, independent of the output format.

use super::{Column, NO_GAIN, Report, Rows, decimals, percent};
use crate::record::ending::Ending;
use crate::score::{Standings, Tally};

/// Engines in the order of their table: by share above par, best first.
pub fn engines_by_lead(standings: &Standings) -> Vec<(&str, &Tally)> {
    let mut engines: Vec<(&str, &Tally)> = standings.engines().collect();
    let lead =
        |tally: &Tally| tally.share().zip(tally.par()).map_or(0.0, |(share, par)| share / par);
    engines.sort_by(|(_, one), (_, other)| lead(other).total_cmp(&lead(one)));
    engines
}

impl Report {
    /// Table of engines, in the order of [`engines_by_lead`].
    pub fn engines(&self) -> Rows {
        let standings = &self.standings;
        let mut columns = columns("engine", standings);
        columns.extend(["depth", "ms/move"].map(Column::right));
        let has_flaws = has_flaws(standings);
        columns.extend(has_flaws.then(|| Column::right("flaws")));
        columns.push(Column::left("endings"));
        let rows = engines_by_lead(standings).into_iter().map(|(name, tally)| {
            let mut row = row(name.to_string(), tally, standings);
            let depth = tally.mean_depth();
            row.push(depth.map_or("-".into(), |depth| format!("{depth:.1}")));
            let ms = tally.mean_ms();
            row.push(ms.map_or("-".into(), |ms| format!("{ms:.1}")));
            row.extend(has_flaws.then(|| tally.turns.flaws.to_string()));
            row.push(endings(tally));
            row
        });
        Rows { columns, rows: rows.collect() }
    }

    /// Table of seats, over all engines.
    pub fn seats(&self) -> Rows {
        let standings = &self.standings;
        let seats = standings.seats().iter().enumerate();
        Rows {
            columns: columns("seat", standings),
            rows: seats
                .map(|(index, tally)| row((index + 1).to_string(), tally, standings))
                .collect(),
        }
    }
}

/// `true` if any engine's answers had flaws; only then the table has a column for them.
pub(super) fn has_flaws(standings: &Standings) -> bool {
    standings.engines().any(|(_, tally)| tally.turns.flaws > 0)
}

/// `true` if the luck of a complete block was measured; only then the tables have luck-adjusted columns.
pub(super) fn has_luck(standings: &Standings) -> bool {
    let mut seats = standings.seats().iter();
    seats.any(|tally| tally.adjusted_share().is_some())
}

/// `true` if a complete block has winnings; only then the tables have columns for them.
pub(super) fn has_winnings(standings: &Standings) -> bool {
    let mut seats = standings.seats().iter();
    seats.any(|tally| tally.winnings().is_some())
}

/// Columns of both tables, the most important first: shares, games, points and places.
fn columns(first: &'static str, standings: &Standings) -> Vec<Column> {
    let mut columns = vec![Column::left(first)];
    columns.extend(["share", "±"].map(Column::right));
    if has_luck(standings) {
        columns.extend(["adjusted", "±"].map(Column::right));
    }
    if has_winnings(standings) {
        columns.extend(["winnings", "±"].map(Column::right));
    }
    columns.extend(["par", "games", "points"].map(Column::right));
    columns.extend(Column::places(standings.seats().len()));
    columns
}

fn row(first: String, tally: &Tally, standings: &Standings) -> Vec<String> {
    let in_percent = |part: Option<f64>| part.map_or("-".into(), percent);
    let amount = |number: Option<f64>| number.map_or("-".into(), |number| decimals(number, 2));
    let mut row = vec![first];
    row.extend([tally.share(), tally.error()].map(in_percent));
    if has_luck(standings) {
        let (raw, adjusted) = (tally.error(), tally.adjusted_error());
        row.extend(if adjusted.zip(raw).is_some_and(|(adjusted, raw)| adjusted >= raw) {
            [NO_GAIN.to_string(), "-".to_string()]
        } else {
            [tally.adjusted_share(), adjusted].map(in_percent)
        });
    }
    if has_winnings(standings) {
        row.extend([tally.winnings(), tally.winnings_error()].map(amount));
    }
    row.extend([in_percent(tally.par()), tally.games.to_string(), decimals(tally.points, 1)]);
    row.extend(tally.places.iter().map(u64::to_string));
    row
}

fn endings(tally: &Tally) -> String {
    let counts = Ending::ALL.iter().zip(tally.endings);
    let named = counts.filter(|&(_, count)| count > 0);
    let named: Vec<String> = named.map(|((_, name), count)| format!("{count} {name}")).collect();
    named.join(", ")
}
