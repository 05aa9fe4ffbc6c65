//! How far behind the losers are, in turns that a hare alone would need home: all others when the first hare
//! is home, and with more than two seats the last one when all others are.

use std::collections::BTreeMap;

use buxtehude::rules::hase::{Position, TurnsHome};
use buxtehude::rules::{Game as _, Seat};
use matches::report::{self, Column};

use super::game::Game;
use super::spread;

/// Turns by the name of the engine.
type TurnsByName<'a> = BTreeMap<&'a str, Vec<f64>>;

/// The seats that are not home in a position, each with the turns that it would need; one that has no way home
/// as it is, is left out.
fn turns_behind(position: &Position) -> Vec<(Seat, u32)> {
    let seats = (0..position.seats() as u8).map(Seat);
    let behind = seats.filter(|&seat| position.finished().all(|finisher| finisher != seat));
    let turns = behind.filter_map(|seat| Some((seat, position.turns_home(seat)?)));
    turns
        .filter(|&(_, turns)| turns < u32::from(TurnsHome::UNKNOWN))
        .collect()
}

/// The position in which the first hare has just come home, or `None` where the record has no such moment.
fn first_home(game: &Game) -> Option<&Position> {
    let home = |position: &Position| position.finished().len();
    let mut comings = game.plies.iter();
    let coming = comings.find(|ply| home(&ply.before) == 0 && home(&ply.after) == 1);
    coming.map(|ply| &ply.after)
}

/// The table.
pub fn table_of(games: &[Game]) -> String {
    let mut at_first = TurnsByName::new();
    let mut at_last = TurnsByName::new();
    for game in games {
        let is_long = game.seats() > 2 && game.is_over();
        let moments = [
            (first_home(game), &mut at_first),
            (is_long.then(|| game.last()), &mut at_last),
        ];
        for (moment, turns_by_name) in moments {
            for (seat, turns) in moment.map(turns_behind).unwrap_or_default() {
                let turns_of_name = turns_by_name.entry(game.name(seat)).or_default();
                turns_of_name.push(turns.into());
            }
        }
    }
    let mut columns = vec![
        Column::left("turns home"),
        Column::left("engine"),
        Column::right("hares"),
    ];
    columns.extend(spread::COLUMNS);
    let mut rows = rows("of the others when the first is home", at_first);
    rows.extend(self::rows("of the last when all others are home", at_last));
    report::table(&columns, rows.into_iter())
}

/// A row for each engine, and one for all where there are several.
fn rows(name: &str, mut turns: TurnsByName) -> Vec<Vec<String>> {
    if turns.len() > 1 {
        let all = turns.values().flatten().copied().collect();
        turns.insert("(all)", all);
    }
    let rows = turns.into_iter().map(|(engine, turns)| {
        let mut row = vec![
            name.to_string(),
            engine.to_string(),
            turns.len().to_string(),
        ];
        row.extend(spread::cells(&turns));
        row
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::super::game::examples::stopped;
    use super::*;

    #[test]
    fn losers_are_as_far_behind_as_they_are_from_home() {
        // Five squares cost seat 3 15 carrots: 21 are left, more than the second may keep, but not the third.
        let start = "63,5,0/61,20,0/59,36,0 1 - -";
        let game = stopped(&["a", "b", "c"], start, "1 3");
        let first = first_home(&game).unwrap();
        assert_eq!(first.to_string(), "64,4,0/61,20,0/59,36,0 2 1 -");
        let behind = turns_behind(first);
        assert_eq!(behind[0], (Seat(1), 1), "{behind:?}");
        assert_eq!(behind.len(), 2, "{behind:?}");
        assert!(behind[1].1 > 1, "{behind:?}");
        assert_eq!(
            turns_behind(game.last()),
            [(Seat(2), 1)],
            "{:?}",
            game.last()
        );
        assert!(game.is_over());
    }

    #[test]
    fn a_game_without_a_finish_tells_nothing() {
        let game = stopped(&["a", "b"], "0,68,3/0,68,3 1 - -", "5 4");
        assert!(first_home(&game).is_none());
    }
}
