//! How long a game is, and how many moves a position has.
//!
//! A ply is one move of one seat, with the card it draws; cards are no plies. Plies are counted from the bare
//! position with which the record starts, those of the opening too. A forced stay is the move `0`: a turn that
//! is missed, or a hare that has no other move.

use buxtehude::rules::Game as _;
use matches::report::{self, Column};

use super::game::Game;
use super::spread;

/// What one game counts up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Length {
    plies: usize,
    forced_stays: usize,
    /// Plies before the engines were asked.
    opening: usize,
    cards: usize,
    /// Cards drawn by the engines' own moves.
    own_cards: usize,
}

impl Length {
    fn of(game: &Game) -> Length {
        Length {
            plies: game.plies.len(),
            forced_stays: game.plies.iter().filter(|ply| ply.is_forced_stay).count(),
            opening: game.opening,
            cards: game.plies.iter().filter(|ply| ply.draw.is_some()).count(),
            own_cards: game.draws_of_engines().count(),
        }
    }
}

/// The number of legal moves in each position of a game in which a seat moved otherwise than by a forced stay.
fn numbers_of_moves(game: &Game) -> impl Iterator<Item = usize> {
    let free = game.plies.iter().filter(|ply| !ply.is_forced_stay);
    free.map(|ply| ply.before.legal_moves().len())
}

/// The table.
pub fn table_of(games: &[Game]) -> String {
    let lengths: Vec<Length> = games.iter().map(Length::of).collect();
    let counted = |count: fn(&Length) -> usize| -> Vec<f64> {
        lengths.iter().map(|length| count(length) as f64).collect()
    };
    let moves: Vec<f64> = games
        .iter()
        .flat_map(numbers_of_moves)
        .map(|number| number as f64)
        .collect();
    let forced = lengths.iter().map(|length| length.forced_stays).sum();
    let with_forced = [moves.clone(), vec![1.0; forced]].concat();
    let rows = [
        ("plies a game", "games", counted(|length| length.plies)),
        (
            "  moves a game (plies without forced stays)",
            "games",
            counted(|length| length.plies - length.forced_stays),
        ),
        (
            "  forced stays a game",
            "games",
            counted(|length| length.forced_stays),
        ),
        (
            "  opening plies a game, before the engines are asked",
            "games",
            counted(|length| length.opening),
        ),
        (
            "cards drawn a game",
            "games",
            counted(|length| length.cards),
        ),
        (
            "  by the engines' own moves",
            "games",
            counted(|length| length.own_cards),
        ),
        (
            "legal moves a position, forced stays apart",
            "positions",
            moves,
        ),
        (
            "legal moves a position, a forced stay as one",
            "positions",
            with_forced,
        ),
    ];
    let mut columns = vec![
        Column::left("length"),
        Column::right("of"),
        Column::left(""),
    ];
    columns.extend(spread::COLUMNS);
    let rows = rows.into_iter().map(|(name, unit, numbers)| {
        let mut row = vec![
            name.to_string(),
            numbers.len().to_string(),
            unit.to_string(),
        ];
        row.extend(spread::cells(&numbers));
        row
    });
    report::table(&columns, rows)
}

#[cfg(test)]
mod tests {
    use super::super::game::examples::stopped;
    use super::*;

    #[test]
    fn moves_forced_stays_and_cards_are_counted_apart() {
        let start = "0,68,3/0,68,3 1 - -";
        let game = stopped(&["a", "b"], start, "1 +half 7 | 5 +show 0 4");
        let expected = Length {
            plies: 5,
            forced_stays: 1,
            opening: 2,
            cards: 2,
            own_cards: 1,
        };
        assert_eq!(Length::of(&game), expected, "{game:?}");
        let numbers: Vec<usize> = numbers_of_moves(&game).collect();
        let by_hand: Vec<usize> = [
            start,
            "1,34,3/0,68,3 2 - H",
            "1,34,3/7,40,3! 1 - H",
            "6,19,3/7,50,2 1 - HS",
        ]
        .iter()
        .map(|text| {
            let ruleset = &buxtehude::rules::hase::HASE_UND_IGEL;
            let position = buxtehude::rules::hase::Position::parse(ruleset, text).unwrap();
            position.legal_moves().len()
        })
        .collect();
        assert_eq!(numbers, by_hand);
    }
}
