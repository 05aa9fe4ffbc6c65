//! The tables of engines and seats, independent of the output format.

use super::{Column, Rows, percent};
use crate::record::ending::Ending;
use crate::score::{Standings, Tally};

/// Engines in the order of their table: by share above par, best first.
pub fn engines_by_lead(standings: &Standings) -> Vec<(&str, &Tally)> {
    let mut engines: Vec<(&str, &Tally)> = standings.engines().collect();
    let lead = |tally: &Tally| {
        tally
            .share()
            .zip(tally.par())
            .map_or(0.0, |(share, par)| share / par)
    };
    engines.sort_by(|(_, one), (_, other)| lead(other).total_cmp(&lead(one)));
    engines
}

/// Table of engines, in the order of [`engines_by_lead`].
pub(super) fn engines(standings: &Standings) -> Rows {
    let mut columns = columns("engine", standings);
    columns.extend(["depth", "ms/move"].map(Column::right));
    let (has_flaws, has_luck) = (has_flaws(standings), has_luck(standings));
    columns.extend(has_flaws.then(|| Column::right("flaws")));
    columns.push(Column::left("endings"));
    let rows = engines_by_lead(standings).into_iter().map(|(name, tally)| {
        let mut row = row(name.to_string(), tally, has_luck);
        let depth = tally.mean_depth();
        row.push(depth.map_or("-".into(), |depth| format!("{depth:.1}")));
        let ms = tally.mean_ms();
        row.push(ms.map_or("-".into(), |ms| format!("{ms:.1}")));
        row.extend(has_flaws.then(|| tally.turns.flaws.to_string()));
        row.push(endings(tally));
        row
    });
    Rows {
        columns,
        rows: rows.collect(),
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

/// Table of seats, over all engines.
pub(super) fn seats(standings: &Standings) -> Rows {
    let seats = standings.seats().iter().enumerate();
    Rows {
        columns: columns("seat", standings),
        rows: seats
            .map(|(index, tally)| row((index + 1).to_string(), tally, has_luck(standings)))
            .collect(),
    }
}

/// Columns of both tables, the most important first: shares, games, points and places.
fn columns(first: &'static str, standings: &Standings) -> Vec<Column> {
    let mut columns = vec![Column::left(first)];
    columns.extend(["share", "±"].map(Column::right));
    if has_luck(standings) {
        columns.extend(["adjusted", "±"].map(Column::right));
    }
    columns.extend(["par", "games", "points"].map(Column::right));
    columns.extend(Column::places(standings.seats().len()));
    columns
}

fn row(first: String, tally: &Tally, has_luck: bool) -> Vec<String> {
    let error = tally.interval().map(|interval| interval.error());
    let mut shares = vec![tally.share(), error];
    if has_luck {
        shares.extend([tally.adjusted_share(), tally.adjusted_error()]);
    }
    shares.push(tally.par());
    let mut row = vec![first];
    row.extend(
        shares
            .into_iter()
            .map(|part| part.map_or("-".into(), percent)),
    );
    row.extend([tally.games.to_string(), format!("{:.1}", tally.points)]);
    row.extend(tally.places.iter().map(u64::to_string));
    row
}

fn endings(tally: &Tally) -> String {
    let counts = Ending::ALL.iter().zip(tally.endings);
    let named = counts.filter(|&(_, count)| count > 0);
    let named: Vec<String> = named
        .map(|((_, name), count)| format!("{count} {name}"))
        .collect();
    named.join(", ")
}
