//! Who shuffles: positions, holdings and squares that come back, and moves that gain nothing.
//!
//! All are counted for the seat whose ply brought them back: a *position* when its whole text has been in the
//! game before; a *hare* when, by a move that is no forced stay, it has the square, carrots and lettuces of an
//! earlier moment of its own; a *square* when a hare goes, forward or back, to one that it had left. A move is
//! *idle* when it is no forced stay, gains no square, and leaves as many turns home as there were: no carrots were
//! needed.

use std::collections::{BTreeMap, HashSet};

use buxtehude::rules::Game as _;
use matches::report::{self, Column};

use super::game::{Game, Ply};

/// What a seat has brought back in a game, or several seats in several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Repetitions {
    /// Seats in games that are counted here.
    seats: usize,
    /// Plies that are no forced stays.
    moves: usize,
    positions: usize,
    hares: usize,
    squares: usize,
    idle: usize,
}

impl Repetitions {
    fn add(&mut self, other: Repetitions) {
        self.seats += other.seats;
        self.moves += other.moves;
        self.positions += other.positions;
        self.hares += other.hares;
        self.squares += other.squares;
        self.idle += other.idle;
    }

    /// The cells of a row: each number divided by `parts`.
    fn cells(self, parts: usize) -> impl Iterator<Item = String> {
        let numbers = [
            self.moves,
            self.positions,
            self.hares,
            self.squares,
            self.idle,
        ];
        numbers
            .into_iter()
            .map(move |number| format!("{:.2}", number as f64 / parts.max(1) as f64))
    }
}

/// What each seat has brought back.
fn repetitions(game: &Game) -> Vec<Repetitions> {
    let seat = Repetitions {
        seats: 1,
        ..Repetitions::default()
    };
    let mut seats = vec![seat; game.seats()];
    let mut positions = HashSet::from([game.start.to_string()]);
    let mut hares: HashSet<(u8, u8, u16, u8)> = HashSet::new();
    let mut squares: HashSet<(u8, u8)> = HashSet::new();
    for (seat, hare) in (0..).zip(game.start.hares()) {
        hares.insert((seat, hare.square, hare.carrots, hare.lettuces));
        squares.insert((seat, hare.square));
    }
    for ply in &game.plies {
        let seat = ply.mover;
        let counts = &mut seats[seat.index()];
        counts.positions += usize::from(!positions.insert(ply.after.to_string()));
        let hare = ply.after.hare(seat);
        let is_new_hare = hares.insert((seat.0, hare.square, hare.carrots, hare.lettuces));
        let is_new_square = squares.insert((seat.0, hare.square));
        if ply.is_forced_stay {
            continue;
        }
        counts.moves += 1;
        counts.hares += usize::from(!is_new_hare);
        let has_left = hare.square != ply.before.hare(seat).square;
        counts.squares += usize::from(has_left && !is_new_square);
        counts.idle += usize::from(is_idle(ply));
    }
    seats
}

/// Whether a move gains no square and brings its hare no nearer home.
fn is_idle(ply: &Ply) -> bool {
    let [before, after] = [ply.before, ply.after].map(|position| {
        let square = position.hare(ply.mover).square;
        (square, position.turns_home(ply.mover))
    });
    after.0 <= before.0 && after.1 >= before.1
}

/// The table.
pub fn table_of(games: &[Game]) -> String {
    let mut engines: BTreeMap<&str, Repetitions> = BTreeMap::new();
    let mut all = Repetitions::default();
    for game in games {
        for ((name, _), counts) in game.named_seats().zip(repetitions(game)) {
            engines.entry(name).or_default().add(counts);
            all.add(counts);
        }
    }
    let columns = [
        Column::left("brought back"),
        Column::right("of"),
        Column::left(""),
        Column::right("moves"),
        Column::right("positions"),
        Column::right("own hares"),
        Column::right("own squares"),
        Column::right("idle moves"),
    ];
    let mut rows = vec![row("all seats, a game", games.len(), "games", all)];
    rows.extend(engines.into_iter().map(|(name, counts)| {
        row(
            &format!("{name}, a seat and game"),
            counts.seats,
            "seats",
            counts,
        )
    }));
    report::table(&columns, rows.into_iter())
}

fn row(name: &str, parts: usize, unit: &str, counts: Repetitions) -> Vec<String> {
    let mut row = vec![name.to_string(), parts.to_string(), unit.to_string()];
    row.extend(counts.cells(parts));
    row
}

#[cfg(test)]
mod tests {
    use super::super::game::examples::stopped;
    use super::*;

    #[test]
    fn what_comes_back_is_counted_for_the_seat_that_brings_it() {
        let start = "26,40,3/40,60,3 1 - -";
        let game = stopped(&["a", "b"], start, "1001 1001 1002 1002 1001");
        let [first, second] = repetitions(&game)[..] else {
            panic!("two seats");
        };
        // The fourth ply brings back the start, the fifth the position after the first.
        assert_eq!((first.moves, first.positions), (3, 1), "{first:?}");
        assert_eq!((second.moves, second.positions), (2, 1), "{second:?}");
        assert_eq!((first.hares, second.hares), (2, 1), "{first:?} {second:?}");
        assert_eq!((first.squares, second.squares), (0, 0), "they stayed");
        // Ten carrots more are a turn less for the second alone.
        assert_eq!((first.idle, second.idle), (3, 1), "{first:?} {second:?}");
    }

    #[test]
    fn squares_come_back_with_other_holdings() {
        // Back to the hedgehog 24, forward to 26 again; the eating on 42 is no move.
        let start = "26,40,3/40,60,3 1 - -";
        let game = stopped(&["a", "b"], start, "-2 2 2 0 -2 2");
        let [first, second] = repetitions(&game)[..] else {
            panic!("two seats");
        };
        let expected = Repetitions {
            seats: 1,
            moves: 3,
            positions: 0,
            hares: 0,
            squares: 2,
            idle: 1,
        };
        assert_eq!(first, expected);
        assert_eq!((second.moves, second.squares), (2, 0), "{second:?}");
    }
}
