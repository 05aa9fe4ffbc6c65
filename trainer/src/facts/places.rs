//! Who won: first places and points by engine and by seat.

use std::collections::BTreeSet;

use matches::report::{self, Column, percent};
use matches::score::{Standings, Tally};

use super::game::Game;

/// The table.
pub fn table_of(games: &[Game], seats: usize) -> String {
    let names = games.iter().flat_map(|game| &game.record.seats);
    let names: BTreeSet<&String> = names.collect();
    let mut standings = Standings::new(names.into_iter().cloned().collect(), seats);
    for game in games {
        standings.add(&game.record);
    }
    let columns = [
        Column::left("won by"),
        Column::right("games"),
        Column::right("first, shared or not"),
        Column::right("points"),
        Column::right("of equals"),
    ];
    let engines = standings.engines();
    let engines = engines.map(|(name, tally)| row(name.to_string(), tally));
    let by_seat = (1..).zip(standings.seats());
    let by_seat = by_seat.map(|(seat, tally)| row(format!("seat {seat}"), tally));
    report::table(&columns, engines.chain(by_seat))
}

fn row(name: String, tally: &Tally) -> Vec<String> {
    let part = |part: Option<f64>| part.map_or("-".to_string(), percent);
    vec![
        name,
        tally.games.to_string(),
        part(first_places(tally)),
        part(tally.share()),
        part(tally.par()),
    ]
}

/// The part of its games in which one of its seats came first, places shared counting in full, or `None`
/// before its first game.
fn first_places(tally: &Tally) -> Option<f64> {
    let first = tally.places.first()?;
    (tally.games > 0).then(|| *first as f64 / tally.games as f64)
}

#[cfg(test)]
mod tests {
    use super::super::game::examples::stopped;
    use super::*;

    #[test]
    fn first_places_and_points_are_shares_of_the_games() {
        let start = "63,5,0/61,10,0/59,36,0 1 - -";
        let games = [
            stopped(&["a", "b", "c"], start, "1 3"),
            stopped(&["b", "a", "a"], start, "1 3"),
        ];
        let text = table_of(&games, 3);
        let row = |name: &str| {
            let row = text.lines().find(|line| line.trim().starts_with(name));
            let row = row.unwrap_or_else(|| panic!("no {name} in\n{text}"));
            row.split_whitespace()
                .map(str::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(row("a"), "a 2 50.0 % 50.0 % 50.0 %");
        assert_eq!(row("b"), "b 2 50.0 % 50.0 % 33.3 %");
        assert_eq!(row("c"), "c 1 0.0 % 0.0 % 33.3 %");
        assert_eq!(row("seat 1"), "seat 1 2 100.0 % 66.7 % 33.3 %");
    }
}
